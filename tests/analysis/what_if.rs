//! Guarantee: a changed plan is proven, keeps the partitions that must stay, and states exact limits.
//!
//! The references try: they compare kept partitions one by one, try each place of one further task, and build task sets with
//! longer WCETs.

use gpusched::interference::{Interference, model_of};
use gpusched::model::assumptions::Basis;
use gpusched::model::plan::{LARGEST_SCALING, Partition};
use gpusched::model::wcet::{Form, Table};
use gpusched::model::{
    Arbitration, Bandwidth, Bytes, Contention, Factor, Plan, Policy, SharedMemory, Task, TaskSet, TaskShape,
    WcetFunction,
};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, extended, first_miss, growth, partition};
use gpusched::time::Time;
use gpusched::verification::verify;
use rand::{Rng, RngExt};

use crate::granularity::{GRANULARITIES, Small};
use crate::oracle::{random_sets, round_sets};
use crate::support::rounds;

fn tasks(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    match rng.random_bool(0.4) {
        true => round_sets::round_set(rng, n, load),
        false => random_sets::task_set(rng, n, load),
    }
}

fn joined(first: &TaskSet, second: &[Task]) -> TaskSet {
    let all = [first.tasks(), second].concat();
    TaskSet::new(None, all)
        .unwrap()
        .beside(first.other_traffic().to_vec())
}

/// Asserts that each of `kept` is a partition of `plan` with the same SMs and the same place, and that only the tasks from `first` on
/// joined it.
fn assert_kept(kept: &[Partition], plan: &Plan, first: usize, what: &str) {
    for old in kept {
        let new = plan
            .partitions
            .iter()
            .find(|new| new.tasks.contains(&old.tasks[0]))
            .unwrap_or_else(|| panic!("{old:?} is gone: {what}"));
        assert_eq!((new.sms, &new.place), (old.sms, &old.place), "{what}");
        let joined: Vec<usize> = { new.tasks.iter() }
            .copied()
            .filter(|task| !old.tasks.contains(task))
            .collect();
        assert_eq!(new.tasks.len(), old.tasks.len() + joined.len(), "{what}");
        assert!(joined.iter().all(|&task| task >= first), "{what}");
        if joined.is_empty() {
            assert_eq!(new.verdict, old.verdict, "{what}");
        }
    }
}

