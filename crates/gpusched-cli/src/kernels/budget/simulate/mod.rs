//! `gpusched budget simulate`: simulates one kernel and concurrent best-effort cores whose memory bandwidth budget
//! changes at run time.

mod consumers;
mod replay;
mod report;

use std::path::PathBuf;

use rayon::prelude::*;

use super::regulation::{self, Policies, Regulation};
use crate::report::{About, Output, Shown};
use crate::wcet::{budget, one_kernel, slowdown, title};
use crate::{Format, Global, Outcome, complain};
use consumers::Consumers;
use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy, nominal};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel};
use gpusched_sim::regulation::{Optimum, OptimumTally, Run, Setting, Simulator, Summary, Tally};
use replay::Times;

/// Arguments of `gpusched budget simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One kernel (JSON); `-` is standard input
    #[arg(value_name = "KERNEL")]
    kernel: PathBuf,
    /// Nominal budget [default: the largest budget that satisfies --slowdown]
    #[arg(long, value_name = "Q", value_parser = budget, conflicts_with = "slowdown")]
    q: Option<Factor>,
    /// Largest accepted slowdown (G(Q) − G(0))/G(0), for WCET bound G and budget Q
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
    #[command(flatten)]
    regulation: Regulation,
    #[command(flatten)]
    consumers: Consumers,
    #[command(flatten)]
    times: Times,
    /// Also plan budgets with full knowledge of each run; show a bound on their memory time
    #[arg(long)]
    optimum: bool,
}

const EXAMPLE: &str = "\
The result is a summary. With --format csv (or -o NAME.csv), the result has one row per regulation period.
Exit code 1: a run takes longer than the WCET under the nominal budget.

Example:
  gpusched budget simulate tasksets/kernels/histo-table1.json --blocks drawn --runs 20";

/// Number of runs that gpusched simulates before it writes the results of these runs.
const BATCH: u64 = 64;

impl crate::Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let kernel = one_kernel(&self.kernel)?;
        let q = match self.q {
            Some(q) => q,
            None => nominal(&kernel, self.slowdown, false, self.regulation.straddling)?.nominal_q,
        };
        let replay = self.times.replay(&self.kernel, &kernel, self.regulation.runs)?;
        let recorded = replay.as_ref().map(replay::recorded);
        self.warn(q);
        let simulator = match replay {
            Some(replay) => Simulator::replaying(&kernel, replay, self.setting(), global.seed())?,
            None => Simulator::new(&kernel, self.setting(), global.seed())?,
        };
        let allocators: Vec<(BudgetPolicy, Allocator)> = BudgetPolicy::ALL
            .into_iter()
            .filter(|&policy| {
                policy == BudgetPolicy::Nominal || self.regulation.budget_policy.include(policy)
            })
            .map(|policy| {
                Ok((
                    policy,
                    Allocator::new(&kernel, q, policy, self.regulation.straddling)?,
                ))
            })
            .collect::<Result<_>>()?;
        let deadline = allocators.first().map_or(Time::ZERO, |first| first.1.deadline());
        let (is_csv, pool) = (global.format() == Format::Csv, global.pool()?);
        let mut tallies: Vec<Tally> = allocators
            .iter()
            .map(|&(policy, _)| Tally::new(policy, deadline))
            .collect();
        let mut optima = self.optimum.then(|| OptimumTally::new(deadline));
        let mut output = Output::open(global)?;
        let svg = output.beside(self.regulation.svg.as_ref())?;
        let mut figure = format!("{}\n", report::COLUMNS);
        if is_csv {
            output.write(&figure)?;
        }
        let mut done = 0;
        while done < self.regulation.runs && output.has_reader() {
            let end = self.regulation.runs.min(done.saturating_add(BATCH));
            let simulated = (done..end).into_par_iter().map(|run| {
                let record = is_csv || (run == 0 && self.regulation.svg.is_some());
                let execution = simulator.execution(run);
                let under = |(policy, allocator): &(BudgetPolicy, Allocator)| {
                    simulator.run(&execution, *policy, &mut allocator.clone(), record)
                };
                let runs = allocators.iter().map(under).collect::<Vec<Run>>();
                let optimum = || simulator.optimum(&execution, deadline, record);
                (runs, self.optimum.then(optimum))
            });
            let batch: Vec<(Vec<Run>, Option<Optimum>)> = pool.install(|| simulated.collect());
            for (runs, optimum) in &batch {
                for (tally, run) in tallies.iter_mut().zip(runs) {
                    let nominal = runs.first().unwrap_or(run);
                    tally.add(run, nominal);
                    if let Some(optimum) = optimum {
                        tally.compare(run, optimum.limit);
                    }
                }
                if let (Some(tally), Some(optimum), Some(nominal)) = (&mut optima, optimum, runs.first()) {
                    tally.add(optimum, nominal);
                }
                let chosen = runs
                    .iter()
                    .filter(|run| self.regulation.budget_policy.include(run.policy));
                let named = chosen.map(|run| (run.policy.to_string(), run));
                let planned = optimum.iter().map(|optimum| ("optimum".to_owned(), &optimum.run));
                for (name, run) in named.chain(planned) {
                    let rows = report::csv(&name, run)?;
                    if is_csv {
                        output.write(&rows)?;
                    }
                    if run.run == 0 {
                        figure += &rows;
                    }
                }
            }
            done = end;
        }
        let shown = Shown::new(global, true);
        let summary = Summary {
            recorded,
            optimum: optima.as_ref().map(OptimumTally::summary),
            assumptions: shown.listed(self.regulation.assumptions(vec![(&kernel, q)], None)),
            ..self.summary(&kernel, q, deadline, global.seed(), &tallies)
        };
        if let Some(file) = svg {
            let origin = "time since the start of the kernel";
            output.complete(file, regulation::figure(&figure, &title(&kernel), origin)?)?;
        }
        let late = summary.policies.iter().any(|policy| policy.late_runs > 0);
        output.last(&About(shown, summary))?;
        Ok(Outcome::of_answers(!late, done == self.regulation.runs))
    }
}

impl Args {
    /// Writes a warning if the process that computes budgets issues more memory requests than the nominal budget `q`
    /// permits.
    fn warn(&self, q: Factor) {
        let (numerator, denominator) = q.ratio();
        let dynamic = self.regulation.budget_policy != Policies::Nominal;
        if dynamic
            && u128::from(self.regulation.process) * u128::from(denominator) > u128::from(numerator) * 60_000
        {
            complain(&format!(
                "warning: --process {} is a larger share of 60000 requests per millisecond than the \
                 nominal budget {q}, so runs may exceed the nominal WCET (Lemma 1 does not apply)",
                self.regulation.process
            ));
        }
    }

    fn setting(&self) -> Setting {
        Setting {
            demand: self.consumers.demand(),
            cores: self.consumers.cores(),
            sharing: self.consumers.sharing,
            tasks: self.consumers.tasks(),
            blocks: self.times.blocks,
            ..self.regulation.setting()
        }
    }

    fn summary(&self, kernel: &Kernel, q: Factor, deadline: Time, seed: u64, tallies: &[Tally]) -> Summary {
        let policies = tallies.iter().map(Tally::summary);
        Summary {
            kernel: kernel.name().map(str::to_owned),
            nominal_q: q,
            straddling: self.regulation.straddling,
            wcet_nominal_ns: deadline,
            setting: self.setting(),
            runs: self.regulation.runs,
            seed,
            recorded: None,
            optimum: None,
            assumptions: None,
            policies: policies
                .filter(|summary| self.regulation.budget_policy.include(summary.policy))
                .collect(),
        }
    }
}
