//! A WCET from extreme values, with a stated probability of exceedance. It may exceed the longest measured time.
//!
//! * **GEV** divides the runs in their order into blocks, and fits the maxima of the blocks.
//! * **GPD** fits the excesses over a high threshold.
//!
//! A fit uses a tenth of the times, but at most 500 (blocks of 10 runs or more; the longest tenth or less). With more values, the
//! fit would describe less of the tail.
//!
//! The WCET is the time that one execution exceeds with the given probability, rounded up, and **at least the longest measured
//! time**. That time is possible, even if a smooth curve gives it a smaller probability.

use super::gev::Gev;
use super::goodness::{self, ExtremeValue};
use super::gpd::Gpd;
use super::{independence, kolmogorov};
use gpusched_model::kernel::{Tail, TailFamily};
use gpusched_model::time::Time;

/// Probability of a false alarm of each of the two tests.
pub const LEVEL: f64 = 0.01;

/// Smallest number of extreme values for a fit.
pub const FEWEST: usize = 30;

/// Largest number of extreme values for a fit.
const MOST: usize = 500;

/// At most one of this many times is extreme.
const RARE: usize = 10;

/// A WCET from measured times.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// The WCET; at least the longest time.
    pub wcet: Time,
    /// The fit that determines the WCET. `None` without a fit; then the WCET is the longest time.
    pub tail: Option<Tail>,
    /// Reasons for less trust; [`Tail::trustworthy`] if empty.
    pub warnings: Vec<Warning>,
}

/// Reason for less trust in an estimate.
#[derive(Copy, Clone, PartialEq, Debug, thiserror::Error)]
pub enum Warning {
    /// There is no fit, because there are too few extreme values.
    #[error("only {found} extreme values, expected at least {FEWEST}, so the WCET is the longest time")]
    TooFew {
        /// Number of extreme values.
        found: usize,
    },
    /// There is no fit, because the extreme values hardly differ.
    #[error("the extreme values hardly differ, so the WCET is the longest time")]
    NoSpread,
    /// [`goodness::p_value`] is at most [`LEVEL`].
    #[error("the distribution does not fit the extreme values (Anderson-Darling, p = {p:.3})")]
    PoorFit {
        /// The p-value.
        p: f64,
    },
    /// [`independence::p_value`] is at most [`LEVEL`].
    #[error("the runs depend on each other (Ljung-Box, p = {p:.2e})")]
    Dependent {
        /// The p-value.
        p: f64,
    },
    /// ξ ≤ −0.5: the standard theory of maximum likelihood is not valid (Smith, Biometrika 72, 1985).
    #[error("shape {shape:.3}, expected above -0.5, because a fit to times that end abruptly is unreliable")]
    Abrupt {
        /// ξ.
        shape: f64,
    },
    /// ξ ≥ 0.5: infinite variance, which is impossible for execution times.
    #[error("shape {shape:.3}, expected below 0.5, because such tails indicate mixed kinds of times")]
    Heavy {
        /// ξ.
        shape: f64,
    },
}

/// Why an estimate does not exist.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TailError {
    /// There are no times.
    #[error("times: found none, expected at least one")]
    Empty,
    /// The probability is invalid.
    #[error("exceedance: found {found}, expected a probability above 0 and below 1")]
    Exceedance {
        /// The invalid number.
        found: f64,
    },
    /// The tail is too heavy for a bound.
    #[error(
        "exceedance: found {exceedance}, expected a larger probability, because with shape {shape:.3} the WCET exceeds 2^63 - 1 ns"
    )]
    Unbounded {
        /// The probability.
        exceedance: f64,
        /// ξ.
        shape: f64,
    },
}

/// Estimates the WCET that one execution exceeds with probability `exceedance`, from `times` in the order of the runs.
///
/// # Errors
/// [`TailError`] if there are no times, if the probability is not in (0, 1), or if the WCET is not a valid [`Time`].
pub fn estimate(times: &[Time], family: TailFamily, exceedance: f64) -> Result<Estimate, TailError> {
    if !(exceedance > 0.0 && exceedance < 1.0) {
        return Err(TailError::Exceedance { found: exceedance });
    }
    let times: Vec<u64> = times.iter().map(|time| time.ns()).collect();
    let mut sorted = times.clone();
    sorted.sort_unstable();
    let &longest = sorted.last().ok_or(TailError::Empty)?;
    let tick = kolmogorov::resolution(&sorted);
    let fitted = match family {
        TailFamily::Gev => fit_gev(&block_maxima(&times), tick),
        TailFamily::Gpd => fit_gpd(&sorted, tick),
    };
    let fitted = match fitted {
        Ok(fitted) => fitted,
        Err(warning) => {
            return Ok(Estimate {
                wcet: Time::from_ns(longest),
                tail: None,
                warnings: vec![warning],
            });
        }
    };
    let quantile = fitted.quantile(exceedance).max(longest as f64).ceil();
    if quantile >= Time::LIMIT.ns() as f64 {
        let shape = fitted.shape;
        return Err(TailError::Unbounded { exceedance, shape });
    }
    let independence = independence::p_value(&times);
    let warnings = fitted.warnings(independence);
    Ok(Estimate {
        wcet: Time::from_ns((quantile as u64).max(longest)),
        tail: Some(Tail {
            family,
            location_ns: fitted.location,
            scale_ns: fitted.scale,
            shape: fitted.shape,
            executions: fitted.executions,
            exceedance,
            fit_p: fitted.p,
            independence_p: independence,
            trustworthy: warnings.is_empty(),
        }),
        warnings,
    })
}

