//! A cache: geometry, policies, and what it can have under way.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::Hash;
use crate::machine::check::Faults;

/// Bytes of a sector.
pub const SECTOR: u32 = 32;

/// Which line of a set goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// Least recently used (`L`).
    Lru,
    /// First in, first out (`F`).
    Fifo,
}

/// What a write does to the level below.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// There are none (`R`).
    ReadOnly,
    /// Dirty lines are written when they go (`B`).
    WriteBack,
    /// Every write goes on at once (`T`).
    WriteThrough,
    /// Every write goes on at once, and its line goes (`E`).
    WriteEvict,
    /// Write-back for local memory, write-through for global memory (`L`).
    LocalBackGlobalThrough,
}

/// When a missing line gets its place.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// At the miss (`m`).
    OnMiss,
    /// When its data come (`f`).
    OnFill,
    /// When its data come, and as many misses as lines can be under way (`s`).
    Streaming,
}

/// What a write to a missing line does.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteAllocation {
    /// It goes past the cache (`N`).
    None,
    /// It goes on, and the line is read (`W`).
    Allocate,
    /// The line is read unless all of it is written (`F`).
    FetchOnWrite,
    /// The line is marked, and read when somebody reads what was not written (`L`).
    LazyFetchOnRead,
}

/// How misses under way are kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MshrKind {
    /// Associative, by the unit of a request: the sector of a sectored cache, else the line (`A`).
    Associative,
    /// Associative, where requests of one line merge by sector (`S`).
    SectorAssociative,
    /// A FIFO of texture requests (`F`).
    TextureFifo,
    /// A FIFO of texture requests by sector (`T`).
    SectorTextureFifo,
}

/// A cache (`-gpgpu_cache:*`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Whether lines are filled by sectors of [`SECTOR`] bytes (`S`), or whole (`N`).
    pub sectored: bool,
    /// Sets.
    pub sets: u32,
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Lines of a set.
    pub ways: u32,
    /// Which line goes.
    pub replacement: Replacement,
    /// What a write does to the level below.
    pub write_policy: WritePolicy,
    /// When a missing line gets its place.
    pub allocation: Allocation,
    /// What a write to a missing line does.
    pub write_allocation: WriteAllocation,
    /// Which set an address belongs to.
    pub set_index: Hash,
    /// How misses under way are kept.
    pub mshr_kind: MshrKind,
    /// Misses under way, at most.
    pub mshr_entries: u32,
    /// Requests that wait for one miss, at most.
    pub mshr_merge: u32,
    /// Places of the queue to the level below.
    pub miss_queue: u32,
    /// Places of the queue of results, of texture caches; 0 for others.
    pub result_fifo: u32,
    /// Bytes that the data port moves per cycle.
    pub port_bytes: u32,
}

impl Cache {
    /// The most lines.
    pub const MAX_LINES: u32 = 1 << 20;
    /// The most places of a queue or table.
    pub const MAX_PLACES: u32 = 1 << 20;

    /// The size [bytes].
    pub fn bytes(&self) -> u64 {
        u64::from(self.sets) * u64::from(self.ways) * u64::from(self.line_bytes)
    }

    /// Lines.
    pub fn lines(&self) -> u32 {
        self.sets * self.ways
    }

    /// Bytes that are requested and filled at once: a sector, or a line.
    pub fn atom_bytes(&self) -> u32 {
        if self.sectored { SECTOR } else { self.line_bytes }
    }

    /// The set of `address`; in L2, that is the address [within its slice](crate::machine::Decoder::within_slice).
    pub fn set(&self, address: u64) -> u32 {
        self.set_index.bucket(address, self.line_bytes.ilog2(), self.sets)
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.power_of_two("sets", self.sets, 1 << 16)?;
        faults.power_of_two("line_bytes", self.line_bytes, 4096)?;
        if self.sectored && self.line_bytes != 4 * SECTOR {
            faults.refuse("line_bytes", self.line_bytes, "128: four sectors of 32")?;
        }
        faults.within("ways", self.ways, 1..=Self::MAX_LINES / self.sets)?;
        self.set_index.check("set_index", self.sets, faults)?;
        let on_fill = self.allocation != Allocation::OnMiss;
        if on_fill && self.write_policy == WritePolicy::WriteBack {
            faults.refuse(
                "allocation",
                "a write-back cache that allocates on fill",
                "on-miss",
            )?;
        }
        let fetches = [WriteAllocation::FetchOnWrite, WriteAllocation::LazyFetchOnRead];
        if on_fill && fetches.contains(&self.write_allocation) {
            faults.refuse(
                "allocation",
                "a cache that fetches for writes and allocates on fill",
                "on-miss",
            )?;
        }
        faults.within("mshr_entries", self.mshr_entries, 1..=Self::MAX_PLACES)?;
        faults.within("mshr_merge", self.mshr_merge, 1..=Self::MAX_PLACES)?;
        faults.within("miss_queue", self.miss_queue, 1..=Self::MAX_PLACES)?;
        faults.within("result_fifo", self.result_fifo, 0..=Self::MAX_PLACES)?;
        if self.port_bytes == 0 || !self.line_bytes.is_multiple_of(self.port_bytes) {
            faults.refuse(
                "port_bytes",
                self.port_bytes,
                format!("a divisor of the line, {}", self.line_bytes),
            )?;
        }
        Ok(())
    }
}
