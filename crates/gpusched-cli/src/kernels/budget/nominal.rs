//! `gpusched budget nominal`: the largest budget that keeps the slowdown of a kernel within a limit. With `--deadlines`, the
//! largest budgets with which a system meets its deadlines.

use std::path::PathBuf;

use super::deadlines::Deadlines;
use crate::report::{About, Content, Output, OutputPath, Palette, Report, Shown, Table};
use crate::wcet::{Traffic, described, distrust, percent, slowdown, title};
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::bandwidth::{Nominal, machine, nominal};
use gpusched_model::assumptions::BudgetBasis;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Kernels;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel};

/// Arguments of `gpusched budget nominal`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One kernel (JSON) or many (JSONL, one per line); `-` is standard input
    ///
    /// With `--deadlines`: an end-to-end system with the field `budgets`.
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
    /// Largest accepted slowdown (G(Q) − G(0))/G(0), for WCET bound G and budget Q
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
    #[command(flatten)]
    traffic: Traffic,
    /// Also write the constants of the kernel to a C header, for a process that chooses budgets
    ///
    /// The header contains clusters and setting for `gpusched_budget.h`. Only for one kernel.
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Export), conflicts_with_all = ["sync", "deadlines"], value_hint = clap::ValueHint::FilePath)]
    header: Option<OutputPath>,
    #[command(flatten)]
    deadlines: Deadlines,
}

const EXAMPLE: &str = "\
Examples:
  gpusched budget nominal tasksets/kernels/histo-m4.json --slowdown 0.10
  gpusched budget nominal tasksets/end_to_end/camera-budgets.json --deadlines
  gpusched budget nominal tasksets/end_to_end/camera-budgets.json --deadlines --per kind";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if self.deadlines.deadlines {
            return self.deadlines.run(&self.kernels, global);
        }
        if self.slowdown > Factor::ONE {
            let percent = 100.0 * self.slowdown.as_f64();
            global.note(format_args!("a slowdown of {} is {percent} %", self.slowdown));
        }
        let mut output = Output::open(global)?;
        let mut header = output.beside(self.header.as_ref())?;
        let mut kernels = Kernels::open(&self.kernels)?;
        if kernels
            .peek()?
            .is_some_and(|raw| raw.is_end_to_end() && raw.has("tasks"))
        {
            let refusal = Refusal::new("", "an end-to-end system", "a kernel");
            let hint = "add `--deadlines` to choose the budgets of a system";
            return Err(refusal.at(&self.kernels, None).hint(hint).into());
        }
        let mut kernels = kernels.enumerate().peekable();
        while let Some((index, kernel)) = kernels.next() {
            let (_, kernel) = kernel?;
            let alone = index == 0 && kernels.peek().is_none();
            if header.is_some() && !alone {
                return Err(Error::parameter("header", "several kernels", "one kernel"));
            }
            let shown = Shown::new(global, alone);
            distrust(&kernel);
            let Traffic { sync, straddling } = self.traffic;
            let mut found = nominal(&kernel, self.slowdown, sync, straddling)?;
            if let Some(note) = self.shorter(&kernel, &found)?.filter(|_| !global.quiet) {
                complain(&note);
            }
            let basis = BudgetBasis {
                kernels: vec![(&kernel, Some(found.nominal_q))],
                sync,
                straddling,
            };
            if let Some(file) = header.take() {
                output.complete(file, machine::header(&kernel, found.nominal_q, straddling)?)?;
            }
            found.assumptions = shown.listed(basis.assumptions());
            found.identity = Some(global.identity(&kernel, None, alone));
            output.report(&About((&kernel, &self.traffic, shown), found))?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Returns a note if `kernel` in isolation ends within one regulation period and a shorter period allows a larger
    /// budget. The note names the period that allows the largest budget.
    fn shorter(&self, kernel: &Kernel, found: &Nominal) -> Result<Option<String>> {
        let (alone, period) = (found.wcet_isolated_ns, kernel.regulation_period());
        if alone >= period {
            return Ok(None);
        }
        let (mut best, mut at) = (found.nominal_q, period);
        for shorter in rounded_periods().take_while(|shorter| *shorter < period) {
            let kernel = kernel.clone().with_regulation_period(shorter)?;
            let q = nominal(&kernel, self.slowdown, found.sync, found.straddling)?.nominal_q;
            if q > found.nominal_q && q >= best {
                (best, at) = (q, shorter);
            }
        }
        Ok((at < period).then(|| {
            format!(
                "note: {} takes {alone} in isolation, less than its regulation period of {period}; \
                 a regulation period of {at} allows Q = {best} instead of {}",
                title(kernel),
                found.nominal_q
            )
        }))
    }
}

/// Returns the regulation periods 1, 2, 5, 10, 20, 50 … us, up to 5 s.
fn rounded_periods() -> impl Iterator<Item = Time> {
    let units = (0..7).map(|digits| 1_000 * 10_u64.pow(digits));
    units.flat_map(|unit| [1, 2, 5].map(|times| Time::from_ns(times * unit)))
}

impl Report for About<(&Kernel, &Traffic, Shown), Nominal> {
    fn table(&self) -> Table {
        let table = Table::of([&self.1])
            .exact("kernel", |found| found.kernel.as_ref())
            .exact("slowdown", |found| found.slowdown.to_string())
            .exact("sync", |found| found.sync)
            .exact("straddling", |found| found.straddling.to_string())
            .exact("nominal_q", |found| found.nominal_q.to_string())
            .exact("wcet_isolated_ns", |found| found.wcet_isolated_ns)
            .exact("wcet_nominal_ns", |found| found.wcet_nominal_ns);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((kernel, traffic, shown), found) = self;
        let list = shown.text(found.assumptions.as_deref());
        let (good, bad, name, alone) = (palette.good, palette.bad, title(kernel), found.wcet_isolated_ns);
        if found.nominal_q == Factor::ZERO {
            let least = Factor::from_billionths(1).unwrap_or(Factor::ZERO);
            let any = traffic.estimator(kernel).bound(least, traffic.sync)?.wcet_ns;
            return Ok(format!(
                "{name}: {bad}no budget{bad:#}: even the smallest budget adds {} to the isolated WCET of \
                 {alone}, because a burst of memory accesses also delays blocks that overlap the burst \
                 only in part\n{list}",
                percent(any, alone)
            ));
        }
        Ok(format!(
            "{name}: {good}Q = {}{good:#} slows the kernel down by {}: {alone} in isolation, at most {} \
             under this budget ({})\n{list}",
            found.nominal_q,
            percent(found.wcet_nominal_ns, alone),
            found.wcet_nominal_ns,
            described(found.sync, found.straddling)
        ))
    }
}
