//! Systems of kernels that share a GPU and a memory regulation. `budget sequence` reads systems.

mod task;

pub use task::{KernelTask, KernelTaskShape};

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::{Deserialize, Serialize};

use crate::time::Time;

/// Maximum number of kernels of one system.
pub const MAX_KERNELS: usize = 1024;

/// Maximum number of jobs of one system in a hyperperiod.
pub const MAX_JOBS: u64 = 100_000;

/// Kernels that run on a GPU one after another, and concurrently with best-effort CPU cores under one memory
/// regulation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "SystemShape")]
pub struct System {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    kernels: Vec<KernelTask>,
    #[serde(skip)]
    hyperperiod: Option<Time>,
}

/// A system as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a system: an object with a list \"kernels\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "System"))]
struct SystemShape {
    /// Name for display.
    #[serde(default)]
    name: Option<String>,
    /// Kernels of the system, all with the same regulation period. If the kernels have priorities, the first kernel has
    /// the highest priority.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_KERNELS)))]
    kernels: Vec<KernelTask>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for System {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        SystemShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        SystemShape::json_schema(generator)
    }
}

impl TryFrom<SystemShape> for System {
    type Error = Refusal;

    fn try_from(shape: SystemShape) -> Result<System, Refusal> {
        System::new(shape.name, shape.kernels)
    }
}

impl Document for System {
    const EXPECTED: &str = "a system: an object such as {\"kernels\":[{\"kernel\":…,\"period\":…},…]}";

    fn from_json(text: &str) -> Result<System, Fault> {
        from_json::<SystemShape, _>(text)
    }
}

impl System {
    /// Creates a system of `kernels`.
    ///
    /// # Errors
    /// Fails if the number of kernels is outside 1 to [`MAX_KERNELS`], if the regulation periods differ, or if a
    /// hyperperiod has more than [`MAX_JOBS`] jobs.
    pub fn new(name: Option<String>, kernels: Vec<KernelTask>) -> Result<System, Refusal> {
        if !(1..=MAX_KERNELS).contains(&kernels.len()) {
            Refusal::refuse(
                "kernels",
                format!("{} kernels", kernels.len()),
                format!("1 to {MAX_KERNELS}"),
            )?;
        }
        let regulation = kernels.first().map(|task| task.kernel().regulation_period());
        for (index, task) in kernels.iter().enumerate() {
            let found = task.kernel().regulation_period();
            if let Some(first) = regulation.filter(|&first| first != found) {
                Refusal::refuse(
                    format!("kernels[{index}].kernel.regulation_period"),
                    found,
                    format!("{first}, the regulation period of kernels[0]"),
                )?;
            }
        }
        let hyperperiod = hyperperiod(&kernels)?;
        let system = System {
            name,
            kernels,
            hyperperiod,
        };
        let jobs: u128 = system
            .kernels
            .iter()
            .map(|task| u128::from(system.jobs(task)))
            .sum();
        if jobs > u128::from(MAX_JOBS) {
            let found = format!(
                "{jobs} jobs in a hyperperiod of {}",
                hyperperiod.unwrap_or_default()
            );
            Refusal::refuse(
                "kernels",
                found,
                format!("periods with at most {MAX_JOBS} jobs in a hyperperiod"),
            )?;
        }
        Ok(system)
    }

    /// Returns the name of the system, or `None` if the system has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the kernels of the system; at least one.
    pub fn kernels(&self) -> &[KernelTask] {
        &self.kernels
    }

    /// T: regulation period of all kernels [ns].
    pub fn regulation_period(&self) -> Time {
        let first = self.kernels.first();
        first.map_or(Time::from_ns(1), |task| task.kernel().regulation_period())
    }

    /// Returns the hyperperiod, which is the least common multiple of the periods [ns]. Returns `None` if no kernel has
    /// a period.
    pub fn hyperperiod(&self) -> Option<Time> {
        self.hyperperiod
    }

    /// Returns the number of releases of `task` in a hyperperiod. Returns 1 if the task has no period.
    pub fn jobs(&self, task: &KernelTask) -> u64 {
        match (self.hyperperiod, task.period()) {
            (Some(hyperperiod), Some(period)) => hyperperiod.ns() / period.ns().max(1),
            _ => 1,
        }
    }
}

fn hyperperiod(kernels: &[KernelTask]) -> Result<Option<Time>, Refusal> {
    let mut multiple: Option<u64> = None;
    for (index, task) in kernels.iter().enumerate() {
        let Some(period) = task.period().map(Time::ns) else {
            continue;
        };
        let before = multiple.unwrap_or(1);
        let next = (before / gcd(before, period)).checked_mul(period);
        multiple = next.filter(|&next| next <= Time::LIMIT.ns());
        if multiple.is_none() {
            Refusal::refuse(
                format!("kernels[{index}].period"),
                Time::from_ns(period),
                "a period for which the hyperperiod of all kernels is below 2^63 ns",
            )?;
        }
    }
    Ok(multiple.map(Time::from_ns))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
