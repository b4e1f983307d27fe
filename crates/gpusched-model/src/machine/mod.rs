//! A machine of the warp level: what the configuration of a cycle-level GPU simulator says.
//!
//! Fields are named for what they are; each names the option of GPGPU-Sim's `gpgpusim.config` that it comes from.

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
pub use memory_system::interconnect::{Arbiter, Interconnect};
pub use memory_system::memory::{Memory, PartitionIndexing, PartitionQueues};
pub use multiprocessor::collectors::{Collectors, RegisterFile, SpecializedCollectors};
pub use multiprocessor::l1::{Adaptive, L1, SharedMemory};
pub use multiprocessor::occupancy::BlockNeed;
pub use multiprocessor::pipes::{PerPipe, PipelineWidths, Units};
pub use multiprocessor::sm::{Sm, WARP_SIZE, WarpScheduler};
pub use multiprocessor::times::{FloatTimes, InstructionTimes, IntTimes, Timing};

use crate::Refusal;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use check::Faults;

/// A GPU, as the warp-level simulator sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a machine: an object with \"clusters\", \"sm\", \"memory\" …"
)]
#[schemars(rename = "Machine")]
pub struct MachineShape {
    /// The name on the command line.
    pub name: String,
    /// Where the figures come from.
    pub source: String,
    /// Clusters of SMs (`-gpgpu_n_clusters`); each has one port to the interconnect.
    pub clusters: u32,
    /// SMs of a cluster (`-gpgpu_n_cores_per_cluster`).
    pub sms_per_cluster: u32,
    /// Frequencies.
    pub clocks: Clocks,
    /// How kernels and their blocks come to SMs.
    pub dispatch: Dispatch,
    /// One SM.
    pub sm: Sm,
    /// Its L1 data cache.
    pub l1: L1,
    /// Its shared memory.
    pub shared_memory: SharedMemory,
    /// Between SMs and memory.
    pub interconnect: Interconnect,
    /// L2 and DRAM.
    pub memory: Memory,
}

/// A GPU that makes sense; its fields are those of [`MachineShape`].
///
/// In other files a machine's name stands for it, too.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Machine(MachineShape);

impl Machine {
    /// The most SMs.
    pub const MAX_SMS: u32 = 4096;

    /// The machine of `shape`.
    ///
    /// # Errors
    /// [`Refusal`] for what no GPU has, such as a cache of three sets, and for absurd numbers.
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
        shape.interconnect.check(&faults.of("interconnect"))?;
        shape.memory.check(&faults.of("memory"))?;
        if let Some(adaptive) = &shape.l1.adaptive {
            let largest = adaptive.shared_kib.last().copied().unwrap_or(0);
            if shape.shared_memory.bytes > largest * 1024 {
                let expected = format!("at most what l1.adaptive gives, {largest} KiB");
                faults.refuse("shared_memory.bytes", shape.shared_memory.bytes, expected)?;
            }
        }
        Ok(Machine(shape))
    }

    /// Its figures, to change them.
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
    /// SMs in all.
    pub fn sms(&self) -> u32 {
        self.clusters.saturating_mul(self.sms_per_cluster)
    }

    /// The peak of the DRAM [bytes/s].
    pub fn dram_bytes_per_second(&self) -> u64 {
        self.memory.dram_bytes_per_second(self.clocks.dram_khz)
    }
}
