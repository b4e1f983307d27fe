//! DRAM channels of a simulated GPU.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use crate::machine::{Cache, Hash};
use gpusched_model::Refusal;

/// Rule by which the scheduler of one channel orders the requests (`-gpgpu_dram_scheduler`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DramScheduler {
    /// First in, first out: the channel serves requests in the order of arrival (GPGPU-Sim: 0).
    Fifo,
    /// First ready, first come, first served: among the requests to open rows, the channel serves the oldest request.
    /// If there is no such request, the channel serves the oldest of all requests (GPGPU-Sim: 1).
    FrFcfs,
}

/// Bits of a bank number that select the bank group (`-dram_bnkgrp_indexing_policy`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BankGroupIndex {
    /// The upper bits of the bank number select the bank group (GPGPU-Sim: 0).
    HighBits,
    /// The lower bits of the bank number select the bank group (GPGPU-Sim: 1). As a result, neighboring banks belong to
    /// different groups.
    LowBits,
}

/// A separate queue for writes (`-dram_write_queue_size`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WriteQueue {
    /// Number of entries of the queue.
    pub size: u32,
    /// Number of waiting writes at which the channel starts to serve writes.
    pub high: u32,
    /// Number of waiting writes at which the channel stops serving writes.
    pub low: u32,
}

/// Timing parameters of the DRAM (`-gpgpu_dram_timing_opt`) [DRAM command cycles].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DramTiming {
    /// Number of banks (nbk).
    pub banks: u32,
    /// Number of bank groups (nbkgrp).
    pub bank_groups: u32,
    /// tCCD: minimum time from one column command to the next column command.
    pub ccd: u32,
    /// tRRD: minimum time from an activation to the activation of another bank.
    pub rrd: u32,
    /// tRCD: minimum time from an activation to a column command.
    pub rcd: u32,
    /// tRAS: minimum time from an activation to a precharge.
    pub ras: u32,
    /// tRP: minimum time from a precharge to an activation.
    pub rp: u32,
    /// tRC: minimum time from an activation to the next activation of the same bank.
    pub rc: u32,
    /// CL: time from a read command to its data.
    pub cl: u32,
    /// WL: time from a write command to its data.
    pub wl: u32,
    /// tCDLR: minimum time from the last written data to a read command.
    pub cdlr: u32,
    /// tWR: minimum time from the last written data to a precharge.
    pub wr: u32,
    /// tCCDL: minimum time from one column command to the next column command in the same bank group.
    pub ccdl: u32,
    /// tRTPL: minimum time from a read command to a precharge in the same bank group.
    pub rtpl: u32,
}

/// Parameters of one DRAM channel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// Rule by which the scheduler orders the requests.
    pub scheduler: DramScheduler,
    /// Maximum number of requests among which the scheduler chooses (`-gpgpu_frfcfs_dram_sched_queue_size`). 0 means no
    /// limit.
    pub queue: u32,
    /// Number of entries of the queue for served requests (`-gpgpu_dram_return_queue_size`). 0
    /// means 1024 entries.
    pub return_queue: u32,
    /// Separate queue for writes. Present if `-dram_seperate_write_queue_enable` (sic) is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_queue: Option<WriteQueue>,
    /// Width of the data bus of one DRAM chip (`-gpgpu_dram_buswidth`) [bytes].
    pub bus_bytes: u32,
    /// Number of DRAM chips that together form one channel (`-gpgpu_n_mem_per_ctrlr`).
    pub chips: u32,
    /// Number of transfers on the data bus per column command (`-gpgpu_dram_burst_length`).
    pub burst_length: u32,
    /// Number of transfers on the data bus per command cycle (`-dram_data_command_freq_ratio`).
    pub data_command_ratio: u32,
    /// Whether one cycle can issue both a row command and a column command (`-dram_dual_bus_interface`).
    pub dual_bus: bool,
    /// Whether the data bus can change its direction without delay (`-dram_elimnate_rw_turnaround`, sic).
    pub no_turnaround: bool,
    /// Hash function that computes the bank number from the bank bits and the row bits of an
    /// address (`-dram_bnk_indexing_policy`).
    pub bank_index: Hash,
    /// Bits of a bank number that select the bank group.
    pub bank_group_index: BankGroupIndex,
    /// Timing parameters of the DRAM [DRAM command cycles].
    pub timing: DramTiming,
}

