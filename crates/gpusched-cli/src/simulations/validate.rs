//! `gpusched validate`: compares analysis and simulation.

mod end_to_end;
mod report;
mod shared;
mod warps;

use crate::arguments::whole;
use gpusched_analysis::interference::model_of;
use std::path::PathBuf;

use super::{Global, Outcome};
use crate::report::{Content, Output, OutputPath, Progress, json_lines};
use gpusched_model::error::Result;
use gpusched_model::reader::Programs;
use gpusched_model::{Machine, MemoryTime};
use gpusched_sim::co_runs;
use gpusched_sim::validation::{Campaign, end_to_end as systems, shared as shared_memory};
use gpusched_warp::stress::{PATTERNS, Stress};

pub use end_to_end::EndToEndValidation;
pub use report::Validation;
pub use shared::SharedValidation;
pub use warps::WarpValidation;

/// Compare analysis and simulation over random systems.
///
/// Each random system has a task set, a number of SMs, a heuristic, a policy and an interference model. gpusched
/// simulates one hyperperiod of every partition that the analysis accepts. The releases are critical or random, and the
/// execution times are WCETs or shorter.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Number of systems; 288 cover all policies, heuristics and interference models
    #[arg(long, value_name = "N", default_value_t = 2_880, value_parser = whole::<u64>(1..=10_000_000_000))]
    systems: u64,
    /// Validate the analysis of partitions that share a memory
    ///
    /// gpusched simulates all partitions of a system concurrently, under every priority order of
    /// the partitions at the memory and under max-min fairness. The result compares the
    /// interference models `conflict` and `conflict+bandwidth`.
    #[arg(long, conflicts_with = "pessimism")]
    shared_memory: bool,
    /// Validate the end-to-end analysis of cores, copy engines and partitions
    ///
    /// gpusched simulates each system in six runs with different arrivals and execution times. The result compares all
    /// bounds on segments, tasks and chains with the simulated times. If a time exceeds its bound, gpusched writes
    /// the system to the file of `--reproducer`. With `--shared-memory`, all resources of a system share a memory.
    #[arg(long, conflicts_with_all = ["pessimism", "devices"])]
    end_to_end: bool,
    /// Use the GPUs that `gpusched gpus` lists, with their partition sizes
    ///
    /// The generated systems use all granularities in turn. Only with `--shared-memory`.
    #[arg(long, requires = "shared_memory")]
    devices: bool,
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
    /// Counterexamples are known for each bound, also on own clusters: no bound counts delays at ports of TPCs and GPCs.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Bound::Universal)]
    bound: Bound,
    /// Part of the memory that each partition has for itself; only with --warps
    #[arg(long, value_name = "PART", value_enum, default_value_t = Memory::Shared)]
    memory: Memory,
    /// Leave out kernels that concentrate accesses on a part of the memory; only with --warps
    ///
    /// The limit is the largest load of one L2 slice, DRAM channel or bank, relative to an even load. The load of a
    /// bank is multiplied by the share of the sectors that open a row. For example, `--camping-limit 4` leaves out
    /// co-runs with a kernel that loads one channel with more than four times the mean load.
    #[arg(long, value_name = "FACTOR", requires = "warps", value_parser = whole::<u32>(1..=1_000_000))]
    camping_limit: Option<u32>,
    /// Percentage added to times in isolation; only with --warps [default: 20]
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
    /// Simulate periodic jobs of task sets instead of co-runs; only with --warps
    ///
    /// Each partition has one or two tasks, which run without preemption. The analysis accepts each task set with the
    /// bound of `--bound`. gpusched compares the response times in one hyperperiod with the bounds of the analysis.
    #[arg(long, requires = "warps", conflicts_with = "climb")]
    task_sets: bool,
    /// Also write the ratios of simulated response times to their bounds, as CSV
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Csv), value_hint = clap::ValueHint::FilePath)]
    pessimism: Option<OutputPath>,
    /// File for the smallest counterexample, if there is one
    #[arg(long, value_name = "PATH", default_value = "reproducer.json",
        value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    reproducer: OutputPath,
    /// File that stores the progress, so that a later run can continue
    #[arg(long, value_name = "PATH")]
    checkpoint: Option<PathBuf>,
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

const EXAMPLE: &str = "\
Exit code 1: in a partition that the analysis accepts, a job misses its deadline or a response time exceeds its bound; or
all runs are left out by --warps. To repeat such a violation, run the printed command. It simulates the file of
--reproducer. The name of the task set in the file contains the arguments of the command.

