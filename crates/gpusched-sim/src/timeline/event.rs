//! What can happen on a track.

use gpusched_model::time::Time;

/// Something that takes time, in the half-open interval from `start` to `end`: a thread block, a piece of a job.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Slice<'a> {
    /// Which one: `block 17`.
    pub name: &'a str,
    /// What it has in common with others, which gives it its colour: the kernel, the task.
    pub category: &'a str,
    /// When it starts [ns].
    pub start: Time,
    /// When it ends [ns], not before its start.
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

/// Something that takes no time.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Instant<'a> {
    /// Whose: `job 3`.
    pub name: &'a str,
    /// What happens.
    pub mark: Mark,
    /// When [ns].
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

/// What an instant is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// A job, or a kernel, may run from now on.
    Release,
    /// It should be complete by now.
    Deadline,
    /// It is complete.
    Completion,
    /// It is not complete at its deadline.
    Miss,
}

impl Mark {
    /// All of them.
    pub const ALL: [Mark; 4] = [Mark::Release, Mark::Deadline, Mark::Completion, Mark::Miss];

    /// In words.
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
    /// A number; of times, the nanoseconds.
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
