//! How best-effort traffic meets a kernel: options that several commands share.

use crate::cli::arguments::{named, refused};
use crate::kernel_wcet::Estimator;
use crate::model::{Factor, Kernel, Straddling};

/// How best-effort traffic meets a kernel.
#[derive(Debug, Clone, clap::Args)]
pub struct Traffic {
    /// The kernel starts with a regulation period [default: at any time].
    #[arg(long)]
    pub sync: bool,
    /// Which blocks count as hit although memory time covers them in part only.
    ///
    /// `end` is Eq. 10 of the paper, and safe if blocks are slowed down in memory time. If one touch of memory time may cost a
    /// block all of e1, only `both` is safe.
    #[arg(long, value_parser = named::<Straddling>(), default_value_t)]
    pub straddling: Straddling,
}

impl Traffic {
    /// Algorithm 1 for `kernel` beside this traffic.
    pub fn estimator<'a>(&self, kernel: &'a Kernel) -> Estimator<'a> {
        Estimator::new(kernel).straddling(self.straddling)
    }
}

/// A factor from 0 to `most`.
fn factor(text: &str, most: Factor) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    value.filter(|value| *value <= most).ok_or_else(|| {
        refused(
            text,
            format_args!("a number from 0 to {most} with at most nine decimals"),
        )
    })
}

/// A budget Q.
pub fn budget(text: &str) -> Result<Factor, String> {
    factor(text, Factor::ONE)
}

/// A slowdown.
pub fn slowdown(text: &str) -> Result<Factor, String> {
    factor(
        text,
        Factor::from_billionths(1_000_000_000_000_000).unwrap_or(Factor::ONE),
    )
}
