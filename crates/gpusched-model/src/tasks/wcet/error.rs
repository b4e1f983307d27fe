//! Why a form is no WCET function.

use super::MAX_SMS;
use crate::numbers::factor::Factor;
use crate::time::Time;

/// Why a form is no WCET function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WcetError {
    /// A time above [`Time::LIMIT`], or parameters whose product cannot be evaluated exactly.
    #[error("WCET too large: found {found}, expected below 2^63 ns on every number of SMs")]
    TooLarge {
        /// The offending value or parameter.
        found: String,
    },
    /// A function that is zero somewhere.
    #[error("WCET of zero: found {found}, expected at least 1 ns on every number of SMs")]
    Zero {
        /// The offending value or parameter.
        found: String,
    },
    /// A list without points.
    #[error("{list}: found no points, expected at least one [sms, time]")]
    Empty {
        /// Which list.
        list: &'static str,
    },
    /// m is zero, too large or not increasing.
    #[error(
        "{list}[{index}]: found {sms} SMs, expected strictly increasing numbers of SMs from 1 to {MAX_SMS}"
    )]
    Sms {
        /// Which list.
        list: &'static str,
        /// The position in the list, from 0.
        index: usize,
        /// The number found.
        sms: u32,
    },
    /// C grows with m.
    #[error(
        "{list}[{index}]: found {time} after {before}, expected a WCET that does not grow with the number of SMs (use the monotone envelope of the measurements)"
    )]
    NotMonotone {
        /// Which list.
        list: &'static str,
        /// The position in the list, from 0.
        index: usize,
        /// The time found.
        time: Time,
        /// The time before it.
        before: Time,
    },
    /// Conflict makes the kernel faster.
    #[error(
        "conflict: found a WCET below the isolated one on {sms} SMs, expected at least the isolated WCET (use the larger of the two)"
    )]
    ConflictFaster {
        /// A number of SMs where it happens.
        sms: u32,
    },
    /// k < 1.
    #[error("conflict: found factor {found}, expected at least 1")]
    ConflictFactor {
        /// The factor found.
        found: Factor,
    },
}
