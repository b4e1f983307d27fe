//! Rates of L2 and DRAM, by number of SMs.

use gpusched_model::Refusal;

use super::super::context::{Device, Partition};
use super::super::events::Timer;
use super::super::library::{Code, Handle};
use super::super::memory::Memory;
use super::kernels::{Kernels, Stream};
use crate::measure::Load;

/// Size of the memory that exceeds L2, as a multiple of L2.
const DRAM: u64 = 16;

/// Part of L2 that a kernel uses without DRAM.
const PART: u64 = 4;

/// Passes of a kernel over its part of L2.
const ROUNDS: u32 = 16;

/// Launches of each kernel. The first launch does not count.
const LAUNCHES: usize = 6;

/// Rates of kernels on one number of SMs [bytes per second]: of the slowest and of the fastest launch. Absent if the streams
/// refuse events.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Number of SMs.
    pub sms: u32,
    /// Reads of DRAM.
    pub dram_read: Option<[u64; 2]>,
    /// Writes to DRAM.
    pub dram_write: Option<[u64; 2]>,
    /// Reads of L2.
    pub l2_read: Option<[u64; 2]>,
}

/// Memory for kernels that read and write L2 and DRAM.
pub struct Buffers<'a> {
    memory: Memory<'a>,
    l2: u64,
}

impl<'a> Buffers<'a> {
    /// Allocates the memory. Returns `None` if the driver does not state the size of L2.
    ///
    /// # Errors
    /// Fails if the GPU has too little memory.
    pub fn new(device: &'a Device<'a>) -> Result<Option<Buffers<'a>>, Refusal> {
        let Some(l2) = device.l2_bytes() else {
            return Ok(None);
        };
        let l2 = (l2 as u64).next_multiple_of(1024);
        let bytes = usize::try_from(l2.saturating_mul(DRAM) + 64).unwrap_or(usize::MAX);
        let memory = Memory::new(device.driver, bytes)?;
        Ok(Some(Buffers { memory, l2 }))
    }

    /// Returns memory that exceeds L2.
    pub fn dram(&self, writes: bool) -> Stream {
        Stream {
            data: self.memory.address,
            bytes: self.l2 * DRAM,
            rounds: 1,
            writes,
        }
    }

    /// Returns memory that L2 contains.
    pub fn l2(&self, writes: bool) -> Stream {
        Stream {
            data: self.memory.address,
            bytes: self.l2 / PART,
            rounds: ROUNDS,
            writes,
        }
    }

    /// Enqueues a kernel on `sms` SMs that loads the memory.
    pub fn load(&self, kernels: &Kernels<'_>, (stream, sms): (Handle, u32), load: Load) -> Code {
        let of = match load {
            Load::DramRead => self.dram(false),
            Load::DramWrite => self.dram(true),
            Load::L2Read => self.l2(false),
            Load::L2Write => self.l2(true),
        };
        kernels.stream(stream, sms, of, self.sink())
    }

    /// Returns the address of an unused word.
    pub fn sink(&self) -> u64 {
        self.memory.address + self.l2 * DRAM
    }
}

/// Returns the rates on each number of SMs that the GPU grants. Returns no rates if the driver does not state the size of L2.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn rates(device: &Device<'_>, kernels: &Kernels<'_>) -> Result<Vec<Rate>, Refusal> {
    let Some(buffers) = Buffers::new(device)? else {
        return Ok(Vec::new());
    };
    let timer = Timer::new(device.driver);
    let rate = |sms| {
        let (partition, _) = device.single(sms)?;
        let rate = |of: Stream| {
            let launch = || kernels.stream(partition.stream, sms, of, buffers.sink());
            one(&partition, &timer, launch, of.moved())
        };
        Ok(Rate {
            sms,
            dram_read: rate(buffers.dram(false))?,
            dram_write: rate(buffers.dram(true))?,
            l2_read: rate(buffers.l2(false))?,
        })
    };
    device.sizes()?.into_iter().map(rate).collect()
}

/// Returns the rates of the slowest and of the fastest launch of a kernel that moves `bytes` bytes.
fn one(
    partition: &Partition<'_>,
    timer: &Timer<'_>,
    launch: impl Fn() -> i32,
    bytes: u64,
) -> Result<Option<[u64; 2]>, Refusal> {
    let mut range: Option<[u64; 2]> = None;
    for number in 0..LAUNCHES {
        let Some(ns) = timer.time(partition.stream, &launch)? else {
            return Ok(None);
        };
        if number == 0 {
            continue;
        }
        let rate = u128::from(bytes) * 1_000_000_000 / u128::from(ns.max(1));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        range = Some(range.map_or([rate; 2], |[slow, fast]| [slow.min(rate), fast.max(rate)]));
    }
    Ok(range)
}
