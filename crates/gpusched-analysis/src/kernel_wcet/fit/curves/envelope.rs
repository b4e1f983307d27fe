//! WCET functions for the analysis, which bound all measurements. The computation follows [Singh21] §3.3, but uses
//! maximum times instead of averages.
//!
//! **Affine**: the function is a/m + b with a, b ≥ 0. Its value at m is at least the time of every measurement on m
//! SMs. gpusched chooses the function with the least total overshoot. The overshoot at m is the value of the function
//! at m, minus the longest time on m SMs. Only the longest time on m SMs counts, so repeated measurements do not
//! increase the weight of m.
//!
//! With x = 1/m, this is a linear program in two variables, which has a geometric solution. Let
//! x̄ be the mean of the k measured values of x. The total overshoot is k times the height of the
//! line at x̄, minus a constant. So the best line contains the edge of the upper hull at x̄. The condition b ≥ 0 adds
//! the point (0, 0). Because of a ≥ 0, a horizontal line replaces an edge with negative slope. All comparisons are
//! exact.
//!
//! Then gpusched rounds the parameter a to whole nanoseconds, once down and once up. For each of the two values, b is
//! the least integer for which the *rounded* function ⌈a/m⌉ + b bounds every measurement. gpusched uses the function
//! with the smaller overshoot. Verdicts use these integers, so the bound is valid for verdicts.
//!
//! **Table**: for each m, the longest time that was measured on m or more SMs. So the table does
//! not increase with m.
//!
//! In both forms, the WCET in conflict is at least the WCET in isolation. If the measured times
//! in conflict are shorter, there were too few measurements in conflict.

use super::classification::Reason;
use super::points::Points;
use gpusched_model::Sectors;
use gpusched_model::time::Time;
use gpusched_model::traffic::Bytes;
use gpusched_model::wcet::{Affine, AffinePair, Form, MAX_SMS, Table, WcetError, WcetFunction};
use gpusched_model::{Estimated, MeasuredOn};

/// Measurements of one kernel in isolation and, optionally, in conflict.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Measurements of the kernel in isolation.
    pub isolated: Points,
    /// Measurements in conflict. If absent, the times in conflict equal the times in isolation.
    pub conflict: Option<Points>,
    /// The estimate with the fewest rounds, if some times are estimates. Otherwise absent.
    pub estimate: Option<Estimated>,
    /// U_bw of [Masola23] Eq. 1, or the reason why gpusched does not know U_bw.
    pub utilization: Result<f64, Reason>,
    /// V: largest memory traffic of one execution, in bytes, over all numbers of SMs. `None` if
    /// unknown.
    pub traffic: Option<Bytes>,
    /// R and W: largest numbers of L2 sectors of one execution, over all numbers of SMs, and the rates of the kernel in
    /// isolation. `None` if they are unknown.
    pub sectors: Option<Sectors>,
    /// Longest thread block over all measurements. `None` if unknown.
    pub block: Option<Time>,
    /// GPU and tool of the measurements. `None` if unknown.
    pub measured_on: Option<MeasuredOn>,
}

/// Reason why gpusched cannot compute a WCET function that bounds the measurements.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// All measurements have one number of SMs, so they do not determine a line.
    #[error(
        "{contention}: found measurements on {sms} SMs only, expected at least two different numbers of \
         SMs for C(m) = a/m + b"
    )]
    OnePoint {
        /// Kind of the measurements: `isolated` or `conflict`.
        contention: &'static str,
        /// Number of SMs of all measurements.
        sms: u32,
    },
    /// The computed function is not a valid WCET function.
    #[error(transparent)]
    Wcet(#[from] WcetError),
}

/// Computes the affine WCET function a/m + b that bounds all measurements.
///
/// # Errors
/// Returns an [`EnvelopeError`] if all measurements have one number of SMs, or if C(1) would
/// exceed [`Time::LIMIT`].
pub fn affine(measured: &Measured) -> Result<WcetFunction, EnvelopeError> {
    let isolated = cover("isolated", &measured.isolated, None)?;
    let conflict = measured.conflict.as_ref();
    let conflict = conflict
        .map(|points| cover("conflict", points, Some(isolated)))
        .transpose()?;
    Ok(WcetFunction::new(Form::Affine(AffinePair {
        isolated,
        conflict,
    }))?)
}

/// Computes the table of longest measured times, which do not increase with the number of SMs.
///
/// # Errors
/// Never fails: no measurements cause an [`EnvelopeError::Wcet`].
pub fn table(measured: &Measured) -> Result<WcetFunction, EnvelopeError> {
    let isolated = monotone(&measured.isolated);
    let Some(conflict) = &measured.conflict else {
        return Ok(WcetFunction::new(Form::Table(Table::Both(isolated)))?);
    };
    let mut conflict = monotone(conflict);
    for (sms, time) in &mut conflict {
        // If `sms` is below every number of SMs with a measurement in isolation, use the isolated
        // time on the smallest number.
        let known = isolated.partition_point(|(m, _)| m <= sms).max(1);
        let (_, alone) = isolated[known - 1];
        *time = alone.max(*time);
    }
    Ok(WcetFunction::new(Form::Table(Table::Each {
        isolated,
        conflict,
    }))?)
}

/// For each measured number of SMs, returns the longest time that was measured on this number or
/// more SMs.
pub fn monotone(points: &Points) -> Vec<(u32, Time)> {
    let mut longest = points.longest();
    let mut so_far = Time::ZERO;
    for (_, time) in longest.iter_mut().rev() {
        so_far = so_far.max(*time);
        *time = so_far;
    }
    longest
}

