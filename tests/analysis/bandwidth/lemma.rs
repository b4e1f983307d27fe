//! Lemma 1 of [Aghilinasab20]: no policy makes a kernel exceed its nominal WCET.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::simulator::regulation::{AccessPattern, Governor};
use gpusched::time::Time;

use crate::bandwidth::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

/// Checks 20,000 runs; `cargo bench --bench regulation` checks a million.
#[test]
fn no_policy_makes_a_kernel_late() {
    let mut rng = random::rng(41);
    let (mut worst, mut raised) = (0.0f64, 0);
    for run in 0..rounds(20_000) {
        let case = Case::new(&mut rng, 41, run, &AccessPattern::ALL);
        let found = case.run(&mut case.allocator.clone(), false);
        let share = found.finish / case.allocator.deadline().ns() as f64;
        assert!(
            !found.late,
            "{share} {:?} {:?} {:?}",
            case.policy, case.setting, case.kernel
        );
        worst = worst.max(share);
        let nominal = case.allocator.nominal().ns() as f64 / case.allocator.period().ns() as f64;
        raised += u32::from(found.q_mean > nominal + 0.01);
    }
    println!("at most {worst} of the nominal WCET, more than the nominal budget in {raised} runs");
    assert!(worst > 0.999 && raised > rounds(2_000), "{worst} {raised}");
}

/// An allocator with budgets that exceed the safe budget by five percentage points.
struct Greedier(Allocator);

impl Governor for Greedier {
    fn deadline(&self) -> Time {
        self.0.deadline()
    }

    fn nominal(&self) -> Time {
        self.0.nominal()
    }

    fn restart(&mut self) {
        self.0.restart();
    }

    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time {
        let budget = self.0.decide(elapsed, remaining).ns() + self.0.period().ns() / 20;
        Time::from_ns(budget.min(self.0.period().ns()))
    }

    fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        self.0.memory(window, remaining)
    }
}

/// The test of Lemma 1 is effective. Under each policy, a thousand runs show that a budget above
/// the safe budget by five percentage points is unsafe.
#[test]
fn five_points_too_many_are_noticed() {
    let mut rng = random::rng(42);
    let mut late = [0; 4];
    for run in 0..rounds(1_000) {
        let case = Case::new(&mut rng, 42, run, &AccessPattern::ALL);
        let found = case.run(&mut Greedier(case.allocator.clone()), false);
        let policy = BudgetPolicy::ALL.iter().position(|&policy| policy == case.policy);
        late[policy.unwrap()] += u32::from(found.late);
    }
    println!("{late:?} of some 250 runs each are late");
    assert!(late.iter().all(|&late| late > 0), "{late:?}");
}
