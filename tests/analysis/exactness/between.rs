//! Jobs that start between two nanoseconds. The reference is the same test with times in thousandths of the unit, where a
//! blocking job starts at least one thousandth before the release of the job that it blocks.

use super::{ROUNDS, Tally, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::small_sets::{Draw, draw};
use gpusched::model::Policy;
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;

fn accepts(policy: &str, demands: &[Demand]) -> bool {
    let policy: Policy = policy.parse().unwrap();
    let accepts = schedulability::accepts(policy, demands, 1);
    let verdict = schedulability::test(policy, demands, 1);
    assert_eq!(accepts, verdict.schedulable, "{policy}: {demands:?}");
    accepts
}

fn finer(demand: &Demand) -> Demand {
    let times = |time: Time| Time::from_ns(time.ns() * 1000);
    Demand::new(times(demand.wcet), times(demand.period), times(demand.deadline))
        .with_jitter(times(demand.jitter))
        .with_block(times(demand.block))
}

/// Under EDF, the demand at whole deadlines decides, so the two tests are equal. Under fixed priorities, the coarse test
/// counts a release at the end of a window that the fine test may exclude, so the coarse test may only be stricter.
#[test]
fn blocking_is_the_whole_wcet() {
    for (policy, seed, equal) in [("np-edf", 71, true), ("np-fp", 72, false), ("lp-edf", 73, true)] {
        let blocks = policy == "lp-edf";
        let draw_sets = Draw {
            most_tasks: 4,
            jitter: true,
            blocks,
        };
        let mut rng = rng(seed);
        let mut tally = Tally::default();
        let mut stricter = 0;
        for _ in 0..ROUNDS / 10 {
            let set = draw(&mut rng, draw_sets);
            let whole = demands(&set);
            let between = |&demand: &Demand| Demand {
                lead: Time::ZERO,
                ..demand
            };
            let between: Vec<Demand> = whole.iter().map(between).collect();
            let fine: Vec<Demand> = whole.iter().map(finer).collect();
            let (coarse, fine) = (accepts(policy, &between), accepts(policy, &fine));
            assert!(coarse <= fine && (!equal || coarse == fine), "{policy}: {set:?}");
            stricter += usize::from(coarse != accepts(policy, &whole));
            tally.count(&set, coarse);
        }
        tally.check();
        assert!(
            stricter > 20,
            "{policy}: {stricter} sets depend on the nanosecond"
        );
    }
}
