//! Names of policies, schedulers and reasons: equal in files, options and messages.

use gpusched_model::plan::{EndedBy, Failure};
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Policy, Scheduler};

#[test]
fn policies_read_as_written() {
    for policy in Policy::all() {
        assert_eq!(policy.name().parse(), Ok(policy));
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(json, format!("\"{policy}\""));
        assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
    }
    let refusal = "fifo".parse::<Policy>().unwrap_err().to_string();
    assert!(
        refusal.contains("`fifo`") && refusal.contains("`work-capacity`"),
        "{refusal}"
    );
    let refusal = serde_json::from_str::<Policy>("7").unwrap_err().to_string();
    assert!(refusal.contains("`edf`"), "{refusal}");
}

#[test]
fn schedulers_read_as_written() {
    for scheduler in Scheduler::ALL {
        assert_eq!(scheduler.to_string().parse(), Ok(scheduler));
        assert_eq!(serde_json::to_value(scheduler).unwrap(), scheduler.name());
    }
    let refusal = "rr".parse::<Scheduler>().unwrap_err().to_string();
    assert_eq!(
        refusal,
        "found \"rr\", expected one of lrr, gto, oldest, rt-paws, qaws, rt-paws-by-priority, qaws-by-budget, \
         rt-paws-printed, qaws-printed"
    );
}

#[test]
fn reasons_of_plans_are_those_of_the_files() {
    for failure in [
        Failure::WorkExceedsGpu,
        Failure::TaskDoesNotFit { task: 0 },
        Failure::WcetUnknown { task: 0 },
        Failure::BoundExceedsGpu,
        Failure::HeuristicFailed,
    ] {
        assert_eq!(
            serde_json::to_value(&failure).unwrap()["reason"],
            failure.reason()
        );
    }
    for by in [EndedBy::Budget, EndedBy::Time, EndedBy::Choices] {
        assert_eq!(serde_json::to_value(by).unwrap(), by.name());
    }
}

#[test]
fn reasons_of_verdicts_are_those_of_the_files() {
    let time = Time::from_ns(1);
    for evidence in [
        Evidence::DemandWithinSupply {
            interval_ns: time,
            checked: vec![(time, time)],
        },
        Evidence::ResponseTimes {
            priorities: vec![0],
            response_times_ns: vec![time],
        },
        Evidence::DeadlineMissed {
            task: 0,
            busy_period_ns: time,
            response_time_ns: time,
        },
        Evidence::JitterExceedsDeadline { task: 0 },
        Evidence::NoPriorityOrder { tasks: vec![0] },
        Evidence::BoundHolds,
        Evidence::BoundExceeded,
        Evidence::DemandExceedsInterval {
            interval_ns: time,
            demand_ns: 2,
        },
        Evidence::UtilizationAboveOne,
        Evidence::WcetUnknown { task: 0 },
        Evidence::WorkWithinCapacity,
        Evidence::WorkExceedsCapacity,
        Evidence::WcetExceedsDeadline {
            task: 0,
            wcet_ns: time,
            deadline_ns: time,
        },
        Evidence::Undecided { steps: 1 },
    ] {
        assert_eq!(
            serde_json::to_value(&evidence).unwrap()["reason"],
            evidence.reason()
        );
    }
}
