//! The audit replays the decisions of the dispatcher with an implementation of its own. It keeps every good run.

use std::sync::atomic::AtomicBool;

use gpusched::Time;
use gpusched::interference::model_of;
use gpusched::model::{Factor, Interference, Overheads, Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::recording::activity::{Grouping, Options as Jobs, WarmUps, group};
use gpusched::recording::audit::{FindingKind, Run, Subject, audit};
use gpusched::recording::readers::{Options, read};
use gpusched::runtime::{Control, Prepared, Program, Work, simulated, trace};
use rand::{Rng, RngExt};

use crate::oracle::random_sets::{rng, task_set};
use crate::support::rounds;

/// Policies that the dispatcher follows.
pub const POLICIES: [&str; 10] = [
    "np-edf",
    "np-fifo",
    "np-fp",
    "np-fp-rm",
    "np-fp-audsley",
    "np-fp-given",
    "lp-edf",
    "lp-edf",
    "lp-fp",
    "lp-fp-audsley",
];

/// Returns `set` with preemption points in most tasks.
pub fn chunked(rng: &mut impl Rng, set: &TaskSet) -> TaskSet {
    let mut json = serde_json::to_value(set).unwrap();
    for (of, task) in set.tasks().iter().zip(json["tasks"].as_array_mut().unwrap()) {
        // C(m) is at most D in a plan, and D at most 2·T.
        let parts = rng.random_range(1..40u64);
        if parts > 2 {
            task["block"] = (of.period().ns() / parts).max(1).into();
            task["launches"] = (2 * of.period().ns().div_ceil((of.period().ns() / parts).max(1)) + 1).into();
        }
    }
    serde_json::from_value(json).unwrap()
}

#[test]
fn good_runs_of_random_plans_are_kept() {
    let mut rng = rng(0xA0D1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let stop = AtomicBool::new(false);
    let (mut ran, mut shared, mut late, mut preempted, mut open) = (0, 0, 0, 0, 0);
    for round in 0..rounds(3_000u64) {
        let tasks = rng.random_range(1..9);
        let load = rng.random_range(1..8);
        let set = task_set(&mut rng, tasks, f64::from(load) / 8.0);
        let policy: Policy = POLICIES[rng.random_range(0..POLICIES.len())].parse().unwrap();
        let set = if policy.counts_blocks() {
            chunked(&mut rng, &set)
        } else {
            set
        };
        let interference = [Interference::Conflict, Interference::None][rng.random_range(0..2)];
        // Few SMs, so that tasks share partitions.
        let sms = rng.random_range(1..9);
        let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Sms.into());
        let overhead = |most: u64| Time::from_ns([0, 1, most][rng.random_range(0..3)]);
        let mut overhead = overhead;
        let overheads = Overheads {
            // A job may have 80 launches.
            occupancy_ns: overhead(if policy.counts_blocks() { 2_000 } else { 200_000 }),
            wake_ns: overhead(70_000),
        };
        let wakes = overheads.wake_ns > Time::ZERO;
        let prepared = Program::prepare(&plan, &set, Some(overheads));
        let Ok(Prepared::Ready(program)) = prepared else {
            continue;
        };
        let work = Work {
            seed: round,
            shortest: Factor::from_f64([0.1, 0.9, 1.0][rng.random_range(0..3)]).unwrap(),
            stated: Default::default(),
            faults: Default::default(),
        };
        // Some sets have periods of a few nanoseconds.
        let periods = || set.tasks().iter().map(|task| task.period().ns());
        let (shortest, longest) = (periods().min().unwrap(), periods().max().unwrap());
        let long = (2 * longest + 1).min(200 * shortest);
        let short = if policy.counts_blocks() { long } else { 1 };
        let duration = Time::from_ns([short, shortest, long][rng.random_range(0..3)]);
        let control = Control {
            stop: &stop,
            ring: None,
        };
        let run = simulated::run(&program, &work, duration, control).unwrap();
        assert!(
            run.kept() && !run.stopped && run.ends(&program).is_none(),
            "round {round}"
        );
        let checked = |run: &gpusched::runtime::Run| {
            let mut file = Vec::new();
            trace::write(&mut file, (&program, Some(&work)), run, "simulated").unwrap();
            std::fs::write(&path, file).unwrap();
            let options = Options {
                calls: true,
                ..Options::default()
            };
            let recording = read(&path, options, &mut |_| ()).unwrap();
            // A trace without a job shows nothing.
            let activities = group(&recording, &Jobs::default()).ok()?;
            let audited = Run {
                blocks: &[],
                recording: &recording,
                activities: &activities.list,
                by: Grouping::Range,
                unassigned: activities.unassigned,
                open: activities.open,
                outside: &activities.outside,
                sms: None,
                warm_up: WarmUps::default(),
            };
            Some(audit(&audited, &set, Some(&plan), &[]).unwrap())
        };
        let found = checked(&run).unwrap();
        assert!(found.kept, "round {round}: {:#?}", found.findings);
        let unknown = |subject| matches!(subject, Subject::Sms | Subject::Context | Subject::Size);
        for finding in &found.findings {
            assert!(
                finding.kind == FindingKind::Unknown && unknown(finding.check),
                "round {round}: {finding:?}"
            );
        }
        let replay = found.replay.unwrap();
        let records: usize = run.partitions.iter().map(|part| part.records.len()).sum();
        assert_eq!(replay.decisions, records);
        preempted += { run.partitions.iter() }
            .flat_map(|part| &part.records)
            .filter(|record| record.job.resumed)
            .count();
        // A run that stops early may end between two chunks of a job.
        let mut cut = run.clone();
        cut.stopped = true;
        for part in &mut cut.partitions {
            part.records.truncate(rng.random_range(0..=part.records.len()));
            let ended = part.records.iter().filter(|record| record.last);
            part.counters.jobs = ended.count() as u64;
            open += usize::from(part.records.last().is_some_and(|record| !record.last));
        }
        if let Some(found) = checked(&cut) {
            let violation = found.findings.iter().find(|of| of.kind != FindingKind::Unknown);
            assert_eq!(violation, None, "round {round}: {program:?}");
        }
        ran += 1;
        shared += u64::from(plan.partitions.iter().any(|part| part.tasks.len() > 1));
        late += u64::from(wakes);
    }
    let least = rounds(3_000u64) / 10;
    assert!(
        ran > 2 * least && shared > least / 2 && late > least / 2,
        "{ran} runs, {shared}, {late}"
    );
    assert!(
        preempted as u64 > least / 3 && open as u64 > least / 5,
        "{preempted}, {open}"
    );
}
