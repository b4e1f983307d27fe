//! Guarantee: throttle-fair scheduling divides the time of a best-effort core without more memory time than its budget, so kernels keep
//! their deadlines.

use gpusched::model::Factor;
use gpusched::simulator::regulation::throttle_fair::{BestEffortCore, Shared};
use gpusched::simulator::regulation::{AccessPattern, Governor, Process};
use gpusched::time::Time;
use rand::RngExt;

use super::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

fn core(demands: &[f64], throttle_factor: u32) -> BestEffortCore {
    BestEffortCore {
        demands: demands
            .iter()
            .map(|&demand| Factor::from_f64(demand).unwrap())
            .collect(),
        throttle_factor,
        tick: Time::from_ns(1_000_000),
        period: Time::from_ns(1_000_000),
    }
}

fn slices(shared: &Shared) -> Vec<u64> {
    shared.tasks.iter().map(|task| task.slices).collect()
}

/// Without TFS, a task that accesses memory all the time is chosen in ten of eleven periods, although it executes only for a tenth of each
/// period. With ρ = 1, both tasks have equally many periods, and with ρ = 3 the task has fewer.
#[test]
fn throttled_time_counts_with_tfs_only() {
    let of = |factor| core(&[1.0, 0.05], factor).run(std::iter::repeat_n(100_000, 1_100));
    let [plain, tfs, strict] = [0, 1, 3].map(of);
    assert_eq!(slices(&plain), [1_000, 100]);
    assert_eq!(slices(&tfs), [550, 550]);
    assert_eq!(slices(&strict), [290, 810]);
    assert_eq!(plain.throttled(), 1_000 * 900_000);
    assert_eq!(tfs.throttled(), 550 * 900_000);
    assert_eq!(strict.throttled(), 290 * 900_000);
    // Both tasks execute equally long without TFS.
    assert_eq!(plain.tasks[0].execution, plain.tasks[1].execution);
    // Tasks within the budget are never stopped, so ρ has no effect.
    let calm = |factor| core(&[0.05, 0.1, 0.0], factor).run(std::iter::repeat_n(100_000, 300));
    assert_eq!(calm(0), calm(3));
    assert_eq!(slices(&calm(0)), [100; 3]);
}

/// Decides with given memory times in place of an allocator.
struct Used<'a, G> {
    governor: &'a G,
    memory: std::iter::Copied<std::slice::Iter<'a, u64>>,
    first: Time,
}

impl<G: Governor> Governor for Used<'_, G> {
    fn deadline(&self) -> Time {
        self.governor.deadline()
    }

    fn nominal(&self) -> Time {
        self.first
    }

    fn restart(&mut self) {}

    fn decide(&mut self, _: Time, _: &[u64]) -> Time {
        Time::from_ns(self.memory.next().unwrap_or(0))
    }

    fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        self.governor.memory(window, remaining)
    }
}

/// For random cores, the memory time is at most each budget, and all time is accounted for. The kernel ends within its bound if the core
/// uses the budgets of a policy, with and without TFS.
#[test]
fn the_budget_remains_a_limit() {
    let mut rng = random::rng(75);
    let (mut stopped, mut less) = (0, 0);
    for run in 0..rounds(3_000) {
        let mut case = Case::new(&mut rng, 75, run, &AccessPattern::ALL);
        let none = Process::default();
        let execution = case.execution.clone();
        let found = case
            .simulator
            .simulate(&execution, case.policy, &mut case.allocator, none, true);
        let period = case.kernel.regulation_period();
        let budget = |q: f64| ((q * period.ns() as f64) as u64).min(period.ns());
        let budgets: Vec<u64> = found.periods.iter().map(|period| budget(period.q)).collect();
        let count = rng.random_range(0..=4);
        let demand = |rng: &mut rand_chacha::ChaCha8Rng| match rng.random_range(0..4) {
            0 => 0,
            1 => 1_000_000_000,
            _ => rng.random_range(0..=1_000_000_000),
        };
        let mut core = BestEffortCore {
            demands: (0..count)
                .map(|_| Factor::from_billionths(demand(&mut rng)).unwrap())
                .collect(),
            throttle_factor: 0,
            // Few decisions per period, or one.
            tick: Time::from_ns(rng.random_range(period.ns().div_ceil(20)..=2 * period.ns())),
            period,
        };
        let plain = core.run(budgets.clone());
        core.throttle_factor = [1, 3, u32::MAX][rng.random_range(0..3)];
        let tfs = core.run(budgets.clone());
        for shared in [&plain, &tfs] {
            assert!(
                shared
                    .memory
                    .iter()
                    .zip(&budgets)
                    .all(|(used, budget)| used <= budget)
            );
            assert_eq!(shared.memory.len(), budgets.len());
            let busy: u64 = shared
                .tasks
                .iter()
                .map(|task| task.execution + task.throttled)
                .sum();
            let all = if count == 0 {
                0
            } else {
                period.ns() * budgets.len() as u64
            };
            assert_eq!(busy, all);
            let mut used = Used {
                governor: &case.allocator,
                memory: shared.memory[1..].iter().copied(),
                first: Time::from_ns(shared.memory[0]),
            };
            let again = case
                .simulator
                .simulate(&execution, case.policy, &mut used, none, false);
            assert!(!again.late, "{run}: {again:?}");
        }
        stopped += u32::from(plain.throttled() > 0);
        less += u32::from(tfs.throttled() < plain.throttled());
    }
    println!("{stopped} stopped, {less} less");
    assert!(stopped > rounds(500) && less > rounds(50), "{stopped} {less}");
}