/// Further tasks never change a kept partition, and `verify` accepts the new plan on each kind of hardware.
#[test]
fn further_tasks_change_no_kept_partition() {
    let mut rng = random_sets::rng(510);
    let (mut found, mut joins, mut none) = ([0; 7], 0, 0);
    for round in 0..rounds(1400) {
        let small = Small::random(&mut rng);
        let n = rng.random_range(1..=4);
        let load = rng.random_range(0.1..0.5) * f64::from(small.device.sms());
        let set = tasks(&mut rng, n, load);
        let (count, share) = (rng.random_range(1..=3), rng.random_range(0.1..0.6));
        let more = tasks(&mut rng, count, load * share);
        let policy = [Policy::NpEdf, Policy::Edf, "np-fp".parse().unwrap()][round / 7 % 3];
        let interference = [Interference::Conflict, Interference::None][round / 21 % 2];
        let which = round % 7;
        let offer = GRANULARITIES
            .get(which)
            .map(|&granularity| Offer::new(&small.device, granularity).unwrap());
        let problem = |set| {
            let problem = Problem::new(set, small.device.sms(), policy, model_of(interference)).unwrap();
            offer
                .as_ref()
                .map_or(problem, |offer| problem.offered(offer).unwrap())
        };
        let old = partition(&problem(&set), &HeuristicKind::Auto.into());
        if !old.schedulable {
            continue;
        }
        let all = joined(&set, more.tasks());
        let what = format!(
            "{which} {policy} {interference} {:?} {}",
            small.device,
            serde_json::to_string(&all).unwrap()
        );
        let changed = problem(&all);
        let new = extended(&changed, &old.partitions, &HeuristicKind::Auto.into());
        verify(&new, &all).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        assert_kept(&old.partitions, &new, set.tasks().len(), &what);
        found[which] += usize::from(new.schedulable);
        none += usize::from(!new.schedulable);
        joins += usize::from(new.schedulable && new.partitions.len() == old.partitions.len());
        // Without a change, the plan stays.
        let same = extended(&problem(&set), &old.partitions, &HeuristicKind::Auto.into());
        assert_eq!(same.partitions, old.partitions, "{what}");
        // The tasks of one partition may move.
        let moved = rng.random_range(0..old.partitions.len());
        let mut kept = old.partitions.clone();
        kept.remove(moved);
        let new = extended(&problem(&set), &kept, &HeuristicKind::Auto.into());
        verify(&new, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        if kept.iter().all(|partition| partition.tasks.len() < n) && new.schedulable {
            for old in &kept {
                assert!(
                    new.partitions
                        .iter()
                        .any(|new| (new.sms, &new.place) == (old.sms, &old.place)),
                    "{what}"
                );
            }
        }
        assert!(new.schedulable, "the old division exists: {what}");
    }
    assert!(found.iter().all(|&found| found >= rounds(20)), "{found:?}");
    assert!(joins >= rounds(40) && none >= rounds(40), "{joins} {none}");
}

/// One further task gets a place exactly if trying finds one: on free SMs, or in a kept partition.
#[test]
fn one_further_task_fits_exactly_if_some_place_passes() {
    let mut rng = random_sets::rng(511);
    let (mut fits, mut none) = (0, 0);
    for policy in Policy::all() {
        for _ in 0..rounds(60) {
            let sms = rng.random_range(1..=10);
            let n = rng.random_range(1..=5);
            let set = tasks(&mut rng, n, 0.4 * f64::from(sms));
            let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
            let old = partition(&problem, &HeuristicKind::Auto.into());
            if !old.schedulable {
                continue;
            }
            let load = [0.1, 0.5, 1.0][rng.random_range(0..3)] * f64::from(sms);
            let all = joined(&set, tasks(&mut rng, 1, load).tasks());
            let problem = Problem::new(&all, sms, policy, model_of(Interference::Conflict)).unwrap();
            let alone = (1..=sms - old.sms_used).any(|sms| problem.accepts(&[n], sms));
            let joins = old.partitions.iter().any(|kept| {
                let tasks: Vec<usize> = kept.tasks.iter().copied().chain([n]).collect();
                problem.accepts(&tasks, kept.sms)
            });
            let new = extended(&problem, &old.partitions, &HeuristicKind::Auto.into());
            let what = format!("{policy} {sms} {}", serde_json::to_string(&all).unwrap());
            assert_eq!(new.schedulable, alone || joins, "{what}");
            // If the free SMs suffice, no kept partition gets a task.
            assert!(
                !alone || new.partitions.len() == old.partitions.len() + 1,
                "{what}"
            );
            fits += usize::from(new.schedulable);
            none += usize::from(!new.schedulable);
        }
    }
    assert!(fits >= rounds(200) && none >= rounds(100), "{fits} {none}");
}

/// Returns `set` with a WCET of `task` that is `more` longer on `sms` SMs, with the contention that it has there now.
fn with_longer(set: &TaskSet, task: usize, (sms, wcet): (u32, Time), more: u64) -> Option<TaskSet> {
    set.changed(|index, own| {
        if index != task {
            return Some(own.clone());
        }
        let add = |time: Time| Time::from_ns(time.ns() + more);
        let table = Table::Both(vec![(sms, add(wcet))]);
        let shape = TaskShape::from(own.clone());
        TaskShape {
            wcet: WcetFunction::new(Form::Table(table)).ok()?,
            block: own.block().map(add),
            ..shape
        }
        .build()
        .ok()
    })
}

/// A WCET may grow by the stated time, and not by one nanosecond more.
#[test]
fn one_nanosecond_more_than_the_growth_fails() {
    let mut rng = random_sets::rng(512);
    for policy in Policy::all().filter(|policy| !policy.counts_work()) {
        let mut edges = 0;
        for _ in 0..rounds(200) {
            let sms = rng.random_range(2..=10);
            let n = rng.random_range(1..=6);
            let load = rng.random_range(0.1..0.6) * f64::from(sms);
            let set = tasks(&mut rng, n, load);
            let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
            let plan = partition(&problem, &HeuristicKind::Sms.into());
            let times = growth(&problem, &plan);
            assert_eq!(
                times.iter().flatten().count(),
                if plan.schedulable { n } else { 0 }
            );
            for kept in plan.partitions.iter().filter(|_| plan.schedulable) {
                let demands = problem.demands(&kept.tasks, kept.sms).unwrap();
                for (&task, demand) in kept.tasks.iter().zip(&demands) {
                    let more = times[task].unwrap().ns();
                    // Kernels that run together have 1.2 times the stated WCET, rounded up.
                    let stated = match policy.runs_together() {
                        true => Time::from_ns(demand.wcet.ns() * 100 / 120),
                        false => demand.wcet,
                    };
                    let passes = |more| {
                        with_longer(&set, task, (kept.sms, stated), more).is_some_and(|set| {
                            let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict));
                            problem.unwrap().accepts(&kept.tasks, kept.sms)
                        })
                    };
                    let what = || {
                        format!(
                            "{policy} {task} {more} {kept:?} {}",
                            serde_json::to_string(&set).unwrap()
                        )
                    };
                    assert!(passes(0) && passes(more) && passes(more / 2), "{}", what());
                    assert!(!passes(more + 1), "{}", what());
                    edges += 1;
                }
            }
        }
        assert!(edges >= rounds(100), "{policy}: {edges}");
    }
}

