//! Errors that a timeline can return.

use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;

/// Reason why a timeline rejects an item. After an error, the timeline is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimelineError {
    /// The timeline has no space for further slices, instants or samples.
    #[error("the timeline has more than {limit} events; record a shorter run")]
    TooManyEvents {
        /// Maximum number of events of the timeline.
        limit: usize,
    },

    /// The timeline has too many processes, tracks and counters for viewers.
    #[error("the timeline has more than {limit} processes, tracks and counters")]
    TooManyTracks {
        /// Maximum number of processes, tracks and counters together.
        limit: usize,
    },

    /// An event has too many arguments.
    #[error("event {name:?} has more than {limit} arguments")]
    TooManyArgs {
        /// Name of the event.
        name: String,
        /// Maximum number of arguments of an event.
        limit: usize,
    },

    /// An event has two arguments with the same name.
    #[error("event {name:?} has two arguments with the name {key:?}")]
    RepeatedArg {
        /// Name of the event.
        name: String,
        /// Name of the argument that occurs twice.
        key: String,
    },

    /// A slice ends before it starts.
    #[error("slice {name:?} ends at {end}, before its start at {start}")]
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
        /// Kind of the item: `process`, `track` or `counter`.
        what: &'static str,
        /// Number of the item, from 0.
        number: usize,
    },
}

impl From<TimelineError> for Error {
    /// Converts the error. If a run exceeds the limits of a timeline, the user can shorten the
    /// run. All other errors are internal errors of a simulator.
    fn from(error: TimelineError) -> Error {
        match error {
            TimelineError::TooManyEvents { limit } => {
                let found = format!("more than {limit} events");
                let refusal = Refusal::new("timeline", found, format!("at most {limit} events"));
                refusal.hint("record a shorter run").into()
            }
            TimelineError::TooManyTracks { limit } => {
                let found = format!("more than {limit} processes, tracks and counters in total");
                Error::parameter("timeline", found, format!("at most {limit} in total"))
            }
            _ => Error::Internal(error.to_string()),
        }
    }
}
