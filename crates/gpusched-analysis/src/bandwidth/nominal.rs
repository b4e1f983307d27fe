//! The nominal budget: the largest budget that keeps the slowdown of a kernel within a limit ([Aghilinasab20] §VII-C).

use serde::{Deserialize, Serialize};

use crate::kernel_wcet::{EstimateError, Estimator};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel, Straddling};

/// Nominal budget of a kernel, and its WCET under this budget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nominal {
    /// Name of the kernel, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Largest accepted slowdown, (G(Q) − G(0))/G(0).
    pub slowdown: Factor,
    /// Whether the kernel starts together with a regulation period.
    pub sync: bool,
    /// Blocks that count as delayed although they overlap memory time only in part.
    #[serde(default)]
    pub straddling: Straddling,
    /// Largest budget Q that keeps the slowdown within the accepted slowdown, in steps of a billionth.
    pub nominal_q: Factor,
    /// G(0): WCET in isolation [ns].
    pub wcet_isolated_ns: Time,
    /// G(Q): WCET under this budget [ns].
    pub wcet_nominal_ns: Time,
}

/// Number of steps between the budgets 0 and 1: a [`Factor`] has nine decimals.
const STEPS: u64 = 1_000_000_000;

/// Computes the largest budget under which the WCET of `kernel` is at most (1 + `slowdown`)·G(0). It uses bisection, because G
/// does not decrease as Q increases.
///
/// # Errors
/// Has the errors of [`Estimator::bound`]. Never fails, because every tested budget is from 0 to 1 and the solver is exact.
pub fn nominal(
    kernel: &Kernel,
    slowdown: Factor,
    sync: bool,
    straddling: Straddling,
) -> Result<Nominal, EstimateError> {
    let estimator = Estimator::new(kernel).straddling(straddling);
    let wcet = |steps: u64| -> Result<(Factor, Time), EstimateError> {
        let q = Factor::from_billionths(steps).unwrap_or(Factor::ONE);
        Ok((q, estimator.bound(q, sync)?.wcet_ns))
    };
    let (_, isolated) = wcet(0)?;
    let (numerator, denominator) = slowdown.ratio();
    let accepted = |time: Time| {
        let delay = u128::from(time.ns().saturating_sub(isolated.ns()));
        delay * u128::from(denominator) <= u128::from(isolated.ns()) * u128::from(numerator)
    };
    // Invariant: the slowdown under `good` is accepted, and the slowdown under `bad` is not.
    let (mut good, mut bad) = (0, STEPS + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match accepted(wcet(middle)?.1) {
            true => good = middle,
            false => bad = middle,
        }
    }
    let (nominal_q, wcet_nominal_ns) = wcet(good)?;
    Ok(Nominal {
        kernel: kernel.name().map(str::to_owned),
        slowdown,
        sync,
        straddling,
        nominal_q,
        wcet_isolated_ns: isolated,
        wcet_nominal_ns,
    })
}
