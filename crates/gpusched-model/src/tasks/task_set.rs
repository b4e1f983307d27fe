//! Task sets: the main input of the analysis.

use serde::{Deserialize, Serialize};

use super::provenance::MeasuredOn;
use super::task::{Task, TaskShape};
use super::traffic::OtherTraffic;
use super::wcet::{Contention, Form, Table, WcetFunction, WcetSource};
use crate::numbers::factor::Factor;
use crate::time::Time;

/// Meaning of the WCETs of a task set.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Times {
    /// Times on the GPU alone. The overheads of the dispatcher add to them.
    Gpu,
    /// Occupancies: the times from the decision of the dispatcher to its next decision. They include its overheads.
    Occupancy,
}

/// One or more tasks that share a GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "TaskSetShape")]
pub struct TaskSet {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_on: Option<MeasuredOn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
    tasks: Vec<Task>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_traffic: Vec<OtherTraffic>,
}

/// A task set as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a task set: an object with a list \"tasks\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "TaskSet"))]
struct TaskSetShape {
    /// Name for display.
    #[serde(default)]
    name: Option<String>,
    /// Where the WCETs of the tasks were measured. A task with its own `measured_on` ignores this field.
    #[serde(default)]
    measured_on: Option<MeasuredOn>,
    /// Meaning of the WCETs, for the overheads of the dispatcher. If the field is absent, an analysis with overheads adds
    /// them, as for `gpu`, and `run` without overheads assumes `occupancy`.
    #[serde(default)]
    times: Option<Times>,
    /// Tasks of the set; at least one. Other fields and files refer to a task by its position in this list, from 0.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<super::task::TaskShape>", length(min = 1))
    )]
    tasks: Vec<Task>,
    /// Sources of memory traffic other than the tasks, such as CPU cores under a memory bandwidth budget or copy
    /// engines.
    #[serde(default)]
    other_traffic: Vec<OtherTraffic>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for TaskSet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        TaskSetShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        TaskSetShape::json_schema(generator)
    }
}

/// The error for a task set without tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tasks: found an empty list, expected at least one task")]
pub struct EmptyTaskSet;

impl TaskSet {
    /// Creates a set of `tasks`.
    ///
    /// # Errors
    /// Fails with [`EmptyTaskSet`] if `tasks` is empty.
    pub fn new(name: Option<String>, tasks: Vec<Task>) -> Result<TaskSet, EmptyTaskSet> {
        if tasks.is_empty() {
            return Err(EmptyTaskSet);
        }
        Ok(TaskSet {
            name,
            measured_on: None,
            times: None,
            tasks,
            other_traffic: Vec::new(),
        })
    }

    /// Sets the memory traffic of sources other than the tasks, such as CPU cores.
    pub fn beside(self, traffic: Vec<OtherTraffic>) -> TaskSet {
        TaskSet {
            other_traffic: traffic,
            ..self
        }
    }

    /// Sets where the WCETs of the tasks were measured.
    pub fn with_measured_on(self, measured_on: Option<MeasuredOn>) -> TaskSet {
        TaskSet { measured_on, ..self }
    }

    /// Sets the meaning of the WCETs.
    pub fn with_times(self, times: Option<Times>) -> TaskSet {
        TaskSet { times, ..self }
    }

    /// Returns the meaning of the WCETs, or `None` if the set does not state it.
    pub fn times(&self) -> Option<Times> {
        self.times
    }

    /// Returns where the WCETs of `task` were measured, or `None` if neither the task nor the set states it. `task` is
    /// a task of the set.
    pub fn measured_on<'a>(&'a self, task: &'a Task) -> Option<&'a MeasuredOn> {
        task.measured_on().or(self.measured_on.as_ref())
    }

    /// Returns the memory traffic of sources other than the tasks.
    pub fn other_traffic(&self) -> &[OtherTraffic] {
        &self.other_traffic
    }

    /// Returns the name of the set, or `None` if the set has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the tasks of the set; at least one.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the set with `change` applied to each task. `change` receives the position of a task. Returns `None` if
    /// `change` returns `None`.
    pub fn changed(&self, change: impl Fn(usize, &Task) -> Option<Task>) -> Option<TaskSet> {
        let tasks = (0..).zip(&self.tasks).map(|(index, task)| change(index, task));
        Some(TaskSet {
            tasks: tasks.collect::<Option<Vec<Task>>>()?,
            ..self.clone()
        })
    }

    /// Returns the set with all WCETs and all longest thread blocks multiplied by `factor`, rounded up to whole nanoseconds.
    /// The new WCET functions are tables for 1 to `sms` SMs, so the WCET on more SMs is the WCET on `sms` SMs. Unless the factor
    /// is 1, they are no measured WCETs any more, but stay estimates if they are estimates. Returns
    /// `None` if the factor is 0, if a WCET is unknown on `sms` SMs, or if a product is too large.
    pub fn scaled(&self, factor: Factor, sms: u32) -> Option<TaskSet> {
        let times = |time: Time| {
            let (numerator, denominator) = factor.ratio();
            let product = u128::from(time.ns()) * u128::from(numerator);
            let ns = product.div_ceil(denominator.into());
            Some(Time::from_ns(u64::try_from(ns).ok()?))
        };
        let unmeasured = |on: MeasuredOn| match factor == Factor::ONE {
            true => on,
            false => on.without_margin(),
        };
        let set = self
            .clone()
            .with_measured_on(self.measured_on.clone().map(unmeasured));
        set.changed(|_, task| {
            let points = |contention| {
                let mut points: Vec<(u32, Time)> = Vec::new();
                for m in 1..=sms {
                    let Some(time) = task.wcet().at(m, contention) else {
                        continue;
                    };
                    let time = times(time)?;
                    if points.last().is_none_or(|&(_, last)| last != time) {
                        points.push((m, time));
                    }
                }
                Some(points)
            };
            let isolated = points(Contention::Isolated)?;
            // Unstated WCETs in conflict stay unstated.
            let table = match task.wcet().form() {
                Form::Table(Table::Both(_)) => Table::Both(isolated),
                _ if !task.wcet().states_conflict() => Table::Isolated { isolated },
                _ => Table::Each {
                    isolated,
                    conflict: points(Contention::Conflict)?,
                },
            };
            let mut shape = TaskShape::from(task.clone());
            if factor != Factor::ONE {
                // A multiple of a measured WCET is a statement.
                shape.wcet_source = shape
                    .wcet_source
                    .filter(|&source| source == WcetSource::Estimated);
                shape.measured_on = shape.measured_on.map(|on| Box::new(on.without_margin()));
            }
            let block = match task.block() {
                Some(block) => Some(times(block)?),
                None => None,
            };
            let wcet = WcetFunction::new(Form::Table(table)).ok()?;
            TaskShape { wcet, block, ..shape }.build().ok()
        })
    }

    /// Returns the display name of the task at position `index`. If the task has no name, its
    /// position is the display name.
    pub fn label(&self, index: usize) -> String {
        match self.tasks.get(index).and_then(Task::name) {
            Some(name) => name.to_owned(),
            None => format!("#{index}"),
        }
    }
}

impl TryFrom<TaskSetShape> for TaskSet {
    type Error = EmptyTaskSet;

    fn try_from(shape: TaskSetShape) -> Result<TaskSet, EmptyTaskSet> {
        let set = TaskSet::new(shape.name, shape.tasks)?;
        Ok(set
            .beside(shape.other_traffic)
            .with_measured_on(shape.measured_on)
            .with_times(shape.times))
    }
}
