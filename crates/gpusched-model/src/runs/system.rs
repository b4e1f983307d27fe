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

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":2,"e0":"1.70us","e1":"3.69us"}]}"#;

    fn system(tasks: &[&str]) -> Result<System, String> {
        let tasks: Vec<String> = tasks
            .iter()
            .map(|task| format!("{{\"kernel\":{KERNEL}{task}}}"))
            .collect();
        let text = format!("{{\"kernels\":[{}]}}", tasks.join(","));
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn hyperperiods_are_least_common_multiples() {
        let found = system(&[r#","period":"4ms""#, r#","period":"6ms","deadline":"5ms""#, ""]).unwrap();
        assert_eq!(found.hyperperiod(), Some(Time::from_ns(12_000_000)));
        let jobs: Vec<u64> = found.kernels().iter().map(|task| found.jobs(task)).collect();
        assert_eq!(jobs, [3, 2, 1]);
        let deadlines: Vec<Option<u64>> = found
            .kernels()
            .iter()
            .map(|task| task.deadline().map(Time::ns))
            .collect();
        assert_eq!(deadlines, [Some(4_000_000), Some(5_000_000), None]);
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<System>(&json).unwrap(), found);
        assert_eq!(system(&["", ""]).unwrap().hyperperiod(), None);
    }

    #[test]
    fn what_is_no_system_is_refused() {
        for (tasks, expected) in [
            (&[][..], "kernels: found 0 kernels, expected 1 to 1024"),
            (&[r#","period":0"#], "expected a positive time"),
            (
                &[r#","period":"1ms","offset":"1ms""#],
                "offset: found 1ms, expected less than 1ms, the period",
            ),
            (&[r#","q":1.5"#], "q: found 1.5, expected a number from 0 to 1"),
            (
                &[r#","q":0.5,"slowdown":0.1"#],
                "q: found `q` of 0.5 together with `slowdown` of 0.1, expected only one of the two fields",
            ),
            (&[r#","periode":1"#], "unknown field `periode`"),
            (
                &[r#","period":1"#, r#","period":"1s""#],
                "kernels: found 1000000001 jobs in a hyperperiod of 1s, expected periods with at most 100000 jobs in a hyperperiod",
            ),
            (
                &[r#","period":4294967291"#, r#","period":4294967279"#],
                "kernels[1].period: found 4.294967279s, expected a period for which the hyperperiod of all kernels is below 2^63 ns",
            ),
        ] {
            let message = system(tasks).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        let text = format!(
            r#"{{"kernels":[{{"kernel":{KERNEL}}},{{"kernel":{}}}]}}"#,
            KERNEL.replace("1ms", "2ms")
        );
        let message = serde_json::from_str::<System>(&text).unwrap_err().to_string();
        assert!(
            message.contains("kernels[1].kernel.regulation_period: found 2ms, expected 1ms, the regulation period of kernels[0]"),
            "{message}"
        );
    }
}
