//! JSON form of a run on a simulated GPU.

use serde::Serialize;

use gpusched_gpu::gpu::{CLIENT_BYTES, ClientResult, KernelTraffic, Results};
use gpusched_gpu::machine::{MachineShape, SECTOR};
use gpusched_gpu::scenario::Setup;
use gpusched_model::Scheduler;

/// Results of a run on a simulated GPU.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResults"))]
pub struct Answer {
    /// Name of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the simulated GPU.
    pub machine: String,
    /// Warp scheduler.
    pub scheduler: Scheduler,
    /// Number of SMs in use.
    pub sms: u32,
    /// Time until all kernels and all memory requests end [core cycles].
    pub cycles: u64,
    /// `cycles` as a time, rounded up [ns].
    pub time_ns: u64,
    /// Results of the kernels, in the order of the scenario.
    pub kernels: Vec<KernelAnswer>,
    /// Results of the memory clients, in the order of the scenario; absent without clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub clients: Vec<ClientAnswer>,
    /// Memory traffic of the kernels.
    pub traffic: TrafficAnswer,
    /// How the warp schedulers use their cycles: one number of cycles for each use. Counts only SMs with thread blocks.
    pub stalls: StallsAnswer,
    /// Thread blocks, sorted by end time.
    pub blocks: Vec<BlockAnswer>,
}

/// Results of one kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsKernel"))]
pub struct KernelAnswer {
    /// Name of the kernel.
    pub name: String,
    /// Issue budget of the kernel (`rt-paws`: priority), if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Number of thread blocks.
    pub blocks: u64,
    /// Launch time [core cycle].
    pub launch: u64,
    /// Start time of the first block [core cycle].
    pub first_block: u64,
    /// End time of the last block that ended [core cycle]; 0 if no block of a kernel that repeats ended.
    pub finish: u64,
    /// Time from launch to finish [core cycles].
    pub response: u64,
    /// Number of issued instructions, counted once per warp.
    pub warp_instructions: u64,
    /// Number of issued instructions, counted once per thread.
    pub thread_instructions: u64,
    /// Warp instructions per core cycle, from the first block to the finish.
    pub warp_ipc: f64,
    /// Memory traffic that the kernel causes in the whole run.
    pub traffic: KernelTrafficAnswer,
    /// Number of sectors that the kernel has written, but that are not yet in DRAM at the end of the run.
    pub left_dirty: u64,
    /// Memory traffic of every kernel of the run while the present kernel executes, from its first block to its finish.
    pub window: Vec<KernelTrafficAnswer>,
}

/// Results of one memory client. Each request accesses a line of 64 bytes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsClient"))]
pub struct ClientAnswer {
    /// Name of the client.
    pub name: String,
    /// Number of sent requests that read.
    pub reads: u64,
    /// Number of sent requests that write.
    pub writes: u64,
    /// Number of requests that ended before the end of the run.
    pub ended: u64,
    /// Mean bandwidth of the ended requests over the whole run [bytes per second].
    pub bytes_per_second: u64,
    /// Largest number of requests in one regulation period; 0 without regulation.
    pub most_in_period: u64,
    /// End time of the last request [core cycle], if the client has transferred all its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<u64>,
}

impl ClientAnswer {
    /// Returns the JSON form of `client`, in a run of `cycles` core cycles on `machine`.
    fn new(machine: &MachineShape, cycles: u64, client: &ClientResult) -> ClientAnswer {
        ClientAnswer {
            name: client.name.clone(),
            reads: client.reads,
            writes: client.writes,
            ended: client.ended,
            bytes_per_second: rate(machine, cycles, client.ended, CLIENT_BYTES),
            most_in_period: client.most_in_period,
            finish: client.finish,
        }
    }
}

/// Memory traffic that one kernel causes, in sectors of 32 bytes. The traffic of a write-back belongs to the last kernel
/// that wrote to the line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsKernelTraffic"))]
pub struct KernelTrafficAnswer {
    /// Number of reads that L2 accepted.
    pub l2_reads: u64,
    /// Number of writes and atomics that L2 accepted.
    pub l2_writes: u64,
    /// Number of reads, writes and atomics that missed in L2.
    pub l2_misses: u64,
    /// Number of sectors read from DRAM.
    pub dram_reads: u64,
    /// Number of sectors written to DRAM.
    pub dram_writes: u64,
    /// Number of times that a DRAM bank opened a row.
    pub activations: u64,
}

impl From<&KernelTraffic> for KernelTrafficAnswer {
    fn from(traffic: &KernelTraffic) -> KernelTrafficAnswer {
        KernelTrafficAnswer {
            l2_reads: traffic.l2_reads,
            l2_writes: traffic.l2_writes,
            l2_misses: traffic.l2_misses,
            dram_reads: traffic.dram_reads,
            dram_writes: traffic.dram_writes,
            activations: traffic.activations,
        }
    }
}

