//! The nominal budget: the largest memory bandwidth budget that keeps the slowdown of a kernel
//! within a limit ([Aghilinasab20] §VII-C).

use serde::{Deserialize, Serialize};

use crate::kernel_wcet::{EstimateError, Estimator};
use gpusched_model::assumptions::Assumption;
use gpusched_model::reader::{Document, Fault, from_json};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Identity, Kernel, Straddling};

/// Nominal budget of a kernel, and the WCET of the kernel under this budget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Nominal {
    /// Name of the kernel; absent if the kernel has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Largest accepted slowdown (G(Q) − G(0))/G(0), where G(Q) is the WCET under the budget Q.
    pub slowdown: Factor,
    /// Whether the kernel starts together with a regulation period.
    pub sync: bool,
    /// Rule for blocks that overlap the memory time of best-effort cores only in part. It states which of these blocks
    /// count as delayed.
    #[serde(default)]
    pub straddling: Straddling,
    /// Nominal budget, a multiple of 10⁻⁹: the largest budget Q whose slowdown is accepted.
    pub nominal_q: Factor,
    /// G(0): WCET in isolation [ns].
    pub wcet_isolated_ns: Time,
    /// G(Q): WCET under the nominal budget [ns].
    pub wcet_nominal_ns: Time,
    /// Assumptions of the result. gpusched does not check these assumptions. Absent in results of the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
    /// Inputs, options and version that led to the result. Absent in results of older versions and of programs that use the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

impl Document for Nominal {
    const EXPECTED: &str = "a nominal budget: an object such as {\"nominal_q\":0.13,\"wcet_nominal_ns\":…}";

    fn from_json(text: &str) -> Result<Nominal, Fault> {
        from_json::<Nominal, _>(text)
    }
}

/// Number of steps from budget 0 to budget 1. A [`Factor`] has nine decimals.
const STEPS: u64 = 1_000_000_000;

/// Computes the nominal budget: the largest budget Q under which the WCET G(Q) of `kernel` is at
/// most (1 + `slowdown`)·G(0). The function uses bisection, because G never decreases with Q.
///
/// # Errors
/// Never fails, because [`Estimator::bound`] accepts every budget from 0 to 1.
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
    // Invariant: the slowdown under `good` is accepted, and the slowdown under `bad` is too
    // large.
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
        assumptions: None,
        identity: None,
    })
}
