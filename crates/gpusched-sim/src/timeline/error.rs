//! What a timeline refuses.

use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;

/// Why something is not on the timeline. The timeline is as before.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimelineError {
    /// More slices, instants and samples than the timeline may hold.
    #[error("the timeline has more than {limit} events; record a shorter run")]
    TooManyEvents {
        /// The most it may hold.
        limit: usize,
    },

    /// More processes, tracks and counters than a viewer can show.
    #[error("the timeline has more than {limit} processes, tracks and counters")]
    TooManyTracks {
        /// The most it may hold.
        limit: usize,
    },

    /// More details on one event than there may be.
    #[error("{name:?} has more than {limit} arguments")]
    TooManyArgs {
        /// The event.
        name: String,
        /// The most it may have.
        limit: usize,
    },

    /// Two details of one name.
    #[error("{name:?} has two arguments {key:?}")]
    RepeatedArg {
        /// The event.
        name: String,
        /// The detail.
        key: String,
    },

    /// A slice that ends before it starts.
    #[error("{name:?} ends at {end}, before its start at {start}")]
    Backwards {
        /// The slice.
        name: String,
        /// Its start.
        start: Time,
        /// Its end.
        end: Time,
    },

    /// A sample that is no number.
    #[error("found {value} in the counter {name:?}, expected a finite number")]
    NotFinite {
        /// The counter.
        name: String,
        /// The sample.
        value: f64,
    },

    /// The process, track or counter is of another timeline.
    #[error("the timeline has no {what} {number}")]
    Unknown {
        /// `process`, `track` or `counter`.
        what: &'static str,
        /// Its number, from 0.
        number: usize,
    },
}

impl From<TimelineError> for Error {
    /// A run too long to record is the user's to shorten; all else is a simulator's mistake.
    fn from(error: TimelineError) -> Error {
        match error {
            TimelineError::TooManyEvents { limit } => {
                let found = format!("more than {limit} events");
                let refusal = Refusal::new("timeline", found, format!("at most {limit}"));
                refusal.hint("record a shorter run").into()
            }
            TimelineError::TooManyTracks { limit } => {
                let found = format!("more than {limit} processes, tracks and counters");
                Error::parameter("timeline", found, format!("at most {limit}"))
            }
            _ => Error::Internal(error.to_string()),
        }
    }
}
