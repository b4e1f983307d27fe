//! The option `--beside`: runs of the kernel beside a second kernel on the same SMs.

use std::path::Path;

use super::{Args, L2Content, Variant};
use crate::simulate::beside;
use crate::simulate::kernels;
use gpusched_gpu::scenario::Options;
use gpusched_gpu::stress::L2;
use gpusched_gpu::warp_run::RunKernel;
use gpusched_model::error::{Error, Refusal, Result};

/// Field of the program of `--beside` in a run with both kernels.
const SECOND: &str = "kernels[1].";

/// Converts an error about a field of a run to an error about the option that sets the field.
pub(super) fn blame(error: Error) -> Error {
    let field = |refusal: &Refusal| refusal.field().strip_prefix(SECOND).map(str::to_owned);
    let mut second = false;
    let error = error.map_refusal(|refusal| match field(&refusal).as_deref() {
        Some(its) => {
            second = true;
            let option = match its {
                "budget" => "beside-budget",
                _ => "beside",
            };
            refusal.anywhere().of_field(option)
        }
        None => refusal,
    });
    match second {
        true => error,
        false => kernels::blame(error),
    }
}

/// Converts an error about the only kernel of a run to an error about the second kernel.
fn its_own(refusal: Refusal) -> Refusal {
    let its = refusal
        .field()
        .strip_prefix("kernels[0].")
        .map(|field| format!("{SECOND}{field}"));
    match its {
        Some(field) => refusal.of_field(field),
        None if refusal.field() == "program" => refusal.of_field("beside"),
        None => refusal,
    }
}

impl Args {
    /// Returns the kernel of `--beside` in the file at `path`.
    pub(super) fn other(&self, path: &Path) -> Result<RunKernel> {
        if self.l2 == Some(L2Content::Thrashed) {
            return Err(Error::parameter("l2", "thrashed", "warm or cold with --beside"));
        }
        let mut other = beside::read(path)?;
        other.budget = self.beside_budget;
        Ok(other)
    }

    /// Returns the time in isolation of `other` on the smallest number of SMs [core cycles].
    pub(super) fn period(&self, program: &Path, other: &RunKernel) -> Result<u64> {
        let machine = self.machine()?;
        let sms = self.numbers(&machine)?.first().copied();
        let own = |error: Error| blame(error.map_refusal(its_own));
        let mut shape = beside::shape(&machine, other.clone(), None).map_err(own)?;
        (shape.scheduler, shape.sms) = (self.scheduler, sms);
        let setup = kernels::setup(program, shape, &[]).map_err(own)?;
        let options = Options {
            limit: self.limit,
            ..Options::default()
        };
        Ok(setup.run(options, &mut |_| ())?.0.cycles)
    }

    /// Returns the variants of a run with the contents of L2 at their starts.
    pub(super) fn variants(&self, seed: u64, period: u64) -> Vec<(Variant, L2)> {
        let contents = match self.beside.is_some() && self.l2.is_none() && !self.cold {
            true => vec![L2::Warm, L2::Cold],
            false => vec![self.l2()],
        };
        let variants = Variant::all(self.vary, seed, period).into_iter();
        let all = variants.flat_map(|variant| contents.iter().map(move |l2| (variant, *l2)));
        all.collect()
    }
}
