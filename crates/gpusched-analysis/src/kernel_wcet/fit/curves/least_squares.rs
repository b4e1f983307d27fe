//! The regression C(m) = a/m + b of [Singh21] §3.3.2. The regression describes the measurements, but it is not a bound.

use super::points::Points;

/// The function a/m + b with the least sum of squared differences from the measurements.
#[derive(Copy, Clone, PartialEq, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// a: part of the time that is divided by the number of SMs [ns]; negative if the kernel is slower on more SMs.
    pub a_ns: f64,
    /// b: part of the time that does not depend on the number of SMs [ns]; negative if the speed-up is superlinear.
    pub b_ns: f64,
    /// R²: fraction of the variance that the line explains. R² is 1 if all times are equal.
    pub r2: f64,
}

/// Computes the regression line of the times over 1/m, with equal weights. Returns `None` if all
/// `points` have one number of SMs.
pub fn line(points: &Points) -> Option<Line> {
    let measured: Vec<(f64, f64)> = points
        .measurements()
        .map(|(sms, time)| (1.0 / f64::from(sms), time.ns() as f64))
        .collect();
    if points.counts().count() < 2 {
        return None;
    }
    let n = measured.len() as f64;
    let mean_x = measured.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = measured.iter().map(|(_, y)| y).sum::<f64>() / n;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &measured {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let a_ns = xy / xx;
    let r2 = if yy > 0.0 { (xy / xx) * (xy / yy) } else { 1.0 };
    Some(Line {
        a_ns,
        b_ns: mean_y - a_ns * mean_x,
        r2,
    })
}