/// Corner of the upper hull: the origin, or the point (x, y) with x = 1/m and time y. The
/// coordinates are homogeneous: (w, w·x, w·y) with w = m.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Corner {
    w: i128,
    x: i128,
    y: i128,
}

const ORIGIN: Corner = Corner { w: 1, x: 0, y: 0 };

impl Corner {
    fn new(sms: u32, ns: u64) -> Corner {
        let w = i128::from(sms);
        Corner {
            w,
            x: 1,
            y: w * i128::from(ns),
        }
    }

    /// Returns whether `self` is on or below the line from `left` to `right`. Each product is at
    /// most 2^16 · 2^80, so it cannot overflow.
    fn is_below(&self, left: &Corner, right: &Corner) -> bool {
        let minor = |a: &Corner, b: &Corner| a.x * b.y - b.x * a.y;
        // The determinant is positive if the path over the three points turns left.
        left.w * minor(self, right) - self.w * minor(left, right) + right.w * minor(left, self) >= 0
    }

    /// Returns the slope of the line from `self` to `right`, rounded down, or 0 if the slope is
    /// negative.
    fn slope(&self, right: &Corner) -> u128 {
        let rise = right.y * self.w - self.y * right.w;
        let run = right.x * self.w - self.x * right.w;
        if run <= 0 {
            0
        } else {
            u128::try_from(rise.max(0) / run).unwrap_or(0)
        }
    }

    fn x(&self) -> f64 {
        self.x as f64 / self.w as f64
    }
}

/// Computes the line with the least overshoot. The line is above all `points`, and above `floor` for every number of
/// SMs.
fn cover(contention: &'static str, points: &Points, floor: Option<Affine>) -> Result<Affine, EnvelopeError> {
    let longest = points.longest();
    if let [(sms, _)] = *longest.as_slice() {
        return Err(EnvelopeError::OnePoint { contention, sms });
    }
    // Like the result, `floor` is a line. So a line is above `floor` if it is above both ends of `floor`.
    let ends = floor.iter().flat_map(|floor| {
        let ns = |sms: u32| floor.a.ns().div_ceil(u64::from(sms)).saturating_add(floor.b.ns());
        [1, MAX_SMS].map(|sms| Corner::new(sms, ns(sms)))
    });
    let measured = longest.iter().map(|&(sms, time)| Corner::new(sms, time.ns()));
    let mut corners: Vec<Corner> = measured.chain(ends).chain([ORIGIN]).collect();
    // Sort by the x coordinate `x`/`w`, where `x` is 0 or 1.
    corners.sort_by_key(|corner| (corner.x, -corner.w, corner.y));
    let mut hull: Vec<Corner> = Vec::new();
    for corner in corners {
        if hull
            .last()
            .is_some_and(|last| last.x * corner.w == corner.x * last.w)
        {
            hull.pop(); // of two corners with the same x coordinate, remove the lower corner
        }
        while let [.., left, middle] = hull.as_slice()
            && middle.is_below(left, &corner)
        {
            hull.pop();
        }
        hull.push(corner);
    }
    let mean = longest.iter().map(|&(sms, _)| 1.0 / f64::from(sms)).sum::<f64>() / longest.len() as f64;
    let edge = hull.iter().rposition(|corner| corner.x() <= mean).unwrap_or(0);
    // The mean is a floating-point number with a rounding error. So the neighbors of the edge are
    // candidates, too. The exact overshoots select one of the candidates.
    let near = hull.windows(2).skip(edge.saturating_sub(1)).take(3);
    let slopes = near.flat_map(|pair| match pair {
        [left, right] => [left.slope(right), left.slope(right) + 1],
        _ => [0, 1],
    });
    let best = slopes
        .chain([0])
        .filter_map(|a| line(a, &longest, floor))
        .min_by_key(|&(line, overshoot)| (overshoot, line.a));
    let too_large = || WcetError::TooLarge {
        found: format!(
            "{contention} measurements of up to {}",
            longest.iter().map(|&(_, time)| time).max().unwrap_or_default()
        ),
    };
    best.map(|(line, _)| line).ok_or_else(|| too_large().into())
}

/// Returns the lowest line of slope `a` that is above all points of `longest` and above `floor`,
/// and its total overshoot. Returns `None` if a time of the line exceeds [`Time::LIMIT`].
fn line(a: u128, longest: &[(u32, Time)], floor: Option<Affine>) -> Option<(Affine, u128)> {
    let a = u64::try_from(a).ok().filter(|&a| a <= Time::LIMIT.ns())?;
    let scaled = |sms: u32| a.div_ceil(u64::from(sms));
    let needed = longest
        .iter()
        .map(|&(sms, time)| time.ns().saturating_sub(scaled(sms)));
    let mut b = needed.max()?;
    if let Some(floor) = floor {
        // At both ends, the line must satisfy a + b·m ≥ floor.a + floor.b·m.
        for sms in [1, u64::from(MAX_SMS)] {
            let above = u128::from(floor.a.ns()) + u128::from(floor.b.ns()) * u128::from(sms);
            let missing = above.saturating_sub(u128::from(a)).div_ceil(u128::from(sms));
            b = b.max(u64::try_from(missing).ok()?);
        }
    }
    let total = |sms: u32, time: &Time| Some(u128::from(scaled(sms).checked_add(b)?.checked_sub(time.ns())?));
    let overshoot = longest
        .iter()
        .map(|(sms, time)| total(*sms, time))
        .sum::<Option<u128>>()?;
    scaled(1)
        .checked_add(b)
        .filter(|&largest| largest <= Time::LIMIT.ns())?;
    let line = Affine {
        a: Time::from_ns(a),
        b: Time::from_ns(b),
    };
    Some((line, overshoot))
}