/// Longest times and periods, and plans with partitions that share a memory.
#[test]
fn extreme_times_have_exact_limits() {
    let limit = Time::LIMIT.ns();
    let json = format!(
        r#"{{"tasks":[{{"period":{limit},"wcet":{{"table":[[1,1]]}}}},{{"period":1,"wcet":{{"table":[[1,1]]}}}}]}}"#
    );
    let set: TaskSet = serde_json::from_str(&json).unwrap();
    let problem = Problem::new(&set, 2, Policy::NpEdf, model_of(Interference::Conflict)).unwrap();
    let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    assert_eq!(
        growth(&problem, &plan),
        [Some(Time::from_ns(limit - 1)), Some(Time::ZERO)]
    );
    let miss = first_miss(&problem, &plan).unwrap();
    assert_eq!(
        (miss.permille, miss.task, miss.late),
        (1001, Some(1), Some(Time::from_ns(1)))
    );
}

fn sharing(set: &TaskSet) -> Problem<'_> {
    let memory = SharedMemory::new(Bandwidth::new(20_000_000_000).unwrap(), Arbitration::Any);
    let model = model_of(Interference::ConflictBandwidth);
    let problem = Problem::new(set, 12, Policy::NpEdf, model).unwrap();
    problem.sharing(memory).unwrap()
}

/// Partitions that share a memory: `verify` accepts the new plan, kept partitions stay, and limits are exact for all partitions
/// together.
#[test]
fn partitions_that_share_a_memory_stay_proven() {
    let mut rng = random_sets::rng(515);
    let (mut found, mut edges) = (0, 0);
    for _ in 0..rounds(300) {
        let n = rng.random_range(2..=4);
        let set = tasks(&mut rng, n, 2.0);
        let all = set.changed(|_, task| {
            let bytes = u128::from(task.period().ns()) * [0, 1, 4][task.period().ns() as usize % 3];
            let traffic = Bytes::new(u64::try_from(bytes).ok()?)?;
            TaskShape::from(task.clone()).traffic(traffic).build().ok()
        });
        let Some(all) = all else { continue };
        let old = TaskSet::new(None, all.tasks()[..n - 1].to_vec()).unwrap();
        let plan = partition(&sharing(&old), &HeuristicKind::Auto.into());
        if !plan.schedulable {
            continue;
        }
        let what = serde_json::to_string(&all).unwrap();
        let changed = sharing(&all);
        let new = extended(&changed, &plan.partitions, &HeuristicKind::Auto.into());
        verify(&new, &all).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        for old in &plan.partitions {
            let kept =
                |new: &Partition| new.sms == old.sms && old.tasks.iter().all(|task| new.tasks.contains(task));
            assert!(new.partitions.iter().any(kept), "{what}");
        }
        found += usize::from(new.schedulable);
        for (task, more) in growth(&changed, &new).into_iter().enumerate() {
            let Some(more) = more else {
                assert!(!new.schedulable);
                continue;
            };
            let own = new
                .partitions
                .iter()
                .find(|part| part.tasks.contains(&task))
                .unwrap();
            let demands = changed.demands(&own.tasks, own.sms).unwrap();
            let position = own.tasks.iter().position(|&other| other == task).unwrap();
            let passes = |more| {
                with_longer(&all, task, (own.sms, demands[position].wcet), more).is_some_and(|set| {
                    let parts = new.partitions.iter();
                    let parts: Vec<(&[usize], u32)> = parts.map(|part| (&part.tasks[..], part.sms)).collect();
                    sharing(&set)
                        .verdicts(&parts)
                        .iter()
                        .all(|verdict| verdict.schedulable)
                })
            };
            assert!(
                passes(more.ns()) && !passes(more.ns() + 1),
                "{task} {more}: {what}"
            );
            edges += 1;
        }
    }
    assert!(found >= rounds(60) && edges >= rounds(150), "{found} {edges}");
}

