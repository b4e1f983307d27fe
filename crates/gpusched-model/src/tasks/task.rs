//! GPU tasks: kernels that are released repeatedly. Each release has a deadline.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::provenance::MeasuredOn;
use super::traffic::{Bandwidth, Bytes, Peak, Sectors};
use super::wcet::{WcetError, WcetFunction, WcetSource};
use crate::time::Time;

/// Resource that a kernel mostly uses. Two kernels that mostly use the same resource contend ([Singh21] Definition 1).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// Compute-intensive.
    Compute,
    /// Memory-intensive.
    Memory,
}

/// A sporadic task τ = (T, D, kind, Cⁿ(m), Cᶜ(m)) as in [Singh21] §3.4.2. gpusched adds release
/// jitter, the length of the longest thread block, and memory traffic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "TaskShape", try_from = "TaskShape")]
pub struct Task {
    shape: TaskShape,
    deadline: Time,
}

/// A task as written in a task-set file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a task: an object with \"period\" and \"wcet\""
)]
pub struct TaskShape {
    /// Name for display. Other files refer to a task by its position in the list, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// T: period, the minimum time between two arrivals [ns]; > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub period: Time,
    /// D: relative deadline, counted from the arrival [ns]; > 0. The default is the period. The deadline may be longer
    /// than the period.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// J: release jitter, the maximum time from arrival to release [ns]; 0 by default. Jitter does not move the
    /// deadline, which is relative to the arrival.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub jitter: Option<Time>,
    /// Length of the longest thread block: the maximum time during which the kernel cannot be
    /// preempted [ns]; > 0. If the field is absent, or if its value is at least C(m), the whole
    /// kernel counts as one thread block. Only policies with preemption at thread-block
    /// boundaries (`lp-`) use this field.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub block: Option<Time>,
    /// Number of launches of a job; 1 by default. With overheads, each launch adds `occupancy_ns` to the WCET. Policies with
    /// preemption at thread-block boundaries (`lp-`) then require this field for tasks with `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<NonZeroU32>,
    /// Resource that the kernel mostly uses. If the field is absent, the interference models with `conflict` make the safe
    /// assumption that the task contends with every task of its partition. The other models ignore this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// V: memory traffic, the maximum amount of data that one job moves to and from memory [bytes]. If both `traffic`
    /// and `bandwidth` are absent, the interference models with `bandwidth` make the safe assumption that the kernel may
    /// use the full memory bandwidth while it runs. The other models ignore both fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// Peak bandwidth: for each number of SMs, the maximum memory bandwidth that the kernel uses at any time. If the
    /// field is absent, the kernel may use the full memory bandwidth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Peak>,
    /// L2 sectors of one job. The interference models `memory-time` and `conflict+memory-time` require this field. They
    /// ignore `traffic` and `bandwidth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Sectors>,
    /// Source of the numbers in `wcet`; `stated` by default. No schedulability test depends on the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wcet_source: Option<WcetSource>,
    /// Where the numbers in `wcet` were measured. The field replaces `measured_on` of the task set. If both are absent,
    /// the GPU of the WCETs is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_on: Option<Box<MeasuredOn>>,
    /// C(m): WCET on m SMs, in isolation and in conflict. A task is in conflict if its partition
    /// contains another task of the same kind.
    #[cfg_attr(feature = "schema", schemars(with = "super::wcet::Written"))]
    pub wcet: WcetFunction,
}

impl TaskShape {
    /// Sets the name.
    pub fn name(self, name: impl Into<String>) -> TaskShape {
        TaskShape {
            name: Some(name.into()),
            ..self
        }
    }

    /// Sets D, the relative deadline [ns].
    pub fn deadline(self, deadline: Time) -> TaskShape {
        TaskShape {
            deadline: Some(deadline),
            ..self
        }
    }

    /// Sets J, the release jitter [ns].
    pub fn jitter(self, jitter: Time) -> TaskShape {
        TaskShape {
            jitter: Some(jitter),
            ..self
        }
    }

    /// Sets the length of the longest thread block [ns].
    pub fn block(self, block: Time) -> TaskShape {
        TaskShape {
            block: Some(block),
            ..self
        }
    }

    /// Sets the number of launches of a job.
    pub fn launches(self, launches: NonZeroU32) -> TaskShape {
        TaskShape {
            launches: Some(launches),
            ..self
        }
    }

    /// Sets the resource that the kernel mostly uses.
    pub fn kind(self, kind: Kind) -> TaskShape {
        TaskShape {
            kind: Some(kind),
            ..self
        }
    }

    /// Sets V, the memory traffic of one job [bytes].
    pub fn traffic(self, traffic: Bytes) -> TaskShape {
        TaskShape {
            traffic: Some(traffic),
            ..self
        }
    }

    /// Sets the peak bandwidth of the kernel [bytes per second].
    pub fn bandwidth(self, bandwidth: Peak) -> TaskShape {
        TaskShape {
            bandwidth: Some(bandwidth),
            ..self
        }
    }

    /// Sets the L2 sectors of one job.
    pub fn sectors(self, sectors: Sectors) -> TaskShape {
        TaskShape {
            sectors: Some(sectors),
            ..self
        }
    }

    /// Sets the source of the numbers in the WCET function.
    pub fn wcet_source(self, source: WcetSource) -> TaskShape {
        TaskShape {
            wcet_source: Some(source),
            ..self
        }
    }

