//! Identity of a result: the inputs, the options and the version of gpusched that a plan, a bound, budgets or a verdict was computed
//! with.
//!
//! A plan refers to tasks by their positions. So a plan for one task set can also be a correct proof for another set, for
//! example for a set with other names. The identity states for which input gpusched computed the result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::device::Device;
use crate::error::excerpt;
use crate::{Kernel, Task, TaskSet};

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

/// An input that results refer to: a task set, an end-to-end system or a kernel. Its JSON text is its canonical form.
pub trait Identified: Serialize {
    /// Returns the name of the input, or `None` if it has no name.
    fn name(&self) -> Option<&str>;

    /// Returns the identities of the tasks, by their positions. A kernel is one task without a name.
    fn tasks(&self) -> Vec<TaskIdentity>;
}

/// Identity of a result: the inputs, the options and the version that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Version of gpusched.
    pub gpusched: String,
    /// Revision of the sources of gpusched. Absent if the build did not state it (`GPUSCHED_REVISION`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Name of the task set, the end-to-end system or the kernel. Absent if it has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_name: Option<String>,
    /// SHA-256 of the task set, the system or the kernel in its canonical form: the JSON text that gpusched writes for it.
    pub set_sha256: String,
    /// SHA-256 of the description of the device: in a plan for a task set, the description in `hardware`. Absent without a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_sha256: Option<String>,
    /// Options of the command, as the user stated them, without options for threads and outputs. Absent if a command has
    /// several results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Names and digests of the tasks, by their positions. A kernel is one task without a name. Absent if a command has several
    /// results.
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
    /// Returns the identity of a task. Each value is digested in its canonical form.
    pub fn new(
        name: Option<&str>,
        timing: &impl Serialize,
        wcet: &impl Serialize,
        memory: &impl Serialize,
        origin: &impl Serialize,
    ) -> TaskIdentity {
        TaskIdentity {
            name: name.map(ToOwned::to_owned),
            timing: short(timing),
            wcet: short(wcet),
            memory: short(memory),
            origin: short(origin),
        }
    }

    fn of(task: &Task) -> TaskIdentity {
        let shape = crate::TaskShape::from(task.clone());
        TaskIdentity::new(
            task.name(),
            &(task.period(), task.deadline(), task.jitter()),
            &(&shape.wcet, shape.block, shape.launches),
            &(shape.kind, shape.traffic, &shape.bandwidth, shape.sectors),
            &(task.wcet_source(), &shape.measured_on),
        )
    }
}

impl Identified for TaskSet {
    fn name(&self) -> Option<&str> {
        TaskSet::name(self)
    }

    fn tasks(&self) -> Vec<TaskIdentity> {
        { TaskSet::tasks(self).iter() }.map(TaskIdentity::of).collect()
    }
}

impl Identified for Kernel {
    fn name(&self) -> Option<&str> {
        Kernel::name(self)
    }

    fn tasks(&self) -> Vec<TaskIdentity> {
        let clusters = self.clusters().iter();
        let blocks = { clusters.clone() }.map(|of| (of.blocks(), of.isolated(), of.contended()));
        let measured = clusters.map(|of| (of.isolated_distribution(), of.interference_distribution()));
        vec![TaskIdentity::new(
            None,
            &self.regulation_period(),
            &(self.active_blocks(), blocks.collect::<Vec<_>>()),
            &self.intervals(),
            &(measured.collect::<Vec<_>>(), self.sources()),
        )]
    }
}

impl Identity {
    /// Returns the identity of a result for `input` on `device`, computed by this version of gpusched with `options`. With `alone` =
    /// false, the result states no tasks and no options, because they would be the largest part of an output with many results.
    pub fn new(
        input: &impl Identified,
        device: Option<&Device>,
        options: &BTreeMap<String, String>,
        alone: bool,
    ) -> Identity {
        Identity {
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            revision: option_env!("GPUSCHED_REVISION").map(ToOwned::to_owned),
            set_name: input.name().map(ToOwned::to_owned),
            set_sha256: sha256(input),
            device_sha256: device.map(sha256),
            options: if alone { options.clone() } else { BTreeMap::new() },
            tasks: alone.then(|| input.tasks()),
        }
    }

    /// Returns each difference between the input that this identity states and `input`. The list is empty if and only if all names and
    /// digests agree.
    pub fn differences(&self, input: &impl Identified) -> Vec<Difference> {
        let mut found = Vec::new();
        if self.set_name.as_deref() != input.name() {
            found.push(Difference {
                task: None,
                what: Changed::Name(self.set_name.clone(), input.name().map(ToOwned::to_owned)),
            });
        }
        let (tasks, others) = (self.tasks.as_deref().unwrap_or_default(), input.tasks());
        if self.tasks.is_some() && tasks.len() != others.len() {
            found.push(Difference {
                task: None,
                what: Changed::Tasks(tasks.len(), others.len()),
            });
        }
        for (position, (stated, other)) in tasks.iter().zip(others).enumerate() {
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
        if found.is_empty() && self.set_sha256 != sha256(input) {
            found.push(Difference {
                task: None,
                what: Changed::Other,
            });
        }
        found
    }
}

/// A difference between the input of a result and another input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Position of the task. `None` if the difference concerns the whole input.
    pub task: Option<usize>,
    /// The value that differs.
    pub what: Changed,
}

/// A value that differs between two inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changed {
    /// The name in the result, and the name in the input.
    Name(Option<String>, Option<String>),
    /// The number of tasks in the result, and in the input.
    Tasks(usize, usize),
    /// Period, deadline or jitter.
    Timing,
    /// WCET, longest thread block or number of launches.
    Wcet,
    /// Kind, memory traffic or L2 sectors.
    Memory,
    /// Source of the WCETs, or conditions of their measurement.
    Origin,
    /// A value that the identity states only within the SHA-256 of the input.
    Other,
}

impl std::fmt::Display for Changed {
    /// Writes the found value and the expected value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |name: &Option<String>| {
            name.as_ref()
                .map_or("no name".to_owned(), |name| format!("`{}`", excerpt(name)))
        };
        let value = match self {
            Changed::Name(stated, found) => {
                return write!(
                    f,
                    "found {}, expected {}, the name in the identity",
                    named(found),
                    named(stated)
                );
            }
            Changed::Tasks(stated, found) => {
                return write!(f, "found {found} tasks, expected {stated}");
            }
            Changed::Timing => "period, deadline or jitter",
            Changed::Wcet => "WCET, block or number of launches",
            Changed::Memory => "kind, memory traffic or sectors",
            Changed::Origin => "source or measurement of the WCETs",
            Changed::Other => "SHA-256 of the whole input",
        };
        write!(f, "found another {value}, expected the values of the identity")
    }
}
