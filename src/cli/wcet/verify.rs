//! `gpusched wcet verify`: an independent check of bounds.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::arguments::{check_as_many, pairs};
use crate::cli::report::{Output, Palette, Report, Rows};
use crate::cli::{Global, Outcome};
use crate::error::Result;
use crate::model::reader::{Bounds, Kernels};
use crate::model::{Bound, Kernel};
use crate::verification::{Fault, verify_bound};

/// Checks bounds and their certificates with a program of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// What `wcet bound --format json` answered: one bound (JSON) or many (JSONL, one per line).
    #[arg(value_name = "BOUND")]
    bounds: PathBuf,
    /// The kernels it was asked about, in the same order.
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
}

const EXAMPLE: &str = "\
The certificate is evaluated in exact arithmetic, by code that shares nothing with the solvers.
Exit code 0: every bound is proven. 1: one is not.

Example:
  gpusched wcet bound tasksets/kernels/histo-m4.json --q 0.13 --format json | gpusched wcet verify - tasksets/kernels/histo-m4.json";

/// The answer for one bound.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip)]
    index: u64,
    #[serde(skip)]
    bound: &'a Bound,
    proven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Found>,
}

#[derive(Serialize)]
struct Found {
    field: String,
    message: String,
}

impl Args {
    /// An answer for each bound.
    ///
    /// # Errors
    /// Bad input, more bounds than kernels or the other way round, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        check_as_many::<Bound, Kernel>(&self.bounds, &self.kernels)?;
        let (bounds, kernels) = (Bounds::open(&self.bounds)?, Kernels::open(&self.kernels)?);
        let mut output = Output::open(global)?;
        output.header("bound,proven,field,message")?;
        let (mut proven, mut whole) = (true, true);
        for (index, pair) in (0u64..).zip(pairs(bounds, kernels)) {
            if !output.has_reader() {
                whole = false;
                break;
            }
            let (bound, kernel) = pair?;
            let fault = verify_bound(&bound, &kernel).err();
            proven &= fault.is_none();
            output.report(&Answer {
                index,
                bound: &bound,
                proven: fault.is_none(),
                fault: fault.map(|Fault { field, message }| Found { field, message }),
            })?;
        }
        output.finish()?;
        Ok(Outcome::of_answers(proven, whole))
    }
}

impl Report for Answer<'_> {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let fault = self.fault.as_ref();
        let (field, message) = (fault.map(|fault| &fault.field), fault.map(|fault| &fault.message));
        rows.add((self.index, self.proven, field, message))
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (index, Bound { wcet_ns, q, .. }) = (self.index, self.bound);
        let (good, bad) = (palette.good, palette.bad);
        Ok(match &self.fault {
            Some(Found { field, message }) => {
                format!("{index}: {bad}REFUSED{bad:#} at {field}: {message}\n")
            }
            None => format!("{index}: {good}PROVEN{good:#}: at most {wcet_ns} at Q = {q}\n"),
        })
    }
}
