//! A run of kernels in JSON.

use serde::Serialize;

use crate::model::Scheduler;
use crate::model::machine::{MachineShape, SECTOR};
use crate::warp::gpu::Results;
use crate::warp::scenario::Setup;

/// What became of kernels on a machine.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpResults")]
pub struct Answer {
    /// The scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The machine's name.
    pub machine: String,
    /// Which warp issued next.
    pub scheduler: Scheduler,
    /// SMs that took part.
    pub sms: u32,
    /// Until everything was through [core cycles].
    pub cycles: u64,
    /// The same, rounded up [ns].
    pub time_ns: u64,
    /// In the order of the scenario.
    pub kernels: Vec<KernelAnswer>,
    /// What memory did.
    pub traffic: TrafficAnswer,
    /// What the schedulers of SMs with blocks did.
    pub stalls: StallsAnswer,
    /// Thread blocks, in the order in which they ended.
    pub blocks: Vec<BlockAnswer>,
}

/// What became of a kernel.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpResultsKernel")]
pub struct KernelAnswer {
    /// Its name.
    pub name: String,
    /// Its budget (`rt-paws`: priority), if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Its thread blocks.
    pub blocks: u64,
    /// When it was launched [core cycle].
    pub launch: u64,
    /// When its first block started [core cycle].
    pub first_block: u64,
    /// When its last block ended [core cycle].
    pub finish: u64,
    /// From its launch to its finish [core cycles].
    pub response: u64,
    /// What it issued, a warp counting once.
    pub warp_instructions: u64,
    /// What it issued, a thread counting once.
    pub thread_instructions: u64,
    /// Instructions of warps per core cycle, from its first block to its finish.
    pub warp_ipc: f64,
}

/// What memory did, in sectors of 32 bytes.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpResultsTraffic")]
pub struct TrafficAnswer {
    /// Sectors that L1 took.
    pub l1_accesses: u64,
    /// Of them, those not there.
    pub l1_misses: u64,
    /// Sectors that L2 took.
    pub l2_accesses: u64,
    /// Of them, those not there.
    pub l2_misses: u64,
    /// Sectors read from DRAM.
    pub dram_reads: u64,
    /// Sectors written to DRAM.
    pub dram_writes: u64,
    /// At L2, over the whole run.
    pub l2_bytes_per_second: u64,
    /// At DRAM, over the whole run.
    pub dram_bytes_per_second: u64,
}

/// Cycles of schedulers, by what happened.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpResultsStalls")]
pub struct StallsAnswer {
    /// An instruction was issued.
    pub issued: u64,
    /// A warp was ready, but its unit was not.
    pub pipeline: u64,
    /// All instructions waited for registers.
    pub scoreboard: u64,
    /// No warp had an instruction.
    pub idle: u64,
}

/// A thread block.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpResultsBlock")]
pub struct BlockAnswer {
    /// Its kernel, a position in `kernels`.
    pub kernel: usize,
    /// Its position in the grid.
    pub block: u64,
    /// Where it was.
    pub sm: usize,
    /// When it started [core cycle].
    pub start: u64,
    /// When it ended [core cycle].
    pub end: u64,
}

impl Answer {
    /// What `results` say of the run of `setup`.
    pub fn new(setup: &Setup, results: &Results) -> Answer {
        let kernels = setup.kernels().iter().zip(&results.kernels);
        let kernels = kernels.map(|(kernel, found)| {
            let first_block = found.first_block.unwrap_or(found.finish);
            let cycles = found.finish.saturating_sub(first_block).max(1);
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

    /// What figures call it.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let names: Vec<&str> = self.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            names.join(" + ")
        })
    }
}

impl TrafficAnswer {
    /// What `results` say.
    pub fn new(machine: &MachineShape, results: &Results) -> TrafficAnswer {
        let traffic = &results.traffic;
        let rate = |sectors: u64| {
            let bytes = u128::from(sectors) * u128::from(SECTOR);
            let per_second = bytes * u128::from(machine.clocks.core_khz) * 1000;
            u64::try_from(per_second / u128::from(results.cycles.max(1))).unwrap_or(u64::MAX)
        };
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

/// Core cycles as time, rounded up [ns].
pub fn time_ns(machine: &MachineShape, cycles: u64) -> u64 {
    let scaled = u128::from(cycles) * 1_000_000;
    u64::try_from(scaled.div_ceil(u128::from(machine.clocks.core_khz.max(1)))).unwrap_or(u64::MAX)
}
