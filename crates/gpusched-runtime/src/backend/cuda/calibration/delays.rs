//! The tick of the timer, and times of launches, of a timer of the host, and of a stream with priority.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use gpusched_model::Refusal;

use super::super::context::Device;
use super::super::memory::Memory;
use super::kernels::Kernels;
use crate::realtime;
use crate::run::Statistics;

/// Values of the timer that one launch stores.
const VALUES: u32 = 256;

/// Launches that read the timer.
const LAUNCHES: usize = 5;

/// Longest time of a launch that reads the timer [ns].
const LIMIT: u64 = 500_000_000;

/// Number of empty kernels, and of waits of the host.
const EMPTY: u64 = 200;

/// Time between two waits of the host [ns].
const WAIT: u64 = 1_000_000;

/// Time of a thread block of the kernel with the lowest priority [ns].
const BLOCK: u64 = 200_000;

/// Threads of its thread blocks. Each SM holds two of them.
const THREADS: u32 = 1024;

/// Its thread blocks, as a multiple of the blocks that the SMs hold at once.
const WAVES: u32 = 8;

/// Words that a block of `gpusched_log` writes.
const WORDS: usize = 3;

/// The start of a kernel on a stream of the highest priority, while a kernel of the lowest priority runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Priority {
    /// Time of one thread block of the other kernel [ns]. It has eight times as many blocks as the SMs hold.
    pub block_ns: u64,
    /// Longest time from the start of the other kernel to the start of the kernel [ns].
    pub start_ns: u64,
    /// Shortest time from the start of the other kernel to its end [ns].
    pub low_ns: u64,
}

/// Returns the step between two values of the timer of the GPU [ns]. A pause of the kernel looks like a long step, so the result
/// is the shortest of the longest steps of several launches. Returns `None` if the timer stands still.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn tick(device: &Device<'_>, kernels: &Kernels<'_>) -> Result<Option<u64>, Refusal> {
    let (partition, _) = device.single(device.sms)?;
    let words = VALUES as usize + 1;
    let memory = Memory::new(device.driver, words * 8)?;
    let mut shortest: Option<u64> = None;
    for _ in 0..LAUNCHES {
        let code = kernels.ticks(partition.stream, (memory.address, VALUES, LIMIT));
        device.driver.check("cuLaunchKernel", code)?;
        partition.synchronize()?;
        let read = memory.words(words)?;
        let (values, count) = read.split_at(VALUES as usize);
        if count != [u64::from(VALUES)] {
            return Ok(None);
        }
        let steps = values.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        let longest = steps.max().filter(|&step| step > 0);
        shortest = [shortest, longest].into_iter().flatten().min();
    }
    Ok(shortest)
}

/// Returns the host times of the launch of an empty kernel, and of its observed end.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn launches(device: &Device<'_>) -> Result<(Statistics, Statistics), Refusal> {
    let (partition, _) = device.single(device.sms)?;
    let (mut launched, mut ended) = (Vec::new(), Vec::new());
    for _ in 0..EMPTY {
        let begin = realtime::now();
        let code = partition.spin(0);
        let enqueued = realtime::now();
        device.driver.check("cuLaunchKernel", code)?;
        partition.synchronize()?;
        launched.push(enqueued.saturating_sub(begin));
        ended.push(realtime::now().saturating_sub(begin));
    }
    Ok((Statistics::of(launched), Statistics::of(ended)))
}

/// Returns how late the host wakes up.
pub fn timer() -> Statistics {
    let mut due = realtime::now();
    let late = |_| {
        due = due.saturating_add(WAIT).max(realtime::now());
        realtime::sleep_until(due);
        realtime::now().saturating_sub(due)
    };
    Statistics::of((0..EMPTY).map(late).collect())
}

/// Observes the start of a kernel on a stream of the highest priority. Returns `None` if the GPU has one priority.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn priority(device: &Device<'_>, kernels: &Kernels<'_>) -> Result<Option<Priority>, Refusal> {
    let (lowest, highest) = device.priorities()?;
    if lowest == highest {
        return Ok(None);
    }
    let (partition, _) = device.single(device.sms)?;
    let low = partition.stream_of(lowest)?;
    let high = partition.stream_of(highest)?;
    let blocks = device.sms * 2 * WAVES;
    let words = (blocks as usize + 1) * WORDS;
    let memory = Memory::new(device.driver, words * 8)?;
    let behind = memory.address + u64::from(blocks) * 8 * WORDS as u64;
    let mut found: Option<Priority> = None;
    for _ in 0..LAUNCHES {
        let code = kernels.log(low.stream, (blocks, THREADS), (memory.address, BLOCK));
        device.driver.check("cuLaunchKernel", code)?;
        // The first blocks run.
        let begin = realtime::now();
        while realtime::now().saturating_sub(begin) < BLOCK / 2 {
            std::hint::spin_loop();
        }
        let code = kernels.log(high.stream, (1, 1), (behind, 0));
        device.driver.check("cuLaunchKernel", code)?;
        for stream in [&low, &high] {
            stream.synchronize()?;
        }
        let words = memory.words(words)?;
        let (low, high) = words.split_at(blocks as usize * WORDS);
        let start = low.chunks(WORDS).filter_map(|block| block.first()).min();
        let end = low.chunks(WORDS).filter_map(|block| block.get(1)).max();
        let (Some(&start), Some(&end), Some(&at)) = (start, end, high.first()) else {
            return Ok(None);
        };
        let (start_ns, low_ns) = (at.saturating_sub(start), end.saturating_sub(start));
        found = Some(found.map_or(
            Priority {
                block_ns: BLOCK,
                start_ns,
                low_ns,
            },
            |found| Priority {
                start_ns: found.start_ns.max(start_ns),
                low_ns: found.low_ns.min(low_ns),
                ..found
            },
        ));
    }
    Ok(found)
}
