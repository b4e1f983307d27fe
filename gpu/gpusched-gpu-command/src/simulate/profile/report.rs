//! JSON, CSV and text forms of a profile.

use serde::Serialize;

use super::kernels::{KernelTrafficAnswer, TrafficAnswer, time_ns};
use gpusched_cli::part::profile_columns::{
    BLOCK_COLUMN, COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS, ORIGIN_COLUMNS, TRAFFIC_COLUMNS, UNCERTAINTY_COLUMN,
    VARIATION_COLUMNS,
};
use gpusched_cli::part::{Cell, Draft, Palette, Report, Table, clip};
use gpusched_gpu::gpu::{KernelResult, Results};
use gpusched_gpu::machine::{MachineShape, SECTOR};
use gpusched_gpu::scenario::Setup;
use gpusched_gpu::stress::{L2, Whole};
use gpusched_model::error::Result;
use gpusched_model::provenance::{MeasuredClocks, MeasuredOnShape};
use gpusched_model::{Estimated, Scheduler};

/// Profile of a kernel. It contains the results of isolated runs on several numbers of SMs. With `--beside`, it also
/// contains the results of runs beside a second kernel.
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
    /// Whether the buffers of the kernel were in L2 at the start of all runs.
    warm: bool,
    /// Whether L2 had only one line per set; absent if L2 had all its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    thrashed: Option<bool>,
    /// Number of ways of L2 that only the kernel uses; absent if it used all ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    l2_ways: Option<u32>,
    /// Whether some runs started with a warm and some with an empty L2.
    #[serde(skip)]
    both: bool,
    /// Name of the second kernel of `--beside`, which runs on the same SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
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
    /// Replies to the kernel, and its thread blocks; only with `--traffic`.
    #[serde(flatten)]
    replies: Option<Replies>,
    /// Results, sorted by ascending number of SMs. On each number of SMs, the isolated result comes first.
    points: Vec<Point>,
}

/// Facts about the replies to a kernel and about its thread blocks. They hold for all numbers of SMs.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Replies {
    /// Whether the SMs accept each reply to the kernel in the first cycle, beside every kernel on other SMs. Only the
    /// instructions and the simulated GPU show this. A trace counts as not accepting.
    pub accepting: bool,
    /// Number of thread blocks of the job.
    pub blocks: u64,
}

/// Result of the run on one number of SMs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpProfilePoint"))]
pub struct Point {
    /// Number of SMs in use.
    sms: u32,
    /// Whether this is the result beside the second kernel; absent for isolated results. Instructions and
    /// traffic of the second kernel do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<bool>,
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
    /// Largest number of core cycles where the first reply at a reply port belongs to the job, summed over all ports. The
    /// largest of all runs, and of one more run with another content of L2: cold after warm runs, and warm after others.
    hold: u64,
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
    /// results of the longest run. `uncertainty` is the uncertainty of an estimate, as a share of the time. `other` is a
    /// run with another content of L2, and adds the traffic to the point. Returns `None` without runs.
    pub fn new(
        machine: &MachineShape,
        sms: u32,
        runs: &[(u64, Results)],
        uncertainty: Option<f64>,
        with_traffic: bool,
        other: Option<&Results>,
    ) -> Option<Point> {
        let time = |(launch, results): &(u64, Results)| results.cycles.saturating_sub(*launch);
        let longest = runs.iter().rev().max_by_key(|run| time(run))?;
        let (cycles, results) = (time(longest), &longest.1);
        let shortest_cycles = runs.iter().map(time).min().unwrap_or(cycles);
        let traffic = TrafficAnswer::new(machine, results);
        let kernels = results.kernels.iter();
        let all = runs.iter().map(|(_, results)| results).chain(other);
        let hold = all.filter_map(|results| results.kernels.first()).map(held).max();
        // A block occupies its SM in the cycle of its end, too.
        let blocks = runs.iter().flat_map(|(_, results)| &results.blocks);
        let longest_block = blocks
            .map(|block| 1 + block.end.saturating_sub(block.start))
            .max();
        let longest_block = longest_block.map(|cycles| time_ns(machine, cycles));
        Some(Point {
            sms,
            conflict: None,
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
                    hold: hold.unwrap_or_default(),
                    slice_share: results.shares.and_then(|shares| shares.slice),
                    channel_share: results.shares.and_then(|shares| shares.channel),
                    bank_share: results.shares.and_then(|shares| shares.bank),
                }),
        })
    }
}

/// Returns the number of cycles where the first reply at a port belongs to `kernel`. Each of its sectors has a reply,
/// which holds a port for at least one cycle.
fn held(kernel: &KernelResult) -> u64 {
    kernel
        .hold
        .max(kernel.traffic.l2_reads + kernel.traffic.l2_writes)
}

