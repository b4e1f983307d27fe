//! Guarantee: `verify` accepts the results of the tests and rejects every corruption of them.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::Failure;
use gpusched::model::wcet::MAX_SMS;
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use gpusched::verification::verify;
use rand::{Rng, RngExt};
use serde_json::{Map, Value};

use crate::support::rounds;

/// Generates a random set with jitter and thread blocks on some tasks.
fn random_set(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    let set = crate::oracle::random_sets::task_set(rng, n, load);
    let mut json = serde_json::to_value(&set).unwrap();
    for task in json["tasks"].as_array_mut().unwrap() {
        let deadline = task["deadline"].as_u64().unwrap();
        if rng.random_bool(0.3) {
            let share = if rng.random_bool(0.1) { 1 } else { 8 };
            task["jitter"] = Value::from(rng.random_range(0..=deadline / share));
        }
        if rng.random_bool(0.6) {
            task["block"] = Value::from(rng.random_range(1..=deadline / 20 + 1));
        }
    }
    serde_json::from_value(json).unwrap()
}

fn random_plan(rng: &mut impl Rng, policy: Policy) -> (TaskSet, Plan) {
    let sms = rng.random_range(2..=12);
    let n = rng.random_range(1..=8);
    let load = rng.random_range(0.1..1.1) * f64::from(sms);
    let set = random_set(rng, n, load);
    let interference = [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.2))];
    let kind = [
        HeuristicKind::Sms,
        HeuristicKind::Bf,
        HeuristicKind::OneGpu,
        HeuristicKind::Wfd,
    ][rng.random_range(0..4)];
    let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
    let plan = partition(&problem, &Heuristic::from(kind));
    (set, plan)
}

/// Both verdicts of every policy pass, for existing plans and for missing plans.
#[test]
fn every_plan_of_every_policy_is_verified() {
    let mut rng = crate::oracle::random_sets::rng(20);
    for policy in Policy::all() {
        let (mut positive, mut negative) = (0, 0);
        for _ in 0..rounds(200) {
            let (set, plan) = random_plan(&mut rng, policy);
            if let Err(fault) = verify(&plan, &set) {
                panic!(
                    "{policy}: {fault}\n{}\n{}",
                    serde_json::to_string(&plan).unwrap(),
                    serde_json::to_string(&set).unwrap()
                );
            }
            positive += usize::from(plan.schedulable);
            negative += usize::from(!plan.schedulable);
        }
        assert!(
            positive > rounds(20) && negative >= rounds(10),
            "{policy}: {positive} plans, {negative} failures"
        );
    }
}

/// Collects the paths of all numbers, booleans and strings in `value`.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                path.push(key.clone());
                leaves(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(index.to_string());
                leaves(value, path, found);
                path.pop();
            }
        }
        _ => found.push(path.clone()),
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, step| match value {
        Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
        other => &mut other[step.as_str()],
    })
}

/// Changes one number, boolean, name or list of `plan`. Returns `None` if the change has no effect.
fn corrupt(rng: &mut impl Rng, plan: &Value) -> Option<(String, Value)> {
    let mut changed = plan.clone();
    let mut paths = Vec::new();
    leaves(plan, &mut Vec::new(), &mut paths);
    paths.retain(|path| path[0] != "stats"); // the cost of the search is not part of the proof and is not checked
    let path = paths[rng.random_range(0..paths.len())].clone();
    if rng.random_bool(0.15) {
        // a list loses, repeats or exchanges entries
        let lists: Vec<usize> = (0..path.len())
            .filter(|&depth| at(&mut changed, &path[..depth]).is_array())
            .collect();
        let depth = *lists.get(rng.random_range(0..lists.len().max(1)))?;
        let items = at(&mut changed, &path[..depth]).as_array_mut().unwrap();
        let (a, b) = (rng.random_range(0..items.len()), rng.random_range(0..items.len()));
        match rng.random_range(0..3) {
            0 => drop(items.remove(a)),
            1 => items.insert(b, items[a].clone()),
            _ => items.swap(a, b),
        }
    } else {
        let choices: Vec<&str> = Policy::all()
            .map(Policy::name)
            .chain(["exact", "sufficient", "conflict", "none"])
            .collect();
        let leaf = at(&mut changed, &path);
        *leaf = match &*leaf {
            Value::Bool(value) => Value::from(!*value),
            Value::Number(number) => {
                let number = number.as_u64().unwrap();
                let candidates = [
                    number + 1,
                    number.saturating_sub(1),
                    number * 2,
                    number / 2,
                    0,
                    rng.random_range(0..=2 * number + 2),
                ];
                Value::from(candidates[rng.random_range(0..candidates.len())])
            }
            Value::String(_) => Value::from(choices[rng.random_range(0..choices.len())]),
            other => other.clone(),
        };
    }
    (changed != *plan).then(|| (path.join("."), changed))
}

