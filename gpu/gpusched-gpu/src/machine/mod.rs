//! Machines: simulated GPUs for the warp-level simulator. The parameters are from GPGPU-Sim, a
//! cycle-level GPU simulator.
//!
//! The comment of a field states the corresponding option in GPGPU-Sim's `gpgpusim.config`.

mod addresses;
mod check;
mod choice;
mod clocks;
mod dispatch;
mod memory_system;
mod multiprocessor;
mod presets;

pub use addresses::decoder::{Decoder, Location};
pub use addresses::hash::Hash;
pub use addresses::mapping::EXPECTED as EXPECTED_MAPPING;
pub use addresses::mapping::{AddressMapping, ParseMappingError};
pub use clocks::Clocks;
pub use dispatch::Dispatch;
pub use memory_system::cache::{
    Allocation, Cache, MshrKind, Replacement, SECTOR, WriteAllocation, WritePolicy,
};
pub use memory_system::dram::{BankGroupIndex, Dram, DramScheduler, DramTiming, WriteQueue};
pub use memory_system::gpcs::Gpcs;
pub use memory_system::interconnect::{Arbiter, Interconnect};
pub use memory_system::memory::{Memory, PartitionIndexing, PartitionQueues};
pub use multiprocessor::collectors::{Collectors, RegisterFile, SpecializedCollectors};
pub use multiprocessor::l1::{Adaptive, L1, SharedMemory};
pub use multiprocessor::occupancy::BlockNeed;
pub use multiprocessor::pipes::{PerPipe, PipelineWidths, Units};
pub use multiprocessor::sm::{Sm, WARP_SIZE, WarpScheduler};
pub use multiprocessor::specialized::{SpecializedUnit, SpecializedUnits};
pub use multiprocessor::times::{FloatTimes, InstructionTimes, IntTimes, Timing};

use gpusched_model::Refusal;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use check::Faults;

/// A machine: a simulated GPU for the warp-level simulator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a machine: an object with \"clusters\", \"sm\", \"memory\" …"
)]
#[cfg_attr(feature = "schema", schemars(rename = "Machine"))]
pub struct MachineShape {
    /// Name of the machine on the command line.
    pub name: String,
    /// Source of the parameters, as text for display.
    pub source: String,
    /// Number of SM clusters (`-gpgpu_n_clusters`). Each cluster has one port to the interconnect.
    pub clusters: u32,
    /// Number of SMs of a cluster (`-gpgpu_n_cores_per_cluster`).
    pub sms_per_cluster: u32,
    /// Clock frequencies.
    pub clocks: Clocks,
    /// Dispatch of kernels and thread blocks to SMs.
    pub dispatch: Dispatch,
    /// Resources and parameters of each SM.
    pub sm: Sm,
    /// L1 data cache of each SM.
    pub l1: L1,
    /// Shared memory of each SM.
    pub shared_memory: SharedMemory,
    /// Interconnect between SMs and memory.
    pub interconnect: Interconnect,
    /// Memory behind the interconnect, with L2 and DRAM.
    pub memory: Memory,
}

/// A valid machine, with the fields of [`MachineShape`].
///
/// Other files can contain the name of a machine instead of its fields.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Machine(MachineShape);

impl Machine {
    /// Maximum number of SMs.
    pub const MAX_SMS: u32 = 4096;

    /// Checks `shape` and creates the machine.
    ///
    /// # Errors
    /// Fails for impossible parameters, such as a cache with three sets, and for parameters above
    /// the limits.
    pub fn new(shape: MachineShape) -> Result<Machine, Refusal> {
        let faults = Faults::root();
        faults.within("clusters", shape.clusters, 1..=Self::MAX_SMS)?;
        let most = Self::MAX_SMS / shape.clusters;
        faults.within("sms_per_cluster", shape.sms_per_cluster, 1..=most)?;
        shape.clocks.check(&faults.of("clocks"))?;
        shape.dispatch.check(&faults.of("dispatch"))?;
        shape.sm.check(&faults.of("sm"))?;
        shape.l1.check(&faults.of("l1"))?;
        shape.shared_memory.check(&faults.of("shared_memory"))?;
        shape
            .interconnect
            .check(shape.clusters, &faults.of("interconnect"))?;
        shape.memory.check(&faults.of("memory"))?;
        if let Some(adaptive) = &shape.l1.adaptive {
            let largest = adaptive.shared_kib.last().copied().unwrap_or(0);
            if shape.shared_memory.bytes > largest * 1024 {
                let expected = format!("at most {largest} KiB, the largest size in l1.adaptive");
                faults.refuse("shared_memory.bytes", shape.shared_memory.bytes, expected)?;
            }
        }
        Ok(Machine(shape))
    }

    /// Returns the fields of the machine, so that the caller can change them.
    pub fn into_shape(self) -> MachineShape {
        self.0
    }
}

impl Deref for Machine {
    type Target = MachineShape;

    fn deref(&self) -> &MachineShape {
        &self.0
    }
}

impl MachineShape {
    /// Returns the number of SMs.
    pub fn sms(&self) -> u32 {
        self.clusters.saturating_mul(self.sms_per_cluster)
    }

    /// Returns the number of the outermost port that SM `sm` shares with other SMs: its GPC, or its cluster on a machine
    /// without GPCs.
    pub fn port_of_sm(&self, sm: u32) -> u32 {
        let cluster = sm / self.sms_per_cluster.max(1);
        let of_cluster = |gpcs: &Gpcs| gpcs.of_cluster.get(cluster as usize).copied();
        self.interconnect
            .gpcs
            .as_ref()
            .and_then(of_cluster)
            .unwrap_or(cluster)
    }

    /// Returns whether each SM accepts every reply to a load through L1 and every acknowledgment of a store in the first
    /// cycle. Global loads then use L1, and each cycle has time to fill one sector or line.
    pub fn accepts_at_once(&self) -> bool {
        let fills = |cache: &Cache| cache.port_bytes >= cache.atom_bytes();
        !self.l1.skip_global
            && self.l1.cache.as_ref().is_some_and(fills)
            && self.interconnect.response_buffer >= 2
    }

    /// Returns the number of packets that one port of the crossbar passes per second: one packet per cycle of the slower
    /// of the two clocks at the port.
    pub fn packets_per_second(&self) -> u64 {
        1000 * u64::from(self.clocks.core_khz.min(self.clocks.interconnect_khz))
    }

    /// Returns the peak bandwidth of the DRAM [bytes/s].
    pub fn dram_bytes_per_second(&self) -> u64 {
        self.memory.dram_bytes_per_second(self.clocks.dram_khz)
    }
}
