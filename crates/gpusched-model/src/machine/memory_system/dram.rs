//! One DRAM channel.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::check::Faults;
use crate::machine::{Cache, Hash};

/// Order of the requests of one channel (`-gpgpu_dram_scheduler`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DramScheduler {
    /// The first request (0).
    Fifo,
    /// The first request to an open row, else the first request (1).
    FrFcfs,
}

/// Bits of a bank number that select the bank group (`-dram_bnkgrp_indexing_policy`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BankGroupIndex {
    /// Upper bits (0).
    HighBits,
    /// Lower bits (1): neighboring banks belong to different groups.
    LowBits,
}

/// A queue for writes only (`-dram_write_queue_size`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteQueue {
    /// Number of entries.
    pub size: u32,
    /// Number of waiting writes that starts the service of writes.
    pub high: u32,
    /// Number of waiting writes that ends the service of writes.
    pub low: u32,
}

/// Timing parameters (`-gpgpu_dram_timing_opt`) [DRAM command cycles].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DramTiming {
    /// Number of banks (nbk).
    pub banks: u32,
    /// Number of bank groups (nbkgrp).
    pub bank_groups: u32,
    /// tCCD: time from column command to column command.
    pub ccd: u32,
    /// tRRD: time from activation to activation of another bank.
    pub rrd: u32,
    /// tRCD: time from activation to a column command.
    pub rcd: u32,
    /// tRAS: time from activation to precharge.
    pub ras: u32,
    /// tRP: time from precharge to activation.
    pub rp: u32,
    /// tRC: time from activation to activation of the same bank.
    pub rc: u32,
    /// CL: time from a read command to its data.
    pub cl: u32,
    /// WL: time from a write command to its data.
    pub wl: u32,
    /// tCDLR: time from the last written data to a read command.
    pub cdlr: u32,
    /// tWR: time from the last written data to precharge.
    pub wr: u32,
    /// tCCDL: time from column command to column command in one bank group.
    pub ccdl: u32,
    /// tRTPL: time from a read command to precharge in one bank group.
    pub rtpl: u32,
}

/// One DRAM channel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// Order of the requests.
    pub scheduler: DramScheduler,
    /// Maximum number of requests that the scheduler chooses from (`-gpgpu_frfcfs_dram_sched_queue_size`); 0: without limit.
    pub queue: u32,
    /// Entries for served requests (`-gpgpu_dram_return_queue_size`); 0 stands for 1024.
    pub return_queue: u32,
    /// Queue for writes only, if `-dram_seperate_write_queue_enable` (sic) is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_queue: Option<WriteQueue>,
    /// Width of the data bus of one chip (`-gpgpu_dram_buswidth`) [bytes].
    pub bus_bytes: u32,
    /// Number of chips that work as one (`-gpgpu_n_mem_per_ctrlr`).
    pub chips: u32,
    /// Transfers on the data bus per column command (`-gpgpu_dram_burst_length`).
    pub burst_length: u32,
    /// Transfers per command cycle (`-dram_data_command_freq_ratio`).
    pub data_command_ratio: u32,
    /// Whether one cycle can issue both a row command and a column command (`-dram_dual_bus_interface`).
    pub dual_bus: bool,
    /// Whether the bus changes direction without delay (`-dram_elimnate_rw_turnaround`, sic).
    pub no_turnaround: bool,
    /// Hash function from the row to the bank (`-dram_bnk_indexing_policy`).
    pub bank_index: Hash,
    /// Bits of a bank number that select the bank group.
    pub bank_group_index: BankGroupIndex,
    /// Timing parameters.
    pub timing: DramTiming,
}

impl Dram {
    /// Returns the bytes that one column command moves.
    #[inline]
    pub fn atom_bytes(&self) -> u32 {
        self.burst_length * self.bus_bytes * self.chips
    }

    /// Returns the time that one column command occupies the data bus [command cycles].
    #[inline]
    pub fn burst_cycles(&self) -> u32 {
        self.burst_length / self.data_command_ratio
    }

    /// tRCDWR: time from activation to a write command [command cycles].
    #[inline]
    pub fn rcd_write(&self) -> u32 {
        self.timing.rcd.saturating_sub(self.timing.wl + 1)
    }

    /// tRTW: time from a read to a write command [command cycles].
    #[inline]
    pub fn read_to_write(&self) -> u32 {
        match self.no_turnaround {
            true => 0,
            false => (self.timing.cl + self.burst_cycles() + 2).saturating_sub(self.timing.wl),
        }
    }

    /// tWTR: time from a write to a read command [command cycles].
    #[inline]
    pub fn write_to_read(&self) -> u32 {
        match self.no_turnaround {
            true => 0,
            false => self.timing.wl + self.burst_cycles() + self.timing.cdlr,
        }
    }

    /// tWTP: time from a write command to precharge of the same bank [command cycles].
    #[inline]
    pub fn write_to_precharge(&self) -> u32 {
        self.timing.wl + self.burst_cycles() + self.timing.wr
    }

    /// Returns the group of `bank`.
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
                faults.refuse("size", queue.size, "no queue for writes with a FIFO scheduler")?;
            }
        }
        faults.within("bus_bytes", self.bus_bytes, 1..=1024)?;
        faults.within("chips", self.chips, 1..=64)?;
        faults.within("burst_length", self.burst_length, 1..=256)?;
        faults.within("data_command_ratio", self.data_command_ratio, 1..=64)?;
        if !self.burst_length.is_multiple_of(self.data_command_ratio) {
            let expected = format!("whole command cycles of {} transfers", self.data_command_ratio);
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
    /// Maximum time [command cycles].
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
            faults.refuse("rcd", self.rcd, format!("more than wl, {}", self.wl))?;
        }
        if self.cl + 2 < self.wl {
            faults.refuse("cl", self.cl, format!("at least wl - 2, {}", self.wl - 2))?;
        }
        Ok(())
    }
}