/// Ten thousand corruptions: each is unreadable, rejected, or still true in a new test.
#[test]
fn no_corruption_is_accepted_unless_it_is_still_true() {
    let mut rng = crate::oracle::random_sets::rng(21);
    let policies: Vec<Policy> = Policy::all().collect();
    let (mut corruptions, mut unreadable, mut refused, mut still_true) = (0, 0, 0, 0);
    while corruptions < rounds(10_000) {
        let policy = policies[rng.random_range(0..policies.len())];
        let (set, plan) = random_plan(&mut rng, policy);
        let json = serde_json::to_value(&plan).unwrap();
        for _ in 0..20 {
            let Some((path, changed)) = corrupt(&mut rng, &json) else {
                continue;
            };
            corruptions += 1;
            let Ok(plan) = serde_json::from_value::<Plan>(changed.clone()) else {
                unreadable += 1;
                continue;
            };
            if verify(&plan, &set).is_err() {
                refused += 1;
                continue;
            }
            still_true += 1;
            retest(&plan, &set).unwrap_or_else(|why| {
                panic!(
                    "{path} changed, accepted, but {why}\n{changed}\n{}",
                    serde_json::to_string(&set).unwrap()
                )
            });
        }
    }
    println!(
        "{corruptions} corruptions: {unreadable} unreadable, {refused} refused, {still_true} still true"
    );
    assert!(
        unreadable + refused > 9 * corruptions / 10,
        "{refused} refused, {still_true} still true"
    );
}

/// Tests the statements of an accepted plan again with the library: the verdicts, the sum, and the result.
fn retest(plan: &Plan, set: &TaskSet) -> Result<(), String> {
    let interference = plan.interference.ok_or("no interference model")?;
    let mut tasks: Vec<usize> = Vec::new();
    for partition in &plan.partitions {
        let policy = partition.verdict.policy;
        let problem = Problem::new(
            set,
            plan.gpu_sms.max(partition.sms),
            policy,
            model_of(interference),
        )
        .map_err(|e| e.to_string())?;
        let verdict = problem.verdict(&partition.tasks, partition.sms);
        if partition.verdict.schedulable && !verdict.schedulable {
            return Err(format!("{:?} is not schedulable: {verdict:?}", partition.tasks));
        }
        tasks.extend(&partition.tasks);
    }
    tasks.sort_unstable();
    tasks.dedup();
    let used: u32 = plan.partitions.iter().map(|p| p.sms).sum();
    let holds = plan.partitions.iter().all(|p| p.verdict.schedulable)
        && tasks.len() == set.tasks().len()
        && used <= plan.gpu_sms;
    if plan.schedulable && !holds {
        return Err("it does not add up".to_owned());
    }
    Ok(())
}

/// Handwritten corruptions, each rejected at the wrong field.
#[test]
fn faults_name_the_field() {
    let mut rng = crate::oracle::random_sets::rng(22);
    let (set, plan) = loop {
        let (set, plan) = random_plan(&mut rng, Policy::Edf);
        if plan.schedulable && plan.partitions.len() > 1 {
            break (set, plan);
        }
    };
    let refused = |change: fn(&mut Map<String, Value>)| {
        let mut json = serde_json::to_value(&plan).unwrap();
        change(json.as_object_mut().unwrap());
        let plan: Plan = serde_json::from_value(json).unwrap();
        verify(&plan, &set).unwrap_err().field
    };
    assert_eq!(refused(|plan| plan["sms_used"] = 0.into()), "sms_used");
    assert_eq!(refused(|plan| plan["gpu_sms"] = 1.into()), "schedulable");
    assert_eq!(refused(|plan| plan["interference"] = Value::Null), "interference");
    assert_eq!(
        refused(|plan| plan["partitions"][0]["tasks"] = Value::from(vec![99])),
        "partitions[0].tasks"
    );
    assert_eq!(
        refused(|plan| plan["partitions"][1]["tasks"] = plan["partitions"][0]["tasks"].clone()),
        "partitions[1].tasks"
    );
    assert_eq!(
        refused(|plan| drop(plan["partitions"].as_array_mut().unwrap().pop())),
        "partitions"
    );
    assert_eq!(
        refused(|plan| plan["partitions"][0]["sms"] = 0.into()),
        "partitions[0].sms"
    );
    assert_eq!(
        refused(|plan| plan["partitions"][0]["verdict"]["strength"] = "sufficient".into()),
        "partitions[0].verdict.strength"
    );
}

