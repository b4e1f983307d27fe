//! G over Q ([Aghilinasab20] Fig. 2).

use rayon::prelude::*;

use super::estimate::{EstimateError, Estimator};
use gpusched_model::time::Time;
use gpusched_model::{Bound, Factor};

/// One point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct CurvePoint {
    /// G(Q) and its proof.
    pub bound: Bound,
    /// G(Q)/G(0) − 1, for display.
    pub slowdown: f64,
}

/// Computes G(`q`) of each budget, in their order. Kernels start at any time, or with `sync` at the start of a regulation period.
///
/// # Errors
/// [`EstimateError`] of the first budget that has no bound.
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
