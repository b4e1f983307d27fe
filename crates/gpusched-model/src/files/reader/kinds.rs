//! The kinds of documents that gpusched reads from streams.

use super::Documents;
use super::raw::{Fault, from_json};
use crate::end_to_end::{Answer, ChosenBudgets, Draft, SystemPlan};
use crate::{
    Bound, Device, Group, Kernel, MeasuredOverheads, MemoryProfile, MemoryRates, Plan, Scenario, System,
    TaskSet, WarpScenario,
};

/// A kind of document that gpusched can read from a stream.
pub trait Document: Sized {
    /// Description of a valid document. gpusched shows the description in errors about documents
    /// of another kind.
    const EXPECTED: &str;

    /// Whether a CSV table may contain documents of this kind.
    const HAS_TABLES: bool = false;

    /// Parses the document in `text`. Implementations call [`from_json`] with the type that describes the file.
    /// Implementations are not generic, so the compiler translates each parser once for all crates.
    ///
    /// # Errors
    /// Fails at the first fault. The error states the line and the reason.
    fn from_json(text: &str) -> Result<Self, Fault>;
}

impl Document for TaskSet {
    const EXPECTED: &str = "a task set: an object such as {\"tasks\":[…]}";
    const HAS_TABLES: bool = true;

    /// Parses the text directly, without a tree of values, because streams contain many thousands of task sets. If the
    /// text has a fault, the function parses the text again as a tree, to find the field of the fault.
    fn from_json(text: &str) -> Result<TaskSet, Fault> {
        serde_json::from_str(text).or_else(|_| from_json::<TaskSet, _>(text))
    }
}

impl Document for Plan {
    const EXPECTED: &str = "a plan: an object such as {\"schedulable\":…,\"partitions\":[…]}";

    fn from_json(text: &str) -> Result<Plan, Fault> {
        from_json::<Plan, _>(text)
    }
}

impl Document for Bound {
    const EXPECTED: &str = "a bound: an object such as {\"q\":0.13,\"wcet_ns\":…,\"certificate\":{…}}";

    fn from_json(text: &str) -> Result<Bound, Fault> {
        from_json::<Bound, _>(text)
    }
}

impl Document for Answer {
    const EXPECTED: &str =
        "an end-to-end verdict: an object such as {\"schedulable\":…,\"evidence\":{\"bounds\":[…]},…}";

    fn from_json(text: &str) -> Result<Answer, Fault> {
        from_json::<Answer, _>(text)
    }
}

impl Document for SystemPlan {
    const EXPECTED: &str =
        "an end-to-end plan: an object such as {\"schedulable\":…,\"system\":{…},\"verdict\":{…}}";

    fn from_json(text: &str) -> Result<SystemPlan, Fault> {
        from_json::<SystemPlan, _>(text)
    }
}

impl Document for ChosenBudgets {
    const EXPECTED: &str = "budgets of a system: an object such as {\"per\":\"all\",\"groups\":[…],\"system\":{…},\"verdict\":{…}}";

    fn from_json(text: &str) -> Result<ChosenBudgets, Fault> {
        from_json::<ChosenBudgets, _>(text)
    }
}

impl Document for MeasuredOverheads {
    const EXPECTED: &str = "overheads: an object such as {\"occupancy_ns\":\"30us\",\"wake_ns\":\"10us\"}";

    fn from_json(text: &str) -> Result<MeasuredOverheads, Fault> {
        from_json::<MeasuredOverheads, _>(text)
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

/// A stream of warp scenarios. A warp scenario describes one sub-core.
pub type WarpScenarios = Documents<WarpScenario>;

/// A stream of systems.
pub type Systems = Documents<System>;

/// A stream of groups of kernels.
pub type Groups = Documents<Group>;

/// A stream of memory profiles.
pub type MemoryProfiles = Documents<MemoryProfile>;

/// A stream of memory rates.
pub type MemoryRatesFiles = Documents<MemoryRates>;

/// A stream of overheads.
pub type OverheadsFiles = Documents<MeasuredOverheads>;

/// A stream of devices.
pub type Devices = Documents<Device>;

/// A stream of end-to-end systems.
pub type EndToEndSystems = Documents<Draft>;

/// A stream of end-to-end verdicts.
pub type EndToEndAnswers = Documents<Answer>;

/// A stream of partition plans.
pub type Plans = Documents<Plan>;
