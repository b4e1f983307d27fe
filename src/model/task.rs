//! A GPU task: a kernel released again and again, with a deadline for each release.

use serde::{Deserialize, Serialize};

use super::wcet::{WcetError, WcetFunction};
use crate::time::Time;

/// What a kernel mostly uses; kernels of the same kind disturb each other ([Singh21] Definition 1).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Compute-intensive.
    Compute,
    /// Memory-intensive.
    Memory,
}

/// A sporadic task τ = (T, D, kind, Cⁿ(m), Cᶜ(m)), [Singh21] §3.4.2.
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
    #[serde(deserialize_with = "super::positive_time")]
    pub period: Time,
    /// D: relative deadline [ns]; the period if absent. May be larger than the period.
    #[serde(
        default,
        deserialize_with = "super::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// A task without a kind counts as of the same kind as every other task (the safe reading).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// C(m), alone and in conflict.
    #[schemars(with = "super::wcet::Form")]
    pub wcet: WcetFunction,
}

/// Why a task is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A period or deadline is zero or above [`Time::LIMIT`].
    #[error("{field}: found {found}, expected more than 0 ns and less than 2^63 ns")]
    Range {
        /// `period` or `deadline`.
        field: &'static str,
        /// The value found.
        found: Time,
    },
    /// The WCET function is none.
    #[error("wcet: {0}")]
    Wcet(#[from] WcetError),
}

impl Task {
    /// Checks `shape` and makes it a task.
    ///
    /// # Errors
    /// [`TaskError`] where the period or the deadline is zero or too large.
    pub fn new(shape: TaskShape) -> Result<Task, TaskError> {
        let deadline = shape.deadline.unwrap_or(shape.period);
        for (field, found) in [("period", shape.period), ("deadline", deadline)] {
            if found == Time::ZERO || found > Time::LIMIT {
                return Err(TaskError::Range { field, found });
            }
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

    /// What the kernel mostly uses, if known.
    pub fn kind(&self) -> Option<Kind> {
        self.shape.kind
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
        Task::new(shape)
    }
}
