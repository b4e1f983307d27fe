//! `gpusched wcet verify`: checks bounds with independent code.

use std::path::PathBuf;

use serde::Serialize;

use super::traffic::described;
use crate::arguments::{check_as_many, pairs};
use crate::plans::identity::{Agreement, IdentityCheck};
use crate::report::{Output, Palette, Report, Shown, Table};
use crate::{Global, Outcome, Run};
use gpusched_model::assumptions::Assumption;
use gpusched_model::error::Result;
use gpusched_model::reader::{Bounds, Kernels};
use gpusched_model::{Bound, Factor, Kernel, Straddling};
use gpusched_verify::{Fault, input_faults, verify_bound};

/// Arguments of `gpusched wcet verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One bound (JSON) or many (JSONL), written by `wcet bound --format json`
    #[arg(value_name = "BOUND")]
    bounds: PathBuf,
    /// Kernels of the bounds, in the order of the bounds
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
    #[command(flatten)]
    identity: IdentityCheck,
}

const EXAMPLE: &str = "\
`verify` evaluates the certificate in exact arithmetic. `verify` shares no code with the solvers.
Exit code 0: every bound is proven. 1: a bound is not proven.

Example:
  gpusched wcet bound tasksets/kernels/histo-m4.json --q 0.13 --format json | gpusched wcet verify - tasksets/kernels/histo-m4.json";

/// Result for one bound.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip)]
    index: u64,
    #[serde(skip)]
    bound: &'a Bound,
    #[serde(skip)]
    shown: Shown,
    /// Lines about the identity of the bound.
    #[serde(skip)]
    text: String,
    proven: bool,
    /// Memory bandwidth budget, which the bound file states.
    q: Factor,
    /// Whether the kernel starts with a regulation period, as the bound file states.
    sync: bool,
    /// Rule for partial overlaps, which the bound file states.
    straddling: Straddling,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    /// Whether the kernel is the kernel of the bound. Absent if the bound does not state its identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Agreement>,
    /// Assumptions of a proven bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<Assumption>>,
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        check_as_many::<Bound, Kernel>(&self.bounds, &self.kernels)?;
        let (bounds, kernels) = (Bounds::open(&self.bounds)?, Kernels::open(&self.kernels)?);
        let mut output = Output::open(global)?;
        let (mut proven, mut whole) = (true, true);
        let mut pairs = (0u64..).zip(pairs(bounds, kernels)).peekable();
        while let Some((index, pair)) = pairs.next() {
            if !output.has_reader() {
                whole = false;
                break;
            }
            let (mut bound, kernel) = pair?;
            let shown = Shown::new(global, index == 0 && pairs.peek().is_none());
            let identity = bound.identity.as_ref();
            let agreement = Agreement::new(identity, input_faults(identity, &kernel));
            let stated = identity.cloned();
            if self.identity.is_logical() {
                bound.identity = None;
            }
            let (assumptions, fault) = match verify_bound(&bound, &kernel) {
                Ok(assumptions) => (shown.listed(assumptions), None),
                Err(fault) => (None, Some(fault)),
            };
            proven &= fault.is_none();
            output.report(&Answer {
                index,
                bound: &bound,
                shown,
                proven: fault.is_none(),
                q: bound.q,
                sync: bound.sync,
                straddling: bound.straddling,
                fault,
                text: agreement
                    .as_ref()
                    .zip(stated)
                    .map_or(String::new(), |(agreement, stated)| {
                        agreement.lines(&stated, ("kernel", "bound"), global.quiet)
                    }),
                identity: agreement,
                assumptions,
            })?;
        }
        output.finish()?;
        Ok(Outcome::of_answers(proven, whole))
    }
}

impl Report for Answer<'_> {
    fn table(&self) -> Table {
        let fault = self.fault.as_ref();
        let table = Table::of([self])
            .exact("bound", |answer| answer.index)
            .exact("proven", |answer| answer.proven)
            .exact("field", |_| fault.map(|fault| &fault.field))
            .exact("message", |_| fault.map(|fault| &fault.message))
            .exact("q", |answer| answer.q.to_string())
            .exact("sync", |answer| answer.sync)
            .exact("straddling", |answer| answer.straddling.to_string());
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (index, wcet) = (self.index, self.bound.wcet_ns);
        let inputs = described(self.sync, self.straddling);
        let (good, bad) = (palette.good, palette.bad);
        Ok(match &self.fault {
            Some(Fault { field, message }) => {
                format!("{index}: {bad}REFUSED{bad:#} at {field}: {message}\n")
            }
            None => format!(
                "{index}: {good}PROVEN{good:#}: at most {wcet} at Q = {}, {inputs}\n{}{}",
                self.q,
                self.text,
                self.shown.text(self.assumptions.as_deref())
            ),
        })
    }
}
