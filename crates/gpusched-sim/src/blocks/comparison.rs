//! Comparison of measured block placements with simulated block placements.

mod watch;

use serde::Serialize;

use gpusched_model::time::Time;

/// Measured SM of each block, indexed by kernel and then by block number.
pub type Measured = Vec<Vec<u32>>;

/// Reason why the simulated SM of a block differs from its measured SM. If several reasons apply,
/// the first reason in this list counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Another block ended on the measured or the simulated SM, near the start of this block. The order of block ends
    /// on the GPU determines which SMs have room.
    RefillOrder,
    /// The measured SM has room for at least as many further blocks as the simulated SM. The simulation chose its SM by
    /// the order of the SMs in the platform.
    SmOrder,
    /// The measured SM has room, but for fewer further blocks than the simulated SM. Therefore
    /// the placement rule prefers the simulated SM.
    FewerSlots,
    /// The measured SM has no room for the block in the simulation.
    NoRoom,
}

/// A block whose measured SM differs from its simulated SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Index of the kernel in the scenario.
    pub kernel: usize,
    /// Number of the block in its kernel.
    pub block: u32,
    /// Start of the block in the simulation [ns].
    pub start_ns: Time,
    /// SM of the block in the measurement.
    pub measured_sm: u32,
    /// SM of the block in the simulation.
    pub simulated_sm: u32,
    /// Number of further blocks of the kernel that fit on the measured SM in the simulation, just before this block
    /// starts.
    pub measured_slots: u32,
    /// Number of further blocks of the kernel that fit on the simulated SM, just before this block starts.
    pub simulated_slots: u32,
    /// Number of blocks, on any SM, that ended within `window_ns` of the start of this block.
    pub ends_nearby: usize,
    /// Reason why the two SMs differ.
    pub reason: Reason,
}

/// The comparison of measurement and simulation for one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelComparison {
    /// Index of the kernel in the scenario.
    pub kernel: usize,
    /// Name of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of blocks of the kernel.
    pub blocks: usize,
    /// Number of blocks whose measured SM equals their simulated SM.
    pub equal: usize,
    /// Number of equal placements if the blocks of the kernel are interchangeable. For each SM, gpusched takes the
    /// number of measured blocks or the number of simulated blocks, whichever is smaller. The result is the sum over
    /// all SMs.
    pub equal_by_load: usize,
}

/// Number of differing blocks for each reason.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The comparison of measurement and simulation for a whole scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Name of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of blocks of all kernels.
    pub blocks: usize,
    /// Number of blocks whose measured SM equals their simulated SM.
    pub equal: usize,
    /// Number of equal placements if the blocks of each kernel are interchangeable. This number
    /// is the sum of `equal_by_load` of all kernels.
    pub equal_by_load: usize,
    /// Time window for `ends_nearby` and the reason `refill-order` [ns]. The end of a block is near the start of
    /// another block if at most this time is between them.
    pub window_ns: Time,
    /// Comparison of each kernel, in the order of the scenario.
    pub kernels: Vec<KernelComparison>,
    /// Number of differing blocks for each reason.
    pub reasons: Reasons,
    /// Differing blocks in the order of their simulated starts. A later difference may be a
    /// consequence of an earlier difference.
    pub differences: Vec<Difference>,
}
