//! Events on a track.

use gpusched_model::time::Time;

/// An event with a duration, in the half-open interval from `start` to `end`: a thread block or a part of a job.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Slice<'a> {
    /// Name, such as `block 17`.
    pub name: &'a str,
    /// Category, such as the kernel or the task. Slices of one category have one colour.
    pub category: &'a str,
    /// Start [ns].
    pub start: Time,
    /// End [ns], not before the start.
    pub end: Time,
    /// Details, at most [`MAX_ARGS`](super::MAX_ARGS).
    pub args: &'a [(&'a str, Value<'a>)],
}

impl<'a> Slice<'a> {
    /// A slice without details.
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

/// An event without a duration.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Instant<'a> {
    /// Name of the job or kernel, such as `job 3`.
    pub name: &'a str,
    /// Kind of event.
    pub mark: Mark,
    /// Time [ns].
    pub at: Time,
    /// Details, at most [`MAX_ARGS`](super::MAX_ARGS).
    pub args: &'a [(&'a str, Value<'a>)],
}

impl<'a> Instant<'a> {
    /// An instant without details.
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
}

impl Mark {
    /// All kinds.
    pub const ALL: [Mark; 4] = [Mark::Release, Mark::Deadline, Mark::Completion, Mark::Miss];

    /// Returns the kind in words.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Release => "release",
            Mark::Deadline => "deadline",
            Mark::Completion => "completion",
            Mark::Miss => "deadline miss",
        }
    }
}

/// A detail of an event.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// A number. Times are in nanoseconds.
    Integer(u64),
    /// A text.
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
