//! JSON, CSV and text forms of a profile.

use serde::Serialize;

use super::kernels::{KernelTrafficAnswer, TrafficAnswer, time_ns};
use gpusched_cli::part::profile_columns::{
    BLOCK_COLUMN, COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS, ORIGIN_COLUMNS, TRAFFIC_COLUMNS, UNCERTAINTY_COLUMN,
    VARIATION_COLUMNS,
};
use gpusched_cli::part::{Column, Palette, Report, Rows, Table, clip};
use gpusched_gpu::gpu::Results;
use gpusched_gpu::machine::{MachineShape, SECTOR};
use gpusched_gpu::scenario::Setup;
use gpusched_gpu::stress::{L2, Rates};
use gpusched_model::error::Result;
use gpusched_model::provenance::{MeasuredClocks, MeasuredOnShape};
use gpusched_model::{Estimated, Scheduler};

/// Profile of a kernel. It contains the results of isolated runs on several numbers of SMs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfile"))]
pub struct Answer {
    /// Name of the kernel.
    kernel: String,
    /// Name of the simulated GPU.
    machine: String,
    /// Warp scheduler.
    scheduler: Scheduler,
    /// Whether the buffers of the kernel were in L2 at the start.
    warm: bool,
    /// Whether L2 had only one line per set; absent if L2 had all its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    thrashed: Option<bool>,
    /// Number of ways of L2 that only the kernel uses; absent if it used all ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    l2_ways: Option<u32>,
    /// Number of SMs of the whole GPU.
    gpu_sms: u32,
    /// Peak bandwidth of the DRAM of the GPU [bytes per second].
    gpu_bytes_per_second: u64,
    /// The simulated GPU and the tool, as a task states them.
    measured_on: MeasuredOnShape,
    /// Estimation method; absent if gpusched simulated the points in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Estimated>,
    /// Rates of the kernel in isolation on all SMs of the GPU; only with `--traffic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    drain: Option<DrainAnswer>,
    /// Results, sorted by ascending number of SMs.
    points: Vec<Point>,
}

/// Result of the run on one number of SMs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfilePoint"))]
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
    /// Time of the longest thread block, from its start to its end [ns]. Absent if gpusched has not
    /// simulated all blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_block_ns: Option<u64>,
    /// Estimated largest error of `cycles` [percent of `cycles`], from 0 to 25. The value 0 means that gpusched
    /// simulated all blocks, so `cycles` is exact. Absent without an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertainty_percent: Option<f64>,
    /// Variation of the runs, if there are several; absent for one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    variation: Option<Variation>,
    /// Memory traffic of the longest run; only with `--traffic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic: Option<PointTraffic>,
}

/// Variation of the runs over launch times and base addresses. `cycles` is the time of the longest run.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfileVariation"))]
struct Variation {
    /// Number of runs.
    runs: u64,
    /// Time of the shortest run [core cycles].
    shortest_cycles: u64,
}

/// Memory traffic of one job of the kernel in isolation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfileTraffic"))]
struct PointTraffic {
    /// Memory traffic of the job until its end.
    #[serde(flatten)]
    sectors: KernelTrafficAnswer,
    /// Number of sectors that the job has written, but that are not yet in DRAM at the end of the job. Later jobs cause
    /// the write-back of these sectors.
    left_dirty: u64,
    /// Largest share that one slice receives of any 1024 successive sectors at L2; absent without traffic at L2.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice_share: Option<f64>,
    /// Largest share that one channel receives of any 1024 successive sectors at DRAM; absent without traffic at DRAM.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_share: Option<f64>,
    /// Largest share that one bank receives of any 1024 successive sectors at DRAM; absent without traffic at DRAM.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_share: Option<f64>,
}

/// Rates of a kernel in isolation on all SMs of the GPU.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfileDrain"))]
struct DrainAnswer {
    /// Rate at which L2 accepts sectors, with an empty L2 at the start [bytes per second].
    l2_bytes_per_second: u64,
    /// Rate at which DRAM reads and writes sectors, with one line per set of L2 [bytes per second].
    dram_bytes_per_second: u64,
    /// Largest load of one slice, channel or bank, relative to an even load, with one line per set of L2 [percent]. The
    /// load of a bank is multiplied by the share of the sectors that open a row.
    camping_percent: u64,
}

