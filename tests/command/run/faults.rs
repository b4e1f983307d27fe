//! Each fault in the trace of a good run is found, and nothing else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Case;
use crate::support::{Answer, is_one_complaint, run};

/// Four tasks, which every policy without preemption puts into two partitions of 8 SMs of an H100, with room for overheads.
const SET: &str = r#"{"tasks":[
  {"name":"lidar","period":"20ms","deadline":"18ms","wcet":{"table":[[8,"6.5ms"]]}},
  {"name":"camera","period":"25ms","wcet":{"table":[[8,"9ms"]]}},
  {"name":"radar","period":"10ms","wcet":{"table":[[8,"2.9ms"]]}},
  {"name":"map","period":"40ms","wcet":{"table":[[8,"13ms"]]}}]}"#;

/// o and w of the runs [ns].
const OVERHEAD: i64 = 100_000;
const WAKE: i64 = 50_000;

/// A good run of a plan, with the fault that a test adds.
struct Changed {
    case: Case,
    good: Value,
}

/// A job of the trace. All times are in ns.
#[derive(Clone, Debug, PartialEq)]
struct Job {
    /// Position of its range in the events. Its host call and its kernel follow.
    at: usize,
    task: String,
    number: u64,
    context: u64,
    arrival: i64,
    deadline: i64,
    decision: i64,
    completion: i64,
}

fn ns(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 1000.0).round() as i64
}

fn jobs(trace: &Value) -> Vec<Job> {
    let events = trace["traceEvents"].as_array().unwrap();
    let triples = events.chunks(3).enumerate();
    let jobs = triples.map(|(index, triple)| {
        let [range, call, kernel] = triple else { panic!() };
        assert_eq!(
            [&range["cat"], &call["cat"], &kernel["cat"]],
            ["user_annotation", "cuda_runtime", "kernel"]
        );
        let (task, number) = range["name"].as_str().unwrap().split_once('#').unwrap();
        Job {
            at: 3 * index,
            task: task.to_owned(),
            number: number.parse().unwrap(),
            context: kernel["args"]["context"].as_u64().unwrap(),
            arrival: ns(&range["ts"]),
            deadline: range["args"]["deadline_ns"].as_i64().unwrap(),
            decision: ns(&kernel["ts"]),
            completion: ns(&kernel["ts"]) + ns(&kernel["dur"]),
        }
    });
    jobs.collect()
}

/// Moves a job to `decision` and `completion`.
fn place(trace: &mut Value, job: &Job, decision: i64, completion: i64) {
    let us = |ns: i64| json!(ns as f64 / 1000.0);
    let events = trace["traceEvents"].as_array_mut().unwrap();
    events[job.at]["dur"] = us(completion - job.arrival);
    events[job.at + 1]["ts"] = us(decision);
    events[job.at + 1]["dur"] = us(0);
    events[job.at + 2]["ts"] = us(decision);
    events[job.at + 2]["dur"] = us(completion - decision);
}

fn remove(trace: &mut Value, job: &Job) {
    trace["traceEvents"]
        .as_array_mut()
        .unwrap()
        .drain(job.at..job.at + 3);
}

impl Changed {
    fn new(policy: &str) -> Changed {
        Changed::on("h100", policy)
    }

