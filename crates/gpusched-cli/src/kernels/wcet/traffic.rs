//! Common options of several commands, for best-effort memory traffic.

use crate::arguments::{named, refused};
use gpusched_analysis::kernel_wcet::Estimator;
use gpusched_model::{Factor, Kernel, Straddling};

/// Options for best-effort memory traffic.
#[derive(Debug, Clone, clap::Args)]
pub struct Traffic {
    /// Assume that kernel and regulation period start together [default: at any time]
    #[arg(long)]
    pub sync: bool,
    /// Which partial overlaps of a block with best-effort memory access count as delays
    ///
    /// Memory time is the time when best-effort cores access memory. `end` follows Eq. 10 of [Aghilinasab20]. `end` is
    /// safe if blocks slow down only during memory time. Only `both` is safe if a partial overlap may extend a block to
    /// e1, its WCET under interference.
    #[arg(long, value_parser = named::<Straddling>(), default_value_t)]
    pub straddling: Straddling,
}

/// Describes the start of the kernel and the rule for partial overlaps, on which a bound depends.
pub fn described(sync: bool, straddling: Straddling) -> String {
    let start = match sync {
        true => "start with a regulation period",
        false => "start at any time",
    };
    format!("{start}, straddling {straddling}")
}

impl Traffic {
    /// Returns an estimator of WCET bounds for `kernel` (Algorithm 1) with these options.
    pub fn estimator<'a>(&self, kernel: &'a Kernel) -> Estimator<'a> {
        Estimator::new(kernel).straddling(self.straddling)
    }
}

/// Parses a number from 0 to `most`.
fn factor(text: &str, most: Factor) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    value.filter(|value| *value <= most).ok_or_else(|| {
        refused(
            text,
            format_args!("a number from 0 to {most} with at most nine decimals"),
        )
    })
}

/// Parses a budget Q.
pub fn budget(text: &str) -> Result<Factor, String> {
    factor(text, Factor::ONE)
}

/// Parses a slowdown.
pub fn slowdown(text: &str) -> Result<Factor, String> {
    factor(
        text,
        Factor::from_billionths(1_000_000_000_000_000).unwrap_or(Factor::ONE),
    )
}
