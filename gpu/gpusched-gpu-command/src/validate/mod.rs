//! `gpusched validate --warps`: validation of memory time against concurrent kernels.

mod report;

pub use report::WarpValidation;

use std::path::{Path, PathBuf};

use gpusched_cli::part::{Common, Output, Progress, Validate, whole};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::co_runs;
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::Programs;
use gpusched_gpu::stress::{PATTERNS, Stress};
use gpusched_model::MemoryTime;
use gpusched_model::error::Result;

/// Further reason for exit code 1.
pub const NEGATIVE: &str = "; or\nall runs are left out by --warps";

/// Examples of the help.
pub const EXAMPLES: &str = "  \
  gpusched validate --warps --synthetic --systems 8 tasksets/kernels/programs/vadd.json tasksets/kernels/programs/pc.json
  gpusched validate --warps --task-sets --bound own-drain --systems 2 tasksets/kernels/programs/vadd.json
";

/// Arguments of `gpusched validate` for concurrent kernels.
#[derive(Debug, clap::Args)]
pub struct WarpArgs {
    /// Validate memory time against concurrent kernels, cycle by cycle
    ///
    /// Each system is a co-run of two or three kernels with programs from PROGRAM. Each kernel has its own SMs.
    /// Launches, addresses and schedulers are random. gpusched compares the time of each kernel with bounds that depend
    /// on its time in isolation and on the memory traffic of the other kernels. If a kernel exceeds the bound of
    /// `--bound`, gpusched reduces the co-run and writes it as a warp run to the file of --reproducer.
    #[arg(long, requires = "programs", conflicts_with_all = ["pessimism", "devices", "shared_memory", "end_to_end"])]
    warps: bool,
    /// Programs of the kernels (JSON); only with --warps
    #[arg(value_name = "PROGRAM", requires = "warps")]
    programs: Vec<PathBuf>,
    /// Simulated GPU: a name or a file; only with --warps
    #[arg(long, value_name = "MACHINE", default_value = "rtx2060")]
    machine: String,
    /// Bound that no kernel may exceed; only with --warps
    ///
    /// All bounds except `peak` count the time for which replies to other kernels hold the ports of clusters.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Bound::Universal)]
    bound: Bound,
    /// Part of the memory that each partition has for itself; only with --warps
    #[arg(long, value_name = "PART", value_enum, default_value_t = Memory::Shared)]
    memory: Memory,
    /// Clusters that partitions share; only with --warps
    ///
    /// The SMs of a cluster share one port to the memory. `split` requires a simulated GPU with several SMs per cluster,
    /// e.g., titanv.
    #[arg(long, value_name = "PLACEMENT", value_enum, default_value_t = Placed::Mixed, requires = "warps")]
    placement: Placed,
    /// Leave out kernels that concentrate accesses on a part of the memory; only with --warps
    ///
    /// The limit is the largest load of one L2 slice, DRAM channel or bank, relative to an even load. The load of a
    /// bank is multiplied by the share of the sectors that open a row. For example, `--camping-limit 4` leaves out
    /// co-runs with a kernel that loads one channel with more than four times the mean load.
    #[arg(long, value_name = "FACTOR", requires = "warps", value_parser = whole::<u32>(1..=1_000_000))]
    camping_limit: Option<u32>,
    /// Percentage added to isolated times; only with --warps [default: 20]
    #[arg(long, value_name = "PERCENT", requires = "warps", value_parser = whole(0..=MemoryTime::MAX_VARIATION))]
    variation: Option<u32>,
    /// Let half of the kernels run synthetic programs with random strides; only with --warps
    #[arg(long, requires = "warps")]
    synthetic: bool,
    /// Search for co-runs near the bound with this number of random changes; only with --warps
    ///
    /// After each random co-run, gpusched changes a program, a launch, the addresses, the SMs or the scheduler, and
    /// keeps a change that increases the largest ratio of a time to its bound.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u32>(0..=1_000_000))]
    climb: u32,
    /// Simulate periodic jobs of task sets; only with --warps
    ///
    /// Each partition has one or two tasks, which run without preemption. The analysis accepts each task set with the
    /// bound of `--bound`. gpusched compares the response times in one hyperperiod with the bounds of the analysis.
    #[arg(long, requires = "warps", conflicts_with = "climb")]
    task_sets: bool,
}

