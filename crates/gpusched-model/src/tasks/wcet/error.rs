//! Errors of WCET functions.

use super::MAX_SMS;
use crate::numbers::factor::Factor;
use crate::time::Time;

/// The reason why a form is not a valid WCET function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WcetError {
    /// A time is above [`Time::LIMIT`], or the product of the parameters is too large for exact evaluation.
    #[error("WCET too large: found {found}, expected a WCET below 2^63 ns for every number of SMs")]
    TooLarge {
        /// Value or parameter that is too large.
        found: String,
    },
    /// A value of the WCET function is zero.
    #[error("WCET of zero: found {found}, expected a WCET of at least 1 ns for every number of SMs")]
    Zero {
        /// Value or parameter that is zero.
        found: String,
    },
    /// A list of measured points is empty.
    #[error("{list}: found no points, expected at least one point [sms, time]")]
    Empty {
        /// Name of the list.
        list: &'static str,
    },
    /// The number of SMs is zero, too large, or not larger than the previous number.
    #[error(
        "{list}[{index}]: found {sms} SMs, expected numbers of SMs in strictly ascending order, each from 1 to {MAX_SMS}"
    )]
    Sms {
        /// Name of the list.
        list: &'static str,
        /// Position in the list, from 0.
        index: usize,
        /// Number of SMs at this position.
        sms: u32,
    },
    /// The WCET is longer than the WCET at the previous position, which has fewer SMs.
    #[error(
        "{list}[{index}]: found {time} after {before}, expected a WCET that does not grow with the number of SMs (use the monotone envelope of the measurements)"
    )]
    NotMonotone {
        /// Name of the list.
        list: &'static str,
        /// Position in the list, from 0.
        index: usize,
        /// Time at this position.
        time: Time,
        /// Time at the previous position.
        before: Time,
    },
    /// The WCET in conflict is below the isolated WCET.
    #[error(
        "conflict: found a WCET below the isolated WCET on {sms} SMs, expected at least the isolated WCET (use the larger WCET for `conflict`)"
    )]
    ConflictFaster {
        /// Number of SMs for which the WCET in conflict is too short.
        sms: u32,
    },
    /// The conflict factor k is below 1.
    #[error("conflict: found the factor {found}, expected a factor of at least 1")]
    ConflictFactor {
        /// Value of the factor.
        found: Factor,
    },
}
