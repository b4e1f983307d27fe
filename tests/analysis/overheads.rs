//! Guarantee: with overheads o and w, tests, searches and `verify` treat a set as the set with C + o and J + w.

use gpusched::Time;
use gpusched::interference::{Interference, model_of};
use gpusched::model::{Contention, Overheads, Plan, Policy, Task, TaskSet, Times};
use gpusched::partitioning::{Heuristic, HeuristicKind, Objective, Options, Problem, partition, sensitivity};
use gpusched::verification::verify;
use rand::{Rng, RngExt};
use serde_json::{Value, json};

use crate::oracle::random_sets::{known_alone, rng};
use crate::support::rounds;

const POLICIES: [&str; 8] = [
    "np-edf",
    "np-fp",
    "np-fp-rm",
    "np-fp-given",
    "np-fp-audsley",
    "lp-edf",
    "lp-fp",
    "lp-fp-audsley",
];

const SMS: u32 = 8;

/// Draws overheads: none, round, random, and larger than every deadline.
fn overheads(rng: &mut impl Rng, set: &TaskSet) -> Overheads {
    let shortest = set.tasks().iter().map(|task| task.deadline().ns()).min().unwrap();
    let mut draw = || match rng.random_range(0..10) {
        0..3 => 0,
        3..6 => shortest / [20, 50, 100][rng.random_range(0..3)],
        6..9 => rng.random_range(0..=shortest / 5),
        _ => [shortest, Time::LIMIT.ns()][rng.random_range(0..2)],
    };
    Overheads {
        occupancy_ns: Time::from_ns(draw()),
        wake_ns: Time::from_ns(draw()),
    }
}

/// Returns `set` with C + o and J + w, as tables with one entry per number of SMs. Returns `None` above the longest time.
fn inflated(set: &TaskSet, overheads: Overheads) -> Option<TaskSet> {
    if overheads.occupancy_ns.max(overheads.wake_ns) > Time::from_ns(Time::LIMIT.ns() / 16) {
        return None;
    }
    let times = |task: &Task, contention| -> Vec<Value> {
        let at = |sms| Some((sms, task.wcet().at(sms, contention)?));
        let times = (1..=SMS).filter_map(at);
        times
            .map(|(sms, time)| json!([sms, time.ns() + launches(task) * overheads.occupancy_ns.ns()]))
            .collect()
    };
    let tasks: Vec<Value> = set
        .tasks()
        .iter()
        .map(|task| {
            let mut one = serde_json::to_value(task).unwrap();
            if let Some(block) = task.block() {
                one["block"] = json!(block.ns() + overheads.occupancy_ns.ns());
            }
            one["jitter"] = json!(task.jitter().ns() + overheads.wake_ns.ns());
            one["wcet"] = json!({"table": {
                "isolated": times(task, Contention::Isolated),
                "conflict": times(task, Contention::Conflict),
            }});
            one
        })
        .collect();
    serde_json::from_value(json!({ "tasks": tasks })).ok()
}

fn launches(task: &Task) -> u64 {
    task.launches().map_or(1, |launches| launches.get().into())
}

/// Draws a set with jitter on some tasks, and with several launches of some jobs.
fn with_jitter(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    let mut json = serde_json::to_value(known_alone(rng, n, load)).unwrap();
    for task in json["tasks"].as_array_mut().unwrap() {
        if rng.random_bool(0.3) {
            let deadline = task["deadline"].as_u64().unwrap();
            task["jitter"] = json!(rng.random_range(0..=deadline / 8));
        }
        if rng.random_bool(0.4) {
            let deadline = task["deadline"].as_u64().unwrap();
            task["block"] = json!(rng.random_range(1..=deadline / 20 + 1));
            task["launches"] = json!(rng.random_range(1..=5));
        }
    }
    serde_json::from_value(json).unwrap()
}

