//! Records that are missing in a file. Missing data must not make a verdict better than the run was.

use std::fmt::Arguments;

use serde::Serialize;

/// Numbers of events that the profiler should have recorded, and that the file does not contain completely. Launches without
/// times are not among them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Missing {
    /// Ranges without a start or an end.
    pub ranges: u64,
    /// Host calls that launched a kernel or a graph, and for which the file contains no work on the GPU. Each is also an
    /// open launch if the reader read the host calls.
    pub unrecorded: u64,
    /// Launches whose host call the file does not contain, although it contains the host calls of other launches.
    pub uncalled: u64,
    /// Ranges without GPU work, although other ranges of their name have some. Only a summary counts them.
    pub idle: u64,
    /// Ranges that lack between other ranges of their name, which have a fixed period. Sporadic jobs may have such holes. Only a
    /// summary counts them.
    pub absent: u64,
    /// Events that the profiler states to have dropped. The largest number of 64 bits if it states no number.
    pub dropped: u64,
    /// Events with impossible times or values. Each is also an open launch or a range without times, if it is a launch
    /// or a range.
    pub impossible: u64,
    /// The first of the events with impossible times or values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_impossible: Option<String>,
}

impl Missing {
    /// Counts an event with impossible times or values.
    pub fn impossible(&mut self, event: Arguments<'_>) {
        self.impossible += 1;
        self.first_impossible.get_or_insert_with(|| event.to_string());
    }
    /// Counts a range whose record is damaged.
    pub fn damaged_range(&mut self, event: &str) {
        self.impossible(format_args!("{event}"));
        self.ranges += 1;
    }
}
