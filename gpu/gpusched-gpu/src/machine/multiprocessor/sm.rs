//! Streaming multiprocessors (SMs) of a simulated GPU.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use crate::machine::{InstructionTimes, PipelineWidths, RegisterFile, SpecializedUnits, Units};
use gpusched_model::Refusal;
use gpusched_model::Scheduler;

/// Number of threads of a warp.
pub const WARP_SIZE: u32 = 32;

/// Warp scheduler of a machine (`-gpgpu_scheduler`). A simulation can use another warp scheduler
/// instead.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WarpScheduler {
    /// Loose round robin (`lrr`): the scheduler chooses the next warp that can issue, starting after the warp that
    /// issued last.
    #[default]
    Lrr,
    /// Greedy, then oldest (`gto`): the scheduler chooses the warp that issued last. If this warp cannot issue, the
    /// scheduler chooses the oldest warp that can issue.
    Gto,
    /// Oldest first (`old`): the scheduler chooses the oldest warp that can issue.
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

/// Resources and parameters of one SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sm {
    /// Maximum number of resident threads (`-gpgpu_shader_core_pipeline`), a multiple of [`WARP_SIZE`].
    pub threads: u32,
    /// Maximum number of resident thread blocks (`-gpgpu_shader_cta`).
    pub blocks: u32,
    /// Number of 32-bit registers (`-gpgpu_shader_registers`).
    pub registers: u32,
    /// Maximum number of registers of one block (`-gpgpu_registers_per_block`).
    pub registers_per_block: u32,
    /// Number of warp schedulers (`-gpgpu_num_sched_per_core`). Warp *w* belongs to scheduler *w* modulo this number.
    pub schedulers: u32,
    /// Warp scheduler: rule that chooses the warp that issues next.
    pub scheduler: WarpScheduler,
    /// Whether each scheduler has registers and functional units that no other scheduler uses
    /// (`-gpgpu_sub_core_model`).
    pub sub_cores: bool,
    /// Maximum number of instructions that a scheduler issues per cycle, all from one warp
    /// (`-gpgpu_max_insn_issue_per_warp`).
    pub issue_per_warp: u32,
    /// Whether two instructions that a scheduler issues in one cycle must use different kinds of
    /// units (`-gpgpu_dual_issue_diff_exec_units`).
    pub dual_issue_distinct_units: bool,
    /// Number of fetches per cycle (`-gpgpu_inst_fetch_throughput`). In each fetch, the front end fetches and decodes
    /// two instructions of a warp.
    pub fetch_throughput: u32,
    /// Whether every access to the instruction cache or the constant cache is a hit
    /// (`-gpgpu_perfect_inst_const_cache`).
    pub perfect_instruction_and_constant_caches: bool,
    /// Numbers of pipeline registers between the pipeline stages of the SM.
    pub widths: PipelineWidths,
    /// Numbers of functional units.
    pub units: Units,
    /// Specialized units for traces of machine code.
    #[serde(default, skip_serializing_if = "SpecializedUnits::is_empty")]
    pub specialized_units: SpecializedUnits,
    /// Parameters of the register file.
    pub register_file: RegisterFile,
    /// Execution times of instructions.
    pub times: InstructionTimes,
}

impl Sm {
    /// Largest valid value of `threads`: 64 warps.
    pub const MAX_THREADS: u32 = 2048;
    /// Largest valid value of `blocks`.
    pub const MAX_BLOCKS: u32 = 32;
    /// Largest valid value of `schedulers`.
    pub const MAX_SCHEDULERS: u32 = 16;
    /// Maximum number of registers.
    pub const MAX_REGISTERS: u32 = 1 << 24;

    /// Returns the maximum number of resident warps.
    pub fn warps(&self) -> u32 {
        self.threads / WARP_SIZE
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("threads", self.threads, WARP_SIZE..=Self::MAX_THREADS)?;
        if !self.threads.is_multiple_of(WARP_SIZE) {
            faults.refuse(
                "threads",
                self.threads,
                "a multiple of 32, the number of threads of a warp",
            )?;
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
        self.specialized_units.check(&faults.of("specialized_units"))?;
        let sub_cores = if self.sub_cores { self.schedulers } else { 1 };
        self.register_file.check(sub_cores, &faults.of("register_file"))?;
        self.times.check(&faults.of("times"))
    }
}
