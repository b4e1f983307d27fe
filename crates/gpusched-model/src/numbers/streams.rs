//! Random streams, and conversions from random words to numbers. Each combination of seed, purpose, point and set has
//! its own stream. The point is the number of an experiment point, and the set is the number of a generated set.
//!
//! The generator of random words is ChaCha8. The key of the generator is [seed, purpose, point, 0] (64-bit words,
//! little endian), and the stream number is the set. This module converts each random word to one number without the
//! conversions of the crate `rand`. As a result, a new version of `rand` does not change the generated sets.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Purpose of a random stream. The number of a purpose is a part of the key and never changes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// The division of the total utilization among the tasks.
    Utilizations = 1,
    /// The periods of the tasks.
    Periods = 2,
    /// The kinds of the tasks: compute-intensive or memory-intensive.
    Kinds = 3,
    /// The deadlines of the tasks, relative to their periods.
    Deadlines = 4,
    /// The release jitter of the tasks, relative to their periods.
    Jitter = 5,
    /// The serial fractions and the conflict factors of the tasks.
    Scalings = 6,
    /// The execution times of thread blocks.
    BlockTimes = 10,
    /// The selection of measurements: gpusched keeps only some measurements of each thread block.
    BlockSamples = 11,
    /// The WCETs and the sizes of the clusters of a synthetic kernel.
    Profile = 12,
    /// The start time of a kernel within a regulation period.
    RegulationOffset = 20,
    /// The times within a regulation period at which best-effort cores access memory.
    RegulationBursts = 21,
    /// The execution times of the thread blocks of a scenario.
    ScenarioBlocks = 30,
    /// Random launch configurations of kernels.
    LaunchConfigurations = 31,
    /// Groups of concurrent kernels, and the number of SMs of each kernel.
    KernelGroups = 32,
    /// Launch times and base addresses of the simulated runs of a kernel.
    RunVariants = 33,
    /// The arrival times of the first jobs of tasks.
    TaskOffsets = 40,
    /// The time from the arrival of a job to its release.
    ReleaseJitter = 41,
    /// The time from the earliest possible arrival of a job to its arrival.
    ArrivalGaps = 42,
    /// The execution times of jobs.
    ExecutionTimes = 43,
    /// The overheads of the dispatcher of a partition: times to enqueue a job, to detect its end and to wake up.
    DispatchOverheads = 44,
    /// The division of the SMs among kernels that run together.
    Sharing = 45,
    /// The generated systems for the comparison of analysis results with simulation results.
    ValidationSystems = 50,
    /// The generated systems whose partitions share a memory.
    SharedMemorySystems = 51,
    /// The simulation runs of systems whose partitions share a memory.
    SharedMemoryRuns = 52,
    /// The generated end-to-end systems for the comparison of analysis results with simulation results.
    EndToEndSystems = 53,
    /// The generated end-to-end systems of a study.
    SystemSets = 54,
    /// The concurrent kernels for the comparison of simulated delays with memory times.
    CoRuns = 55,
    /// The generated end-to-end systems with time-sliced partitions.
    TimeSlicedSystems = 56,
    /// The turns of contexts in the simulation of systems with time-sliced partitions.
    TimeSlicedRuns = 57,
    /// The generated end-to-end systems with pipelined tasks.
    PipelinedSystems = 58,
    /// The generated end-to-end systems with memory bandwidth budgets.
    BudgetedSystems = 59,
    /// The accesses of best-effort cores in the simulation of systems with budgets.
    RegulatedRuns = 60,
    /// The generated graphs of operators of a study, and their execution times.
    OperatorGraphs = 61,
}

/// Returns the random stream of `seed` and `purpose` for set number `set` at experiment point
/// number `point`.
pub fn stream(seed: u64, purpose: Purpose, point: u64, set: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip([seed, purpose as u64, point, 0]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(set);
    rng
}

/// Draws a uniformly distributed number in (0, 1]. The number is a positive multiple of 2⁻⁵³, so
/// its logarithm is finite.
pub fn unit(rng: &mut impl Rng) -> f64 {
    unit_of(rng.next_u64())
}

/// Returns the number of [`unit`] for the random word `word`.
#[inline]
pub fn unit_of(word: u64) -> f64 {
    ((word >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Draws a uniformly distributed integer from 0 to `bound` − 1, with a bias of at most `bound`·2⁻⁶⁴. If `bound` is 0,
/// the result is 0.
pub fn below(rng: &mut impl Rng, bound: usize) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}