/// Memory traffic, in sectors of 32 bytes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsTraffic"))]
pub struct TrafficAnswer {
    /// Number of sectors in requests that the L1 caches accepted.
    pub l1_accesses: u64,
    /// Number of accepted sectors that missed in the L1 caches.
    pub l1_misses: u64,
    /// Number of sectors in requests that the L2 cache accepted.
    pub l2_accesses: u64,
    /// Number of accepted sectors that missed in the L2 cache.
    pub l2_misses: u64,
    /// Number of sectors read from DRAM.
    pub dram_reads: u64,
    /// Number of sectors written to DRAM.
    pub dram_writes: u64,
    /// Mean bandwidth at L2 over the whole run [bytes per second].
    pub l2_bytes_per_second: u64,
    /// Mean bandwidth at DRAM over the whole run [bytes per second].
    pub dram_bytes_per_second: u64,
}

/// How the warp schedulers use their cycles: one number of cycles for each use.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsStalls"))]
pub struct StallsAnswer {
    /// Number of cycles with an issued instruction.
    pub issued: u64,
    /// Number of cycles where a warp was ready, but the execution unit of its instruction was busy.
    pub pipeline: u64,
    /// Number of cycles where every available instruction waited for registers.
    pub scoreboard: u64,
    /// Number of cycles where no warp had an instruction to issue.
    pub idle: u64,
}

/// Result of one thread block.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpResultsBlock"))]
pub struct BlockAnswer {
    /// Position of the kernel in `kernels`.
    pub kernel: usize,
    /// Position of the block in the grid.
    pub block: u64,
    /// Number of the SM that executes the block.
    pub sm: usize,
    /// Start time [core cycle].
    pub start: u64,
    /// End time [core cycle].
    pub end: u64,
}

impl Answer {
    /// Returns the JSON form of the `results` of a run of `setup`.
    pub fn new(setup: &Setup, results: &Results) -> Answer {
        let kernels = setup.kernels().iter().zip(&results.kernels);
        let kernels = kernels.map(|(kernel, found)| {
            let first_block = found.first_block.unwrap_or(found.finish);
            // No block of a kernel that repeats may have ended.
            let last = match found.finish < first_block {
                true => results.cycles,
                false => found.finish,
            };
            let cycles = last.saturating_sub(first_block).max(1);
            KernelAnswer {
                name: kernel.name().to_owned(),
                budget: kernel.budget(),
                blocks: kernel.blocks(),
                launch: kernel.launched(),
                first_block,
                finish: found.finish,
                response: found.finish.saturating_sub(kernel.launched()),
                warp_instructions: found.warp_instructions,
                thread_instructions: found.thread_instructions,
                warp_ipc: found.warp_instructions as f64 / cycles as f64,
                traffic: (&found.traffic).into(),
                left_dirty: found.left_dirty,
                window: found.window.iter().map(KernelTrafficAnswer::from).collect(),
            }
        });
        let blocks = results.blocks.iter().map(|block| BlockAnswer {
            kernel: block.kernel,
            block: block.block,
            sm: block.sm,
            start: block.start,
            end: block.end,
        });
        let (machine, stalls) = (setup.machine(), &results.stalls);
        Answer {
            name: setup.name().map(str::to_owned),
            machine: machine.name.clone(),
            scheduler: setup.scheduler(),
            sms: setup.sms(),
            cycles: results.cycles,
            time_ns: time_ns(machine, results.cycles),
            kernels: kernels.collect(),
            clients: results
                .clients
                .iter()
                .map(|client| ClientAnswer::new(machine, results.cycles, client))
                .collect(),
            traffic: TrafficAnswer::new(machine, results),
            stalls: StallsAnswer {
                issued: stalls.issued,
                pipeline: stalls.pipeline,
                scoreboard: stalls.scoreboard,
                idle: stalls.idle,
            },
            blocks: blocks.collect(),
        }
    }

    /// Returns the title of the trace and of the Gantt chart.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let names: Vec<&str> = self.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            names.join(" + ")
        })
    }
}

impl TrafficAnswer {
    /// Returns the memory traffic of `results`.
    pub fn new(machine: &MachineShape, results: &Results) -> TrafficAnswer {
        let traffic = &results.traffic;
        let rate = |sectors: u64| rate(machine, results.cycles, sectors, u64::from(SECTOR));
        TrafficAnswer {
            l1_accesses: traffic.l1_accesses,
            l1_misses: traffic.l1_misses,
            l2_accesses: traffic.l2_accesses,
            l2_misses: traffic.l2_misses,
            dram_reads: traffic.dram_reads,
            dram_writes: traffic.dram_writes,
            l2_bytes_per_second: rate(traffic.l2_accesses),
            dram_bytes_per_second: rate(traffic.dram_reads.saturating_add(traffic.dram_writes)),
        }
    }
}

/// Returns the mean bandwidth of `count` transfers of `bytes` bytes in `cycles` core cycles [bytes/s].
fn rate(machine: &MachineShape, cycles: u64, count: u64, bytes: u64) -> u64 {
    let per_second = u128::from(count) * u128::from(bytes) * u128::from(machine.clocks.core_khz) * 1000;
    u64::try_from(per_second / u128::from(cycles.max(1))).unwrap_or(u64::MAX)
}

/// Converts core cycles to a time, rounded up [ns].
pub fn time_ns(machine: &MachineShape, cycles: u64) -> u64 {
    let scaled = u128::from(cycles) * 1_000_000;
    u64::try_from(scaled.div_ceil(u128::from(machine.clocks.core_khz.max(1)))).unwrap_or(u64::MAX)
}
