//! Each job or chunk has an overhead of up to o, and each wake-up a delay of up to w. A partition that passes its test with
//! C' = C + n·o for n chunks and J' = J + w then never misses a deadline. Without either term, the tests accept sets that miss deadlines,
//! under each policy that a dispatcher can follow.

use gpusched::Time;
use gpusched::model::Evidence;
use gpusched::model::{Overheads, Policy};
use gpusched::runtime::core::{Arrivals, Core, Order, Task};
use gpusched::schedulability::{Demand, evidence};
use rand::{Rng, RngExt};

use super::{drive, sets};
use crate::oracle::random_sets::rng;

/// Overheads that the test of a set leaves out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Without {
    Nothing,
    Occupancy,
    Wake,
}

/// Policies that the dispatcher can follow.
const POLICIES: [&str; 8] = [
    "np-edf",
    "np-fifo",
    "np-fp",
    "np-fp-rm",
    "np-fp-given",
    "np-fp-audsley",
    "lp-edf",
    "lp-fp",
];

/// Draws tasks. A third of the sets has round times, and a third has equal periods.
fn demands(rng: &mut impl Rng) -> Vec<Demand> {
    let count = rng.random_range(1..6);
    let form = rng.random_range(0..3);
    let common = rng.random_range(6..80u64);
    let draw = |_| {
        let period = match form {
            0 => 10 * rng.random_range(1..8u64),
            1 => common,
            _ => rng.random_range(6..80u64),
        };
        let wcet = rng.random_range(1..=(period / 3).max(1));
        let deadline = match form {
            0 => period,
            _ => rng.random_range(wcet..=period + 10),
        };
        Demand::new(
            Time::from_ns(wcet),
            Time::from_ns(period),
            Time::from_ns(deadline),
        )
    };
    (0..count).map(draw).collect()
}

/// Returns `demand` with the overheads of all its chunks: C' = C + n·o for n = ⌈C/b⌉.
fn inflated(demand: Demand, policy: Policy, overheads: Overheads) -> Demand {
    let once = demand.with_overheads(overheads);
    if !policy.counts_blocks() {
        return once;
    }
    let chunks = demand.wcet.ns().div_ceil(demand.block.ns());
    let wcet = Time::from_ns(demand.wcet.ns() + chunks * overheads.occupancy_ns.ns());
    let block = Time::from_ns(demand.block.ns() + overheads.occupancy_ns.ns()).min(wcet);
    Demand { wcet, block, ..once }
}

/// Tests the sets without one term under `policy`, and runs the accepted ones. Returns the numbers of accepted sets, and of
/// sets with a miss or a response above its bound.
fn run(policy: &str, without: Without, seed: u64) -> (u64, u64) {
    let policy: Policy = policy.parse().unwrap();
    let mut rng = rng(seed);
    let (mut accepted, mut missed) = (0, 0);
    for _ in 0..sets() / POLICIES.len() as u64 {
        let mut demands = demands(&mut rng);
        let (o, w) = (rng.random_range(0..5u64), rng.random_range(0..5u64));
        let overheads = Overheads {
            occupancy_ns: Time::from_ns(if without == Without::Occupancy { 0 } else { o }),
            wake_ns: Time::from_ns(if without == Without::Wake { 0 } else { w }),
        };
        if policy.counts_blocks() {
            for demand in &mut demands {
                *demand = demand.with_block(Time::from_ns(rng.random_range(1..10)));
            }
        }
        let tested: Vec<Demand> = demands
            .iter()
            .map(|&demand| inflated(demand, policy, overheads))
            .collect();
        let evidence = evidence(policy, &tested, 1);
        if !evidence.is_positive() {
            continue;
        }
        accepted += 1;
        let (order, bounds) = match &evidence {
            Evidence::ResponseTimes {
                priorities,
                response_times_ns,
            } => {
                let order = match policy {
                    Policy::NpFifo => Order::Arrivals,
                    _ => Order::Ranks(priorities.clone()),
                };
                (order, Some(response_times_ns.clone()))
            }
            _ => (Order::Deadlines, None),
        };
        // The worst case, a task that arrives first and blocks, or anything.
        let synchronous = rng.random_bool(0.3);
        let full = Overheads {
            occupancy_ns: Time::from_ns(o),
            ..overheads
        };
        let budgets: Vec<Demand> = demands
            .iter()
            .map(|&demand| inflated(demand, policy, full))
            .collect();
        let tasks = demands.iter().zip(&budgets).map(|(demand, budget)| Task {
            arrivals: Arrivals::Periodic {
                first: if synchronous {
                    1
                } else {
                    rng.random_range(0..demand.period.ns())
                },
            },
            period: demand.period.ns(),
            deadline: demand.deadline.ns(),
            budget: budget.wcet.ns(),
            chunk: if policy.counts_blocks() {
                budget.block.ns()
            } else {
                budget.wcet.ns()
            },
        });
        let mut tasks: Vec<Task> = tasks.collect();
        if synchronous {
            let blocker = rng.random_range(0..tasks.len());
            tasks[blocker].arrivals = Arrivals::Periodic { first: 0 };
        }
        let mut core = Core::new(&tasks, &order, w, 2_000).unwrap();
        let longest = rng.random_bool(0.5);
        let mut others = crate::oracle::random_sets::rng(rng.random());
        let mut left = vec![0; tasks.len()];
        let mut occupancy = |job: gpusched::runtime::core::Job| {
            let wcet = demands[job.task].wcet.ns();
            let block = if policy.counts_blocks() {
                demands[job.task].block.ns()
            } else {
                wcet
            };
            let left = &mut left[job.task];
            match (job.chunk, job.resumed) {
                (0, _) if longest => *left = wcet,
                (0, _) => *left = rng.random_range(1..=wcet),
                (_, true) => *left += block, // a preemption costs one chunk
                _ => {}
            }
            let time = block.min(*left);
            *left -= time;
            let overhead = if longest { o } else { rng.random_range(0..=o) };
            (time + overhead, *left == 0)
        };
        let mut late = || if longest { w } else { others.random_range(0..=w) };
        let records = drive(&mut core, &mut occupancy, &mut late);
        let counters = core.counters();
        assert_eq!((counters.overruns, counters.late_wakes), (0, 0));
        let above = |bounds: &[Time]| {
            let response = |record: &gpusched::runtime::core::Record| record.completion - record.job.arrival;
            records
                .iter()
                .any(|record| record.last && response(record) > bounds[record.job.task].ns())
        };
        missed += u64::from(counters.misses > 0 || bounds.is_some_and(|bounds| above(&bounds)));
    }
    (accepted, missed)
}

#[test]
fn accepted_sets_never_miss_within_the_overheads() {
    let each = sets() / POLICIES.len() as u64;
    for (policy, seed) in POLICIES.into_iter().zip(0x0E1..) {
        let (accepted, missed) = run(policy, Without::Nothing, seed);
        assert!(accepted > each / 20, "{policy}: only {accepted} of {each} sets");
        assert_eq!(missed, 0, "{policy}");
    }
}

#[test]
fn both_terms_are_necessary() {
    for (policy, seed) in POLICIES.into_iter().zip(0x0E9..) {
        for without in [Without::Occupancy, Without::Wake] {
            let (accepted, missed) = run(policy, without, seed);
            assert!(
                missed > sets() / POLICIES.len() as u64 / 1000,
                "{policy}, {without:?}: {missed} of {accepted} sets miss"
            );
        }
    }
}
