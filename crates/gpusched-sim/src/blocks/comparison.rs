//! Where blocks ran in fact, beside where the simulation puts them.

mod watch;

use serde::Serialize;

use super::{Event, simulate};
use gpusched_model::error::Result;
use gpusched_model::observer::Either;
use gpusched_model::time::Time;
use gpusched_model::{Observer, Scenario};
use watch::Watch;

/// The SM of each block that was measured: by kernel, then by number.
pub type Measured = Vec<Vec<u32>>;

/// Why the simulation puts a block elsewhere; the first that applies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A block ended on one of the two SMs at about that time: what was free depends on the order in which ends are noticed.
    RefillOrder,
    /// Both SMs have room for as many further blocks: the order of the SMs decides.
    SmOrder,
    /// The measured SM has room for fewer further blocks: the rule prefers the other.
    FewerSlots,
    /// In the simulation the measured SM has no room at all.
    NoRoom,
}

/// A block that the simulation puts elsewhere.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// The number of the block in its kernel.
    pub block: u32,
    /// When the simulation starts it [ns].
    pub start_ns: Time,
    /// Where it ran.
    pub measured_sm: u32,
    /// Where the simulation puts it.
    pub simulated_sm: u32,
    /// How many further blocks of the kernel had room on the measured SM, in the simulation.
    pub measured_slots: u32,
    /// How many had on the other, this one included.
    pub simulated_slots: u32,
    /// Blocks that ended at about that time, anywhere.
    pub ends_nearby: usize,
    /// Why.
    pub reason: Reason,
}

/// One kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct KernelComparison {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its blocks.
    pub blocks: usize,
    /// Those that ran where the simulation puts them.
    pub equal: usize,
    /// The same if blocks of this kernel are not told apart: only how many ran on each SM counts.
    pub equal_by_load: usize,
}

/// How many blocks differ for each reason.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reasons {
    /// Those of [`Reason::RefillOrder`].
    pub refill_order: usize,
    /// Those of [`Reason::SmOrder`].
    pub sm_order: usize,
    /// Those of [`Reason::FewerSlots`].
    pub fewer_slots: usize,
    /// Those of [`Reason::NoRoom`].
    pub no_room: usize,
}

/// All of a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// The scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Blocks of all kernels.
    pub blocks: usize,
    /// Those that ran where the simulation puts them.
    pub equal: usize,
    /// The same if blocks of a kernel are not told apart.
    pub equal_by_load: usize,
    /// How close in time an end counts as near [ns].
    pub window_ns: Time,
    /// In the order of the scenario.
    pub kernels: Vec<KernelComparison>,
    /// How many differ for which reason.
    pub reasons: Reasons,
    /// In the order in which the simulation starts them; what follows the first may be its consequence.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Simulates `scenario` and compares; an end up to `window` before or after counts as near. `observer` looks on, too.
    ///
    /// # Errors
    /// Those of the simulation.
    pub fn new(
        scenario: &Scenario,
        measured: &Measured,
        window: Time,
        seed: u64,
        observer: &mut impl Observer<Event>,
    ) -> Result<Comparison> {
        let mut watch = Watch::new(scenario, measured);
        simulate(scenario, seed, &mut Either(&mut watch, observer))?;
        Ok(watch.compare(window))
    }
}
