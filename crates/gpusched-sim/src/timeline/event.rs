//! Events on the tracks of a timeline.

use gpusched_model::time::Time;

/// An event with a duration, such as a thread block or a part of a job. A slice is the half-open
/// interval from `start` to `end`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Slice<'a> {
    /// Name of the event, such as `block 17`.
    pub name: &'a str,
    /// Category of the event, such as the name of the kernel or the task. All slices of a
    /// category have the same colour.
    pub category: &'a str,
    /// Start of the event [ns].
    pub start: Time,
    /// End of the event [ns]. The end is not before the start.
    pub end: Time,
    /// Arguments of the event; at most [`MAX_ARGS`](super::MAX_ARGS).
    pub args: &'a [(&'a str, Value<'a>)],
}

impl<'a> Slice<'a> {
    /// Creates a slice without arguments.
    pub fn new(name: &'a str, category: &'a str, start: Time, end: Time) -> Slice<'a> {
        Slice {
            name,
            category,
            start,
            end,
            args: &[],
        }
    }
}

/// An event without a duration, such as a release.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Instant<'a> {
    /// Name of the job or kernel, such as `job 3`.
    pub name: &'a str,
    /// Kind of the event.
    pub mark: Mark,
    /// Time of the event [ns].
    pub at: Time,
    /// Arguments of the event; at most [`MAX_ARGS`](super::MAX_ARGS).
    pub args: &'a [(&'a str, Value<'a>)],
}

impl<'a> Instant<'a> {
    /// Creates an instant without arguments.
    pub fn new(name: &'a str, mark: Mark, at: Time) -> Instant<'a> {
        Instant {
            name,
            mark,
            at,
            args: &[],
        }
    }
}

/// The kind of an instant.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Release of a job or kernel.
    Release,
    /// Deadline of a job or kernel.
    Deadline,
    /// Completion of a job or kernel.
    Completion,
    /// Deadline miss: the job or kernel is incomplete at its deadline.
    Miss,
    /// Violation in a recorded run, such as a deadline miss or an exceeded WCET.
    Violation,
}

impl Mark {
    /// All kinds of instants.
    pub const ALL: [Mark; 5] = [
        Mark::Release,
        Mark::Deadline,
        Mark::Completion,
        Mark::Miss,
        Mark::Violation,
    ];

    /// Returns the kind as a word for display.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Release => "release",
            Mark::Deadline => "deadline",
            Mark::Completion => "completion",
            Mark::Miss => "deadline miss",
            Mark::Violation => "violation",
        }
    }
}

/// The value of an argument of an event.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// A number. A time is a number of nanoseconds.
    Integer(u64),
    /// A text of any content.
    Text(&'a str),
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Value::Integer(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Value::Integer(value.into())
    }
}

impl From<Time> for Value<'_> {
    fn from(value: Time) -> Self {
        Value::Integer(value.ns())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}
