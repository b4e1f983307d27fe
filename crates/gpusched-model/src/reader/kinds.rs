//! What a stream can consist of.

use serde::Deserializer;
use serde::de::DeserializeOwned;

use super::Documents;
use crate::Refusal;
use crate::{
    Bound, Device, Group, Kernel, MemoryProfile, Plan, Program, Scenario, System, TaskSet, WarpScenario,
};

/// What a stream can consist of.
pub trait Document: DeserializeOwned {
    /// What is expected where there is something else.
    const EXPECTED: &str;

    /// The document that `from` describes, or why its fields together make none.
    ///
    /// # Errors
    /// What `from` says of a single field.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Result<Self, Refusal>, D::Error> {
        Self::deserialize(from).map(Ok)
    }
}

impl Document for TaskSet {
    const EXPECTED: &str = "a task set: an object such as {\"tasks\":[…]}";
}

impl Document for Plan {
    const EXPECTED: &str = "a plan: an object such as {\"schedulable\":…,\"partitions\":[…]}";
}

impl Document for Bound {
    const EXPECTED: &str = "a bound: an object such as {\"q\":0.13,\"wcet_ns\":…,\"certificate\":{…}}";
}

/// A stream of task sets.
pub type TaskSets = Documents<TaskSet>;

/// A stream of kernels.
pub type Kernels = Documents<Kernel>;

/// A stream of bounds.
pub type Bounds = Documents<Bound>;

/// A stream of scenarios.
pub type Scenarios = Documents<Scenario>;

/// A stream of scenarios of one sub-core.
pub type WarpScenarios = Documents<WarpScenario>;

/// A stream of systems.
pub type Systems = Documents<System>;

/// A stream of groups.
pub type Groups = Documents<Group>;

/// A stream of profiles.
pub type MemoryProfiles = Documents<MemoryProfile>;

/// A stream of programs.
pub type Programs = Documents<Program>;

/// A stream of devices.
pub type Devices = Documents<Device>;

/// A stream of plans.
pub type Plans = Documents<Plan>;