/// No WCET is known beyond the largest partition.
#[test]
fn partitions_beyond_the_largest_are_refused() {
    let set: TaskSet = serde_json::from_str(r#"{"tasks":[{"period":10,"wcet":{"table":[[1,2]]}}]}"#).unwrap();
    let problem = Problem::new(&set, 1, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    let on = |sms: u32| {
        let mut plan = plan.clone();
        (plan.gpu_sms, plan.sms_used) = (sms, sms);
        plan.partitions[0].sms = sms;
        verify(&plan, &set)
    };
    on(MAX_SMS).unwrap();
    assert!(on(MAX_SMS + 1).is_err() && on(0).is_err());
}

/// At U = 1 with jitter, a busy period does not end. The verifier must end and agree.
#[test]
fn endless_busy_periods_are_verified() {
    let json = r#"{"tasks":[
        {"period":4,"deadline":40,"jitter":3,"wcet":{"table":[[1,2]]}},
        {"period":6,"deadline":60,"jitter":1,"wcet":{"table":[[1,3]]}}]}"#;
    let set: TaskSet = serde_json::from_str(json).unwrap();
    for policy in ["dm", "rm", "np-fp", "fp-audsley"] {
        let problem = Problem::new(&set, 1, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &Heuristic::from(HeuristicKind::OneGpu));
        assert!(plan.schedulable, "{policy}: {plan:?}");
        assert!(verify(&plan, &set).is_ok(), "{policy}");
    }
}

/// An interval of length 0 proves nothing. Before the fix, two tasks were verified although one task misses its
/// deadline.
#[test]
fn evidence_of_no_interval_is_refused() {
    let task = r#"{"period":"10ms","deadline":"5ms","kind":"compute","wcet":{"table":[[1,"3ms"]]}}"#;
    let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{task},{task}]}}"#)).unwrap();
    for policy in [Policy::Edf, Policy::NpEdf, Policy::LpEdf] {
        let problem = Problem::new(&set, 1, policy, model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &Heuristic::from(HeuristicKind::OneGpu));
        assert!(!plan.schedulable, "{policy}");
        let mut json = serde_json::to_value(&plan).unwrap();
        json["schedulable"] = Value::from(true);
        json.as_object_mut().unwrap().remove("failure");
        let verdict = &mut json["partitions"][0]["verdict"];
        verdict["schedulable"] = Value::from(true);
        verdict["evidence"] =
            serde_json::json!({"reason": "demand-within-supply", "interval_ns": 0, "checked": []});
        let forged: Plan = serde_json::from_value(json).unwrap();
        let fault = verify(&forged, &set).unwrap_err();
        assert!(fault.field.ends_with("interval_ns"), "{policy}: {fault}");
    }
}

/// A WCET under contention may be known on fewer SMs than the isolated WCET. Here a plan exists, so no lemma may prove
/// otherwise.
#[test]
fn lemmas_say_nothing_where_company_makes_a_wcet_known() {
    let task = r#"{"period":"10ms","kind":"memory","wcet":{"table":{"isolated":[[2,"3ms"]],"conflict":[[1,"4ms"]]}}}"#;
    let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{task},{task}]}}"#)).unwrap();
    let problem = Problem::new(&set, 1, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    assert!(problem.accepts(&[0, 1], 1));
    let plan = partition(&problem, &HeuristicKind::Sms.into());
    assert_eq!(plan.failure, Some(Failure::HeuristicFailed));
    verify(&plan, &set).unwrap();
    for failure in [Failure::WorkExceedsGpu, Failure::TaskDoesNotFit { task: 0 }] {
        let forged = Plan {
            failure: Some(failure),
            ..plan.clone()
        };
        assert_eq!(verify(&forged, &set).unwrap_err().field, "failure");
    }
}

