//! Caches: geometry, policies, and limits on outstanding misses.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::Hash;
use crate::machine::check::Faults;

/// Size of a sector [bytes].
pub const SECTOR: u32 = 32;

/// Replacement policy: choice of the line to evict from a set.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// Least recently used line (`L`).
    Lru,
    /// First in, first out (`F`).
    Fifo,
}

/// Write policy: effect of a write on the level below.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// The cache receives no writes (`R`).
    ReadOnly,
    /// Dirty lines are written when they are evicted (`B`).
    WriteBack,
    /// Every write is forwarded at once (`T`).
    WriteThrough,
    /// Every write is forwarded at once, and its line is evicted (`E`).
    WriteEvict,
    /// Write-back for local memory, write-through for global memory (`L`).
    LocalBackGlobalThrough,
}

/// Time when a missing line is allocated.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// At the miss (`m`).
    OnMiss,
    /// When the data arrive (`f`).
    OnFill,
    /// When the data arrive. As many misses can be outstanding as there are lines (`s`).
    Streaming,
}

/// Effect of a write to a missing line.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteAllocation {
    /// The write bypasses the cache (`N`).
    None,
    /// The write is forwarded, and the line is read (`W`).
    Allocate,
    /// The line is read, unless the write covers all of it (`F`).
    FetchOnWrite,
    /// The line is marked. It is read when a read needs bytes that were not written (`L`).
    LazyFetchOnRead,
}

/// Organization of the table of outstanding misses (MSHR).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MshrKind {
    /// Associative by the unit of a request: the sector of a sectored cache, else the line (`A`).
    Associative,
    /// Associative; requests of one line merge by sector (`S`).
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
    /// Whether lines are filled by sectors of [`SECTOR`] bytes (`S`). If not, lines are filled as a whole (`N`).
    pub sectored: bool,
    /// Number of sets.
    pub sets: u32,
    /// Size of a line [bytes].
    pub line_bytes: u32,
    /// Number of lines of a set.
    pub ways: u32,
    /// Replacement policy.
    pub replacement: Replacement,
    /// Write policy: effect of a write on the level below.
    pub write_policy: WritePolicy,
    /// Time when a missing line is allocated.
    pub allocation: Allocation,
    /// Effect of a write to a missing line.
    pub write_allocation: WriteAllocation,
    /// Hash function from an address to its set.
    pub set_index: Hash,
    /// Organization of the table of outstanding misses.
    pub mshr_kind: MshrKind,
    /// Maximum number of outstanding misses.
    pub mshr_entries: u32,
    /// Maximum number of requests that wait for one miss.
    pub mshr_merge: u32,
    /// Entries of the queue to the level below.
    pub miss_queue: u32,
    /// Entries of the result queue of a texture cache; 0 for other caches.
    pub result_fifo: u32,
    /// Bytes that the data port moves per cycle.
    pub port_bytes: u32,
}

impl Cache {
    /// Maximum number of lines.
    pub const MAX_LINES: u32 = 1 << 20;
    /// Maximum number of entries of a queue or table.
    pub const MAX_PLACES: u32 = 1 << 20;

    /// Returns the size of the cache [bytes].
    pub fn bytes(&self) -> u64 {
        u64::from(self.sets) * u64::from(self.ways) * u64::from(self.line_bytes)
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> u32 {
        self.sets * self.ways
    }

    /// Returns the bytes of one request and fill: a sector or a line.
    pub fn atom_bytes(&self) -> u32 {
        if self.sectored { SECTOR } else { self.line_bytes }
    }

    /// Returns the set of `address`. In L2, this is the address [within its slice](crate::machine::Decoder::within_slice).
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
