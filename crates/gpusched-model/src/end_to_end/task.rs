//! Tasks of an end-to-end system.

use serde::{Deserialize, Serialize};

use super::{Segment, SegmentDraft};
use crate::identity::TaskIdentity;
use crate::time::Time;

/// Waiting mode: whether a task occupies its CPU core while a copy engine or a partition executes one of its segments.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Wait {
    /// Busy-waiting: while the task waits, it occupies its core, at its own priority.
    Busy,
    /// Self-suspension: while the task waits, it leaves its core to other tasks.
    Suspend,
}

/// Time between two consecutive arrivals of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// Exactly one period.
    #[default]
    Periodic,
    /// At least one period.
    Sporadic,
}

/// Jobs of a task: one after another, or several at a time.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Jobs {
    /// The task is one thread. A job starts after the end of the previous job.
    #[default]
    Sequential,
    /// Each segment is a thread with a first-in, first-out queue of jobs. A segment starts a job after it ends the previous job,
    /// so different segments can execute different jobs at the same time.
    Pipelined,
}

impl Jobs {
    fn are_sequential(&self) -> bool {
        *self == Jobs::Sequential
    }
}

/// A task as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a task: an object with \"name\", \"period\" and \"segments\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "SystemTask"))]
pub struct TaskDraft {
    /// Name of the task. The names of all tasks differ.
    pub name: String,
    /// T: period, the minimum time between two arrivals [ns]; > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub period: Time,
    /// D: relative deadline, counted from the arrival [ns]; > 0. The default is the period. A sequential task with
    /// several segments has a deadline of at most its period.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// J: release jitter, the maximum time from the arrival to the release of the first segment [ns]; 0 by default.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub jitter: Option<Time>,
    /// Whether the task is periodic or sporadic. The bounds of chains depend on this field.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Maximum time between two arrivals of a sporadic task [ns]; at least the period. If a sporadic task lacks this
    /// field, chains that contain the task have no bounds.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_interarrival: Option<Time>,
    /// Arrival of the first job of a periodic task [ns]; less than `period`. If all tasks of a chain state their phases,
    /// the bounds of the chain use the phases. The bounds on response times hold for all phases.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub phase: Option<Time>,
    /// Priority on the core. A lower number is more urgent. If no task states a priority, priorities are
    /// deadline-monotonic. Two tasks of equal priority delay each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// Priority on copy engines and partitions. The default is `priority`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_priority: Option<u32>,
    /// Waiting mode of the task during a copy or a kernel. Required if the task is sequential and has segments both on a core
    /// and on another resource. A pipelined task never busy-waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Whether the jobs of the task execute one after another, or as a pipeline.
    #[serde(default, skip_serializing_if = "Jobs::are_sequential")]
    pub jobs: Jobs,
    /// Buffers of a pipelined task: for each segment except the last, the number of slots for its output; at least 1. Null
    /// means that the number of slots has no limit. A job takes a slot when the segment starts, and leaves the slot when the
    /// next segment ends. If the field is absent, no number of slots has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffers: Option<Vec<Option<u32>>>,
    /// Segments of a job, in the order of execution; at least one. All CPU segments of a sequential task are on the same core.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub segments: Vec<SegmentDraft>,
    /// Other ways to execute the task, for example on a CPU core instead of the GPU. Only `gpusched partition
    /// --alternatives` uses this field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

impl TaskDraft {
    /// Returns the name and the digests of the task.
    pub(super) fn identity(&self) -> TaskIdentity {
        let wcets = self.segments.iter().map(|segment| SegmentDraft {
            kind: None,
            traffic: None,
            bandwidth: None,
            ..segment.clone()
        });
        let memory =
            { self.segments.iter() }.map(|segment| (segment.kind, segment.traffic, segment.bandwidth));
        TaskIdentity::new(
            Some(&self.name),
            &(
                self.period,
                self.deadline.unwrap_or(self.period),
                self.jitter.unwrap_or_default(),
            ),
            &wcets.collect::<Vec<_>>(),
            &memory.collect::<Vec<_>>(),
            &(), // a system states no origin of its WCETs
        )
    }
}

/// Another way to execute a task. An alternative replaces the segments and the waiting mode of the task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an alternative: an object with \"segments\""
)]
pub struct Alternative {
    /// Waiting mode of the task during a copy or a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Segments of a job, in the order of execution; at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub segments: Vec<SegmentDraft>,
}

/// A task whose segments and priorities are known.
///
/// A sequential task is one thread, so a job starts only after the end of the previous job of this task. In a pipelined task,
/// each segment is a thread. Segment k starts a job after it ends the previous job. If several jobs of one task are ready on
/// one resource, the oldest job goes first, except under first in, first out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Name of the task.
    pub name: String,
    /// T: period, the minimum time between two arrivals [ns]; > 0.
    pub period: Time,
    /// D: relative deadline, counted from the arrival [ns]; > 0.
    pub deadline: Time,
    /// J: release jitter [ns].
    pub jitter: Time,
    /// Whether the task is periodic or sporadic.
    pub arrivals: Arrivals,
    /// Maximum time between two arrivals [ns]: the period of a periodic task. `None` if it is unknown.
    pub max_interarrival: Option<Time>,
    /// Arrival of the first job [ns]; `None` if it is unknown.
    pub phase: Option<Time>,
    /// Priority on the core; lower numbers are more urgent.
    pub priority: u32,
    /// Priority on copy engines and partitions; lower numbers are more urgent.
    pub gpu_priority: u32,
    /// Waiting mode of the task. The mode is `Suspend` if the task never waits on a core.
    pub wait: Wait,
    /// Whether the jobs of the task execute one after another, or as a pipeline.
    pub jobs: Jobs,
    /// For each segment of a pipelined task except the last, the number of slots for its output; `None` without a limit. Empty
    /// if the task is sequential.
    pub buffers: Vec<Option<u32>>,
    /// Position of the core that executes the CPU segments of a sequential task; `None` if the task has no CPU segment, and
    /// for a pipelined task. The CPU segments of a pipelined task can be on different cores.
    pub core: Option<usize>,
    /// Segments of a job, in the order of execution; at least one.
    pub segments: Vec<Segment>,
}

impl Task {
    /// φ: minimum time from the arrival to the release of segment `position` [ns]. This time is the sum of the BCETs of
    /// all earlier segments.
    pub fn earliest(&self, position: usize) -> Time {
        let before = self.segments.iter().take(position);
        Time::from_ns(
            before
                .map(|segment| segment.bcet.ns())
                .fold(0, u64::saturating_add),
        )
    }

    /// Whether the jobs of the task execute as a pipeline.
    pub fn is_pipelined(&self) -> bool {
        self.jobs == Jobs::Pipelined
    }

    /// Returns the number of slots for the output of segment `position`; `None` if the number has no limit.
    pub fn slots(&self, position: usize) -> Option<u64> {
        self.buffers.get(position).copied().flatten().map(u64::from)
    }

    /// Whether the task occupies its core while another resource executes one of its segments.
    pub fn spins(&self) -> bool {
        self.wait == Wait::Busy
            && self.core.is_some()
            && self.segments.iter().any(|segment| !segment.on.is_core())
    }

    /// Whether the task suspends itself: it leaves its core while another resource executes one of its segments.
    pub fn suspends(&self) -> bool {
        self.wait == Wait::Suspend
            && self.core.is_some()
            && self.segments.iter().any(|segment| !segment.on.is_core())
    }
}
