//! Guarantee: every exact test is exact, and every sufficient test is safe. Per policy, 10⁵ random small sets are
//! compared with schedules simulated unit by unit over all relevant busy periods. Sets with large numbers are compared
//! with plain enumeration.

mod between;
mod concurrent;
mod edf;
mod fifo;
mod fixed_priority;
mod formulas;
mod huge;
mod limited;
mod monotone;
mod patterns;
mod sufficient;

use crate::oracle::simulation::Task;
use gpusched::model::Policy;
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;

/// Number of sets per policy.
const ROUNDS: usize = 100_000;

fn demands(set: &[Task]) -> Vec<Demand> {
    let time = |units: i64| Time::from_ns(u64::try_from(units).unwrap());
    set.iter()
        .map(|task| {
            Demand::new(time(task.c), time(task.t), time(task.d))
                .with_jitter(time(task.j))
                .with_block(time(task.b))
        })
        .collect()
}

/// Returns the verdict, which must be the same with and without evidence.
fn accepts(policy: &str, set: &[Task]) -> bool {
    let policy: Policy = policy.parse().unwrap();
    let demands = demands(set);
    let accepts = schedulability::accepts(policy, &demands, 1);
    let verdict = schedulability::test(policy, &demands, 1);
    assert_eq!(accepts, verdict.schedulable, "{policy}: {set:?}");
    accepts
}

/// Counts of verdicts, so that a test can check that its sample has enough of each verdict.
#[derive(Default, Debug)]
struct Tally {
    accepted: usize,
    refused: usize,
    full: usize,
    with_jitter: usize,
}

impl Tally {
    fn count(&mut self, set: &[Task], accepted: bool) {
        *if accepted {
            &mut self.accepted
        } else {
            &mut self.refused
        } += 1;
        self.full += usize::from(accepted && crate::oracle::simulation::load(set).is_eq());
        self.with_jitter += usize::from(accepted && set.iter().any(|task| task.j > 0));
    }

    fn check(&self) {
        let all = self.accepted + self.refused;
        assert!(self.accepted > all / 10 && self.refused > all / 10, "{self:?}");
        assert!(self.full > all / 200 && self.with_jitter > all / 50, "{self:?}");
    }
}