impl Point {
    /// Marks the point as a result beside the second kernel. `isolated` is the isolated result on the same SMs. The
    /// traffic bound stays the same, because a kernel accesses the same sectors beside other kernels.
    pub fn in_conflict(self, isolated: &Point) -> Point {
        Point {
            conflict: Some(true),
            traffic_bytes: isolated.traffic_bytes,
            ..self
        }
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
            ..MeasuredClocks::default()
        }),
        tool: Some(concat!("gpusched ", env!("CARGO_PKG_VERSION"), " simulate profile").to_owned()),
        ..MeasuredOnShape::default()
    }
}

impl Answer {
    /// Creates a profile of the kernel in `setup` from `points`. `estimate` is the estimation
    /// method, or `None` for simulated points. `beside` is a run with the second kernel, if there is one.
    pub fn new(
        setup: &Setup,
        (warm, l2, l2_ways): (bool, L2, Option<u32>),
        estimate: Option<Estimated>,
        points: Vec<Point>,
        whole: Option<Whole>,
        replies: Option<Replies>,
        beside: Option<&Setup>,
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
            both: beside.is_some() && l2 == L2::Warm && !warm,
            beside: beside
                .and_then(|beside| beside.kernels().get(1))
                .map(|kernel| kernel.name().to_owned()),
            gpu_sms: setup.machine().sms(),
            gpu_bytes_per_second: setup.machine().dram_bytes_per_second(),
            measured_on: measured_on(setup),
            estimate,
            l2_ways,
            drain: whole.map(
                |Whole {
                     drain,
                     camping_percent,
                 }| DrainAnswer {
                    l2_bytes_per_second: drain.l2,
                    dram_bytes_per_second: drain.dram,
                    camping_percent,
                },
            ),
            replies,
            points,
        }
    }

    /// Returns a note if the kernel is slower on more SMs.
    pub fn note(&self) -> Option<String> {
        let isolated: Vec<&Point> = self
            .points
            .iter()
            .filter(|point| point.conflict.is_none())
            .collect();
        let slower = isolated.windows(2).find_map(|pair| match pair {
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
    /// Returns one row per number of SMs. The names of the CSV columns are in [`profile_columns`].
    fn table(&self) -> Table {
        let [sms, cycles, time, l2, dram, warp, thread, accesses, bytes] = COLUMNS;
        let ([gpu_sms, gpu_rate], [gpu, tool, core, memory]) = (GPU_COLUMNS, ORIGIN_COLUMNS);
        let clocks = self.measured_on.clocks.unwrap_or_default();
        let first = self.points.first().map_or(0, |point| point.cycles);
        let per_cycle = |count: u64, point: &Point| count as f64 / point.cycles.max(1) as f64;
        let rate = |rate: u64| Cell::valued(format!("{:.1}", rate as f64 / 1e9), rate);
        let varied = self.points.iter().any(|point| point.variation.is_some());
        let table = Table::of(&self.points)
            .number(("SMs", sms), |point| point.sms)
            .when(self.beside.is_some(), |table| {
                table
                    .text(("contention", "contention"), |point| match point.conflict {
                        Some(_) => "conflict",
                        None => "isolated",
                    })
                    .exact("other", |point| {
                        self.beside.as_ref().filter(|_| point.conflict.is_some())
                    })
            })
            .number(("cycles", cycles), |point| point.cycles)
            .number(("time", time), |point| {
                Cell::valued(format!("{:.3} us", point.time_ns as f64 / 1e3), point.time_ns)
            })
            .number("speed-up", |point| format!("{:.2}", per_cycle(first, point)))
            .number(("GB/s at L2", l2), |point| rate(point.l2_bytes_per_second))
            .number(("GB/s at DRAM", dram), |point| rate(point.dram_bytes_per_second))
            .number("warp IPC", |point| {
                format!("{:.3}", per_cycle(point.warp_instructions, point))
            })
            .exact(warp, |point| point.warp_instructions)
            .exact(thread, |point| point.thread_instructions)
            .exact(accesses, |point| point.l2_accesses)
            .exact(bytes, |point| point.traffic_bytes)
            .exact(gpu_sms, |_| self.gpu_sms)
            .exact(gpu_rate, |_| self.gpu_bytes_per_second)
            .exact(gpu, |_| self.measured_on.gpu.as_ref())
            .exact(tool, |_| self.measured_on.tool.as_ref())
            .exact(core, |_| clocks.core_khz)
            .exact(memory, |_| clocks.dram_khz)
            .exact(BLOCK_COLUMN, |point| point.longest_block_ns)
            .when(varied, |table| {
                table.number("shortest", |point| point.variation.map(|of| of.shortest_cycles))
            })
            .each(self.estimate.map(Estimated::rounds), |table, rounds| {
                table
                    .exact(ESTIMATE_COLUMN, |_| rounds)
                    .number(("uncertainty", UNCERTAINTY_COLUMN), |point| {
                        point.uncertainty_percent.map(uncertainty)
                    })
            })
            .when(varied, |table| {
                let [runs, shortest] = VARIATION_COLUMNS;
                table
                    .exact(runs, |point| point.variation.map(|of| of.runs))
                    .exact(shortest, |point| point.variation.map(|of| of.shortest_cycles))
            })
            .when(self.points.iter().any(|point| point.traffic.is_some()), |table| {
                self.traffic_columns(table)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (kernel, machine) = (clip(&self.kernel, 40), clip(&self.machine, 40));
        let beside = match &self.beside {
            Some(other) => format!(", in isolation and beside {} on the same SMs", clip(other, 40)),
            None => String::new(),
        };
        let warmth = match (self.warm, self.thrashed.is_some()) {
            (true, _) => "buffers in L2",
            (false, false) if self.both => "longest runs with the buffers in L2 and with L2 empty",
            (_, false) => "L2 empty",
            (_, true) => "L2 empty and with one line per set",
        };
        let estimate = self.estimate.iter().map(|estimated| format!("{estimated}\n"));
        let text = format!(
            "{kernel} on {machine} under {}{beside}, {warmth} at the start\n",
            self.scheduler
        );
        let traffic = self.traffic(palette);
        Ok(text + &estimate.collect::<String>() + &self.table().render(palette.header) + &traffic)
    }
}

impl Answer {
    /// Adds the CSV columns of `--traffic`.
    fn traffic_columns<'a>(&'a self, table: Draft<&'a Point>) -> Draft<&'a Point> {
        let sectors: [fn(&KernelTrafficAnswer) -> u64; 6] = [
            |sectors| sectors.l2_reads,
            |sectors| sectors.l2_writes,
            |sectors| sectors.l2_misses,
            |sectors| sectors.dram_reads,
            |sectors| sectors.dram_writes,
            |sectors| sectors.activations,
        ];
        let shares: [fn(&PointTraffic) -> Option<f64>; 3] = [
            |traffic| traffic.slice_share,
            |traffic| traffic.channel_share,
            |traffic| traffic.bank_share,
        ];
        let [
            reads @ ..,
            left,
            slice,
            channel,
            bank,
            drain_l2,
            drain_dram,
            camping,
            ways,
            hold,
            accepting,
            blocks,
        ] = TRAFFIC_COLUMNS;
        table
            .each(reads.into_iter().zip(sectors), |table, (name, count)| {
                table.exact(name, |point| point.traffic.as_ref().map(|of| count(&of.sectors)))
            })
            .exact(left, |point| point.traffic.as_ref().map(|of| of.left_dirty))
            .each(
                [slice, channel, bank].into_iter().zip(shares),
                |table, (name, share)| {
                    table.exact(name, |point| {
                        let share = point.traffic.as_ref().and_then(share);
                        share.map(|share| format!("{share:.6}"))
                    })
                },
            )
            .exact(drain_l2, |_| self.drain.map(|drain| drain.l2_bytes_per_second))
            .exact(drain_dram, |_| {
                self.drain.map(|drain| drain.dram_bytes_per_second)
            })
            .exact(camping, |_| self.drain.map(|drain| drain.camping_percent))
            // With the buffers in L2 at the start, fewer sectors come from DRAM.
            .exact(ways, |_| self.l2_ways.filter(|_| !self.warm))
            .exact(hold, |point| point.traffic.as_ref().map(|of| of.hold))
            .exact(accepting, |_| self.replies.map(|replies| replies.accepting))
            .exact(blocks, |_| self.replies.map(|replies| replies.blocks))
    }

    /// Returns a table with the memory traffic of a job for each number of SMs; empty without `--traffic`.
    fn traffic(&self, palette: &Palette) -> String {
        let share = |share: Option<f64>| Cell::or(share.map(|share| format!("{:.1} %", 100.0 * share)), "-");
        let points = self.points.iter();
        let points = points.filter(|point| point.conflict.is_none());
        let table = Table::of(points.filter_map(|point| Some((point.sms, point.traffic.as_ref()?))))
            .number("SMs", |(sms, _)| *sms)
            .number("L2 reads", |(_, traffic)| traffic.sectors.l2_reads)
            .number("L2 writes", |(_, traffic)| traffic.sectors.l2_writes)
            .number("DRAM reads", |(_, traffic)| traffic.sectors.dram_reads)
            .number("DRAM writes", |(_, traffic)| traffic.sectors.dram_writes)
            .number("left dirty", |(_, traffic)| traffic.left_dirty)
            .number("rows opened", |(_, traffic)| traffic.sectors.activations)
            .number("port cycles", |(_, traffic)| traffic.hold)
            .number("slice", |(_, traffic)| share(traffic.slice_share))
            .number("channel", |(_, traffic)| share(traffic.channel_share))
            .number("bank", |(_, traffic)| share(traffic.bank_share));
        let table = table.done();
        if table.is_empty() {
            return String::new();
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
        let accepting = match self.replies {
            Some(Replies { accepting: true, .. }) => "the SMs accept each reply at once\n",
            _ => "",
        };
        format!("\n{title}{}{drain}{accepting}", table.render(palette.header))
    }
}

/// Returns the cell of an uncertainty [percent].
fn uncertainty(percent: f64) -> Cell {
    let text = match percent {
        0.0 => "exact".to_owned(),
        _ => format!("{percent:.1} %"),
    };
    Cell::valued(text, format!("{percent:?}"))
}