/// Bound on the time of a kernel in a co-run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Bound {
    /// Time to transfer the DRAM bytes of isolated runs at the peak bandwidth.
    Peak,
    /// Memory time at the balanced rates of the GPU.
    Balanced,
    /// Memory time at the balanced rates, or at the rates of the isolated kernel if these are lower.
    OwnDrain,
    /// Memory time at the lowest rates of the GPU, with one slice and one bank.
    Universal,
}

impl From<Bound> for co_runs::Form {
    fn from(bound: Bound) -> co_runs::Form {
        match bound {
            Bound::Peak => co_runs::Form::Peak,
            Bound::Balanced => co_runs::Form::Balanced,
            Bound::OwnDrain => co_runs::Form::OwnDrain,
            Bound::Universal => co_runs::Form::Universal,
        }
    }
}

/// Part of the memory that each partition has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Memory {
    /// No part: all partitions share L2 and DRAM.
    Shared,
    /// Ways of L2.
    L2Ways,
    /// Channels of DRAM with their slices of L2, as with memory slices of MIG.
    Channels,
}

impl From<Memory> for co_runs::Division {
    fn from(memory: Memory) -> co_runs::Division {
        match memory {
            Memory::Shared => co_runs::Division::Shared,
            Memory::L2Ways => co_runs::Division::L2Ways,
            Memory::Channels => co_runs::Division::Channels,
        }
    }
}

/// Clusters that partitions share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Placed {
    /// None: each partition has its own clusters.
    Aligned,
    /// At least one cluster.
    Split,
    /// Half of the runs are aligned, and half are split. With one SM per cluster, all runs are aligned.
    Mixed,
}

impl From<Placed> for co_runs::Placement {
    fn from(placed: Placed) -> co_runs::Placement {
        match placed {
            Placed::Aligned => co_runs::Placement::Aligned,
            Placed::Split => co_runs::Placement::Split,
            Placed::Mixed => co_runs::Placement::Mixed,
        }
    }
}

impl Validate for WarpArgs {
    fn is_chosen(&self) -> bool {
        self.warps
    }

    fn run(&self, common: Common<'_>, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let machine = Machine::find(&self.machine)?;
        let programs = self.programs.iter().map(|path| {
            let mut program = Programs::only(path, "program")?;
            program.read_values(path.parent().unwrap_or(Path::new("")))?;
            Ok(program)
        });
        let programs = programs.collect::<Result<Vec<_>>>()?;
        let bar = Progress::of(global, PATTERNS, "patterns");
        let stress = Stress::measure(&machine, || bar.step())?;
        drop(bar);
        let campaign = co_runs::Campaign {
            examiner: co_runs::Examiner::new(machine, &stress)
                .with_variation(self.variation.unwrap_or(MemoryTime::VARIATION)),
            programs,
            synthetic: self.synthetic,
            kind: match self.task_sets {
                true => co_runs::Systems::TaskSets,
                false => co_runs::Systems::CoRuns(self.climb),
            },
            systems: common.systems,
            seed: global.seed(),
            form: self.bound.into(),
            division: self.memory.into(),
            placement: self.placement.into(),
            camping_limit: self.camping_limit,
        };
        let report = common.run(&campaign, global)?;
        common.write(&mut output, report.violation.as_ref().map(|(_, run)| run))?;
        output.last(&WarpValidation::new(&campaign, &report))?;
        Ok((report.violation.is_none() && report.co_runs > 0).into())
    }
}
