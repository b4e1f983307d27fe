//! Identity of a result: the inputs, the options and the version of gpusched that a plan was computed with.
//!
//! A plan refers to tasks by their positions. So a plan for one task set can also be a correct proof for another set, for
//! example for a set with other names. The identity states for which set gpusched computed the plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::device::Device;
use crate::error::excerpt;
use crate::{Task, TaskSet};

/// Returns the SHA-256 of `value` in lower-case hexadecimal digits. The canonical form of a value is the JSON text that
/// gpusched writes for it: fields in the order of the schema, times in whole nanoseconds, no white space. So two files with the
/// same fields have the same SHA-256, whatever their units, their order of fields and their format. A stated default differs
/// from an absent field.
pub fn sha256(value: &impl Serialize) -> String {
    // A type with a JSON form never fails. Without the form, the text is empty.
    let text = serde_json::to_vec(value).unwrap_or_default();
    let bytes = Sha256::digest(&text);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the first 16 digits of [`sha256`].
fn short(value: &impl Serialize) -> String {
    let mut digest = sha256(value);
    digest.truncate(16);
    digest
}

/// Identity of a plan: the inputs, the options and the version that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Version of gpusched.
    pub gpusched: String,
    /// Revision of the sources of gpusched. Absent if the build did not state it (`GPUSCHED_REVISION`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Name of the task set. Absent if it has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_name: Option<String>,
    /// SHA-256 of the task set in its canonical form: the JSON text that gpusched writes for it.
    pub set_sha256: String,
    /// SHA-256 of the description of the device in `hardware`. Absent without a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_sha256: Option<String>,
    /// Options of the command, as the user stated them, without options for threads and outputs. Absent if a result covers
    /// several task sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Names and digests of the tasks, by their positions. Absent if a result covers several task sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<TaskIdentity>>,
}

/// Name and parameters of a task. Each digest has the first 16 hexadecimal digits of a SHA-256, which show what changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskIdentity {
    /// Name of the task. Absent if it has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Digest of the period, the deadline and the jitter.
    pub timing: String,
    /// Digest of the WCETs, the longest thread block and the number of launches.
    pub wcet: String,
    /// Digest of the kind, the memory traffic and the L2 sectors.
    pub memory: String,
    /// Digest of the source of the WCETs and of the conditions of their measurement.
    pub origin: String,
}

impl TaskIdentity {
    fn of(task: &Task) -> TaskIdentity {
        let shape = crate::TaskShape::from(task.clone());
        TaskIdentity {
            name: shape.name,
            timing: short(&(task.period(), task.deadline(), task.jitter())),
            wcet: short(&(&shape.wcet, shape.block, shape.launches)),
            memory: short(&(shape.kind, shape.traffic, &shape.bandwidth, shape.sectors)),
            origin: short(&(task.wcet_source(), &shape.measured_on)),
        }
    }
}

impl Identity {
    /// Returns the identity of a result for `set` on `device`, computed by this version of gpusched with `options`. With `alone` =
    /// false, the result states no tasks and no options, because they would be the largest part of an output with many results.
    pub fn new(
        set: &TaskSet,
        device: Option<&Device>,
        options: &BTreeMap<String, String>,
        alone: bool,
    ) -> Identity {
        Identity {
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            revision: option_env!("GPUSCHED_REVISION").map(ToOwned::to_owned),
            set_name: set.name().map(ToOwned::to_owned),
            set_sha256: sha256(set),
            device_sha256: device.map(sha256),
            options: if alone { options.clone() } else { BTreeMap::new() },
            tasks: alone.then(|| set.tasks().iter().map(TaskIdentity::of).collect()),
        }
    }

    /// Returns each difference between the set that this identity states and `set`. The list is empty if and only if all names and
    /// digests agree.
    pub fn differences(&self, set: &TaskSet) -> Vec<Difference> {
        let mut found = Vec::new();
        if self.set_name.as_deref() != set.name() {
            found.push(Difference {
                task: None,
                what: Changed::Name(self.set_name.clone(), set.name().map(ToOwned::to_owned)),
            });
        }
        let tasks = self.tasks.as_deref().unwrap_or_default();
        if self.tasks.is_some() && tasks.len() != set.tasks().len() {
            found.push(Difference {
                task: None,
                what: Changed::Tasks(tasks.len(), set.tasks().len()),
            });
        }
        for (position, (stated, task)) in tasks.iter().zip(set.tasks()).enumerate() {
            let other = TaskIdentity::of(task);
            let pairs = [
                (&stated.timing, &other.timing, Changed::Timing),
                (&stated.wcet, &other.wcet, Changed::Wcet),
                (&stated.memory, &other.memory, Changed::Memory),
                (&stated.origin, &other.origin, Changed::Origin),
            ];
            let name =
                (stated.name != other.name).then(|| Changed::Name(stated.name.clone(), other.name.clone()));
            let values = pairs
                .into_iter()
                .filter_map(|(one, other, what)| (one != other).then_some(what));
            found.extend(name.into_iter().chain(values).map(|what| Difference {
                task: Some(position),
                what,
            }));
        }
        if found.is_empty() && self.set_sha256 != sha256(set) {
            found.push(Difference {
                task: None,
                what: Changed::Other,
            });
        }
        found
    }
}

/// A difference between the task set of a plan and another task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Position of the task. `None` if the difference concerns the whole set.
    pub task: Option<usize>,
    /// The value that differs.
    pub what: Changed,
}

/// A value that differs between two task sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changed {
    /// The name in the plan, and the name in the set.
    Name(Option<String>, Option<String>),
    /// The number of tasks in the plan, and in the set.
    Tasks(usize, usize),
    /// Period, deadline or jitter.
    Timing,
    /// WCET, longest thread block or number of launches.
    Wcet,
    /// Kind, memory traffic or L2 sectors.
    Memory,
    /// Source of the WCETs, or conditions of their measurement.
    Origin,
    /// A value that the identity states only within the SHA-256 of the set.
    Other,
}

impl std::fmt::Display for Changed {
    /// Writes the found value and the expected value of the plan.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |name: &Option<String>| {
            name.as_ref()
                .map_or("no name".to_owned(), |name| format!("`{}`", excerpt(name)))
        };
        let value = match self {
            Changed::Name(stated, found) => {
                return write!(
                    f,
                    "found {}, expected {}, the name in the plan",
                    named(found),
                    named(stated)
                );
            }
            Changed::Tasks(stated, found) => {
                return write!(f, "found {found} tasks, expected {stated}, as in the plan");
            }
            Changed::Timing => "period, deadline or jitter",
            Changed::Wcet => "WCET, block or number of launches",
            Changed::Memory => "kind, memory traffic or sectors",
            Changed::Origin => "source or measurement of the WCETs",
            Changed::Other => "SHA-256 of the set",
        };
        write!(f, "found another {value}, expected the values in the plan")
    }
}
