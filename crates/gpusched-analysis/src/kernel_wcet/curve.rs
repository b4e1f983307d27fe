//! The WCET G of a kernel as a function of the memory bandwidth budget Q ([Aghilinasab20] Fig.
//! 2).

use rayon::prelude::*;

use super::estimate::{EstimateError, Estimator};
use gpusched_model::time::Time;
use gpusched_model::{Bound, Factor};

/// One point of the curve G(Q).
#[derive(Clone, PartialEq, Debug)]
pub struct CurvePoint {
    /// WCET bound G(Q) and its certificate.
    pub bound: Bound,
    /// Slowdown G(Q)/G(0) − 1, for display.
    pub slowdown: f64,
}

/// Computes G(Q) for each of the `budgets`, in the given order. With `sync`, the kernel starts
/// together with a regulation period. Without `sync`, the kernel may start at any time.
///
/// # Errors
/// Returns the [`EstimateError`] of the first budget for which the computation fails.
pub fn curve(
    estimator: &Estimator<'_>,
    budgets: &[Factor],
    sync: bool,
) -> Result<Vec<CurvePoint>, EstimateError> {
    let isolated = estimator.bound(Factor::ZERO, sync)?.wcet_ns;
    let share = |time: Time| time.ns() as f64 / isolated.ns() as f64 - 1.0;
    let points: Vec<Result<CurvePoint, EstimateError>> = budgets
        .par_iter()
        .map(|&q| {
            let bound = estimator.bound(q, sync)?;
            let slowdown = share(bound.wcet_ns);
            Ok(CurvePoint { bound, slowdown })
        })
        .collect();
    points.into_iter().collect()
}