Examples:
  gpusched validate --systems 576
  gpusched validate --shared-memory --systems 100000
  gpusched validate --end-to-end --systems 10000
  gpusched validate --end-to-end --shared-memory --systems 10000
  gpusched validate --warps --synthetic --systems 20 tasksets/kernels/programs/vadd.json tasksets/kernels/programs/pc.json
  gpusched validate --warps --memory channels --bound peak --systems 20 tasksets/kernels/programs/vadd.json
  gpusched validate --warps --task-sets --bound own-drain --systems 20 tasksets/kernels/programs/vadd.json
  gpusched validate --systems 576 --pessimism pessimism.csv && gpusched plot pessimism.csv --x ratio --y share --series policy -o pessimism.svg";

impl Args {
    /// Runs the validation.
    ///
    /// # Errors
    /// Fails on bad usage, for a checkpoint of another validation, or if output cannot be
    /// written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if self.warps {
            return self.run_warps(global);
        }
        if self.end_to_end {
            return self.run_end_to_end(global);
        }
        if self.shared_memory {
            return self.run_shared(global);
        }
        let mut output = Output::open(global)?;
        let pessimism = output.beside(self.pessimism.as_ref())?;
        let campaign = Campaign {
            systems: self.systems,
            seed: global.seed(),
            analysis: model_of,
        };
        let bar = self.bar(global);
        let run = || campaign.run(self.checkpoint.as_deref(), |systems| bar.advance(systems));
        let found = global.pool()?.install(run)?;
        drop(bar);
        let validation = Validation::new(&campaign, &found, &self.reproducer);
        if let Some(reproducer) = &found.reproducer {
            let file = output.beside(Some(&self.reproducer))?;
            let set = json_lines([&reproducer.set])?;
            file.map_or(Ok(()), |file| output.complete(file, set))?;
        }
        if let Some(file) = pessimism {
            output.complete(file, report::pessimism(&found))?;
        }
        output.only(report::COLUMNS, &validation)?;
        Ok(match found.breaches() {
            0 => Outcome::Positive,
            _ => Outcome::Negative,
        })
    }

    fn run_shared(&self, global: &Global) -> Result<Outcome> {
        let output = Output::open(global)?;
        let campaign = shared_memory::Campaign {
            systems: self.systems,
            seed: global.seed(),
            devices: self.devices,
            analysis: |system| shared_memory::campaign::verdicts(system, true),
        };
        let bar = self.bar(global);
        let run = || campaign.run(self.checkpoint.as_deref(), |systems| bar.advance(systems));
        let report = global.pool()?.install(run)?;
        drop(bar);
        output.only(shared::COLUMNS, &SharedValidation::new(&campaign, &report))?;
        Ok(match report.broken {
            None => Outcome::Positive,
            Some(_) => Outcome::Negative,
        })
    }

    fn run_warps(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let machine = Machine::find(&self.machine)?;
        let programs = self.programs.iter().map(|path| {
            let mut program = Programs::only(path, "program")?;
            program.read_values(path.parent().unwrap_or(std::path::Path::new("")))?;
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
            systems: self.systems,
            seed: global.seed(),
            form: self.bound.into(),
            division: self.memory.into(),
            camping_limit: self.camping_limit,
        };
        let bar = self.bar(global);
        let run = || campaign.run(self.checkpoint.as_deref(), |runs| bar.advance(runs));
        let report = global.pool()?.install(run)?;
        drop(bar);
        if let Some((_, run)) = &report.violation {
            let file = output.beside(Some(&self.reproducer))?;
            let run = json_lines([run])?;
            file.map_or(Ok(()), |file| output.complete(file, run))?;
        }
        output.only(warps::COLUMNS, &WarpValidation::new(&campaign, &report))?;
        Ok(match report.violation {
            None if report.co_runs > 0 => Outcome::Positive,
            _ => Outcome::Negative,
        })
    }

    fn run_end_to_end(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let campaign = systems::Campaign::new(self.systems, global.seed(), self.shared_memory);
        let bar = self.bar(global);
        let run = || campaign.run(self.checkpoint.as_deref(), |systems| bar.advance(systems));
        let report = global.pool()?.install(run)?;
        drop(bar);
        if let Some(draft) = &report.draft {
            let file = output.beside(Some(&self.reproducer))?;
            let draft = json_lines([draft])?;
            file.map_or(Ok(()), |file| output.complete(file, draft))?;
        }
        output.only(end_to_end::COLUMNS, &EndToEndValidation::new(&campaign, &report))?;
        Ok(match report.tally.exceeded {
            0 => Outcome::Positive,
            _ => Outcome::Negative,
        })
    }

    /// Returns a progress bar.
    fn bar(&self, global: &Global) -> Progress {
        Progress::of(global, self.systems, "systems")
    }
}
