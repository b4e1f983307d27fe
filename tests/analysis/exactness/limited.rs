//! Preemption at thread-block boundaries: the tests are sufficient. No accepted set misses a deadline in any simulated
//! schedule, including the block that each preemption costs. The tests are not overly pessimistic.

use gpusched::model::Policy;
use gpusched::schedulability;
use rand::RngExt;

use super::fixed_priority::ranks;
use super::{ROUNDS, Tally, accepts, demands};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{Job, Order, Preemption, Task, Until, critical, load, random_pattern, run};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

const DRAW: Draw = Draw {
    most_tasks: 5,
    jitter: true,
    blocks: true,
};

/// Returns arrival patterns: all tasks at 0 with at most one task at −1, and random patterns.
fn patterns(set: &[Task], rng: &mut impl RngExt) -> Vec<Vec<Job>> {
    const END: i64 = 70;
    let mut patterns = vec![critical(set, |_| true, None, END)];
    patterns.extend((0..set.len()).map(|blocker| critical(set, |_| true, Some(blocker), END)));
    patterns.extend((0..6).map(|_| random_pattern(set, rng, END)));
    patterns
}

/// Returns whether a schedule misses a deadline, the number of preemptions until then, and the response times.
fn simulate(set: &[Task], rng: &mut impl RngExt, order: impl Fn() -> Order) -> (bool, u64, Vec<i64>) {
    let mut worst = vec![0; set.len()];
    if load(set).is_gt() || set.iter().any(|task| task.j >= task.d) {
        return (true, 0, worst);
    }
    let mut preemptions = 0;
    for jobs in patterns(set, rng) {
        let short_first = rng.random_bool(0.5);
        let outcome = run(
            set,
            &jobs,
            &order(),
            Preemption::Limited { short_first },
            Until::Late,
        );
        preemptions += outcome.preemptions;
        worst = worst
            .iter()
            .zip(&outcome.response)
            .map(|(a, b)| *a.max(b))
            .collect();
        if outcome.late.is_some() {
            return (true, preemptions, worst);
        }
    }
    (false, preemptions, worst)
}

fn compare(policy: &str, seed: u64, most_pessimistic: f64, order: impl Fn(&[Task]) -> Order) {
    let mut rng = rng(seed);
    let parsed: Policy = policy.parse().unwrap();
    let mut tally = Tally::default();
    let (mut pessimistic, mut preemptions) = (0, 0);
    for _ in 0..rounds(ROUNDS) {
        let set = draw(&mut rng, DRAW);
        let verdict = accepts(policy, &set);
        let (missed, switches, worst) = simulate(&set, &mut rng, || order(&set));
        assert!(!(verdict && missed), "{policy} accepts {set:?}");
        if let Some(bounds) = schedulability::response_times(parsed, &demands(&set)) {
            for (bound, response) in bounds.iter().zip(worst) {
                let holds = bound.is_none_or(|bound| i64::try_from(bound.ns()).unwrap() >= response);
                assert!(holds, "{policy}: {response} above {bound:?} in {set:?}");
            }
        }
        tally.count(&set, verdict);
        pessimistic += usize::from(!verdict && !missed);
        preemptions += if verdict { switches } else { 0 };
    }
    tally.check();
    // This share is an upper bound on the pessimism: with more patterns, more of the rejected
    // sets would miss a deadline.
    let share = pessimistic as f64 / rounds(ROUNDS) as f64;
    println!("{policy}: {tally:?}, {pessimistic} refused without a miss found");
    assert!(share < most_pessimistic, "{share}");
    assert!(preemptions > rounds(10_000), "{preemptions} in accepted sets");
}

#[test]
fn deadlines_hold_under_edf() {
    compare("lp-edf", 31, 0.05, |set| Order::Edf((0..set.len()).collect()));
}

#[test]
fn deadlines_hold_under_edf_with_ties_the_other_way() {
    compare("lp-edf", 32, 0.05, |set| {
        Order::Edf((0..set.len()).rev().collect())
    });
}

#[test]
fn deadlines_hold_under_deadline_monotonic_priorities() {
    compare("lp-fp", 33, 0.05, |set| {
        Order::Fixed(ranks(set, |task| task.d - task.j))
    });
}

#[test]
fn deadlines_hold_under_rate_monotonic_priorities() {
    compare("lp-fp-rm", 34, 0.05, |set| {
        Order::Fixed(ranks(set, |task| task.t))
    });
}

#[test]
fn deadlines_hold_under_given_priorities() {
    compare("lp-fp-given", 35, 0.05, |set| Order::Fixed(ranks(set, |_| 0)));
}

/// All deadlines hold under the order from Audsley's algorithm.
#[test]
fn deadlines_hold_under_audsleys_order() {
    use gpusched::model::Evidence;
    let policy: Policy = "lp-fp-audsley".parse().unwrap();
    compare("lp-fp-audsley", 36, 0.05, |set| {
        match schedulability::evidence(policy, &demands(set), 1) {
            Evidence::ResponseTimes { priorities, .. } => {
                let mut rank = vec![0; set.len()];
                priorities
                    .iter()
                    .enumerate()
                    .for_each(|(place, &task)| rank[task] = place);
                Order::Fixed(rank)
            }
            _ => Order::Fixed(ranks(set, |task| task.d - task.j)),
        }
    });
}

/// A job can preempt a job with a later deadline, even if the D − J of the preempting job is not
/// shorter. The preempted job was released without jitter, and the preempting job with maximum
/// jitter. A charge based on D − J of both tasks omits this preemption and accepts these sets.
#[test]
fn jitter_makes_more_preemptions_possible() {
    let first = Task {
        c: 6,
        d: 16,
        t: 14,
        j: 4,
        b: 5,
    };
    let second = Task {
        c: 11,
        d: 28,
        t: 28,
        j: 1,
        b: 9,
    };
    for set in [
        [first, Task { b: 6, ..first }],
        [second, Task { b: 11, ..second }],
    ] {
        let mut rng = rng(37);
        let order = || Order::Edf(vec![1, 0]);
        assert!((0..1_000).any(|_| simulate(&set, &mut rng, order).0), "{set:?}");
        assert!(!accepts("lp-edf", &set), "{set:?}");
    }
}
