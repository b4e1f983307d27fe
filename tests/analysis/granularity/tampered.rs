//! A plan is rejected if its sizes or placements do not match its device.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::device::{Device, Granularity, Instance, Place};
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use gpusched::verification::verify;
use insta::assert_snapshot;

use crate::support::transcript::Transcript;

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
    let mut told = Transcript::default();
    for (granularity, place) in [
        (Granularity::Sm, Place::Sms((19..29).collect())),
        (Granularity::Sm, Place::Sms((99..109).collect())),
        (Granularity::Sm, Place::Tpcs((20..25).collect())),
        (Granularity::Tpc, Place::Tpcs((9..14).collect())),
        (Granularity::Tpc, Place::Tpcs((20..24).collect())),
        (Granularity::Tpc, Place::Tpcs(vec![20, 20, 21, 22, 23])),
        (Granularity::Gpc, Place::Gpcs(vec![5])),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "1g.5gb".into(),
                start: 7,
            }),
        ),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "8g".into(),
                start: 0,
            }),
        ),
        (
            Granularity::Mig,
            Place::Instance(Instance {
                profile: "1g.5gb".into(),
                start: 5,
            }),
        ),
    ] {
        told.case(
            format!("{granularity}: {place:?}"),
            fault(granularity, other(place)),
        );
    }
    for granularity in [
        Granularity::Sm,
        Granularity::Tpc,
        Granularity::Gpc,
        Granularity::Mig,
    ] {
        let message = fault(granularity, |plan| plan.partitions[1].place = None);
        told.case(format!("{granularity}, no place"), message);
    }
    told.case(
        "a place under mps",
        fault(Granularity::Mps, other(Place::Sms(vec![0]))),
    );
    told.case(
        "no hardware",
        fault(Granularity::Tpc, |plan| plan.hardware = None),
    );
    told.case("another GPU", fault(Granularity::Tpc, |plan| plan.gpu_sms = 107));
    assert_snapshot!(told);
}
