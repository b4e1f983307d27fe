//! Pairs of kernels on the same SMs. Each kernel uses one execution pipe.

use gpusched_model::Refusal;

use super::super::context::{Device, Partition, Stream};
use super::super::memory::Memory;
use super::kernels::Kernels;
use crate::realtime;
use crate::run::Statistics;

/// The execution pipes, in the order of their numbers in the kernel.
pub const PIPES: [&str; 5] = ["float", "integer", "special", "double", "shared"];

/// Threads of each thread block. An SM holds one block of both kernels.
const THREADS: u32 = 512;

/// Time of a kernel alone [ns].
const TIME: u64 = 1_000_000;

/// Rounds of the kernel that determines the number of rounds.
const FIRST: u32 = 1 << 10;

/// Largest number of rounds of a kernel.
const MOST: u32 = 1 << 24;

/// Rounds of the other kernel, as a multiple of its rounds alone. It runs until the measured kernel ends.
const COVER: u32 = 10;

/// Launches of each pair.
const LAUNCHES: usize = 5;

/// Words that a block writes.
const WORDS: usize = 3;

/// Times of kernels on execution pipes. All kernels have one thread block per SM.
#[derive(Clone, PartialEq, Debug)]
pub struct Pipes {
    /// Number of SMs of the partition of both kernels.
    pub sms: u32,
    /// Times of each kernel alone [ns], in the order of [`PIPES`].
    pub alone: Vec<Statistics>,
    /// Times of each kernel while another kernel runs [ns], in the order of [`PIPES`]; the inner list is in the order of the other kernels.
    /// `None` if no launch ran on the same SMs and within the time of the other kernel.
    pub beside: Vec<Vec<Option<Statistics>>>,
}

/// Start and end of a kernel [ns], and its SMs.
struct Ran {
    start: u64,
    end: u64,
    sms: Vec<u64>,
}

/// The partition, its two streams, and the memory of the results.
struct Bench<'a> {
    device: &'a Device<'a>,
    kernels: &'a Kernels<'a>,
    /// Ends before the partition.
    other: Stream<'a>,
    partition: Partition<'a>,
    memory: Memory<'a>,
    sms: u32,
}

/// Observes the times of all pairs on the smallest number of SMs that the driver grants. Returns `None` if a kernel alone does not run on each
/// SM once, or if the timer shows no time.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn pipes(device: &Device<'_>, kernels: &Kernels<'_>) -> Result<Option<Pipes>, Refusal> {
    let Some(&sms) = device.sizes()?.first() else {
        return Ok(None);
    };
    let (partition, _) = device.single(sms)?;
    let bench = Bench {
        device,
        kernels,
        other: partition.stream_of(0)?,
        partition,
        memory: Memory::new(device.driver, (2 * WORDS * sms as usize + 1) * 8)?,
        sms,
    };
    let mut rounds = Vec::with_capacity(PIPES.len());
    let mut alone = Vec::with_capacity(PIPES.len());
    for pipe in 0..PIPES.len() {
        // The first launch loads the kernel.
        bench.run((pipe, FIRST), None)?;
        let Some(time) = bench.run((pipe, FIRST), None)?.filter(|time| *time > 0) else {
            return Ok(None);
        };
        let wanted = u64::from(FIRST).saturating_mul(TIME) / time;
        let wanted = u32::try_from(wanted).unwrap_or(MOST).clamp(1, MOST);
        rounds.push(wanted);
        let times = bench.times(|| bench.run((pipe, wanted), None))?;
        let Some(times) = times else { return Ok(None) };
        alone.push(times);
    }
    let mut beside = Vec::with_capacity(PIPES.len());
    for (pipe, &own) in rounds.iter().enumerate() {
        let pairs = rounds.iter().enumerate().map(|(other, &rounds)| {
            let other = (other, rounds.saturating_mul(COVER));
            bench.times(|| bench.run((pipe, own), Some(other)))
        });
        beside.push(pairs.collect::<Result<_, _>>()?);
    }
    Ok(Some(Pipes { sms, alone, beside }))
}

impl Bench<'_> {
    /// Returns the times of all launches that count; `None` if no launch counts.
    fn times(
        &self,
        mut launch: impl FnMut() -> Result<Option<u64>, Refusal>,
    ) -> Result<Option<Statistics>, Refusal> {
        let launches = (0..LAUNCHES).map(|_| launch());
        let times = launches.collect::<Result<Vec<_>, _>>()?;
        let times: Vec<u64> = times.into_iter().flatten().collect();
        Ok((!times.is_empty()).then(|| Statistics::of(times)))
    }

    /// Runs a kernel with the given pipe and rounds, while the kernel `other` runs. Returns its time [ns]. Returns `None` if its blocks did
    /// not run on each SM once, or not within the time of the other kernel.
    fn run(&self, own: (usize, u32), other: Option<(usize, u32)>) -> Result<Option<u64>, Refusal> {
        let words = WORDS * self.sms as usize;
        let behind = self.memory.address + 8 * words as u64;
        let sink = behind + 8 * words as u64;
        let launch = |stream, (pipe, rounds): (usize, u32), out| {
            let size = (self.sms, THREADS);
            let pipe = u32::try_from(pipe).unwrap_or(u32::MAX);
            let code = self.kernels.pipe(stream, size, (pipe, rounds), (out, sink));
            self.device.driver.check("cuLaunchKernel", code)
        };
        if let Some(other) = other {
            launch(self.other.stream, other, behind)?;
            // Its blocks start.
            let begin = realtime::now();
            while realtime::now().saturating_sub(begin) < TIME / 10 {
                std::hint::spin_loop();
            }
        }
        launch(self.partition.stream, own, self.memory.address)?;
        self.other.synchronize()?;
        self.partition.synchronize()?;
        let read = self.memory.words(2 * words)?;
        let (first, second) = read.split_at(words);
        let own = self.ran(first);
        let is_covered = |own: &Ran| {
            let ran = self.ran(second);
            ran.is_some_and(|ran| ran.start <= own.start && own.end <= ran.end && ran.sms == own.sms)
        };
        let own = own.filter(|own| other.is_none() || is_covered(own));
        Ok(own.map(|own| own.end - own.start))
    }

    /// Returns the result of a kernel from its `words`. Returns `None` if its blocks did not run on each SM once.
    fn ran(&self, words: &[u64]) -> Option<Ran> {
        let start = words.chunks_exact(WORDS).map(|block| block[0]).min()?;
        let end = words.chunks_exact(WORDS).map(|block| block[1]).max()?;
        let mut sms: Vec<u64> = words.chunks_exact(WORDS).map(|block| block[2]).collect();
        sms.sort_unstable();
        sms.dedup();
        (sms.len() == self.sms as usize && start <= end).then_some(Ran { start, end, sms })
    }
}