/// The reason why no plan exists must be correct: a WCET that is unknown on the GPU is not a missed deadline.
#[test]
fn an_unknown_wcet_is_no_missed_deadline() {
    let late = r#"{"period":"10ms","wcet":{"table":[[1,"12ms"],[4,"11ms"]]}}"#;
    let unknown = r#"{"period":"10ms","wcet":{"table":[[16,"1ms"]]}}"#;
    let light = r#"{"period":"10ms","wcet":{"table":[[1,"1ms"]]}}"#;
    let plan_of = |task: &str| {
        let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{light},{task}]}}"#)).unwrap();
        let problem = Problem::new(&set, 8, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Sms.into());
        verify(&plan, &set).unwrap();
        (plan, set)
    };
    let expected = [
        (late, Failure::TaskDoesNotFit { task: 1 }),
        (unknown, Failure::WcetUnknown { task: 1 }),
    ];
    for (task, failure) in &expected {
        let (plan, set) = plan_of(task);
        assert_eq!(plan.failure.as_ref(), Some(failure));
        for (_, other) in &expected {
            let claimed = Plan {
                failure: Some(other.clone()),
                ..plan.clone()
            };
            assert_eq!(verify(&claimed, &set).is_ok(), failure == other, "{other:?}");
        }
        for other in [
            Failure::TaskDoesNotFit { task: 0 },
            Failure::WcetUnknown { task: 0 },
        ] {
            let forged = Plan {
                failure: Some(other),
                ..plan.clone()
            };
            assert_eq!(verify(&forged, &set).unwrap_err().field, "failure");
        }
    }
}

/// Verifies a plan of one partition on two SMs with `evidence` in place of its own evidence. Returns `Err` with the
/// rejected field.
fn forged(json: &str, policy: &str, schedulable: bool, evidence: Value) -> Result<(), String> {
    let set: TaskSet = serde_json::from_str(json).unwrap();
    let problem = Problem::new(&set, 2, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
    let plan = partition(&problem, &Heuristic::from(HeuristicKind::OneGpu));
    assert!(!plan.schedulable, "{plan:?}");
    let mut json = serde_json::to_value(&plan).unwrap();
    json["schedulable"] = Value::from(schedulable);
    if schedulable {
        json.as_object_mut().unwrap().remove("failure");
    }
    let strength = Value::from("exact");
    let verdict = &mut json["partitions"][0]["verdict"];
    (verdict["schedulable"], verdict["strength"]) = (Value::from(schedulable), strength);
    verdict["evidence"] = evidence;
    let forged: Plan = serde_json::from_value(json).unwrap();
    verify(&forged, &set).map(drop).map_err(|fault| fault.field)
}

/// An overload of one nanosecond per second: the first five hundred million jobs meet their deadlines. So a search for
/// the end of the busy period stops long before a miss.
#[test]
fn a_level_that_is_hardly_overloaded_is_late() {
    let json = r#"{"tasks":[
        {"period":"1s","deadline":"2s","wcet":{"table":[[1,500000000]]}},
        {"period":"1s","deadline":"2s","wcet":{"table":[[1,500000001]]}}]}"#;
    let evidence = serde_json::json!({
        "reason": "response-times",
        "priorities": [0, 1],
        "response_times_ns": [500_000_000, 1_500_000_001u64],
    });
    let refused = forged(json, "rm", true, evidence).unwrap_err();
    assert_eq!(refused, "partitions[0].verdict.evidence.response_times_ns[1]");
}

/// The second task meets its deadline below the first task, but only after 10⁹ steps of its recurrence.
#[test]
fn an_unknown_response_time_is_no_miss() {
    let json = r#"{"tasks":[
        {"period":1000000000,"deadline":1000000000,"wcet":{"table":[[1,999999999]]}},
        {"period":1000000000000000000,"deadline":2000000000000000000,"wcet":{"table":[[1,1000000000]]}}]}"#;
    let evidence = serde_json::json!({"reason": "no-priority-order", "tasks": [0, 1]});
    let refused = forged(json, "fp-audsley", false, evidence).unwrap_err();
    assert_eq!(refused, "partitions[0].verdict.evidence.tasks");
}

/// A missing price would omit a task from all candidate partitions. An additional price would belong to no task.
#[test]
fn each_task_has_one_price() {
    let mut rng = crate::oracle::random_sets::rng(23);
    let (set, plan) = loop {
        let set = random_set(&mut rng, 4, 2.0);
        let problem = Problem::new(&set, 12, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        if plan.schedulable && plan.bound.as_ref().is_some_and(|bound| bound.sms > 1) {
            break (set, plan);
        }
    };
    verify(&plan, &set).unwrap();
    let refused = |change: fn(&mut Vec<u64>)| {
        let mut plan = plan.clone();
        change(&mut plan.bound.as_mut().unwrap().prices);
        verify(&plan, &set).unwrap_err().field
    };
    assert_eq!(refused(|prices| prices.truncate(3)), "bound.prices");
    assert_eq!(refused(|prices| prices.push(0)), "bound.prices");
    assert_eq!(refused(Vec::clear), "bound.prices");
}
