//! The L1 data cache and the shared memory of an SM.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use crate::machine::{Cache, Hash};
use gpusched_model::Refusal;

/// Parameters of the L1 data cache of an SM.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct L1 {
    /// Cache parameters (`-gpgpu_cache:dl1`). If the field is absent, the SM does not cache global memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// Time from a request to its data, if the request hits (`-gpgpu_l1_latency`) [core cycles].
    pub latency: u32,
    /// Number of banks of the L1 (`-gpgpu_l1_banks`).
    pub banks: u32,
    /// Number of consecutive bytes that are in the same bank (`-gpgpu_l1_banks_byte_interleaving`).
    pub bank_interleaving_bytes: u32,
    /// Hash function that maps an address to its bank (`-gpgpu_l1_banks_hashing_function`).
    pub bank_index: Hash,
    /// Whether accesses to global memory bypass the L1 (`-gpgpu_gmem_skip_L1D`).
    pub skip_global: bool,
    /// Whether the simulator empties the L1 when no thread runs on the SMs of the cluster (`-gpgpu_flush_l1_cache`).
    pub flush: bool,
    /// Threshold for the share of dirty lines [%]. The L1 evicts no dirty line while the share is below this threshold
    /// (`-gpgpu_l1_cache_write_ratio`).
    pub write_ratio_percent: u32,
    /// Compute capability × 10 (`-gpgpu_coalesce_arch`). This number selects the rules by which the SM combines the
    /// accesses of a warp into memory requests. For values from 40 up, all requests are sectors of 32 bytes. For values
    /// from 20 to 38, only requests that bypass the L1 are sectors of 32 bytes.
    pub coalescing: u32,
    /// Number of memory requests that the SM can send per core cycle (`-gpgpu_mem_unit_ports`).
    pub ports: u32,
    /// Sizes of an adaptive L1. Each SM divides one memory into this L1 and shared memory. The division depends only on
    /// kernels that may run on the SM. GPGPU-Sim has one division for all SMs. Present if
    /// `-gpgpu_adaptive_cache_config` is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<Adaptive>,
}

/// One memory that the SM divides into L1 and shared memory, separately for each kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Adaptive {
    /// Total size of L1 and shared memory (`-gpgpu_unified_l1d_size`) [KiB].
    pub unified_kib: u32,
    /// Possible sizes of shared memory (`-gpgpu_shmem_option`), ascending [KiB].
    pub shared_kib: Vec<u32>,
}

/// Parameters of the shared memory of an SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SharedMemory {
    /// Size of the shared memory (`-gpgpu_shmem_size`) [bytes].
    pub bytes: u32,
    /// Maximum shared memory of one block (`-gpgpu_shmem_per_block`) [bytes].
    pub bytes_per_block: u32,
    /// Time from a request to its data (`-gpgpu_smem_latency`) [core cycles].
    pub latency: u32,
    /// Number of banks of the shared memory (`-gpgpu_shmem_num_banks`).
    pub banks: u32,
    /// Whether the shared memory can broadcast only one word per cycle (`-gpgpu_shmem_limited_broadcast`).
    pub limited_broadcast: bool,
    /// Number of parts into which the SM divides a warp. The parts access shared memory one after another
    /// (`-gpgpu_shmem_warp_parts`).
    pub warp_parts: u32,
}

/// Largest valid latency of L1 and shared memory [cycles].
pub(in crate::machine) const MAX_LATENCY: u32 = 1_000_000;

impl L1 {
    /// Maximum size of the L1 and of the shared memory of an SM [KiB].
    pub const MAX_KIB: u32 = 1 << 16;

    /// Returns the bank of `address`.
    #[inline]
    pub fn bank(&self, address: u64) -> u32 {
        let offset_bits = self.bank_interleaving_bytes.ilog2();
        self.bank_index.bucket(address, offset_bits, self.banks)
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("latency", self.latency, 1..=MAX_LATENCY)?;
        faults.power_of_two("banks", self.banks, 1024)?;
        faults.power_of_two("bank_interleaving_bytes", self.bank_interleaving_bytes, 4096)?;
        if self.bank_index != Hash::Linear {
            self.bank_index.check("bank_index", self.banks, faults)?;
        }
        faults.within("write_ratio_percent", self.write_ratio_percent, 0..=100)?;
        faults.within("coalescing", self.coalescing, 13..=1000)?;
        faults.within("ports", self.ports, 1..=64)?;
        if let Some(cache) = &self.cache {
            cache.check(&faults.of("cache"))?;
        }
        match (&self.adaptive, &self.cache) {
            (None, _) => Ok(()),
            (Some(_), None) => faults.refuse(
                "adaptive",
                "an adaptive L1",
                "no adaptive L1, because the SM has no L1 cache",
            ),
            (Some(adaptive), Some(cache)) => adaptive.check(cache, &faults.of("adaptive")),
        }
    }
}

impl Adaptive {
    fn check(&self, cache: &Cache, faults: &Faults) -> Result<(), Refusal> {
        faults.within("unified_kib", self.unified_kib, 1..=L1::MAX_KIB)?;
        let unified = u64::from(self.unified_kib) * 1024;
        if !unified.is_multiple_of(cache.bytes()) {
            let expected = format!("a multiple of {} bytes, the size of `cache`", cache.bytes());
            faults.refuse("unified_kib", self.unified_kib, expected)?;
        }
        let ascending = self.shared_kib.is_sorted_by(|one, next| one < next);
        if self.shared_kib.is_empty() || self.shared_kib.len() > 64 || !ascending {
            faults.refuse(
                "shared_kib",
                format!("{:?}", self.shared_kib),
                "1 to 64 sizes in ascending order",
            )?;
        }
        for &size in &self.shared_kib {
            faults.within("shared_kib", size, 0..=self.unified_kib - 1)?;
        }
        Ok(())
    }
}

impl SharedMemory {
    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("bytes", self.bytes, 0..=L1::MAX_KIB * 1024)?;
        faults.within("bytes_per_block", self.bytes_per_block, 0..=L1::MAX_KIB * 1024)?;
        faults.within("latency", self.latency, 1..=MAX_LATENCY)?;
        faults.power_of_two("banks", self.banks, 1024)?;
        faults.within("warp_parts", self.warp_parts, 1..=32)
    }
}
