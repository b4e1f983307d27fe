//! `gpusched budget sequence`: simulates several kernels that run one after another. Best-effort cores with a regulated
//! memory bandwidth budget run concurrently.

mod beforehand;
mod periods;
mod report;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use rayon::prelude::*;

use super::regulation::Regulation;
use crate::arguments::{named, one_of};
use crate::report::{About, Output, Shown};
use crate::wcet::{distrust, slowdown};
use crate::{Format, Global, Outcome, Run};
use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy, nominal};
use gpusched_model::assumptions::Assumption;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::Systems;
use gpusched_model::time::Time;
use gpusched_model::{Factor, KernelTask, System};
use gpusched_sim::regulation::sequence::{
    Dispatch, KernelSetting, SequenceRun, SequenceSummary, SequenceTally, Sequencer,
};
use gpusched_sim::regulation::{BlockTimes, Demand, Setting};

/// Arguments of `gpusched budget sequence`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Kernels with their periods and budgets (JSON); `-` is standard input
    #[arg(value_name = "SYSTEM")]
    system: PathBuf,
    /// Non-preemptive policy that selects the next kernel for the GPU
    #[arg(long, value_parser = named::<Dispatch>(), default_value_t)]
    dispatch: Dispatch,
    /// Accepted slowdown (G(Q) − G(0))/G(0) of kernels without a stated budget or slowdown
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
    #[command(flatten)]
    regulation: Regulation,
    /// Share of time that best-effort cores need for memory access
    ///
    /// Give a number or the name of a program: `bandwidth` (1), `libquantum` (0.6), `gcc` (0.2)
    /// or `sjeng` (0.14). The numbers for the programs are assumptions.
    #[arg(long, value_name = "SHARE", default_value = "bandwidth")]
    demand: Demand,
    /// Execution times of the blocks in the simulation
    ///
    /// `mean` and `drawn` require kernels that state distributions of block times.
    #[arg(long, default_value_t, value_parser = untraced())]
    blocks: BlockTimes,
}

const EXAMPLE: &str = "\
The result is a summary and a list of the jobs of the first run. With --format csv (or -o NAME.csv), the result has one row per
time span with a constant budget and a constant running kernel.
Exit code 1: a job misses its deadline or takes longer than its nominal WCET.

Example:
  gpusched budget sequence tasksets/kernels/two-kernels.json --dispatch np-edf";

/// Number of runs that gpusched simulates before it writes the results of these runs.
const BATCH: u64 = 16;

/// Returns a parser of block times. The parser refuses `trace`, because a sequence cannot replay traces.
fn untraced() -> impl TypedValueParser<Value = BlockTimes> {
    one_of(&[BlockTimes::Wcet, BlockTimes::Mean, BlockTimes::Drawn])
}