impl Point {
    /// Returns the point for `runs` on `sms` SMs of `machine`. Each run has its launch time. The point contains the
    /// results of the longest run. `uncertainty` is the uncertainty of an estimate, as a share of the time. Returns
    /// `None` without runs.
    pub fn new(
        machine: &MachineShape,
        sms: u32,
        runs: &[(u64, Results)],
        uncertainty: Option<f64>,
        with_traffic: bool,
    ) -> Option<Point> {
        let time = |(launch, results): &(u64, Results)| results.cycles.saturating_sub(*launch);
        let longest = runs.iter().rev().max_by_key(|run| time(run))?;
        let (cycles, results) = (time(longest), &longest.1);
        let shortest_cycles = runs.iter().map(time).min().unwrap_or(cycles);
        let traffic = TrafficAnswer::new(machine, results);
        let kernels = results.kernels.iter();
        // A block occupies its SM in the cycle of its end, too.
        let blocks = runs.iter().flat_map(|(_, results)| &results.blocks);
        let longest_block = blocks
            .map(|block| 1 + block.end.saturating_sub(block.start))
            .max();
        let longest_block = longest_block.map(|cycles| time_ns(machine, cycles));
        Some(Point {
            sms,
            cycles,
            time_ns: time_ns(machine, cycles),
            l2_bytes_per_second: traffic.l2_bytes_per_second,
            dram_bytes_per_second: traffic.dram_bytes_per_second,
            warp_instructions: kernels.clone().map(|kernel| kernel.warp_instructions).sum(),
            thread_instructions: kernels.map(|kernel| kernel.thread_instructions).sum(),
            l2_accesses: traffic.l2_accesses,
            // A kernel accesses the same sectors on every number of SMs. Some sectors go to L1,
            // and the other sectors go directly to L2. In the worst case, every sector misses in
            // L2 and is written back.
            traffic_bytes: 2 * u64::from(SECTOR) * (traffic.l1_accesses + traffic.l2_accesses),
            // An estimate with an uncertainty has simulated only some of the blocks.
            longest_block_ns: longest_block.filter(|_| uncertainty.is_none_or(|share| share <= 0.0)),
            uncertainty_percent: uncertainty.map(|share| (1000.0 * share).ceil() / 10.0),
            variation: (runs.len() > 1).then_some(Variation {
                runs: runs.len() as u64,
                shortest_cycles,
            }),
            traffic: results
                .kernels
                .first()
                .filter(|_| with_traffic)
                .map(|kernel| PointTraffic {
                    sectors: (&kernel.traffic).into(),
                    left_dirty: kernel.left_dirty,
                    slice_share: results.shares.and_then(|shares| shares.slice),
                    channel_share: results.shares.and_then(|shares| shares.channel),
                    bank_share: results.shares.and_then(|shares| shares.bank),
                }),
        })
    }
}

/// Returns the simulated GPU of `setup`, with its clocks, and this program with its version.
fn measured_on(setup: &Setup) -> MeasuredOnShape {
    let machine = setup.machine();
    MeasuredOnShape {
        gpu: Some(machine.name.clone()),
        sms: Some(machine.sms()),
        clocks: Some(MeasuredClocks {
            core_khz: Some(machine.clocks.core_khz),
            dram_khz: Some(machine.clocks.dram_khz),
        }),
        tool: Some(concat!("gpusched ", env!("CARGO_PKG_VERSION"), " simulate profile").to_owned()),
        ..MeasuredOnShape::default()
    }
}

impl Answer {
    /// Creates a profile of the kernel in `setup` from `points`. `estimate` is the estimation
    /// method, or `None` for simulated points.
    pub fn new(
        setup: &Setup,
        warm: bool,
        (l2, l2_ways): (L2, Option<u32>),
        estimate: Option<Estimated>,
        points: Vec<Point>,
        whole: Option<(Rates, u64)>,
    ) -> Answer {
        Answer {
            kernel: setup
                .kernels()
                .first()
                .map_or("", |kernel| kernel.name())
                .to_owned(),
            machine: setup.machine().name.clone(),
            scheduler: setup.scheduler(),
            warm,
            thrashed: (l2 == L2::Thrashed).then_some(true),
            gpu_sms: setup.machine().sms(),
            gpu_bytes_per_second: setup.machine().dram_bytes_per_second(),
            measured_on: measured_on(setup),
            estimate,
            l2_ways,
            drain: whole.map(|(drain, camping_percent)| DrainAnswer {
                l2_bytes_per_second: drain.l2,
                dram_bytes_per_second: drain.dram,
                camping_percent,
            }),
            points,
        }
    }

