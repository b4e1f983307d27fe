//! Random runs with best-effort cores: kernels, policies, patterns, offsets, and block times up to the WCETs.

use gpusched::bandwidth::{Allocator, BudgetPolicy, RemainingTable};
use gpusched::model::kernel::Interval;
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::simulator::regulation::{
    AccessPattern, Block, BlockTimes, Blocks, Execution, Governor, Process, Run, Setting, Simulator,
};
use gpusched::time::Time;
use rand::{Rng, RngExt};

use crate::kernel_wcet::random;

pub struct Case {
    pub kernel: Kernel,
    pub simulator: Simulator,
    pub setting: Setting,
    pub allocator: Allocator,
    pub policy: BudgetPolicy,
    pub process: Process,
    pub execution: Execution,
}

impl Case {
    /// Generates run `run` of `seed`. In half of the cases, the clusters of the kernel alternate.
    pub fn new(rng: &mut impl Rng, seed: u64, run: u64, patterns: &[AccessPattern]) -> Case {
        let kernel = if rng.random_bool(0.5) {
            random::kernel(rng, 6)
        } else {
            fine(rng)
        };
        let kernel = interleaved(rng, kernel);
        let period = kernel.regulation_period();
        let setting = Setting {
            pattern: patterns[rng.random_range(0..patterns.len())],
            demand: match rng.random_range(0..3) {
                0 => Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap(),
                _ => Factor::ONE,
            },
            blocks: BlockTimes::Wcet,
            ..Setting::default()
        };
        let q = Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap();
        let policy = BudgetPolicy::ALL[rng.random_range(0..4)];
        let straddling = [Straddling::End, Straddling::Both][usize::from(rng.random_bool(0.25))];
        let allocator = Allocator::new(&kernel, q, policy, straddling).unwrap();
        let none = Process::default();
        let process = match rng.random_range(0..3) {
            0 => Process {
                lead: Time::from_ns(rng.random_range(0..period.ns())),
                traffic: Time::from_ns(rng.random_range(0..=allocator.nominal().ns())),
            },
            _ => none,
        };
        let simulator = Simulator::new(&kernel, setting.clone(), seed).unwrap();
        let table = RemainingTable::new(&kernel);
        let Blocks::Fixed(mut blocks) = Blocks::new(&kernel, BlockTimes::Wcet, &table, seed).unwrap() else {
            unreachable!("WCETs are fixed")
        };
        // Each block time is the WCET or a random smaller time.
        let most = [0.0, 0.0, 0.1, 1.0][rng.random_range(0..4)];
        for block in &mut blocks {
            let (alone, contended) = (block.alone, block.alone / block.speed);
            let mut less = |time: f64| time * (1.0 - most * rng.random_range(0.0..1.0));
            *block = Block::new(less(alone), less(contended));
        }
        let room = period.ns() - allocator.nominal().ns();
        let offset = [0, room.min(period.ns() - 1), rng.random_range(0..period.ns())][rng.random_range(0..3)];
        Case {
            execution: Execution {
                run,
                seed,
                offset: Time::from_ns(offset),
                blocks,
            },
            kernel,
            simulator,
            setting,
            allocator,
            policy,
            process,
        }
    }

    pub fn run(&self, governor: &mut impl Governor, record: bool) -> Run {
        self.simulator
            .simulate(&self.execution, self.policy, governor, self.process, record)
    }
}

/// Generates a kernel similar to the kernels of the paper: many blocks in a period and few concurrent blocks, so that
/// bounds are tight.
fn fine(rng: &mut impl Rng) -> Kernel {
    let (active, period) = (rng.random_range(1..=4), rng.random_range(1_000..10_000));
    let clusters = rng.random_range(1..=3);
    let periods = rng.random_range(2..=12);
    let cluster = |_| {
        let alone = rng.random_range(1..=20);
        let contended = alone + rng.random_range(0..=2 * alone);
        let blocks = periods * period * u64::from(active) / alone / clusters;
        Cluster::new(blocks.max(1), Time::from_ns(alone), Time::from_ns(contended)).unwrap()
    };
    let clusters = (0..clusters).map(cluster).collect();
    Kernel::new(active, Time::from_ns(period), clusters).unwrap()
}

/// Returns `kernel` unchanged, or with each cluster split into up to four parts in random order.
fn interleaved(rng: &mut impl Rng, kernel: Kernel) -> Kernel {
    if rng.random_bool(0.5) {
        return kernel;
    }
    let mut left: Vec<u64> = kernel.clusters().iter().map(|cluster| cluster.blocks()).collect();
    let (mut next, mut intervals) = (0, Vec::new());
    while left.iter().any(|&blocks| blocks > 0) {
        let cluster = rng.random_range(0..left.len());
        if left[cluster] > 0 {
            let blocks = rng.random_range(1..=left[cluster]).max(left[cluster] / 4);
            left[cluster] -= blocks;
            intervals.push(Interval {
                first: next,
                last: next + blocks - 1,
                cluster,
            });
            next += blocks;
        }
    }
    kernel.with_intervals(intervals).unwrap()
}