fn heuristic(rng: &mut impl Rng) -> Heuristic {
    let kinds = [
        HeuristicKind::Auto,
        HeuristicKind::Optimal,
        HeuristicKind::Sms,
        HeuristicKind::Bf,
        HeuristicKind::Wfd,
    ];
    let kind = kinds[rng.random_range(0..kinds.len())];
    let margin = matches!(kind, HeuristicKind::Auto | HeuristicKind::Optimal) && rng.random_bool(0.3);
    let limited = matches!(kind, HeuristicKind::Auto | HeuristicKind::Optimal);
    let options = Options {
        objective: margin.then_some(Objective::Margin),
        search_effort: limited.then_some(300),
        ..Options::default()
    };
    kind.with(&options).unwrap()
}

/// Draws a set with overheads, and calls `check` with the problem, the set and its plan.
fn plans(seed: u64, count: u64, mut check: impl FnMut(&Problem<'_>, &TaskSet, Plan)) {
    let mut rng = rng(seed);
    for round in 0..rounds(count) {
        let policy: Policy = POLICIES[round as usize % POLICIES.len()].parse().unwrap();
        let (n, load) = (rng.random_range(1..=6), rng.random_range(0.1..6.0));
        let set = with_jitter(&mut rng, n, load);
        let overheads = overheads(&mut rng, &set);
        let model = [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.3))];
        let problem = Problem::new(&set, SMS, policy, model_of(model)).unwrap();
        let problem = problem.with_overheads(Some(overheads)).unwrap();
        let mut plan = partition(&problem, &heuristic(&mut rng));
        plan.sensitivity = sensitivity(&problem, &plan);
        check(&problem, &set, plan);
    }
}

#[test]
fn a_partition_passes_exactly_if_it_passes_with_the_sums_in_the_set() {
    let (mut passed, mut failed) = (0, 0);
    plans(0x0EA1, 1_000, |problem, set, plan| {
        let Some(sums) = inflated(set, problem.overheads().unwrap()) else {
            assert!(!plan.schedulable, "a sum above the longest time");
            return;
        };
        let policy = plan.partitions.first().map(|part| part.verdict.policy);
        let policy = policy.unwrap_or(Policy::DEFAULT);
        let model = model_of(plan.interference.unwrap());
        let direct = Problem::new(&sums, SMS, policy, model).unwrap();
        for part in &plan.partitions {
            let accepts = direct.accepts(&part.tasks, part.sms);
            assert_eq!(part.verdict.schedulable, accepts, "{plan:?}\n{set:?}");
            passed += u64::from(accepts);
        }
        let all: Vec<usize> = (0..set.tasks().len()).collect();
        for sms in 1..=SMS {
            let accepts = direct.accepts(&all, sms);
            // `policy` is the policy of the problem if the plan has a partition.
            if !plan.partitions.is_empty() {
                assert_eq!(problem.accepts(&all, sms), accepts);
                failed += u64::from(!accepts);
            }
        }
    });
    assert!(
        passed > rounds(200) && failed > rounds(200),
        "{passed} and {failed}"
    );
}

#[test]
fn plans_with_overheads_are_verified() {
    let (mut positive, mut negative, mut by_overheads) = (0, 0, 0);
    plans(0x0EA2, 2_000, |problem, set, plan| {
        assert_eq!(plan.overheads, problem.overheads());
        if let Err(fault) = verify(&plan, set) {
            let (plan, set) = (serde_json::to_string(&plan), serde_json::to_string(set));
            panic!("{fault}\n{}\n{}", plan.unwrap(), set.unwrap());
        }
        positive += u64::from(plan.schedulable);
        negative += u64::from(!plan.schedulable);
        let all: Vec<usize> = (0..set.tasks().len()).collect();
        let excess = problem.caused_by_overheads(&all, SMS);
        let bare = problem.without_overheads().accepts(&all, SMS);
        assert_eq!(excess.is_some(), bare && !problem.accepts(&all, SMS));
        by_overheads += u64::from(excess.is_some());
    });
    assert!(
        positive > rounds(200) && negative > rounds(200) && by_overheads > rounds(50),
        "{positive} plans, {negative} failures, {by_overheads} by overheads"
    );
}