/// A budget policy, with one budget allocator for each kernel.
type Deciders = (BudgetPolicy, Vec<Allocator>);

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let system = Systems::only(&self.system, "system")?;
        for task in system.kernels() {
            distrust(task.kernel());
        }
        let tasks = system.kernels().iter();
        let budgets: Vec<Factor> = tasks.map(|task| self.budget(task)).collect::<Result<_>>()?;
        let policies = BudgetPolicy::ALL.into_iter();
        let deciders: Vec<Deciders> = policies
            .filter(|&policy| {
                policy == BudgetPolicy::Nominal || self.regulation.budget_policy.include(policy)
            })
            .map(|policy| Ok((policy, self.allocators(&system, &budgets, policy)?)))
            .collect::<Result<_>>()?;
        let first = deciders.first().map(|(_, allocators)| allocators.as_slice());
        let wcets: Vec<Time> = first
            .unwrap_or_default()
            .iter()
            .map(Allocator::deadline)
            .collect();
        let sequencer = Sequencer::new(&system, &wcets, self.dispatch, self.setting(), global.seed())?;
        let pool = global.pool()?;
        let mut tallies: Vec<SequenceTally> = deciders
            .iter()
            .map(|&(policy, _)| SequenceTally::new(policy, system.kernels().len()))
            .collect();
        let csv = global.format() == Format::Csv;
        let mut output = Output::open(global)?;
        let svg = output.beside(self.regulation.svg.as_ref())?;
        if csv {
            output.write(format!("{}\n", periods::COLUMNS))?;
        }
        let mut figure = periods::Figure::default();
        let mut done = 0;
        while done < self.regulation.runs && output.has_reader() {
            let end = self.regulation.runs.min(done.saturating_add(BATCH));
            let simulated = (done..end).into_par_iter().map(|run| {
                let record = csv || (run == 0 && self.regulation.svg.is_some());
                let under = |(policy, allocators): &Deciders| {
                    let record = record && self.regulation.budget_policy.include(*policy);
                    sequencer.run(run, *policy, &mut allocators.clone(), record)
                };
                deciders.iter().map(under).collect::<Vec<SequenceRun>>()
            });
            let batch: Vec<Vec<SequenceRun>> = pool.install(|| simulated.collect());
            for runs in &batch {
                for (tally, run) in tallies.iter_mut().zip(runs) {
                    tally.add(run, runs.first().unwrap_or(run));
                }
                for run in runs
                    .iter()
                    .filter(|run| self.regulation.budget_policy.include(run.policy))
                {
                    if csv {
                        output.write(periods::csv(run, &system)?)?;
                    }
                    if run.run == 0 && self.regulation.svg.is_some() {
                        figure.add(run);
                    }
                }
            }
            done = end;
        }
        let shown = Shown::new(global, true);
        let summary = SequenceSummary {
            system: system.name().map(str::to_owned),
            regulation_period_ns: system.regulation_period(),
            hyperperiod_ns: system.hyperperiod(),
            horizon_ns: sequencer.horizon(),
            dispatch: self.dispatch,
            straddling: self.regulation.straddling,
            setting: self.setting(),
            runs: self.regulation.runs,
            seed: global.seed(),
            kernels: settings(&system, &budgets, &wcets),
            verdict: beforehand::verdict(&system, &wcets, self.dispatch),
            policies: tallies
                .iter()
                .map(SequenceTally::summary)
                .filter(|summary| self.regulation.budget_policy.include(summary.policy))
                .collect(),
            assumptions: shown.listed(self.assumptions(&system, &budgets)),
        };
        if let Some(file) = svg {
            output.complete(file, figure.svg(system.name())?)?;
        }
        let policies = summary.policies.iter();
        let bad: u64 = policies.map(|policy| policy.missed_jobs + policy.late_jobs).sum();
        output.last(&About(shown, summary))?;
        Ok(Outcome::of_answers(bad == 0, done == self.regulation.runs))
    }
}

impl Args {
    fn assumptions(&self, system: &System, budgets: &[Factor]) -> Vec<Assumption> {
        let kernels = system.kernels().iter().zip(budgets);
        let kernels = kernels.map(|(task, &q)| (task.kernel(), q)).collect();
        let policy = beforehand::policy(self.dispatch);
        self.regulation.assumptions(kernels, Some(policy))
    }

    /// Returns the nominal memory bandwidth budget Q̄ of `task`.
    fn budget(&self, task: &KernelTask) -> Result<Factor> {
        let slowdown = task.slowdown().unwrap_or(self.slowdown);
        match task.q() {
            Some(q) => Ok(q),
            None => {
                let found = nominal(task.kernel(), slowdown, false, self.regulation.straddling)?;
                Ok(found.nominal_q)
            }
        }
    }

    fn allocators(
        &self,
        system: &System,
        budgets: &[Factor],
        policy: BudgetPolicy,
    ) -> Result<Vec<Allocator>> {
        let parts = system.kernels().iter().zip(budgets);
        parts
            .map(|(task, &q)| {
                Allocator::new(task.kernel(), q, policy, self.regulation.straddling).map_err(Error::from)
            })
            .collect()
    }

    fn setting(&self) -> Setting {
        Setting {
            demand: self.demand.0,
            blocks: self.blocks,
            ..self.regulation.setting()
        }
    }
}

fn settings(system: &System, budgets: &[Factor], wcets: &[Time]) -> Vec<KernelSetting> {
    let parts = system.kernels().iter().zip(budgets).zip(wcets);
    parts
        .map(|((task, &nominal_q), &wcet_nominal_ns)| KernelSetting {
            name: task.kernel().name().map(str::to_owned),
            period_ns: task.period(),
            offset_ns: task.offset(),
            deadline_ns: task.deadline(),
            nominal_q,
            wcet_nominal_ns,
            jobs: system.jobs(task),
        })
        .collect()
}