    /// Returns the CSV columns.
    pub fn columns(&self) -> String {
        let mut columns: Vec<&str> = COLUMNS.into_iter().chain(GPU_COLUMNS).collect();
        columns.extend(ORIGIN_COLUMNS);
        columns.push(BLOCK_COLUMN);
        if self.estimate.is_some() {
            columns.extend([ESTIMATE_COLUMN, UNCERTAINTY_COLUMN]);
        }
        if self.points.iter().any(|point| point.variation.is_some()) {
            columns.extend(VARIATION_COLUMNS);
        }
        if self.points.iter().any(|point| point.traffic.is_some()) {
            columns.extend(TRAFFIC_COLUMNS);
        }
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
        let clocks = self.measured_on.clocks.unwrap_or_default();
        let origin = (
            (&self.measured_on.gpu, &self.measured_on.tool),
            (clocks.core_khz, clocks.dram_khz),
        );
        self.points.iter().try_for_each(|point| {
            let variation = point
                .variation
                .map(|variation| (variation.runs, variation.shortest_cycles));
            let traffic = point.traffic.as_ref().map(|traffic| {
                let share = |share: Option<f64>| share.map(|share| format!("{share:.6}"));
                (
                    &traffic.sectors,
                    traffic.left_dirty,
                    [traffic.slice_share, traffic.channel_share, traffic.bank_share].map(share),
                    self.drain,
                    // With the buffers in L2 at the start, fewer sectors come from DRAM.
                    self.l2_ways.filter(|_| !self.warm),
                )
            });
            let estimate = rounds.map(|rounds| (rounds, point.uncertainty_percent));
            let block = point.longest_block_ns;
            let point = Point {
                longest_block_ns: None,
                uncertainty_percent: None,
                variation: None,
                traffic: None,
                ..point.clone()
            };
            rows.add((
                point,
                gpu,
                (origin, block),
                estimate.as_slice(),
                variation.as_slice(),
                traffic.as_slice(),
            ))
        })
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut columns = vec![
            Column::Right("SMs"),
            Column::Right("cycles"),
            Column::Right("time"),
            Column::Right("speed-up"),
            Column::Right("GB/s at L2"),
            Column::Right("GB/s at DRAM"),
            Column::Right("warp IPC"),
        ];
        if self.points.iter().any(|point| point.variation.is_some()) {
            columns.push(Column::Right("shortest"));
        }
        if self.estimate.is_some() {
            columns.push(Column::Right("uncertainty"));
        }
        let mut table = Table::new(columns);
        let first = self.points.first().map_or(0, |point| point.cycles);
        let gigabytes = |rate: u64| format!("{:.1}", rate as f64 / 1e9);
        for point in &self.points {
            let mut cells = vec![
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
            ];
            cells.extend(
                point
                    .variation
                    .map(|variation| variation.shortest_cycles.to_string()),
            );
            cells.extend(point.uncertainty_percent.map(|percent| match percent {
                0.0 => "exact".to_owned(),
                _ => format!("{percent:.1} %"),
            }));
            table.row(cells);
        }
        let (kernel, machine) = (clip(&self.kernel, 40), clip(&self.machine, 40));
        let warmth = match (self.warm, self.thrashed.is_some()) {
            (true, _) => "buffers in L2",
            (_, false) => "L2 empty",
            (_, true) => "L2 empty and with one line per set",
        };
        let estimate = self.estimate.iter().map(|estimated| format!("{estimated}\n"));
        let text = format!(
            "{kernel} on {machine} under {}, {warmth} at the start\n",
            self.scheduler
        );
        let traffic = self.traffic(palette);
        Ok(text + &estimate.collect::<String>() + &table.render(palette.header) + &traffic)
    }
}

impl Answer {
    /// Returns a table with the memory traffic of a job for each number of SMs; empty without `--traffic`.
    fn traffic(&self, palette: &Palette) -> String {
        let mut table = Table::new([
            Column::Right("SMs"),
            Column::Right("L2 reads"),
            Column::Right("L2 writes"),
            Column::Right("DRAM reads"),
            Column::Right("DRAM writes"),
            Column::Right("left dirty"),
            Column::Right("rows opened"),
            Column::Right("slice"),
            Column::Right("channel"),
            Column::Right("bank"),
        ]);
        let share =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let points = self.points.iter();
        let mut points = points
            .filter_map(|point| Some((point.sms, point.traffic.as_ref()?)))
            .peekable();
        if points.peek().is_none() {
            return String::new();
        }
        for (sms, traffic) in points {
            let sectors = &traffic.sectors;
            table.row([
                sms.to_string(),
                sectors.l2_reads.to_string(),
                sectors.l2_writes.to_string(),
                sectors.dram_reads.to_string(),
                sectors.dram_writes.to_string(),
                traffic.left_dirty.to_string(),
                sectors.activations.to_string(),
                share(traffic.slice_share),
                share(traffic.channel_share),
                share(traffic.bank_share),
            ]);
        }
        let drain = self.drain.map_or(String::new(), |drain| {
            format!(
                "alone on all SMs: {:.1} GB/s at L2 if it is empty at the start, {:.1} GB/s at DRAM if L2 keeps nothing; \
                 camping factor {:.2}\n",
                drain.l2_bytes_per_second as f64 / 1e9,
                drain.dram_bytes_per_second as f64 / 1e9,
                drain.camping_percent as f64 / 100.0
            )
        });
        let title = "sectors of 32 bytes of a job, and largest share of one slice, channel and bank among 1024 sectors\n";
        format!("\n{title}{}{drain}", table.render(palette.header))
    }
}