/// A plan whose overheads change afterwards is refused, unless its evidence still proves it.
#[test]
fn forged_overheads_are_refused() {
    let mut refused = 0;
    plans(0x0EA3, 600, |problem, set, plan| {
        if !plan.schedulable {
            return;
        }
        let stated = problem.overheads().unwrap();
        let longest = set.tasks().iter().map(|task| task.deadline().ns()).max().unwrap();
        for (o, w) in [(longest, 0), (0, longest), (longest, Time::LIMIT.ns())] {
            let add =
                |time: Time, more: u64| Time::from_ns(time.ns().saturating_add(more).min(Time::LIMIT.ns()));
            let mut forged = plan.clone();
            forged.overheads = Some(Overheads {
                occupancy_ns: add(stated.occupancy_ns, o),
                wake_ns: add(stated.wake_ns, w),
            });
            // Larger overheads than a deadline permits are never proven.
            assert!(verify(&forged, set).is_err(), "{forged:?}");
            refused += 1;
        }
    });
    assert!(refused > rounds(100), "only {refused}");
}

fn small(task: &str) -> TaskSet {
    serde_json::from_str(&format!(r#"{{"tasks":[{task}]}}"#)).unwrap()
}

#[test]
fn policies_and_models_without_an_analysis_are_refused() {
    let set = small(r#"{"period":"10ms","block":"1ms","wcet":{"table":[[1,"4ms"]]}}"#);
    let some = Some(Overheads::default());
    let with = |policy: &str| {
        let problem = Problem::new(&set, 1, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
        problem
            .with_overheads(some)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(with("np-edf"), Ok(()));
    for policy in ["edf", "dm", "density", "liu-layland", "work-capacity"] {
        let message = with(policy).unwrap_err();
        assert!(message.starts_with("policy: found"), "{message}");
    }
    for policy in ["lp-edf", "lp-fp"] {
        let message = with(policy).unwrap_err();
        assert!(message.starts_with("tasks[0].launches: found none"), "{message}");
    }
}

/// The sums of the largest times are above every deadline, and nothing overflows.
#[test]
fn the_largest_times_fail_without_a_panic() {
    let most = Time::LIMIT;
    let task = format!(
        r#"{{"period":{0},"deadline":{0},"jitter":{0},"wcet":{{"table":[[1,{0}]]}}}}"#,
        most.ns()
    );
    for set in [
        small(&task),
        small(r#"{"period":"10ms","wcet":{"table":[[1,"4ms"]]}}"#),
    ] {
        for policy in POLICIES {
            let problem =
                Problem::new(&set, 1, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
            for (o, w) in [(most, most), (most, Time::ZERO), (Time::ZERO, most)] {
                let overheads = Overheads {
                    occupancy_ns: o,
                    wake_ns: w,
                };
                let problem = problem.with_overheads(Some(overheads)).unwrap();
                let plan = partition(&problem, &Heuristic::from(HeuristicKind::Auto));
                assert!(!plan.schedulable, "{policy}");
                verify(&plan, &set).unwrap();
            }
        }
    }
}

#[test]
fn occupancies_include_the_overhead_of_a_job() {
    let overheads = Overheads {
        occupancy_ns: Time::from_ns(7),
        wake_ns: Time::from_ns(3),
    };
    let set = small(r#"{"period":"10ms","wcet":{"table":[[1,"4ms"]]}}"#);
    let of = |times| overheads.of(&set.clone().with_times(times)).occupancy_ns.ns();
    assert_eq!(
        (of(None), of(Some(Times::Gpu)), of(Some(Times::Occupancy))),
        (7, 7, 0)
    );
    let text = serde_json::to_string(&set.clone().with_times(Some(Times::Gpu))).unwrap();
    let read: TaskSet = serde_json::from_str(&text).unwrap();
    assert_eq!(read.times(), Some(Times::Gpu));
    assert!(!serde_json::to_string(&set).unwrap().contains("times"));
}
