//! Plans that `verify` once refused although gpusched wrote them. The verdicts were right.

use gpusched::Time;
use gpusched::interference::{Interference, model_of};
use gpusched::model::device::{Device, Granularity};
use gpusched::model::{Arbitration, Evidence, Plan, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use gpusched::verification::verify;

fn set(text: &str) -> TaskSet {
    serde_json::from_str(text).unwrap()
}

fn plan(problem: &Problem<'_>, set: &TaskSet) -> Plan {
    let plan = partition(problem, &HeuristicKind::Auto.into());
    assert!(plan.schedulable);
    let seen = super::used(&serde_json::to_string(&plan).unwrap(), set).map(|(_, same)| same);
    assert_eq!(seen, Ok(plan.clone()));
    plan
}

/// Returns the interval and the checked intervals of the only partition.
fn walk(plan: &mut Plan) -> (&mut Time, &mut Vec<(Time, Time)>) {
    match &mut plan.partitions[0].verdict.evidence {
        Evidence::DemandWithinSupply { interval_ns, checked } => (interval_ns, checked),
        other => panic!("{other:?}"),
    }
}

fn ms(time: u64) -> Time {
    Time::from_ns(time * 1_000_000)
}

/// At 12 ms, the demand of 4 ms equals the least deadline. So the last entry of the evidence proves nothing more.
#[test]
fn a_demand_may_equal_the_least_deadline() {
    let set = set(include_str!("demand-equals-deadline.json"));
    let orin = Device::named("orin").unwrap();
    let offer = Offer::new(&orin, Granularity::Tpc).unwrap();
    let model = model_of(Interference::Conflict);
    let problem = Problem::new(&set, orin.sms(), "edf".parse().unwrap(), model).unwrap();
    let mut plan = plan(&problem.offered(&offer).unwrap(), &set);
    assert_eq!(plan.partitions.len(), 1);
    let (_, checked) = walk(&mut plan);
    assert_eq!(checked[1..], [(ms(12), ms(4)), (ms(4), ms(2))]);
    // The additional entry must be true, and the lengths must descend.
    let refused = |change: fn(&mut Vec<(Time, Time)>), field: &str| {
        let mut changed = plan.clone();
        change(walk(&mut changed).1);
        let fault = verify(&changed, &set).unwrap_err();
        let expected = format!("partitions[0].verdict.evidence.{field}");
        assert_eq!(fault.field, expected, "{fault}");
    };
    refused(|checked| checked[2].1 = ms(3), "checked[2]");
    refused(|checked| checked[2].0 = ms(12), "checked[2]");
    refused(|checked| checked.push(checked[2]), "checked[3]");
    refused(|checked| checked.push((Time::ZERO, Time::ZERO)), "checked[3]");
    refused(|checked| drop(checked.drain(1..)), "checked");
}

/// The synchronous busy period of 10 ms ends before the largest deadline of 15 ms, and ⌈15/10⌉ jobs of each task take 20 ms.
/// With a second partition, the policies that may share a memory do so.
#[test]
fn a_utilization_of_one_may_have_blocking() {
    let text = include_str!("full-load.json");
    let set = set(text);
    let shared = SharedMemory::new("1GB/s".parse().unwrap(), Arbitration::Any);
    for (policy, memory) in [("np-edf", None), ("np-edf", Some(shared)), ("lp-edf", None)] {
        let model = model_of(Interference::Conflict);
        let problem = Problem::new(&set, 4, policy.parse().unwrap(), model).unwrap();
        let problem = match memory {
            Some(memory) => problem.sharing(memory).unwrap(),
            None => problem,
        };
        let mut plan = plan(&problem, &set);
        assert_eq!((plan.partitions.len(), *walk(&mut plan).0), (1, ms(15)));
        // A shorter interval does not cover the blocking.
        *walk(&mut plan).0 = ms(14);
        let fault = verify(&plan, &set).unwrap_err();
        assert_eq!(fault.field, "partitions[0].verdict.evidence.interval_ns");
    }
}
