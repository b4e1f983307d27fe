//! What is analysed: platforms, tasks, WCET functions, task sets, and the answers. Data and validation, no algorithms.

pub mod artifact;
pub mod benchmark;
mod bound;
mod budget_policy;
pub mod device;
pub mod error;
mod estimated;
mod factor;
pub mod group;
mod interference;
pub mod kernel;
pub mod machine;
pub mod memory_profile;
pub mod normal;
pub mod observer;
mod one_line;
pub mod plan;
pub mod platform;
pub mod policy;
pub mod program;
mod ratio;
pub mod reader;
mod refusal;
pub mod scenario;
mod scheduler;
mod sm_order;
pub mod streams;
pub mod syntax;
pub mod system;
mod task;
mod task_set;
pub mod time;
pub mod traffic;
pub mod utilization;
pub mod verdict;
pub mod warp_run;
pub mod warp_scenario;
pub mod wcet;
pub mod words;

pub use benchmark::{Benchmark, Benchmarks};
pub use bound::{Bound, Certificate, Straddling};
pub use budget_policy::BudgetPolicy;
pub use device::Device;
pub use estimated::Estimated;
pub use factor::{Factor, ParseFactorError};
pub use group::Group;
pub use interference::Interference;
pub use kernel::{Cluster, Kernel};
pub use machine::Machine;
pub use memory_profile::MemoryProfile;
pub use observer::Observer;
pub use plan::{Partition, Plan};
pub use platform::Platform;
pub use policy::Policy;
pub use program::Program;
pub use ratio::{ParseRatioError, Ratio};
pub use reader::TaskSets;
pub use refusal::Refusal;
pub use scenario::Scenario;
pub use scheduler::{Scheduler, UnknownScheduler};
pub use sm_order::SmOrder;
pub use system::{KernelTask, System};
pub use task::{Kind, Task, TaskError, TaskShape};
pub use task_set::{EmptyTaskSet, TaskSet};
pub use traffic::{Arbitration, Bandwidth, Bytes, OtherTraffic, Peak, SharedMemory};
pub use utilization::Utilization;
pub use verdict::{Evidence, Verdict};
pub use warp_run::WarpRun;
pub use warp_scenario::WarpScenario;
pub use wcet::{Contention, WcetFunction};

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::time::Time;

/// A field that must not be zero; refused while reading, so that the error names the field.
fn positive_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    const EXPECTED: &str =
        "a positive time (an integer number of nanoseconds, or a string with unit such as \"2.5us\")";
    match Time::deserialize(deserializer) {
        Ok(Time::ZERO) => Err(D::Error::custom(format!("invalid value: 0, expected {EXPECTED}"))),
        other => other,
    }
}

fn optional_positive_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    positive_time(deserializer).map(Some)
}

/// A field that is a time if it is there; `null` is none.
fn optional_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    Time::deserialize(deserializer).map(Some)
}