/// A fitted distribution of one of the two families.
struct Fitted {
    family: TailFamily,
    location: f64,
    scale: f64,
    shape: f64,
    /// Executions per extreme value.
    executions: f64,
    /// p-value of the goodness of fit.
    p: f64,
}

impl Fitted {
    /// The time that one execution exceeds with probability `p`.
    fn quantile(&self, p: f64) -> f64 {
        let Fitted {
            location,
            scale,
            shape,
            ..
        } = *self;
        match self.family {
            // A maximum of b executions exceeds it with probability 1 − (1 − p)^b.
            TailFamily::Gev => {
                let block = -libm::expm1(self.executions * libm::log1p(-p));
                Gev {
                    location,
                    scale,
                    shape,
                }
                .quantile(block.min(1.0 - f64::EPSILON))
            }
            // Among the executions above the threshold, the probability of exceedance is p divided by their share.
            TailFamily::Gpd => location + Gpd { scale, shape }.quantile((p * self.executions).min(1.0)),
        }
    }

    fn warnings(&self, independence: Option<f64>) -> Vec<Warning> {
        let (p, shape) = (self.p, self.shape);
        let dependent = independence.filter(|&p| p <= LEVEL);
        [
            (p <= LEVEL).then_some(Warning::PoorFit { p }),
            dependent.map(|p| Warning::Dependent { p }),
            (shape <= -0.5).then_some(Warning::Abrupt { shape }),
            (shape >= 0.5).then_some(Warning::Heavy { shape }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Maxima of blocks of consecutive runs, and the length of a block. An incomplete last block is left out.
fn block_maxima(times: &[u64]) -> (Vec<u64>, usize) {
    let length = times.len().div_ceil(MOST).max(RARE);
    let blocks = times.chunks_exact(length);
    (
        blocks.filter_map(|block| block.iter().max().copied()).collect(),
        length,
    )
}

fn fit_gev((maxima, length): &(Vec<u64>, usize), tick: u64) -> Result<Fitted, Warning> {
    enough(maxima.len())?;
    let values: Vec<f64> = maxima.iter().map(|&time| time as f64).collect();
    let gev = Gev::fit(&values).ok_or(Warning::NoSpread)?;
    Ok(Fitted {
        family: TailFamily::Gev,
        location: gev.location,
        scale: gev.scale,
        shape: gev.shape,
        executions: *length as f64,
        p: goodness::p_value(&values, &gev, tick as f64),
    })
}

fn fit_gpd(sorted: &[u64], tick: u64) -> Result<Fitted, Warning> {
    let count = (sorted.len() / RARE).min(MOST);
    let threshold = sorted
        .len()
        .checked_sub(count + 1)
        .and_then(|rank| sorted.get(rank).copied());
    let threshold = threshold.unwrap_or(0);
    // Equal times stay on one side of the threshold, so there may be fewer than `count` excesses. A time k ticks above the
    // threshold was k − 1/2 to k + 1/2 ticks above it before the clock rounded it. All times more than 1/2 above are included here.
    let half = 0.5 * tick as f64;
    let excesses = sorted.iter().filter(|&&time| time > threshold);
    let excesses: Vec<f64> = excesses.map(|time| (time - threshold) as f64 - half).collect();
    enough(excesses.len())?;
    let gpd = Gpd::fit(&excesses).ok_or(Warning::NoSpread)?;
    Ok(Fitted {
        family: TailFamily::Gpd,
        location: threshold as f64 + half,
        scale: gpd.scale,
        shape: gpd.shape,
        executions: sorted.len() as f64 / excesses.len() as f64,
        p: goodness::p_value(&excesses, &gpd, tick as f64),
    })
}

fn enough(found: usize) -> Result<(), Warning> {
    if found < FEWEST {
        Err(Warning::TooFew { found })
    } else {
        Ok(())
    }
}