/// At the factor before the first miss, all partitions pass, and at the next factor, the stated partition fails.
#[test]
fn the_first_miss_is_the_first() {
    let mut rng = random_sets::rng(513);
    for policy in Policy::all() {
        let (mut misses, mut named) = (0, 0);
        for _ in 0..rounds(100) {
            let sms = rng.random_range(2..=10);
            let n = rng.random_range(1..=6);
            let load = rng.random_range(0.1..0.6) * f64::from(sms);
            let set = tasks(&mut rng, n, load);
            let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
            let plan = partition(&problem, &HeuristicKind::Sms.into());
            let Some(miss) = first_miss(&problem, &plan) else {
                continue;
            };
            let failing = |permille: u64| {
                let set = set.scaled(Factor::from_billionths(permille * 1_000_000).unwrap(), sms);
                let Some(set) = set else { return Some(0) };
                let problem = Problem::new(&set, sms, policy, model_of(Interference::Conflict)).unwrap();
                plan.partitions
                    .iter()
                    .position(|part| !problem.accepts(&part.tasks, part.sms))
            };
            let what = || format!("{policy} {miss:?} {}", serde_json::to_string(&set).unwrap());
            assert!(miss.permille <= LARGEST_SCALING);
            // The factor of `concurrent` applies to WCETs with their variation, which are rounded up.
            if !policy.counts_work() && !policy.runs_together() {
                assert_eq!(failing(miss.permille - 1), None, "{}", what());
                assert_eq!(failing(miss.permille), Some(miss.partition), "{}", what());
            }
            let own = &plan.partitions[miss.partition].tasks;
            assert!(miss.task.is_none_or(|task| own.contains(&task)), "{}", what());
            misses += 1;
            named += usize::from(miss.task.is_some());
        }
        assert!(
            misses >= rounds(30) && 2 * named >= misses,
            "{policy}: {misses} {named}"
        );
    }
}

/// A scaled set has each WCET times the factor, rounded up, in both cases.
#[test]
fn a_scaled_set_has_each_wcet_times_the_factor() {
    let mut rng = random_sets::rng(514);
    for _ in 0..rounds(400) {
        let set = tasks(&mut rng, 3, 2.0);
        let permille = [1, 999, 1000, 1001, 1500, 7000][rng.random_range(0..6)];
        let scaled = set
            .scaled(Factor::from_billionths(permille * 1_000_000).unwrap(), 12)
            .unwrap();
        for (old, new) in set.tasks().iter().zip(scaled.tasks()) {
            for m in 1..=12 {
                for contention in [Contention::Isolated, Contention::Conflict] {
                    let expected = old
                        .wcet()
                        .at(m, contention)
                        .map(|time| (time.ns() * permille).div_ceil(1000));
                    assert_eq!(
                        new.wcet().at(m, contention).map(|time| time.ns()),
                        expected,
                        "{old:?}"
                    );
                }
            }
            assert_eq!(old.wcet().states_conflict(), new.wcet().states_conflict());
        }
    }
    let set = tasks(&mut rng, 1, 1.0);
    assert_eq!(set.scaled(Factor::ZERO, 4), None);
}

/// A scaled set keeps WCETs in conflict unstated, and its WCETs are not measured. So a plan loses no assumption.
#[test]
fn a_scaled_set_loses_no_assumption() {
    let text = r#"{"measured_on":{"gpu":"h100","margin":1.2,"samples":25},"tasks":[
        {"name":"both","period":"50ms","kind":"compute","wcet_source":"measured","wcet":{"table":[[1,"4ms"],[8,"2ms"]]}},
        {"name":"isolated","period":"40ms","kind":"compute","wcet":{"affine":{"isolated":{"a":"4ms","b":"1ms"}}}},
        {"name":"estimated","period":"60ms","kind":"memory","wcet_source":"estimated",
         "wcet":{"table":{"isolated":[[1,"2ms"]],"conflict":[[1,"3ms"]]}}}]}"#;
    let set: TaskSet = serde_json::from_str(text).unwrap();
    let ids = |set: &TaskSet| {
        let problem = Problem::new(set, 16, Policy::NpEdf, model_of(Interference::Conflict)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Auto.into());
        assert!(plan.schedulable);
        let list = Basis::of_plan(&plan, set).assumptions();
        list.iter()
            .map(|one| serde_json::to_value(one).unwrap()["id"].clone())
            .collect::<Vec<_>>()
    };
    let before = ids(&set);
    assert!(
        before.contains(&"conflict-as-isolated".into()) && before.contains(&"wcet-measured".into()),
        "{before:?}"
    );
    let same = set.scaled(Factor::ONE, 16).unwrap();
    assert_eq!(ids(&same), before);
    assert_eq!(same.tasks()[0].wcet_source(), set.tasks()[0].wcet_source());
    for permille in [500, 1300] {
        let scaled = set
            .scaled(Factor::from_billionths(permille * 1_000_000).unwrap(), 16)
            .unwrap();
        let after = ids(&scaled);
        for id in &before {
            assert!(after.contains(id) || id == "wcet-measured", "{id} {after:?}");
        }
        assert!(!after.contains(&"wcet-measured".into()), "{after:?}");
        let on = scaled.measured_on(&scaled.tasks()[0]).unwrap();
        assert_eq!((on.fields().margin, on.fields().gpu.is_some()), (None, true));
    }
}
