//! A GPU task: a kernel released again and again, with a deadline for each release.

use serde::{Deserialize, Serialize};

use super::traffic::{Bandwidth, Bytes, Peak};
use super::wcet::{WcetError, WcetFunction, WcetSource};
use crate::time::Time;

/// What a kernel mostly uses; kernels of the same kind disturb each other ([Singh21] Definition 1).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// Compute-intensive.
    Compute,
    /// Memory-intensive.
    Memory,
}

/// A sporadic task τ = (T, D, kind, Cⁿ(m), Cᶜ(m)), [Singh21] §3.4.2, with release jitter and its longest thread block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "TaskShape", try_from = "TaskShape")]
pub struct Task {
    shape: TaskShape,
    deadline: Time,
}

/// A task in the shape of the task-set file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a task: an object with \"period\" and \"wcet\""
)]
pub struct TaskShape {
    /// For people; tasks are identified by their position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// T: least time between two releases [ns].
    #[serde(deserialize_with = "crate::positive_time")]
    pub period: Time,
    /// D: relative deadline [ns]; the period if absent. May be larger than the period.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// J: a kernel is released at most that long after it arrived [ns]; 0 if absent. The deadline counts from the arrival.
    #[serde(
        default,
        deserialize_with = "crate::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub jitter: Option<Time>,
    /// The longest time for which the kernel cannot be preempted: its longest thread block [ns]. If absent, or not below
    /// C(m): the whole kernel. Only the limited-preemptive policies look at it.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub block: Option<Time>,
    /// A task without a kind counts as of the same kind as every other task (the safe reading).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// V: the most that one job moves to and from memory. Where neither this nor `bandwidth` is stated, the kernel may
    /// saturate the memory as long as it runs (the safe reading).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// The most that it draws from memory at any time, on so many SMs; all that there is if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Peak>,
    /// Where the numbers of `wcet` come from; stated if absent. No test depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wcet_source: Option<WcetSource>,
    /// C(m), alone and in conflict.
    #[schemars(with = "super::wcet::Written")]
    pub wcet: WcetFunction,
}

impl TaskShape {
    /// Names the task.
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

    /// Sets the longest thread block [ns].
    pub fn block(self, block: Time) -> TaskShape {
        TaskShape {
            block: Some(block),
            ..self
        }
    }

    /// Sets what the kernel mostly uses.
    pub fn kind(self, kind: Kind) -> TaskShape {
        TaskShape {
            kind: Some(kind),
            ..self
        }
    }

    /// Sets V, the most that one job moves to and from memory [bytes].
    pub fn traffic(self, traffic: Bytes) -> TaskShape {
        TaskShape {
            traffic: Some(traffic),
            ..self
        }
    }

    /// Sets the most that the kernel draws from memory at any time [bytes per second].
    pub fn bandwidth(self, bandwidth: Peak) -> TaskShape {
        TaskShape {
            bandwidth: Some(bandwidth),
            ..self
        }
    }

    /// Sets where the numbers of the WCET function come from.
    pub fn wcet_source(self, source: WcetSource) -> TaskShape {
        TaskShape {
            wcet_source: Some(source),
            ..self
        }
    }

    /// Checks the parts and makes them a task.
    ///
    /// # Errors
    /// [`TaskError`] where the period, the deadline or the block is zero, or a time is too large.
    pub fn build(self) -> Result<Task, TaskError> {
        Task::from_shape(self)
    }
}

/// Why a task definition is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A period, deadline or block is zero, or a time is above [`Time::LIMIT`].
    #[error("{field}: found {found}, expected more than 0 ns and less than 2^63 ns")]
    Range {
        /// `period`, `deadline`, `jitter` or `block`.
        field: &'static str,
        /// The value found.
        found: Time,
    },
    /// The WCET function is invalid.
    #[error("wcet: {0}")]
    Wcet(#[from] WcetError),
}

impl Task {
    /// Describes a task with period T = `period` and WCET function `wcet`; [`TaskShape::build`] makes it a task.
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
    #[allow(clippy::new_ret_no_self, reason = "a task has eight optional parts")]
    pub fn new(period: Time, wcet: WcetFunction) -> TaskShape {
        TaskShape {
            name: None,
            period,
            deadline: None,
            jitter: None,
            block: None,
            kind: None,
            traffic: None,
            bandwidth: None,
            wcet_source: None,
            wcet,
        }
    }

    /// Checks `shape` and makes it a task.
    ///
    /// # Errors
    /// [`TaskError`] where the period, the deadline or the block is zero, or a time is too large.
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

    /// The name, if the task has one.
    pub fn name(&self) -> Option<&str> {
        self.shape.name.as_deref()
    }

    /// T: least time between two releases [ns].
    pub fn period(&self) -> Time {
        self.shape.period
    }

    /// D: relative deadline [ns].
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// J: a kernel is released at most that long after it arrived [ns].
    pub fn jitter(&self) -> Time {
        self.shape.jitter.unwrap_or_default()
    }

    /// The longest thread block [ns], if it is stated.
    pub fn block(&self) -> Option<Time> {
        self.shape.block
    }

    /// What the kernel mostly uses, if known.
    pub fn kind(&self) -> Option<Kind> {
        self.shape.kind
    }

    /// V: the most that one job moves to and from memory, if it is stated.
    pub fn traffic(&self) -> Option<Bytes> {
        self.shape.traffic
    }

    /// The most that the kernel draws from memory at any time on `sms` SMs, if that is stated.
    pub fn bandwidth(&self, sms: u32) -> Option<Bandwidth> {
        self.shape.bandwidth.as_ref()?.at(sms)
    }

    /// Where the numbers of the WCET function come from.
    pub fn wcet_source(&self) -> WcetSource {
        self.shape.wcet_source.unwrap_or_default()
    }

    /// C(m), alone and in conflict.
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
