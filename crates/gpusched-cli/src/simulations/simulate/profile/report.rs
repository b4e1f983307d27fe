//! JSON, CSV and text forms of a profile.

use serde::Serialize;

use super::kernels::{TrafficAnswer, time_ns};
use crate::report::{Column, Palette, Report, Rows, Table, clip};
use gpusched_model::error::Result;
use gpusched_model::machine::{MachineShape, SECTOR};
use gpusched_model::{Estimated, Scheduler};
use gpusched_warp::gpu::Results;
use gpusched_warp::scenario::Setup;

/// CSV columns: the fields of a point.
pub const COLUMNS: [&str; 9] = [
    "sms",
    "cycles",
    "time_ns",
    "l2_bytes_per_second",
    "dram_bytes_per_second",
    "warp_instructions",
    "thread_instructions",
    "l2_accesses",
    "traffic_bytes",
];

/// Further CSV columns: the number of SMs of the whole GPU, and the peak bandwidth of its DRAM.
pub const GPU_COLUMNS: [&str; 2] = ["gpu_sms", "gpu_bytes_per_second"];

/// Last CSV column, only for estimated points. A reader of the CSV recognizes estimates by this
/// column.
pub const ESTIMATE_COLUMN: &str = "estimate_rounds";

/// Profile of a kernel: the results of its runs in isolation on several numbers of SMs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpProfile")]
pub struct Answer {
    /// Name of the kernel.
    kernel: String,
    /// Name of the simulated GPU.
    machine: String,
    /// Warp scheduler.
    scheduler: Scheduler,
    /// Whether the buffers of the kernel were in L2 at the start.
    warm: bool,
    /// Number of SMs of the whole GPU.
    gpu_sms: u32,
    /// Peak bandwidth of the DRAM of the GPU [bytes per second].
    gpu_bytes_per_second: u64,
    /// Estimation method; absent if gpusched simulated the points in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Estimated>,
    /// Results, sorted by ascending number of SMs.
    points: Vec<Point>,
}

/// Result of the run on one number of SMs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpProfilePoint")]
pub struct Point {
    /// Number of SMs in use.
    sms: u32,
    /// Time until the kernel and all memory requests end [core cycles].
    cycles: u64,
    /// `cycles` as a time, rounded up [ns].
    time_ns: u64,
    /// Mean bandwidth at L2 over the whole run [bytes per second].
    l2_bytes_per_second: u64,
    /// Mean bandwidth at DRAM over the whole run [bytes per second].
    dram_bytes_per_second: u64,
    /// Number of issued instructions, counted once per warp.
    warp_instructions: u64,
    /// Number of issued instructions, counted once per thread.
    thread_instructions: u64,
    /// Number of sectors in requests that the L2 cache accepted. A sector has 32 bytes.
    l2_accesses: u64,
    /// Upper bound on the memory traffic between L2 and DRAM, for every number of SMs and every
    /// content of the caches [bytes].
    traffic_bytes: u64,
}

impl Point {
    /// Returns the point for `results` on `sms` SMs of `machine`.
    pub fn new(machine: &MachineShape, sms: u32, results: &Results) -> Point {
        let traffic = TrafficAnswer::new(machine, results);
        let kernels = results.kernels.iter();
        Point {
            sms,
            cycles: results.cycles,
            time_ns: time_ns(machine, results.cycles),
            l2_bytes_per_second: traffic.l2_bytes_per_second,
            dram_bytes_per_second: traffic.dram_bytes_per_second,
            warp_instructions: kernels.clone().map(|kernel| kernel.warp_instructions).sum(),
            thread_instructions: kernels.map(|kernel| kernel.thread_instructions).sum(),
            l2_accesses: traffic.l2_accesses,
            // A kernel accesses the same sectors on every number of SMs. Some sectors go to L1,
            // and the other sectors go directly to L2. In the worst case, every sector misses in
            // L2 and is written back.
            traffic_bytes: 2 * u64::from(SECTOR) * (traffic.l1_accesses + traffic.l2_accesses),
        }
    }
}

impl Answer {
    /// Creates a profile of the kernel in `setup` from `points`. `estimate` is the estimation
    /// method, or `None` for simulated points.
    pub fn new(setup: &Setup, warm: bool, estimate: Option<Estimated>, points: Vec<Point>) -> Answer {
        Answer {
            kernel: setup
                .kernels()
                .first()
                .map_or("", |kernel| kernel.name())
                .to_owned(),
            machine: setup.machine().name.clone(),
            scheduler: setup.scheduler(),
            warm,
            gpu_sms: setup.machine().sms(),
            gpu_bytes_per_second: setup.machine().dram_bytes_per_second(),
            estimate,
            points,
        }
    }

    /// Returns the CSV columns.
    pub fn columns(&self) -> String {
        let column = self.estimate.map(|_| ESTIMATE_COLUMN);
        let columns: Vec<&str> = COLUMNS.into_iter().chain(GPU_COLUMNS).chain(column).collect();
        columns.join(",")
    }

    /// Returns a note if the kernel is slower on more SMs.
    pub fn note(&self) -> Option<String> {
        let slower = self.points.windows(2).find_map(|pair| match pair {
            [fewer, more] if more.cycles > fewer.cycles => Some((fewer, more)),
            _ => None,
        });
        slower.map(|(fewer, more)| {
            format!(
                "the kernel is slower on {} SMs than on {} SMs ({} and {} cycles); for each number of SMs, \
                 `wcet fit` uses the longest time on this or any larger number of SMs",
                more.sms, fewer.sms, more.cycles, fewer.cycles
            )
        })
    }
}

impl Report for Answer {
    /// Adds one row per number of SMs.
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let gpu = (self.gpu_sms, self.gpu_bytes_per_second);
        let rounds = self.estimate.map(Estimated::rounds);
        self.points
            .iter()
            .try_for_each(|point| rows.add((point, gpu, rounds.as_slice())))
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut table = Table::new([
            Column::Right("SMs"),
            Column::Right("cycles"),
            Column::Right("time"),
            Column::Right("speed-up"),
            Column::Right("GB/s at L2"),
            Column::Right("GB/s at DRAM"),
            Column::Right("warp IPC"),
        ]);
        let first = self.points.first().map_or(0, |point| point.cycles);
        let gigabytes = |rate: u64| format!("{:.1}", rate as f64 / 1e9);
        for point in &self.points {
            table.row([
                point.sms.to_string(),
                point.cycles.to_string(),
                format!("{:.3} us", point.time_ns as f64 / 1e3),
                format!("{:.2}", first as f64 / point.cycles.max(1) as f64),
                gigabytes(point.l2_bytes_per_second),
                gigabytes(point.dram_bytes_per_second),
                format!(
                    "{:.3}",
                    point.warp_instructions as f64 / point.cycles.max(1) as f64
                ),
            ]);
        }
        let (kernel, machine) = (clip(&self.kernel, 40), clip(&self.machine, 40));
        let warmth = if self.warm { "buffers in L2" } else { "L2 empty" };
        let estimate = self.estimate.iter().map(|estimated| format!("{estimated}\n"));
        let text = format!(
            "{kernel} on {machine} under {}, {warmth} at the start\n",
            self.scheduler
        );
        Ok(text + &estimate.collect::<String>() + &table.render(palette.header))
    }
}
