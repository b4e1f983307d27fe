//! Comparison of measured block placements with simulated placements.

mod watch;

use serde::Serialize;

use super::{Event, simulate};
use gpusched_model::error::Result;
use gpusched_model::observer::Either;
use gpusched_model::time::Time;
use gpusched_model::{Observer, Scenario};
use watch::Watch;

/// Measured SM of each block, by kernel, then by number.
pub type Measured = Vec<Vec<u32>>;

/// Why the simulation places a block on another SM. The first reason that applies counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A block ended on one of the two SMs near the start. The free SMs depend on the order of detection of the ends.
    RefillOrder,
    /// The measured SM has room for at least as many further blocks. The order of the SMs decides.
    SmOrder,
    /// The measured SM has room for fewer further blocks. The placement rule prefers the simulated SM.
    FewerSlots,
    /// The measured SM has no room in the simulation.
    NoRoom,
}

/// A block with different measured and simulated SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// Position of the kernel in the scenario.
    pub kernel: usize,
    /// Number of the block in its kernel.
    pub block: u32,
    /// Simulated start [ns].
    pub start_ns: Time,
    /// Measured SM.
    pub measured_sm: u32,
    /// Simulated SM.
    pub simulated_sm: u32,
    /// Number of further blocks of the kernel with room on the measured SM, in the simulation.
    pub measured_slots: u32,
    /// Number of further blocks of the kernel with room on the simulated SM, including this block.
    pub simulated_slots: u32,
    /// Number of blocks on any SM that ended near the start of this block.
    pub ends_nearby: usize,
    /// Reason of the difference.
    pub reason: Reason,
}

/// The comparison of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct KernelComparison {
    /// Position of the kernel in the scenario.
    pub kernel: usize,
    /// Name of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of its blocks.
    pub blocks: usize,
    /// Number of blocks with equal measured and simulated SMs.
    pub equal: usize,
    /// Number of equal placements if only the number of blocks per SM counts, not their identity.
    pub equal_by_load: usize,
}

/// Number of differing blocks per reason.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reasons {
    /// Number of blocks with reason `refill-order`.
    pub refill_order: usize,
    /// Number of blocks with reason `sm-order`.
    pub sm_order: usize,
    /// Number of blocks with reason `fewer-slots`.
    pub fewer_slots: usize,
    /// Number of blocks with reason `no-room`.
    pub no_room: usize,
}

/// The comparison of a whole scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// Name of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of blocks of all kernels.
    pub blocks: usize,
    /// Number of blocks with equal measured and simulated SMs.
    pub equal: usize,
    /// Number of equal placements if only the number of blocks per kernel and SM counts.
    pub equal_by_load: usize,
    /// Longest time between an end and a start that count as near [ns].
    pub window_ns: Time,
    /// Kernels in the order of the scenario.
    pub kernels: Vec<KernelComparison>,
    /// Number of differing blocks per reason.
    pub reasons: Reasons,
    /// Differences in the order of the simulated starts. A later difference may be a consequence of the first.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Simulates `scenario` and compares it with `measured`. An end up to `window` before or after a start is near. The
    /// `observer` also sees the run.
    ///
    /// # Errors
    /// Fails under the conditions of the simulation.
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
