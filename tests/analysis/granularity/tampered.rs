//! A plan whose sizes or places are not those of its device is refused.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::device::{Device, Granularity, Instance, Place};
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use gpusched::verification::verify;

const SET: &str = r#"{"tasks":[
    {"period":"10ms","wcet":{"amdahl":{"work":"100ms","serial":0,"conflict":1}}},
    {"period":"10ms","deadline":"1ms","wcet":{"amdahl":{"work":"20ms","serial":0,"conflict":1}}}]}"#;

fn plan(granularity: Granularity) -> (Plan, TaskSet) {
    let set: TaskSet = serde_json::from_str(SET).unwrap();
    let offer = Offer::new(&Device::named("a100").unwrap(), granularity).unwrap();
    let problem = Problem::new(&set, 108, Policy::Edf, model_of(Interference::Conflict))
        .unwrap()
        .offered(&offer)
        .unwrap();
    let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    assert!(plan.schedulable && plan.partitions.len() == 2);
    verify(&plan, &set).unwrap();
    (plan, set)
}

fn fault(granularity: Granularity, change: impl Fn(&mut Plan)) -> String {
    let (mut plan, set) = plan(granularity);
    change(&mut plan);
    verify(&plan, &set).unwrap_err().to_string()
}

#[test]
fn sizes_that_are_none() {
    for (granularity, sizes) in [
        (Granularity::Tpc, [20, 10]),
        (Granularity::Gpc, [28, 16]),
        (Granularity::GreenContext, [20, 10]),
        (Granularity::Mps, [20, 12]),
        (Granularity::Mig, [28, 14]),
    ] {
        let (plan, _) = plan(granularity);
        let mut found: Vec<u32> = plan.partitions.iter().map(|partition| partition.sms).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(found, sizes, "{granularity}");
        let message = fault(granularity, |plan| {
            plan.partitions[0].sms += 1;
            plan.sms_used += 1;
        });
        assert!(message.starts_with("partitions[0].sms: found "), "{message}");
    }
}

#[test]
fn places_that_are_none() {
    let other = |place: Place| move |plan: &mut Plan| plan.partitions[1].place = Some(place.clone());
    for (granularity, place, expected) in [
        (
            Granularity::Sm,
            Place::Sms((19..29).collect()),
            "found SM 19, which an earlier partition has",
        ),
        (
            Granularity::Sm,
            Place::Sms((99..109).collect()),
            "found SM 108, expected 0 to 107",
        ),
        (
            Granularity::Sm,
            Place::Tpcs((20..25).collect()),
            "found TPCs 20-24, which is no place by sm",
        ),
        (
            Granularity::Tpc,
            Place::Tpcs((9..14).collect()),
            "found SM 18, which an earlier partition has",
        ),
        (
            Granularity::Tpc,
            Place::Tpcs((20..24).collect()),
            "found 8 SMs, expected 10",
        ),
        (
            Granularity::Tpc,
            Place::Tpcs(vec![20, 20, 21, 22, 23]),
            "found TPCs out of order, expected ascending ones",
        ),
        (
            Granularity::Gpc,
            Place::Gpcs(vec![5]),
            "found 14 SMs, expected 16",
        ),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "1g.5gb".into(),
                start: 7,
            }),
            "found 1g.5gb at slice 7, where it cannot begin",
        ),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "8g".into(),
                start: 0,
            }),
            "found profile \"8g\", which the device has not",
        ),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "1g.5gb".into(),
                start: 5,
            }),
            "found memory slice 5, which an earlier partition has",
        ),
    ] {
        let message = fault(granularity, other(place));
        assert!(message.contains(expected), "{granularity}: {message}");
    }
    for granularity in [
        Granularity::Sm,
        Granularity::Tpc,
        Granularity::Gpc,
        Granularity::Mig,
    ] {
        let message = fault(granularity, |plan| plan.partitions[1].place = None);
        assert!(message.starts_with("partitions: found 1 place of 2"), "{message}");
    }
    let message = fault(Granularity::Mps, other(Place::Sms(vec![0])));
    assert!(message.contains("expected none: the driver chooses"), "{message}");
    let message = fault(Granularity::Tpc, |plan| plan.hardware = None);
    assert!(
        message.contains("expected none in a plan without hardware"),
        "{message}"
    );
    let message = fault(Granularity::Tpc, |plan| plan.gpu_sms = 107);
    assert!(message.starts_with("hardware.device.sms"), "{message}");
}
