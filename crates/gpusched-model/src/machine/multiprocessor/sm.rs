//! A streaming multiprocessor.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::Scheduler;
use crate::machine::check::Faults;
use crate::machine::{InstructionTimes, PipelineWidths, RegisterFile, Units};

/// Threads of a warp.
pub const WARP_SIZE: u32 = 32;

/// The warp scheduler of a machine, unless a simulation asks for another (`-gpgpu_scheduler`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarpScheduler {
    /// Loose round robin (`lrr`).
    #[default]
    Lrr,
    /// Greedy, then oldest (`gto`).
    Gto,
    /// Oldest first (`old`).
    Oldest,
}

impl From<WarpScheduler> for Scheduler {
    fn from(scheduler: WarpScheduler) -> Scheduler {
        match scheduler {
            WarpScheduler::Lrr => Scheduler::Lrr,
            WarpScheduler::Gto => Scheduler::Gto,
            WarpScheduler::Oldest => Scheduler::Oldest,
        }
    }
}

/// What one SM has.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sm {
    /// Threads that can be resident (`-gpgpu_shader_core_pipeline`); whole warps of [`WARP_SIZE`].
    pub threads: u32,
    /// Thread blocks that can be resident (`-gpgpu_shader_cta`).
    pub blocks: u32,
    /// 32-bit registers (`-gpgpu_shader_registers`).
    pub registers: u32,
    /// Registers that one block may use (`-gpgpu_registers_per_block`).
    pub registers_per_block: u32,
    /// Warp schedulers (`-gpgpu_num_sched_per_core`); warp *w* belongs to scheduler *w* mod their number.
    pub schedulers: u32,
    /// How they choose.
    pub scheduler: WarpScheduler,
    /// Whether each scheduler has registers and units of its own (`-gpgpu_sub_core_model`).
    pub sub_cores: bool,
    /// Instructions of the chosen warp that a scheduler issues per cycle (`-gpgpu_max_insn_issue_per_warp`).
    pub issue_per_warp: u32,
    /// Whether instructions issued together need different kinds of units (`-gpgpu_dual_issue_diff_exec_units`).
    pub dual_issue_distinct_units: bool,
    /// Times per cycle that the front end fetches two instructions of a warp and decodes
    /// (`-gpgpu_inst_fetch_throughput`).
    pub fetch_throughput: u32,
    /// Whether instructions and constants are always in their caches (`-gpgpu_perfect_inst_const_cache`).
    pub perfect_instruction_and_constant_caches: bool,
    /// Pipeline registers.
    pub widths: PipelineWidths,
    /// Functional units.
    pub units: Units,
    /// The register file.
    pub register_file: RegisterFile,
    /// How long instructions take.
    pub times: InstructionTimes,
}

impl Sm {
    /// The most resident threads: 64 warps.
    pub const MAX_THREADS: u32 = 2048;
    /// The most resident blocks.
    pub const MAX_BLOCKS: u32 = 32;
    /// The most schedulers.
    pub const MAX_SCHEDULERS: u32 = 16;
    /// The most registers.
    pub const MAX_REGISTERS: u32 = 1 << 24;

    /// Warps that can be resident.
    pub fn warps(&self) -> u32 {
        self.threads / WARP_SIZE
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("threads", self.threads, WARP_SIZE..=Self::MAX_THREADS)?;
        if !self.threads.is_multiple_of(WARP_SIZE) {
            faults.refuse("threads", self.threads, "whole warps of 32")?;
        }
        faults.within("blocks", self.blocks, 1..=Self::MAX_BLOCKS)?;
        faults.within("registers", self.registers, 1..=Self::MAX_REGISTERS)?;
        faults.within(
            "registers_per_block",
            self.registers_per_block,
            1..=Self::MAX_REGISTERS,
        )?;
        faults.within("schedulers", self.schedulers, 1..=Self::MAX_SCHEDULERS)?;
        faults.within("issue_per_warp", self.issue_per_warp, 1..=2)?;
        faults.within("fetch_throughput", self.fetch_throughput, 1..=64)?;
        self.units.check(&faults.of("units"))?;
        self.widths.check(&self.units, &faults.of("widths"))?;
        let sub_cores = if self.sub_cores { self.schedulers } else { 1 };
        self.register_file.check(sub_cores, &faults.of("register_file"))?;
        self.times.check(&faults.of("times"))
    }
}
