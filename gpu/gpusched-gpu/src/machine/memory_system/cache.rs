//! Caches of a simulated GPU: geometry, policies, and limits on outstanding misses.

use serde::{Deserialize, Serialize};

use crate::machine::Hash;
use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Size of a sector [bytes].
pub const SECTOR: u32 = 32;

/// Replacement policy: rule that selects the line to evict from a set.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// The cache evicts the least recently used line (GPGPU-Sim: `L`).
    Lru,
    /// First in, first out: the cache evicts the line that it allocated first (GPGPU-Sim: `F`).
    Fifo,
}

/// Write policy: rule that determines when the cache forwards a write to the next level of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// The cache is read-only and receives no writes (GPGPU-Sim: `R`).
    ReadOnly,
    /// Write-back: the cache forwards a dirty line when it evicts the line (GPGPU-Sim: `B`).
    WriteBack,
    /// Write-through: the cache forwards every write at once (GPGPU-Sim: `T`).
    WriteThrough,
    /// Write-evict: the cache forwards every write at once and evicts the written line
    /// (GPGPU-Sim: `E`).
    WriteEvict,
    /// Write-back for local memory, and write-through for global memory (GPGPU-Sim: `L`).
    LocalBackGlobalThrough,
}

/// Event at which the cache allocates a line for a miss.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// The cache allocates the line when the miss occurs (GPGPU-Sim: `m`).
    OnMiss,
    /// The cache allocates the line when the requested data arrive (GPGPU-Sim: `f`).
    OnFill,
    /// The cache allocates the line when the requested data arrive. The number of lines limits
    /// the number of outstanding misses (GPGPU-Sim: `s`).
    Streaming,
}

/// Behavior of the cache on a write miss.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WriteAllocation {
    /// The write bypasses the cache (GPGPU-Sim: `N`).
    None,
    /// The cache forwards the write, and reads the line from the next level of memory (GPGPU-Sim:
    /// `W`).
    Allocate,
    /// The cache reads the line if the write covers only a part of the line (GPGPU-Sim: `F`).
    FetchOnWrite,
    /// The cache allocates the line without reading it. The cache reads the line when a later
    /// read needs bytes that were not written (GPGPU-Sim: `L`).
    LazyFetchOnRead,
}

/// Organization of the table of outstanding misses (MSHR: miss status holding registers).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MshrKind {
    /// Associative table with one entry per sector in a sectored cache, or one entry per line in
    /// other caches (GPGPU-Sim: `A`).
    Associative,
    /// Associative table that merges requests to the same line by sector (GPGPU-Sim: `S`).
    SectorAssociative,
    /// A FIFO of texture requests (GPGPU-Sim: `F`).
    TextureFifo,
    /// A FIFO of texture requests with one entry per sector (GPGPU-Sim: `T`).
    SectorTextureFifo,
}

/// Parameters of a cache (`-gpgpu_cache:*`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Whether the cache fills sectors of [`SECTOR`] bytes (GPGPU-Sim: `S`). If the value is
    /// false, the cache fills whole lines (GPGPU-Sim: `N`).
    pub sectored: bool,
    /// Number of sets.
    pub sets: u32,
    /// Size of a line [bytes].
    pub line_bytes: u32,
    /// Number of lines in each set.
    pub ways: u32,
    /// Replacement policy.
    pub replacement: Replacement,
    /// Write policy: rule that determines when the cache forwards a write to the next level of memory.
    pub write_policy: WritePolicy,
    /// Event at which the cache allocates a line for a miss.
    pub allocation: Allocation,
    /// Behavior of the cache on a write miss.
    pub write_allocation: WriteAllocation,
    /// Hash function that maps an address to its set.
    pub set_index: Hash,
    /// Organization of the table of outstanding misses.
    pub mshr_kind: MshrKind,
    /// Maximum number of outstanding misses.
    pub mshr_entries: u32,
    /// Maximum number of requests that can wait for one miss.
    pub mshr_merge: u32,
    /// Number of entries of the queue to the next level of memory.
    pub miss_queue: u32,
    /// Number of entries of the result queue of a texture cache; 0 for other caches.
    pub result_fifo: u32,
    /// Number of bytes that the data port transfers per cycle.
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

    /// Returns the number of bytes that one request or one fill transfers: the size of a sector
    /// or a line.
    pub fn atom_bytes(&self) -> u32 {
        if self.sectored { SECTOR } else { self.line_bytes }
    }

    /// Returns the number of the set that can contain `address`. In L2, `address` is the address
    /// [within its slice](crate::machine::Decoder::within_slice).
    pub fn set(&self, address: u64) -> u32 {
        self.set_index.bucket(address, self.line_bytes.ilog2(), self.sets)
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.power_of_two("sets", self.sets, 1 << 16)?;
        faults.power_of_two("line_bytes", self.line_bytes, 4096)?;
        if self.sectored && self.line_bytes != 4 * SECTOR {
            faults.refuse(
                "line_bytes",
                self.line_bytes,
                "128 bytes, which are four sectors of 32 bytes",
            )?;
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
                format!("a divisor of {}, the value of `line_bytes`", self.line_bytes),
            )?;
        }
        Ok(())
    }
}