impl Dram {
    /// Returns the number of bytes that one column command transfers.
    #[inline]
    pub fn atom_bytes(&self) -> u32 {
        self.burst_length * self.bus_bytes * self.chips
    }

    /// Returns the time during which one column command occupies the data bus [command cycles].
    #[inline]
    pub fn burst_cycles(&self) -> u32 {
        self.burst_length / self.data_command_ratio
    }

    /// tRCDWR: minimum time from an activation to a write command [command cycles].
    #[inline]
    pub fn rcd_write(&self) -> u32 {
        self.timing.rcd.saturating_sub(self.timing.wl + 1)
    }

    /// tRTW: minimum time from a read command to a write command [command cycles].
    #[inline]
    pub fn read_to_write(&self) -> u32 {
        match self.no_turnaround {
            true => 0,
            false => (self.timing.cl + self.burst_cycles() + 2).saturating_sub(self.timing.wl),
        }
    }

    /// tWTR: minimum time from a write command to a read command [command cycles].
    #[inline]
    pub fn write_to_read(&self) -> u32 {
        match self.no_turnaround {
            true => 0,
            false => self.timing.wl + self.burst_cycles() + self.timing.cdlr,
        }
    }

    /// tWTP: minimum time from a write command to a precharge of the same bank [command cycles].
    #[inline]
    pub fn write_to_precharge(&self) -> u32 {
        self.timing.wl + self.burst_cycles() + self.timing.wr
    }

    /// Returns the bank group of `bank`.
    #[inline]
    pub fn bank_group(&self, bank: u32) -> u32 {
        let timing = &self.timing;
        match self.bank_group_index {
            BankGroupIndex::LowBits => bank & (timing.bank_groups - 1),
            BankGroupIndex::HighBits => bank >> (timing.banks / timing.bank_groups).ilog2(),
        }
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("queue", self.queue, 0..=Cache::MAX_PLACES)?;
        faults.within("return_queue", self.return_queue, 0..=Cache::MAX_PLACES)?;
        if let Some(queue) = &self.write_queue {
            let faults = faults.of("write_queue");
            faults.within("size", queue.size, 1..=Cache::MAX_PLACES)?;
            faults.within("high", queue.high, 1..=queue.size)?;
            faults.within("low", queue.low, 0..=queue.high - 1)?;
            if self.scheduler != DramScheduler::FrFcfs {
                faults.refuse(
                    "size",
                    queue.size,
                    "no write queue, because the scheduler is FIFO",
                )?;
            }
        }
        faults.within("bus_bytes", self.bus_bytes, 1..=1024)?;
        faults.within("chips", self.chips, 1..=64)?;
        faults.within("burst_length", self.burst_length, 1..=256)?;
        faults.within("data_command_ratio", self.data_command_ratio, 1..=64)?;
        if !self.burst_length.is_multiple_of(self.data_command_ratio) {
            let expected = format!(
                "a multiple of {}, the value of `data_command_ratio`",
                self.data_command_ratio
            );
            faults.refuse("burst_length", self.burst_length, expected)?;
        }
        self.timing.check(&faults.of("timing"))?;
        if self.bank_index == Hash::Fermi {
            faults.refuse("bank_index", "fermi", "linear, xor or ipoly")?;
        }
        self.bank_index.check("bank_index", self.timing.banks, faults)
    }
}

impl DramTiming {
    /// Maximum value of a timing parameter [command cycles].
    pub const MAX_CYCLES: u32 = 1000;

    fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.power_of_two("banks", self.banks, 64)?;
        faults.power_of_two("bank_groups", self.bank_groups, self.banks)?;
        let times = [
            ("ccd", self.ccd),
            ("rrd", self.rrd),
            ("rcd", self.rcd),
            ("ras", self.ras),
            ("rp", self.rp),
            ("rc", self.rc),
            ("cl", self.cl),
            ("wl", self.wl),
            ("cdlr", self.cdlr),
            ("wr", self.wr),
            ("ccdl", self.ccdl),
            ("rtpl", self.rtpl),
        ];
        for (name, time) in times {
            faults.within(name, time, 0..=Self::MAX_CYCLES)?;
        }
        if self.rcd <= self.wl {
            faults.refuse(
                "rcd",
                self.rcd,
                format!("more than {}, the value of `wl`", self.wl),
            )?;
        }
        if self.cl + 2 < self.wl {
            faults.refuse(
                "cl",
                self.cl,
                format!("at least {}, which is `wl` - 2", self.wl - 2),
            )?;
        }
        Ok(())
    }
}