    fn on(gpu: &str, policy: &str) -> Changed {
        let case = Case::of(SET, &format!("--gpu {gpu} --policy {policy}"));
        let file = case.plan.with_file_name("overheads.json");
        let text = format!(r#"{{"occupancy_ns":{OVERHEAD},"wake_ns":{WAKE}}}"#);
        std::fs::write(&file, text).unwrap();
        let line = format!("--backend simulated --duration 2s --overheads {}", file.display());
        let ran = run(&case.traced(&line));
        assert_eq!(ran.code, 0, "{policy}: {}", ran.stderr);
        let good = case.read();
        Changed { case, good }
    }

    fn audit(&self, trace: &Value, more: &str) -> Answer {
        std::fs::write(&self.case.trace, trace.to_string()).unwrap();
        let (trace, set) = (self.case.trace.display(), self.case.set.display());
        let plan = self.case.plan.display();
        run(&format!(
            "recording audit {trace} --set {set} --plan {plan} {more}"
        ))
    }

    /// Returns the violations of the changed trace as (kind, task, job, amount).
    fn found(&self, change: impl Fn(&mut Value)) -> Vec<(String, String, u64, Option<u64>)> {
        let mut trace = self.good.clone();
        change(&mut trace);
        let answer = self.audit(&trace, "--format json");
        let audit: Value = serde_json::from_str(&answer.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", answer.stdout, answer.stderr));
        let findings = audit["findings"].as_array().unwrap().iter();
        let violations = findings.filter(|finding| finding["kind"] != "unknown");
        let found: Vec<_> = violations
            .map(|finding| {
                let text = |field: &str| finding[field].as_str().unwrap().to_owned();
                let (job, by) = (finding["job"].as_u64().unwrap(), finding["by_ns"].as_u64());
                (text("kind"), text("task"), job, by)
            })
            .collect();
        assert_eq!(answer.code, i32::from(!found.is_empty()), "{audit}");
        found
    }

    /// Returns a job that is not the first of its busy period if `follows`, that ends its busy period, and that can end up to
    /// 1 ms later without effect on another job.
    fn last(&self, follows: bool) -> (Job, Option<Job>) {
        let all = jobs(&self.good);
        let fits = |job: &&Job| {
            let others = || {
                all.iter()
                    .filter(|other| other.context == job.context && other.at != job.at)
            };
            let before = others().any(|other| other.completion == job.decision);
            let free = others()
                .filter(|other| other.decision > job.decision)
                .all(|other| other.arrival > job.completion + 1_000_000);
            job.number > 2 && before == follows && free && job.completion + 1_000_000 < job.deadline
        };
        let job = all
            .iter()
            .find(fits)
            .unwrap_or_else(|| panic!("no such job, {follows}"));
        let before = all
            .iter()
            .find(|other| other.context == job.context && other.completion == job.decision);
        (job.clone(), before.cloned())
    }
}

fn finding(kind: &str, job: &Job, by: Option<i64>) -> Vec<(String, String, u64, Option<u64>)> {
    vec![(
        kind.to_owned(),
        job.task.clone(),
        job.number,
        by.map(|by| by as u64),
    )]
}

const POLICIES: [&str; 4] = ["np-edf", "np-fifo", "np-fp", "np-fp-audsley"];

#[test]
fn a_good_run_is_kept_and_its_extent_is_stated() {
    for policy in POLICIES {
        let changed = Changed::new(policy);
        assert_eq!(changed.found(|_| {}), []);
        let text = changed.audit(&changed.good, "");
        assert!(
            text.stdout.contains(
                "replayed 430 decisions of 2 partitions, with an overhead of 100us per job and a wake-up bound of 50us\n"
            ),
            "{}",
            text.stdout
        );
        let unknown = "\nnot visible in this file:\nsms of lidar, camera, radar, map: a run in virtual time has no SM ids\n";
        assert!(text.stdout.ends_with(unknown), "{}", text.stdout);
    }
}

#[test]
fn decisions_in_another_order_are_found() {
    for policy in POLICIES {
        let changed = Changed::new(policy);
        let all = jobs(&changed.good);
        // Two jobs that both wait at the first decision, and no other job until the end of the second.
        let pair = all.iter().find_map(|first| {
            let others = || all.iter().filter(|other| other.context == first.context);
            let second = others().find(|other| other.decision == first.completion)?;
            let alone = others()
                .filter(|other| other.decision > second.decision)
                .all(|other| other.arrival >= second.completion);
            let waits = second.arrival <= first.decision && second.task != first.task;
            (waits && alone && second.completion < first.deadline).then_some((first, second))
        });
        let (first, second) = pair.unwrap();
        let found = changed.found(|trace| {
            let middle = first.decision + second.completion - second.decision;
            place(trace, second, first.decision, middle);
            place(trace, first, middle, second.completion);
        });
        assert_eq!(
            found,
            finding("wrong-order", second, None),
            "{policy}: {first:?} {second:?}"
        );
    }
}

#[test]
fn idling_overlap_overruns_and_late_wake_ups_are_found() {
    for policy in POLICIES {
        let changed = Changed::new(policy);
        let (job, before) = changed.last(true);
        let before = before.unwrap();
        assert_eq!(
            changed.found(|trace| place(trace, &job, job.decision + 7_000, job.completion + 7_000)),
            finding("idle", &job, Some(7_000)),
            "{policy}: {job:?}"
        );
        // The job waited at its decision, so the job before it may end earlier or later.
        let early = 1_000.min(job.decision - job.arrival.max(before.decision));
        assert_eq!(
            changed.found(|trace| place(trace, &job, job.decision - early, job.completion - early)),
            finding("overlap", &job, Some(early)),
            "{policy}: {job:?}"
        );
        let heads = changed.good["gpusched"]["contexts"].as_array().unwrap();
        let mut tasks = heads.iter().flat_map(|head| head["tasks"].as_array().unwrap());
        let head = tasks.find(|task| task["task"] == job.task).unwrap();
        let budget = head["budget_ns"].as_i64().unwrap();
        assert_eq!(budget, head["wcet_ns"].as_i64().unwrap() + OVERHEAD);
        let (job, _) = changed.last(false);
        let head_of = |job: &Job| {
            let tasks = heads.iter().flat_map(|head| head["tasks"].as_array().unwrap());
            { tasks }.find(|task| task["task"] == job.task).unwrap()["budget_ns"]
                .as_i64()
                .unwrap()
        };
        for (by, expected) in [(0, vec![]), (1, finding("wcet-exceeded", &job, Some(1)))] {
            let end = job.decision + head_of(&job) + by;
            let room = jobs(&changed.good).iter().all(|other| {
                other.context != job.context || other.decision <= job.decision || other.arrival > end
            });
            if room && end <= job.deadline {
                assert_eq!(
                    changed.found(|trace| place(trace, &job, job.decision, end)),
                    expected,
                    "{policy}: {job:?}"
                );
            }
        }
        let late = |by: i64| {
            changed.found(|trace| {
                let start = job.arrival + WAKE + by;
                place(trace, &job, start, start + job.completion - job.decision);
            })
        };
        assert_eq!(late(0), [], "{policy}: {job:?}");
        assert_eq!(late(1), finding("late-wake", &job, Some(1)), "{policy}: {job:?}");
    }
}

#[test]
fn missing_and_failed_jobs_are_found() {
    let changed = Changed::new("np-edf");
    let all = jobs(&changed.good);
    let tasks: BTreeSet<&str> = all.iter().map(|job| job.task.as_str()).collect();
    for task in tasks {
        let of: Vec<&Job> = all.iter().filter(|job| job.task == task).collect();
        for job in [of[0], of[7], of[of.len() - 1]] {
            let found = changed.found(|trace| remove(trace, job));
            assert_eq!(found, finding("job-missing", job, None), "{job:?}");
        }
        // A range of missing jobs is one finding.
        let found = changed.found(|trace| of[3..9].iter().rev().for_each(|job| remove(trace, job)));
        assert_eq!(found, finding("job-missing", of[3], None));
        let found = changed.found(|trace| of.iter().rev().for_each(|job| remove(trace, job)));
        assert_eq!(found, finding("job-missing", of[0], None));
        let found = changed.found(|trace| {
            trace["traceEvents"][of[5].at + 2]["args"]["failed"] = true.into();
        });
        assert_eq!(found, finding("job-failed", of[5], None));
    }
}

/// Gives the contexts of a trace SM ids, as a run on a GPU does.
fn with_sms(trace: &mut Value) {
    let mut next = 0;
    for context in trace["gpusched"]["contexts"].as_array_mut().unwrap() {
        let size = context["sms"].as_u64().unwrap();
        let ids: Vec<u64> = (next..next + size).collect();
        next += size;
        context["granted"] = json!({"granted": size, "sm_ids": ids, "same_at_end": true});
    }
}

#[test]
fn sms_that_are_shared_or_fewer_are_found() {
    let changed = Changed::new("np-edf");
    assert_eq!(changed.found(with_sms), []);
    // A finding about a context concerns each task of its partition.
    let kinds = |change: &dyn Fn(&mut Value)| {
        let found = changed.found(|trace| {
            with_sms(trace);
            change(&mut trace["gpusched"]["contexts"]);
        });
        let kinds: BTreeSet<String> = found.iter().map(|found| found.0.clone()).collect();
        (found.len(), kinds.into_iter().collect::<Vec<_>>().join(","))
    };
    let contexts = &changed.good["gpusched"]["contexts"];
    let of = |context: usize| contexts[context]["tasks"].as_array().unwrap().len();
    let wrong = |count: usize| (count, "wrong-sms".to_owned());
    assert_eq!(
        kinds(&|contexts| contexts[1]["granted"]["sm_ids"][0] = contexts[0]["granted"]["sm_ids"][3].clone()),
        wrong(of(0) + of(1))
    );
    assert_eq!(
        kinds(&|contexts| drop(contexts[0]["granted"]["sm_ids"].as_array_mut().unwrap().pop())),
        wrong(of(0))
    );
    assert_eq!(
        kinds(&|contexts| contexts[1]["granted"]["same_at_end"] = false.into()),
        wrong(of(1))
    );
    let size = contexts[0]["sms"].as_u64().unwrap();
    assert_eq!(
        kinds(&|contexts| contexts[0]["granted"]["granted"] = (size + 2).into()),
        (of(0), "wrong-context".to_owned())
    );
}

/// The driver chooses the SMs of green contexts, so the plan does not know which ports partitions share. The audit does.
#[test]
fn observed_sms_show_shared_ports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card.json");
    let mut card = json!({"name": "card", "compute_capability": "9.0", "sms": 32, "sms_per_tpc": 2,
        "green_context": {"min": 8, "step": 8}});
    for (masks, known) in [
        (None, false),
        (Some(json!(["0x00ff", "0xff00"])), true),
        (Some(json!(["0x0f0f", "0xf0f0"])), true),
    ] {
        card["tpc_masks"] = masks.unwrap_or_default();
        std::fs::write(&path, card.to_string()).unwrap();
        let changed = Changed::on(
            &format!("{} --granularity green-context", path.display()),
            "np-edf",
        );
        let ports = |change: &dyn Fn(&mut Value), text: &str| {
            let mut trace = changed.good.clone();
            change(&mut trace);
            let told = changed.audit(&trace, "").stdout;
            match text.is_empty() {
                true => assert!(!told.contains("observed SM ids"), "{told}"),
                false => assert!(told.contains(text), "{told}"),
            }
            let audit: Value = serde_json::from_str(&changed.audit(&trace, "--format json").stdout).unwrap();
            audit.get("ports").cloned()
        };
        // A run in virtual time observes no SMs.
        assert_eq!(ports(&|_| (), ""), None);
        let gpc = |number: u32| json!({"level": "gpc", "number": number, "partitions": [0, 1]});
        let tpc = |number: u32| json!({"level": "tpc", "number": number, "partitions": [0, 1]});
        // The partitions have the SMs 0 to 7 and 8 to 15: the TPCs 0 to 3 and 4 to 7.
        let (text, shared) = match &card["tpc_masks"] {
            Value::Null => ("no two partitions share a TPC\n", vec![]),
            masks if masks[0] == "0x00ff" => ("partitions share GPC 0 (partitions 0+1)", vec![gpc(0)]),
            _ => ("no two partitions share a TPC or GPC", vec![]),
        };
        let expected = json!({"gpcs_known": known, "shared": shared});
        assert_eq!(ports(&with_sms, text), Some(expected));
        // With SM 7 and SM 8 exchanged, both partitions have SMs in the TPCs 3 and 4.
        let exchanged = |trace: &mut Value| {
            with_sms(trace);
            let contexts = &mut trace["gpusched"]["contexts"];
            contexts[0]["granted"]["sm_ids"][7] = 8.into();
            contexts[1]["granted"]["sm_ids"][0] = 7.into();
        };
        let mut shared = vec![tpc(3), tpc(4)];
        match &card["tpc_masks"] {
            Value::Null => {}
            masks if masks[0] == "0x00ff" => shared.push(gpc(0)),
            _ => shared.extend([gpc(0), gpc(1)]),
        }
        let expected = json!({"gpcs_known": known, "shared": shared});
        assert_eq!(
            ports(
                &exchanged,
                "partitions share TPC 3 (partitions 0+1), TPC 4 (partitions 0+1)"
            ),
            Some(expected)
        );
        // If the SMs changed, they are not known for the whole run.
        let moved = |trace: &mut Value| {
            with_sms(trace);
            trace["gpusched"]["contexts"][1]["granted"]["same_at_end"] = false.into();
        };
        assert_eq!(ports(&moved, ""), None);
        let without = |trace: &mut Value| {
            with_sms(trace);
            trace["gpusched"]["contexts"][1]["granted"]["sm_ids"] = json!([]);
        };
        assert_eq!(ports(&without, ""), None);
        // An SM that the GPU lacks is a violation.
        let absent = |trace: &mut Value| {
            with_sms(trace);
            trace["gpusched"]["contexts"][0]["granted"]["sm_ids"][7] = 99.into();
        };
        assert_eq!(ports(&absent, ""), None);
        let mut trace = changed.good.clone();
        absent(&mut trace);
        let told = changed.audit(&trace, "");
        assert!(
            told.code == 1 && told.stdout.contains("observed SM 99, but the GPU has 32 SMs"),
            "{told:?}"
        );
    }
}

#[test]
fn another_plan_or_set_is_one_sentence() {
    let changed = Changed::new("np-edf");
    let other = Case::of(SET, "--gpu h100 --policy np-fp");
    let (trace, set) = (changed.case.trace.display(), changed.case.set.display());
    let answer = run(&format!(
        "recording audit {trace} --set {set} --plan {}",
        other.plan.display()
    ));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(is_one_complaint(&answer.stderr), "{}", answer.stderr);
    let start = "error: --plan: found another plan, with SHA-256 ";
    let end = ", expected the plan of the run, with SHA-256 ";
    assert!(
        answer.stderr.starts_with(start) && answer.stderr.contains(end),
        "{}",
        answer.stderr
    );
    let text = std::fs::read_to_string(&changed.case.set).unwrap();
    std::fs::write(&other.set, text.replace("18ms", "17ms")).unwrap();
    let plan = changed.case.plan.display();
    let answer = run(&format!(
        "recording audit {trace} --set {} --plan {plan}",
        other.set.display()
    ));
    assert!(
        answer
            .stderr
            .starts_with("error: --set: found another task set, "),
        "{}",
        answer.stderr
    );
    assert_eq!((answer.code, is_one_complaint(&answer.stderr)), (2, true));
    // A plan of another search for the same set is accepted.
    std::fs::write(&other.set, &text).unwrap();
    let plan = std::fs::read_to_string(&changed.case.plan).unwrap();
    let mut plan: Value = serde_json::from_str(&plan).unwrap();
    plan["stats"]["search_ns"] = 12_345.into();
    std::fs::write(&other.plan, plan.to_string()).unwrap();
    let line = format!(
        "recording audit {trace} --set {} --plan {}",
        other.set.display(),
        other.plan.display()
    );
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    // A set with another WCET table is another set, although the run uses only one size.
    let larger = text.replace("[[8,\"9ms\"]]", "[[8,\"9ms\"],[16,\"5ms\"]]");
    assert_ne!(larger, text);
    std::fs::write(&other.set, larger).unwrap();
    let answer = run(&line);
    assert!(
        answer.code == 2
            && answer
                .stderr
                .contains("found a plan of another task set, at identity.tasks["),
        "{}",
        answer.stderr
    );
    std::fs::write(&other.set, text.replace("18ms", "17ms")).unwrap();
    // Without a plan, the audit replays nothing, so it compares the run with any set.
    let answer = run(&format!("recording audit {trace} --set {}", other.set.display()));
    assert!(
        answer.stderr.contains("note: ") && answer.stderr.contains("another task set"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_trace_that_ends_early_states_its_end() {
    let changed = Changed::new("np-edf");
    let all = jobs(&changed.good);
    let end = 1_000_000_000;
    let cut = |trace: &mut Value| {
        for job in all.iter().rev().filter(|job| job.completion > end) {
            remove(trace, job);
        }
        trace["gpusched"]["ends_ns"] = end.into();
    };
    assert_eq!(changed.found(cut), []);
    let mut trace = changed.good.clone();
    cut(&mut trace);
    let text = changed.audit(&trace, "");
    assert!(
        text.stdout.starts_with("KEPT: ")
            && text
                .stdout
                .contains("the trace ends at 1s, before the end of the run\n"),
        "{}",
        text.stdout
    );
    // A job that should have run before the end is not lost by the end of the trace.
    let last = all
        .iter()
        .rfind(|job| job.task == "radar" && job.completion < end)
        .unwrap();
    let waits = all
        .iter()
        .any(|job| job.context == last.context && job.decision > last.decision && job.completion <= end);
    if waits {
        let found = changed.found(|trace| {
            cut(trace);
            remove(trace, last);
        });
        assert!(!found.is_empty());
    }
    let text = std::fs::read_to_string(&changed.case.trace).unwrap();
    std::fs::write(&changed.case.trace, &text[..text.len() / 2]).unwrap();
    let answer = changed.case.audit();
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the file is cut off"), "{}", answer.stderr);
}
