//! Memory partitions of a simulated GPU: L2 slices, and DRAM channels behind the slices.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use crate::machine::multiprocessor::l1::MAX_LATENCY;
use crate::machine::{AddressMapping, Cache, Dram, Hash};
use gpusched_model::Refusal;

/// Rule that selects the L2 slice of an address (`-gpgpu_memory_partition_indexing`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PartitionIndexing {
    /// The address mapping selects the slice (GPGPU-Sim: 0). GPGPU-Sim uses the option value 4 for custom code.
    /// gpusched treats this value as 0.
    Consecutive,
    /// A hash XORs the channel number with the address bits above the channel (GPGPU-Sim: 1).
    Xor,
    /// A hash with an irreducible polynomial combines the slice number with the address bits
    /// above the slice (GPGPU-Sim: 2).
    Ipoly,
}

/// Lengths of the queues of one L2 slice (`-gpgpu_dram_partition_queues`) [requests].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartitionQueues {
    /// Length of the queue from the interconnect to L2.
    pub icnt_to_l2: u32,
    /// Length of the queue from L2 to the DRAM.
    pub l2_to_dram: u32,
    /// Length of the queue from the DRAM to L2.
    pub dram_to_l2: u32,
    /// Length of the queue from L2 to the interconnect.
    pub l2_to_icnt: u32,
}

/// Parameters of the memory of a GPU. The memory consists of channels, each with one or more L2 slices.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Number of DRAM channels (`-gpgpu_n_mem`).
    pub channels: u32,
    /// Number of L2 slices (sub-partitions) of one channel (`-gpgpu_n_sub_partition_per_mchannel`).
    pub slices_per_channel: u32,
    /// Mapping from address bits to row, bank and column (`-gpgpu_mem_addr_mapping`).
    pub mapping: AddressMapping,
    /// Rule that selects the L2 slice of an address.
    pub indexing: PartitionIndexing,
    /// Cache parameters of one L2 slice (`-gpgpu_cache:dl2`).
    pub l2: Cache,
    /// Whether the simulator empties L2 when no thread runs on the GPU (`-gpgpu_flush_l2_cache`).
    pub flush_l2: bool,
    /// Whether copies from the host to the GPU write their data to L2 (`-gpgpu_perf_sim_memcpy`).
    pub copies_fill_l2: bool,
    /// Latency of a request before it arrives at L2 (`-gpgpu_l2_rop_latency`) [core cycles].
    pub rop_latency: u32,
    /// Latency of a request between L2 and the DRAM scheduler (`-dram_latency`) [core cycles].
    pub dram_latency: u32,
    /// Lengths of the queues of one L2 slice [requests].
    pub queues: PartitionQueues,
    /// Parameters of each DRAM channel.
    pub dram: Dram,
}

impl Memory {
    /// Maximum number of channels.
    pub const MAX_CHANNELS: u32 = 1024;

    /// Returns the total number of L2 slices of all channels.
    pub fn slices(&self) -> u32 {
        self.channels * self.slices_per_channel
    }

    /// Returns the total size of all L2 slices [bytes].
    pub fn l2_bytes(&self) -> u64 {
        u64::from(self.slices()) * self.l2.bytes()
    }

    /// Returns the peak bandwidth of all channels together, for a command clock of `dram_khz` [bytes/s].
    pub fn dram_bytes_per_second(&self, dram_khz: u32) -> u64 {
        let dram = &self.dram;
        let per_cycle =
            u64::from(dram.bus_bytes) * u64::from(dram.chips) * u64::from(dram.data_command_ratio);
        u64::from(self.channels) * per_cycle * u64::from(dram_khz) * 1000
    }

    /// Returns a copy of the memory with only `channels` channels, for a kernel that uses a part of the memory.
    ///
    /// # Errors
    /// Fails if the address mapping or the hash does not permit this number of channels.
    pub fn part(&self, channels: u32) -> Result<Memory, Refusal> {
        let part = Memory { channels, ..*self };
        part.check(&Faults::root())?;
        Ok(part)
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
                "a mapping with `dramid@`, because the number of channels is not a power of two",
            )?;
        }
        if self.mapping.channel_start().is_none() {
            let bits = self.mapping.channel_mask().count_ones();
            if bits != self.channels.ilog2() {
                let expected = format!(
                    "{} letters D, to select one of {} channels",
                    self.channels.ilog2(),
                    self.channels
                );
                faults.refuse("mapping", self.mapping, expected)?;
            }
        }
        let banks = self.mapping.bank_mask().count_ones();
        if banks > self.dram.timing.banks.ilog2() {
            let expected = format!(
                "at most {} letters B, to select one of {} banks",
                self.dram.timing.banks.ilog2(),
                self.dram.timing.banks
            );
            faults.refuse("mapping", self.mapping, expected)?;
        }
        if banks < self.slices_per_channel.ilog2() {
            let expected = format!(
                "enough letters B to select one of {} slices",
                self.slices_per_channel
            );
            faults.refuse("mapping", self.mapping, expected)?;
        }
        match self.indexing {
            PartitionIndexing::Consecutive => Ok(()),
            PartitionIndexing::Xor if power => Ok(()),
            PartitionIndexing::Xor => faults.refuse(
                "indexing",
                format!("xor for {} channels", self.channels),
                "a number of channels that is a power of two",
            ),
            PartitionIndexing::Ipoly => {
                let slices = self.channels.next_power_of_two() * self.slices_per_channel;
                Hash::Ipoly.check("indexing", slices, faults)
            }
        }
    }
}
