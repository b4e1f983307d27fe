//! `gpusched wcet bound`: the WCET bound G(Q) of a kernel under the memory bandwidth budget Q of
//! best-effort cores.

use std::path::PathBuf;

use super::traffic::{Traffic, budget, described};
use crate::arguments::named;
use crate::report::{About, Output, Palette, Report, Shown, Table, clip};
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::kernel_wcet::{Solver, list_scheduling};
use gpusched_model::assumptions::BudgetBasis;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::reader::Kernels;
use gpusched_model::time::Time;
use gpusched_model::{Bound, Factor, Kernel};

/// Arguments of `gpusched wcet bound`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One kernel (JSON) or many (JSONL, one per line); `-` is standard input
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
    /// Budget Q of best-effort cores, as a share of each regulation period, 0 to 1
    #[arg(long, value_name = "Q", value_parser = budget)]
    q: Factor,
    #[command(flatten)]
    traffic: Traffic,
    /// Solver of the linear program
    ///
    /// `both` compares the solvers `exact` and `lp`. If their results differ, the exit code is 3.
    #[arg(long, value_parser = named::<Solver>(), default_value_t)]
    solver: Solver,
}

const EXAMPLE: &str = "\
The bound assumes that every block of a cluster takes at most e0 in isolation, and at most e1 under unregulated memory traffic.

Examples:
  gpusched wcet bound tasksets/kernels/histo-m4.json --q 0.13
  gpusched wcet bound tasksets/kernels/histo-m4.json --q 0.13 --sync --solver both";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let mut kernels = Kernels::open(&self.kernels)?.enumerate().peekable();
        while let Some((index, kernel)) = kernels.next() {
            let (_, kernel) = kernel?;
            let alone = index == 0 && kernels.peek().is_none();
            let shown = Shown::new(global, alone);
            distrust(&kernel);
            let estimator = self.traffic.estimator(&kernel).solver(self.solver);
            let mut bound = estimator.bound(self.q, self.traffic.sync)?;
            bound.assumptions = shown.listed(BudgetBasis::of_bound(&bound, &kernel).assumptions());
            bound.identity = Some(global.identity(&kernel, None, alone));
            output.report(&About((&kernel, self.solver, shown), bound))?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

/// Returns the name of a kernel for text.
pub fn title(kernel: &Kernel) -> String {
    kernel.name().map_or("kernel".to_owned(), |name| clip(name, 40))
}

/// Writes a warning for each WCET that is the result of an extreme-value fit, if this fit failed its tests. The warning
/// also appears with `--quiet`.
pub fn distrust(kernel: &Kernel) {
    for (index, cluster) in kernel.clusters().iter().enumerate() {
        for (name, distribution) in [
            ("e0", cluster.isolated_distribution()),
            ("e1", cluster.interference_distribution()),
        ] {
            let tail = distribution.and_then(|found| found.tail.as_ref());
            if tail.is_some_and(|tail| !tail.trustworthy) {
                complain(&format!(
                    "warning: {}: {name} of cluster {index} comes from a fit that failed its tests",
                    title(kernel)
                ));
            }
        }
    }
}

/// Returns the increase from `base` to `time` as text, such as `+12.30 %`.
pub fn percent(time: Time, base: Time) -> String {
    format!("{:+.2} %", (time.ns() as f64 / base.ns() as f64 - 1.0) * 100.0)
}

impl Report for About<(&Kernel, Solver, Shown), Bound> {
    fn table(&self) -> Table {
        let About(_, bound) = self;
        let certificate = bound.certificate.as_ref();
        let table = Table::of([bound])
            .exact("kernel", |bound| bound.kernel.as_ref())
            .exact("q", |bound| bound.q.to_string())
            .exact("sync", |bound| bound.sync)
            .exact("straddling", |bound| bound.straddling.to_string())
            .exact("wcet_ns", |bound| bound.wcet_ns)
            .exact("iterations", |bound| bound.iterations)
            .exact("memory_time_ns", |bound| bound.memory_time_ns)
            .exact("lambda", |_| {
                certificate.map(|certificate| certificate.lambda.to_string())
            })
            .exact("mu", |_| {
                certificate.map(|certificate| certificate.mu.to_string())
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((kernel, solver, shown), bound) = self;
        let isolated = list_scheduling::isolated(kernel);
        let good = palette.good;
        let mut text = format!(
            "{}: {good}at most {}{good:#} at Q = {}, {} ({} over {isolated} in isolation)\n",
            title(kernel),
            bound.wcet_ns,
            bound.q,
            described(bound.sync, bound.straddling),
            percent(bound.wcet_ns, isolated),
        );
        text += &format!(
            "{}, {} at a time; best-effort cores access memory for {} of the WCET bound\n",
            counted(kernel.blocks(), "block"),
            kernel.active_blocks(),
            bound.memory_time_ns,
        );
        if *solver == Solver::Both {
            text += "the linear program agrees with the bound at every step\n";
        }
        text += &match bound.certificate {
            Some(certificate) => format!(
                "{} solver steps; proof: λ = {}, µ = {} ns\n\n",
                bound.iterations, certificate.lambda, certificate.mu
            ),
            None => format!(
                "{} solver steps; no proof, because the linear program uses floating-point numbers\n\n",
                bound.iterations
            ),
        };
        let clusters = Table::of(kernel.clusters().iter().enumerate())
            .number("cluster", |(index, _)| *index)
            .number("blocks", |(_, cluster)| cluster.blocks())
            .time("e0", |(_, cluster)| cluster.isolated())
            .time("e1", |(_, cluster)| cluster.contended())
            .number("e1/e0", |(_, cluster)| {
                let ratio = cluster.contended().ns() as f64 / cluster.isolated().ns() as f64;
                format!("{ratio:.2}")
            });
        Ok(text + &clusters.done().render(palette.header) + &shown.text(bound.assumptions.as_deref()))
    }
}
