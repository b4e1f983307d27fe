//! Errors of a timeline.

use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;

/// Why a timeline rejects an item. The timeline stays unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimelineError {
    /// Too many slices, instants and samples for the timeline.
    #[error("the timeline has more than {limit} events; record a shorter run")]
    TooManyEvents {
        /// Limit of the timeline.
        limit: usize,
    },

    /// Too many processes, tracks and counters for a viewer.
    #[error("the timeline has more than {limit} processes, tracks and counters")]
    TooManyTracks {
        /// Limit of the timeline.
        limit: usize,
    },

    /// Too many details on one event.
    #[error("{name:?} has more than {limit} arguments")]
    TooManyArgs {
        /// Name of the event.
        name: String,
        /// Limit per event.
        limit: usize,
    },

    /// Two details with one name.
    #[error("{name:?} has two arguments {key:?}")]
    RepeatedArg {
        /// Name of the event.
        name: String,
        /// Name of the detail.
        key: String,
    },

    /// A slice ends before it starts.
    #[error("{name:?} ends at {end}, before its start at {start}")]
    Backwards {
        /// Name of the slice.
        name: String,
        /// Start of the slice.
        start: Time,
        /// End of the slice.
        end: Time,
    },

    /// A sample is not a finite number.
    #[error("found {value} in the counter {name:?}, expected a finite number")]
    NotFinite {
        /// Name of the counter.
        name: String,
        /// Value of the sample.
        value: f64,
    },

    /// The process, track or counter belongs to another timeline.
    #[error("the timeline has no {what} {number}")]
    Unknown {
        /// `process`, `track` or `counter`.
        what: &'static str,
        /// Number of the item, from 0.
        number: usize,
    },
}

impl From<TimelineError> for Error {
    /// The user can shorten a run that is too long to record. All other errors are mistakes of a simulator.
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
