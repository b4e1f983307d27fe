//! A WCET from an extreme-value fit, with a given probability of exceedance. The WCET may be
//! longer than the longest measured time.
//!
//! * **GEV**: divides the runs, in their order, into blocks of consecutive runs, and fits a
//!   distribution to the maximum of each block.
//! * **GPD**: fits a distribution to the excesses over a high threshold.
//!
//! A fit uses at most a tenth of the measured times, and at most 500 values. So a block of the GEV fit has at least 10
//! runs, and the GPD fit uses at most the longest tenth of the times. With more values, the fit would describe the tail
//! less accurately.
//!
//! The WCET is the time that one execution exceeds with the given probability, rounded up, and
//! **at least the longest measured time**. The longest measured time did occur, even if its probability in the fit is
//! below the given probability.

use super::gev::Gev;
use super::goodness::{self, ExtremeValue};
use super::gpd::Gpd;
use super::{independence, kolmogorov};
use gpusched_model::kernel::{Tail, TailFamily};
use gpusched_model::time::Time;

/// Significance level of the two tests: the probability that a test causes a false alarm.
pub const LEVEL: f64 = 0.01;

/// Smallest number of extreme values from which gpusched computes a fit.
pub const FEWEST: usize = 30;

/// Largest number of extreme values that a fit uses.
const MOST: usize = 500;

/// At most one in `RARE` measured times counts as an extreme value.
const RARE: usize = 10;

/// A WCET that gpusched estimates from measured times.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Estimated WCET, which is at least the longest measured time.
    pub wcet: Time,
    /// Fit that determines the WCET. If there is no fit, this field is `None`, and the WCET is the longest measured
    /// time.
    pub tail: Option<Tail>,
    /// Reasons to distrust the estimate. If there are no warnings, [`Tail::trustworthy`] is true.
    pub warnings: Vec<Warning>,
}

/// Reason to distrust an estimate.
#[derive(Copy, Clone, PartialEq, Debug, thiserror::Error)]
pub enum Warning {
    /// There is no fit, because there are too few extreme values.
    #[error(
        "only {found} extreme values, expected at least {FEWEST}, so the WCET is the longest measured time"
    )]
    TooFew {
        /// Number of extreme values in the measured times.
        found: usize,
    },
    /// There is no fit, because the extreme values hardly differ.
    #[error("the extreme values hardly differ, so the WCET is the longest measured time")]
    NoSpread,
    /// The extreme values do not follow the fit: [`goodness::p_value`] is at most [`LEVEL`].
    #[error("the distribution does not fit the extreme values (Anderson-Darling test, p = {p:.3})")]
    PoorFit {
        /// p-value of the test.
        p: f64,
    },
    /// The runs are not independent: [`independence::p_value`] is at most [`LEVEL`].
    #[error("the runs depend on each other (Ljung-Box test, p = {p:.2e})")]
    Dependent {
        /// p-value of the test.
        p: f64,
    },
    /// ξ ≤ −0.5. For these shapes, the standard theory of maximum likelihood is not valid (Smith,
    /// Biometrika 72, 1985).
    #[error(
        "the fit has shape {shape:.3}, expected above -0.5, because a fit is unreliable if the \
         distribution ends abruptly"
    )]
    Abrupt {
        /// Shape ξ of the fit.
        shape: f64,
    },
    /// ξ ≥ 0.5. The distribution has infinite variance, which is impossible for execution times.
    #[error(
        "the fit has shape {shape:.3}, expected below 0.5, because a heavier tail suggests a mixture of \
         different kinds of runs"
    )]
    Heavy {
        /// Shape ξ of the fit.
        shape: f64,
    },
}

/// Reason why gpusched cannot estimate a WCET.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TailError {
    /// There are no times.
    #[error("times: found none, expected at least one")]
    Empty,
    /// The probability of exceedance is invalid.
    #[error("exceedance: found {found}, expected a probability above 0 and below 1")]
    Exceedance {
        /// Invalid probability.
        found: f64,
    },
    /// The tail is too heavy: the WCET exceeds the longest valid [`Time`].
    #[error(
        "exceedance: found {exceedance}, expected a larger probability, because with shape {shape:.3} the WCET exceeds 2^63 - 1 ns"
    )]
    Unbounded {
        /// Probability of exceedance.
        exceedance: f64,
        /// Shape ξ of the fit.
        shape: f64,
    },
}

/// Estimates the WCET that one execution exceeds with probability `exceedance`. `times` are in
/// the order of the runs.
///
/// # Errors
/// Returns a [`TailError`] if there are no times, if `exceedance` is not between 0 and 1, or if
/// the WCET is not a valid [`Time`].
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

/// A fitted distribution, either GEV or GPD.
struct Fitted {
    family: TailFamily,
    location: f64,
    scale: f64,
    shape: f64,
    /// Number of executions per extreme value.
    executions: f64,
    /// p-value of the goodness-of-fit test.
    p: f64,
}

impl Fitted {
    /// Returns the time that one execution exceeds with probability `p`.
    fn quantile(&self, p: f64) -> f64 {
        let Fitted {
            location,
            scale,
            shape,
            ..
        } = *self;
        match self.family {
            // The maximum of b executions exceeds the time with probability 1 − (1 − p)^b.
            TailFamily::Gev => {
                let block = -libm::expm1(self.executions * libm::log1p(-p));
                Gev {
                    location,
                    scale,
                    shape,
                }
                .quantile(block.min(1.0 - f64::EPSILON))
            }
            // Let f be the fraction of executions above the threshold. Such an execution exceeds
            // the time with probability p/f.
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

/// Divides the runs into blocks of consecutive runs. Returns the maximum of each block, and the number of runs in a
/// block. The function omits an incomplete last block.
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
    // Equal times are either all above the threshold or all at most the threshold, so there may be fewer than `count`
    // excesses. If a rounded time is k ticks above the threshold, the exact time was k − 1/2 to k + 1/2 ticks above the
    // threshold. So excesses count from half a tick above the threshold. Exactly the times above the threshold have
    // exact times above this point.
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