    /// Sets where the numbers in the WCET function were measured.
    pub fn measured_on(self, measured_on: MeasuredOn) -> TaskShape {
        TaskShape {
            measured_on: Some(Box::new(measured_on)),
            ..self
        }
    }

    /// Checks the fields and creates the task.
    ///
    /// # Errors
    /// Fails with [`TaskError`] if `period`, `deadline` or `block` is zero, or if a time is above
    /// [`Time::LIMIT`].
    pub fn build(self) -> Result<Task, TaskError> {
        Task::from_shape(self)
    }
}

/// The reason why a task definition is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The value of `period`, `deadline` or `block` is zero, or a time is above [`Time::LIMIT`].
    #[error("{field}: found {found}, expected more than 0 ns and less than 2^63 ns")]
    Range {
        /// Name of the field: `period`, `deadline`, `jitter` or `block`.
        field: &'static str,
        /// Value of the field.
        found: Time,
    },
    /// The WCET function is invalid.
    #[error("wcet: {0}")]
    Wcet(#[from] WcetError),
}

impl Task {
    /// Starts the definition of a task with period T = `period` and WCET function `wcet`. [`TaskShape::build`] creates
    /// the task.
    ///
    /// ```
    /// use gpusched_model::time::Time;
    /// use gpusched_model::{Kind, Task, WcetFunction};
    ///
    /// let wcet = WcetFunction::amdahl("80ms".parse()?, "0.1".parse()?, "2.3".parse()?)?;
    /// let task = Task::new("50ms".parse()?, wcet).name("lidar").kind(Kind::Memory).build()?;
    /// assert_eq!(task.deadline(), Time::from_ns(50_000_000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::new_ret_no_self, reason = "a task has ten optional parts")]
    pub fn new(period: Time, wcet: WcetFunction) -> TaskShape {
        TaskShape {
            name: None,
            period,
            deadline: None,
            jitter: None,
            block: None,
            launches: None,
            kind: None,
            traffic: None,
            bandwidth: None,
            sectors: None,
            wcet_source: None,
            measured_on: None,
            wcet,
        }
    }

    /// Checks `shape` and creates the task.
    ///
    /// # Errors
    /// Fails with [`TaskError`] if `period`, `deadline` or `block` is zero, or if a time is above
    /// [`Time::LIMIT`].
    pub fn from_shape(shape: TaskShape) -> Result<Task, TaskError> {
        let deadline = shape.deadline.unwrap_or(shape.period);
        let positive = [
            ("period", Some(shape.period)),
            ("deadline", Some(deadline)),
            ("block", shape.block),
        ];
        for (field, found) in positive {
            if let Some(found) = found
                && (found == Time::ZERO || found > Time::LIMIT)
            {
                return Err(TaskError::Range { field, found });
            }
        }
        if let Some(found) = shape.jitter.filter(|&jitter| jitter > Time::LIMIT) {
            return Err(TaskError::Range {
                field: "jitter",
                found,
            });
        }
        Ok(Task { shape, deadline })
    }

    /// Returns the name of the task, or `None` if the task has no name.
    pub fn name(&self) -> Option<&str> {
        self.shape.name.as_deref()
    }

    /// T: period, the minimum time between two arrivals [ns].
    pub fn period(&self) -> Time {
        self.shape.period
    }

    /// D: relative deadline [ns].
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// J: release jitter, the maximum time from arrival to release [ns].
    pub fn jitter(&self) -> Time {
        self.shape.jitter.unwrap_or_default()
    }

    /// Returns the length of the longest thread block [ns], or `None` if the task does not state it.
    pub fn block(&self) -> Option<Time> {
        self.shape.block
    }

    /// Returns the number of launches of a job, or `None` if the task does not state it.
    pub fn launches(&self) -> Option<NonZeroU32> {
        self.shape.launches
    }

    /// Returns the resource that the kernel mostly uses, or `None` if the task does not state it.
    pub fn kind(&self) -> Option<Kind> {
        self.shape.kind
    }

    /// V: maximum amount of data that one job moves to and from memory; `None` if the task does not state it.
    pub fn traffic(&self) -> Option<Bytes> {
        self.shape.traffic
    }

    /// Returns the peak bandwidth of the kernel on `sms` SMs, or `None` if the task does not state it.
    pub fn bandwidth(&self, sms: u32) -> Option<Bandwidth> {
        self.shape.bandwidth.as_ref()?.at(sms)
    }

    /// Returns the L2 sectors of one job, or `None` if the task does not state them.
    pub fn sectors(&self) -> Option<Sectors> {
        self.shape.sectors
    }

    /// Returns the source of the numbers in the WCET function.
    pub fn wcet_source(&self) -> WcetSource {
        self.shape.wcet_source.unwrap_or_default()
    }

    /// Returns where the numbers in the WCET function were measured, or `None` if the task does not state it. The task
    /// set may state it for all tasks: [`TaskSet::measured_on`](crate::TaskSet::measured_on).
    pub fn measured_on(&self) -> Option<&MeasuredOn> {
        self.shape.measured_on.as_deref()
    }

    /// C(m): WCET on m SMs, in isolation and in conflict.
    pub fn wcet(&self) -> &WcetFunction {
        &self.shape.wcet
    }
}

impl From<Task> for TaskShape {
    fn from(task: Task) -> TaskShape {
        task.shape
    }
}

impl TryFrom<TaskShape> for Task {
    type Error = TaskError;

    fn try_from(shape: TaskShape) -> Result<Task, TaskError> {
        Task::from_shape(shape)
    }
}
