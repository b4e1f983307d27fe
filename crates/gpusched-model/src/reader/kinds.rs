//! What a stream can consist of.

use serde::de::DeserializeOwned;

use super::Documents;
use crate::program::Refusal;
use crate::{
    Benchmarks, Bound, Device, Group, Kernel, MemoryProfile, Plan, Program, Scenario, System, TaskSet,
    WarpRun, WarpScenario,
};

/// What a stream can consist of.
pub trait Document: DeserializeOwned {
    /// What is expected where there is something else.
    const EXPECTED: &str;

    /// The path and the message of an error that was found in the whole document, but belongs to a field.
    fn field_of(_message: &str) -> Option<(&str, &str)> {
        None
    }
}

impl Document for TaskSet {
    const EXPECTED: &str = "a task set: an object such as {\"tasks\":[…]}";
}

impl Document for Plan {
    const EXPECTED: &str = "a plan: an object such as {\"schedulable\":…,\"partitions\":[…]}";
}

impl Document for Kernel {
    const EXPECTED: &str =
        "a kernel: an object such as {\"active_blocks\":4,\"regulation_period\":\"1ms\",\"clusters\":[…]}";
}

impl Document for Bound {
    const EXPECTED: &str = "a bound: an object such as {\"q\":0.13,\"wcet_ns\":…,\"certificate\":{…}}";
}

impl Document for Benchmarks {
    const EXPECTED: &str = "benchmarks: an object such as {\"benchmarks\":[…],\"sources\":{…}}";
}

impl Document for Scenario {
    const EXPECTED: &str = "a scenario: an object such as {\"platform\":\"xavier\",\"kernels\":[…]}";
}

impl Document for WarpScenario {
    const EXPECTED: &str = "a scenario: an object such as {\"scheduler\":\"gto\",\"kernels\":[…]}";
}

impl Document for WarpRun {
    const EXPECTED: &str = "a scenario: an object such as {\"machine\":\"rtx2060\",\"kernels\":[…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        let (field, message) = message.split_once(": ")?;
        let path = field == "sms" || field.starts_with("kernels") && !field.contains(' ');
        path.then_some((field, message))
    }
}

impl Document for Program {
    const EXPECTED: &str = "a program: an object such as {\"name\":…,\"grid\":…,\"block\":…,\"body\":[…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        Refusal::parts(message)
    }
}

impl Document for System {
    const EXPECTED: &str = "a system: an object such as {\"kernels\":[{\"kernel\":…,\"period\":…},…]}";
}

impl Document for Group {
    const EXPECTED: &str = "a group: an object such as {\"kernels\":[{\"profile\":…,\"sms\":5},…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        let (field, message) = message.split_once(": ")?;
        let path = field.starts_with("kernels") || field.starts_with("platform.");
        (path && !field.contains(' ')).then_some((field, message))
    }
}

impl Document for MemoryProfile {
    const EXPECTED: &str = "a profile: an object such as {\"name\":…,\"points\":[{\"sms\":30,\"time\":\"379us\",\"bandwidth\":330},…]}";
}

impl Document for Device {
    const EXPECTED: &str =
        "a device: an object such as {\"name\":…,\"sms\":8,\"sms_per_tpc\":2,\"tpcs_per_gpc\":[4]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        let (field, message) = message.split_once(": ")?;
        (!field.contains(' ') && message.starts_with("found ")).then_some((field, message))
    }
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
