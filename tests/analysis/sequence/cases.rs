//! Random systems in random settings.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::system::KernelTaskShape;
use gpusched::model::{Cluster, Factor, Kernel, KernelTask, Straddling, System};
use gpusched::simulator::regulation::sequence::{Dispatch, SequenceRun, Sequencer};
use gpusched::simulator::regulation::{AccessPattern, Block, BlockTimes, Governor, Process, Setting};
use gpusched::time::Time;
use rand::{Rng, RngExt};

use crate::kernel_wcet::random;

pub struct Case {
    pub system: System,
    pub sequencer: Sequencer,
    pub setting: Setting,
    pub dispatch: Dispatch,
    pub allocators: Vec<Allocator>,
    pub policy: BudgetPolicy,
    pub process: Process,
    /// Blocks of each kernel.
    pub blocks: Vec<Vec<Block>>,
    pub run: u64,
}

impl Case {
    /// Generates run `run` of `seed`, with up to four kernels.
    pub fn new(rng: &mut impl Rng, seed: u64, run: u64, patterns: &[AccessPattern]) -> Case {
        let kernels = kernels(rng);
        let straddling = [Straddling::End, Straddling::Both][usize::from(rng.random_bool(0.25))];
        let policy = BudgetPolicy::ALL[rng.random_range(0..4)];
        let qs = kernels
            .iter()
            .map(|_| Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap());
        let qs: Vec<Factor> = qs.collect();
        let parts = kernels.iter().zip(&qs);
        let allocators: Vec<Allocator> = parts
            .map(|(kernel, &q)| Allocator::new(kernel, q, policy, straddling).unwrap())
            .collect();
        let wcets: Vec<Time> = allocators.iter().map(Allocator::deadline).collect();
        let system = system(rng, &kernels, &qs, &wcets);
        let period = system.regulation_period();
        let nominal = allocators.iter().map(Allocator::nominal);
        // The offset leaves exactly the room for one budget before the next period, or it is arbitrary.
        let room = period.ns() - nominal.clone().min().unwrap().ns();
        let offset = [0, room.min(period.ns() - 1), rng.random_range(0..period.ns())][rng.random_range(0..3)];
        let setting = Setting {
            pattern: patterns[rng.random_range(0..patterns.len())],
            demand: match rng.random_range(0..4) {
                0 => Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap(),
                _ => Factor::ONE,
            },
            blocks: BlockTimes::Wcet,
            offset_ns: Some(Time::from_ns(offset)),
            ..Setting::default()
        };
        let process = match rng.random_range(0..3) {
            0 => Process {
                lead: Time::from_ns(rng.random_range(0..period.ns())),
                traffic: Time::from_ns(rng.random_range(0..=nominal.min().unwrap().ns())),
            },
            _ => Process::default(),
        };
        let dispatch = Dispatch::ALL[rng.random_range(0..5)];
        let sequencer = Sequencer::new(&system, &wcets, dispatch, setting.clone(), seed).unwrap();
        let case = Case {
            blocks: kernels.iter().map(|kernel| blocks(rng, kernel)).collect(),
            system,
            sequencer,
            setting,
            dispatch,
            allocators,
            policy,
            process,
            run,
        };
        case.with_blocks()
    }

    /// Returns the case after a change of its `blocks`.
    pub fn with_blocks(mut self) -> Case {
        for (index, blocks) in self.blocks.iter().enumerate() {
            self.sequencer = self.sequencer.with_blocks(index, blocks.clone());
        }
        self
    }

    pub fn run(&self, governors: &mut [impl Governor], record: bool) -> SequenceRun {
        self.sequencer
            .simulate(self.run, self.policy, governors, self.process, record)
    }
}

/// Generates one to four kernels with the same regulation period. Some cases have only kernels with tight bounds.
fn kernels(rng: &mut impl Rng) -> Vec<Kernel> {
    let any = rng.random_bool(0.3);
    let period = if any {
        random::kernel(rng, 5).regulation_period().ns()
    } else {
        rng.random_range(200..2_000)
    };
    let count = rng.random_range(1..=4);
    let kernel = |_| match any {
        true => {
            let kernel = random::kernel(rng, 5);
            Kernel::new(
                kernel.active_blocks(),
                Time::from_ns(period),
                kernel.clusters().to_vec(),
            )
            .unwrap()
        }
        false => fine(rng, period),
    };
    (0..count).map(kernel).collect()
}

/// Generates a kernel with many blocks per period and few concurrent blocks.
fn fine(rng: &mut impl Rng, period: u64) -> Kernel {
    let (active, clusters) = (rng.random_range(1..=4), rng.random_range(1..=3));
    let periods = rng.random_range(1..=8);
    let cluster = |_| {
        let alone = rng.random_range(1..=20);
        let contended = alone + rng.random_range(0..=2 * alone);
        let blocks = periods * period * u64::from(active) / alone / clusters;
        Cluster::new(blocks.max(1), Time::from_ns(alone), Time::from_ns(contended)).unwrap()
    };
    let clusters = (0..clusters).map(cluster).collect();
    Kernel::new(active, Time::from_ns(period), clusters).unwrap()
}

/// Returns a system of `kernels`. Periods are up to six times a base period, which lies between a tenth and twice the
/// sum of all WCETs. Some kernels have no period.
fn system(rng: &mut impl Rng, kernels: &[Kernel], qs: &[Factor], wcets: &[Time]) -> System {
    let total: u64 = wcets.iter().map(|wcet| wcet.ns()).sum();
    let base = (total * rng.random_range(1..=20) / 10).max(1);
    let tasks = kernels.iter().zip(qs).map(|(kernel, &q)| {
        let period = [1, 2, 3, 4, 6][rng.random_range(0..5)] * base;
        let periodic = rng.random_bool(0.8);
        let offset = if rng.random_bool(0.5) {
            0
        } else {
            rng.random_range(0..period)
        };
        let deadline = rng.random_bool(0.5).then(|| rng.random_range(1..=2 * period));
        KernelTask::new(KernelTaskShape {
            kernel: kernel.clone(),
            period: periodic.then_some(Time::from_ns(period)),
            offset: Some(Time::from_ns(offset)),
            deadline: deadline.map(Time::from_ns),
            q: Some(q),
            slowdown: None,
        })
        .unwrap()
    });
    System::new(None, tasks.collect()).unwrap()
}

/// Generates blocks with times equal to the WCETs or any smaller time.
fn blocks(rng: &mut impl Rng, kernel: &Kernel) -> Vec<Block> {
    let most = [0.0, 0.0, 0.1, 1.0][rng.random_range(0..4)];
    let mut blocks = Vec::new();
    for cluster in kernel.clusters() {
        let times = [cluster.isolated(), cluster.contended()].map(|time| time.ns() as f64);
        for _ in 0..cluster.blocks() {
            let [alone, contended] = times.map(|time| time * (1.0 - most * rng.random_range(0.0..1.0)));
            blocks.push(Block::new(alone, contended));
        }
    }
    blocks
}
