//! Memory partitions: L2 slices and the DRAM channels behind them.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::check::Faults;
use crate::machine::multiprocessor::l1::MAX_LATENCY;
use crate::machine::{AddressMapping, Cache, Dram, Hash};

/// Rule that selects the slice of an address (`-gpgpu_memory_partition_indexing`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionIndexing {
    /// By the address mapping (0; also 4, which is a hook for custom code).
    Consecutive,
    /// By the channel, XORed with the bits above it (1).
    Xor,
    /// By the slice, hashed with the bits above it by an irreducible polynomial (2).
    Ipoly,
}

/// Queue lengths of one slice (`-gpgpu_dram_partition_queues`) [requests].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartitionQueues {
    /// From the interconnect to L2.
    pub icnt_to_l2: u32,
    /// From L2 to the DRAM.
    pub l2_to_dram: u32,
    /// From the DRAM to L2.
    pub dram_to_l2: u32,
    /// From L2 to the interconnect.
    pub l2_to_icnt: u32,
}

/// The memory of a GPU: channels with one or more L2 slices each.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Number of DRAM channels (`-gpgpu_n_mem`).
    pub channels: u32,
    /// Number of L2 slices (sub-partitions) of one channel (`-gpgpu_n_sub_partition_per_mchannel`).
    pub slices_per_channel: u32,
    /// Mapping from address bits to row, bank and column (`-gpgpu_mem_addr_mapping`).
    pub mapping: AddressMapping,
    /// Rule that selects the slice of an address.
    pub indexing: PartitionIndexing,
    /// One slice of L2 (`-gpgpu_cache:dl2`).
    pub l2: Cache,
    /// Whether L2 is emptied when the GPU has no threads left (`-gpgpu_flush_l2_cache`).
    pub flush_l2: bool,
    /// Whether copies from the host fill L2 (`-gpgpu_perf_sim_memcpy`).
    pub copies_fill_l2: bool,
    /// Latency before L2 (`-gpgpu_l2_rop_latency`) [core cycles].
    pub rop_latency: u32,
    /// Latency between L2 and the DRAM scheduler (`-dram_latency`) [core cycles].
    pub dram_latency: u32,
    /// Queue lengths of one slice.
    pub queues: PartitionQueues,
    /// One DRAM channel.
    pub dram: Dram,
}

impl Memory {
    /// Maximum number of channels.
    pub const MAX_CHANNELS: u32 = 1024;

    /// Returns the number of L2 slices of all channels.
    pub fn slices(&self) -> u32 {
        self.channels * self.slices_per_channel
    }

    /// Returns the size of all L2 slices [bytes].
    pub fn l2_bytes(&self) -> u64 {
        u64::from(self.slices()) * self.l2.bytes()
    }

    /// Returns the peak bandwidth of all channels at a command clock of `dram_khz` [bytes/s].
    pub fn dram_bytes_per_second(&self, dram_khz: u32) -> u64 {
        let dram = &self.dram;
        let per_cycle =
            u64::from(dram.bus_bytes) * u64::from(dram.chips) * u64::from(dram.data_command_ratio);
        u64::from(self.channels) * per_cycle * u64::from(dram_khz) * 1000
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("channels", self.channels, 1..=Self::MAX_CHANNELS)?;
        faults.power_of_two("slices_per_channel", self.slices_per_channel, 16)?;
        self.l2.check(&faults.of("l2"))?;
        faults.within("rop_latency", self.rop_latency, 0..=MAX_LATENCY)?;
        faults.within("dram_latency", self.dram_latency, 0..=MAX_LATENCY)?;
        let queues = &self.queues;
        for (name, places) in [
            ("icnt_to_l2", queues.icnt_to_l2),
            ("l2_to_dram", queues.l2_to_dram),
            ("dram_to_l2", queues.dram_to_l2),
            ("l2_to_icnt", queues.l2_to_icnt),
        ] {
            faults.of("queues").within(name, places, 1..=Cache::MAX_PLACES)?;
        }
        self.dram.check(&faults.of("dram"))?;
        self.check_mapping(faults)
    }

    fn check_mapping(&self, faults: &Faults) -> Result<(), Refusal> {
        let power = self.channels.is_power_of_two();
        if self.mapping.channel_start().is_none() && !power {
            faults.refuse(
                "mapping",
                self.mapping,
                "dramid@, as the channels are no power of two",
            )?;
        }
        if self.mapping.channel_start().is_none() {
            let bits = self.mapping.channel_mask().count_ones();
            if bits != self.channels.ilog2() {
                let expected = format!("{} bits D, for {} channels", self.channels.ilog2(), self.channels);
                faults.refuse("mapping", self.mapping, expected)?;
            }
        }
        let banks = self.mapping.bank_mask().count_ones();
        if banks > self.dram.timing.banks.ilog2() {
            let expected = format!(
                "at most {} bits B, for {} banks",
                self.dram.timing.banks.ilog2(),
                self.dram.timing.banks
            );
            faults.refuse("mapping", self.mapping, expected)?;
        }
        if banks < self.slices_per_channel.ilog2() {
            let expected = format!("bits B that tell {} slices apart", self.slices_per_channel);
            faults.refuse("mapping", self.mapping, expected)?;
        }
        match self.indexing {
            PartitionIndexing::Consecutive => Ok(()),
            PartitionIndexing::Xor if power => Ok(()),
            PartitionIndexing::Xor => faults.refuse(
                "indexing",
                format!("xor over {} channels", self.channels),
                "a power of two of them",
            ),
            PartitionIndexing::Ipoly => {
                let slices = self.channels.next_power_of_two() * self.slices_per_channel;
                Hash::Ipoly.check("indexing", slices, faults)
            }
        }
    }
}
