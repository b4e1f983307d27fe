//! Messages state what a recording does not show, and what gpusched assumes instead.

use std::path::Path;

use serde_json::Value;

use super::run::{Kernel, Range, Run};
use super::writers;
use crate::support::{ADAS, Answer, run};

/// A run of `tasks` (name, offset [ns], number of jobs), with one kernel of 50 us per job and a period of 1 ms.
fn recorded(tasks: &[(&str, i64, i64)]) -> Run {
    let mut recorded = Run::default();
    for (index, &(name, offset, jobs)) in tasks.iter().enumerate() {
        let thread = 100 + index as i64;
        for job in 0..jobs {
            let release = offset + 1_000_000 * job;
            recorded.ranges.push(Range {
                name: format!("{name}#{job}"),
                start: release,
                end: Some(release + 10_000),
                thread,
            });
            recorded.kernels.push(Kernel {
                name: format!("kernel of {name}"),
                start: release + 20_000,
                end: release + 70_000,
                device: 0,
                context: 1,
                green: 0,
                stream: 7 + index as i64,
                call: (release + 1_000, thread),
            });
        }
    }
    recorded
}

fn write(folder: &Path, name: &str, run: &Run) -> String {
    let path = folder.join(name);
    writers::sqlite(&path, run, &writers::SCHEMAS[0]);
    path.display().to_string()
}

fn change(file: &str, sql: &str) {
    rusqlite::Connection::open(file)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

/// The task set of `tasks`, and the notes.
fn derived(line: &str) -> (Value, String) {
    let answer = run(&format!("recording tasks {line}"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    (serde_json::from_str(&answer.stdout).unwrap(), answer.stderr)
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// A graph launch from 100 to 400 us after each release, outside the kernel of the job.
const GRAPHS: &str = "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT \"start\" + 100000 AS \"start\", \
    \"start\" + 400000 AS \"end\", deviceId, contextId, streamId, correlationId + 1000 AS correlationId, globalPid, 3 AS graphId \
    FROM CUPTI_ACTIVITY_KIND_KERNEL; \
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT \"start\", \"end\", globalTid, correlationId + 1000, 0 \
    FROM CUPTI_ACTIVITY_KIND_RUNTIME;";

#[test]
fn cuda_graphs_are_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "graphs.sqlite", &recorded(&[("camera", 0, 4)]));
    let busy = |summary: &Value| summary["busy_ns"].as_u64().unwrap();
    let summary = || json(&run(&format!("recording summary {file} --format json")));
    let before = summary();
    assert_eq!((busy(&before), &before["graph_launches"]), (200_000, &0.into()));
    change(&file, GRAPHS);
    let after = summary();
    assert_eq!(
        (busy(&after), &after["graph_launches"], &after["launches"]),
        (1_400_000, &4.into(), &8.into())
    );
    let (set, notes) = derived(&format!("{file}@8 --margin 1 --gaps separate"));
    assert_eq!(set["tasks"][0]["wcet"]["table"][0][1], 350_000);
    let note = "4 launches of whole CUDA graphs: each counts as one kernel";
    assert!(notes.contains(note), "{notes}");
    let text = run(&format!("recording summary {file}")).stdout;
    assert!(text.contains(note), "{text}");
    // The audit sees that the jobs are longer than without the graphs.
    let set_file = folder.path().join("set.json");
    let wcet = set.to_string().replace("350000", "349999");
    std::fs::write(&set_file, wcet).unwrap();
    let audit = run(&format!("recording audit {file}@8 --set {}", set_file.display()));
    assert!(
        audit.code == 1 && audit.stdout.contains("wcet-exceeded"),
        "{}",
        audit.stdout
    );
    assert!(audit.stderr.contains(note), "{}", audit.stderr);
    // CUPTI writes 0 for times that it has not measured.
    change(
        &file,
        "UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET \"start\" = 0, \"end\" = 0 WHERE rowid = 1",
    );
    let (_, notes) = derived(&format!("{file}@8"));
    let note = "1 launch without a start or an end: no C(m) contains them, which is unsafe";
    assert!(notes.contains(note), "{notes}");
}

#[test]
fn copies_are_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = recorded(&[("camera", 0, 8)]);
    let second = two.kernels.clone();
    two.kernels.extend(second.into_iter().map(|mut kernel| {
        (kernel.start, kernel.end) = (kernel.start + 100_000, kernel.end + 100_000);
        kernel
    }));
    let file = write(folder.path(), "copies.sqlite", &two);
    // Before, between and after the kernels of each job, for 5, 10 and 5 us: the last has no call, so its job is unknown.
    let copy = |table: &str, shift: i64, length: i64, call: i64| {
        format!(
            "INSERT INTO {table} SELECT \"start\" + {shift} AS \"start\", \"start\" + {shift} + {length} AS \"end\", \
             correlationId + {call} AS correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId < 8;"
        )
    };
    let empty =
        "AS SELECT \"start\", \"end\", correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE 0;";
    let (copies, fills) = ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET");
    change(
        &file,
        &format!(
            "CREATE TABLE {copies} {empty} CREATE TABLE {fills} {empty} {} {} {}",
            copy(copies, -10_000, 5_000, 0),
            copy(fills, 60_000, 10_000, 0),
            copy(copies, 160_000, 5_000, 5_000)
        ),
    );
    let summary = json(&run(&format!("recording summary {file} --format json")));
    assert_eq!(
        (&summary["launches"], &summary["copies"]),
        (&16.into(), &24.into())
    );
    let (set, notes) = derived(&format!("{file}@8"));
    let outside = "--copies count, if deployed jobs copy: C(m) contains no copy before the first or after the last kernel, for up to 5us per job; \
                   the option adds 20us of \"camera\", before the margin";
    let unknown =
        "8 copies and fills of memory count as gaps: C(m) contains them only between kernels of a job";
    assert!(notes.contains(outside) && notes.contains(unknown), "{notes}");
    assert_eq!(set["tasks"][0]["measured_on"]["left_out_copies"], 5_000);
    let (_, notes) = derived(&format!("{file}@8 --gaps separate"));
    let note = "8 copies and fills of memory count as gaps between kernels, so C(m) does not contain them (--gaps count)";
    assert!(
        notes.contains(note)
            && notes
                .contains("\"camera\": 8 copies between kernels, which C(m) does not contain (--gaps count)"),
        "{notes}"
    );
    change(&file, &format!("DELETE FROM {copies}"));
    let (set, notes) = derived(&format!("{file}@8"));
    assert!(!notes.contains("--copies count"), "{notes}");
    assert!(
        set["tasks"][0]["measured_on"].get("left_out_copies").is_none(),
        "{set}"
    );
    // A trace of PyTorch links copies with their calls, too.
    let path = folder.path().join("copies.json");
    writers::kineto(&path, &recorded(&[("camera", 0, 8)]), false, false);
    let intact = std::fs::read_to_string(&path).unwrap();
    let (events, rest) = intact.split_once("\n], \"traceName\"").unwrap();
    // The calls start this long after the range of each job, and the copies have this phase.
    let trace = |after: i64, thread: i64, phase: &str| {
        let copies = (0..8).map(|job| {
            let call = format!(
                r#"{{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": {thread}, "ts": {}, "dur": 1, "args": {{"correlation": {}}}}}"#,
                1_000 * job + after,
                1_000 + job
            );
            let copy = format!(
                r#"{{"ph": {phase}, "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": {}, "dur": {}, "args": {{"device": 0, "stream": 7, "correlation": {}}}}}"#,
                1_000 * job + after + 3,
                3 + job,
                1_000 + job
            );
            format!(",\n{call},\n{copy}")
        });
        let copies: String = copies.collect();
        std::fs::write(&path, format!("{events}{copies}\n], \"traceName\"{rest}")).unwrap();
    };
    trace(2, 100, "\"X\"");
    let (_, notes) = derived(&format!("{}@8", path.display()));
    let note = "C(m) contains no copy before the first or after the last kernel, for up to 10us per job";
    assert!(notes.contains(note), "{notes}");
    // After the ranges of its thread, or in a thread without ranges: like the launches there.
    for (after, thread) in [(700, 100), (700, 101), (2, 101)] {
        trace(after, thread, "\"X\"");
        let (set, notes) = derived(&format!("{}@8", path.display()));
        assert!(notes.contains(note), "{after} {thread}: {notes}");
        assert_eq!(set["tasks"][0]["measured_on"]["left_out_copies"], 10_000);
    }
    // A thread without ranges in another process, and jobs that are no ranges: no job is known.
    let (_, notes) = derived(&format!("{}@8 --by stream", path.display()));
    assert!(notes.contains(unknown), "{notes}");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        text.replace("\"pid\": 1, \"tid\": 101", "\"pid\": 9, \"tid\": 101"),
    )
    .unwrap();
    let (_, notes) = derived(&format!("{}@8", path.display()));
    assert!(notes.contains(unknown), "{notes}");
    // A copy with a damaged phase is still a copy.
    trace(2, 100, "5");
    let (set, notes) = derived(&format!("{}@8", path.display()));
    assert!(notes.contains(unknown), "{notes}");
    assert_eq!(set["tasks"][0]["measured_on"]["incomplete"], true);
    let text = run("recording summary tasksets/recordings/optimizer-gp100.json.gz").stdout;
    assert!(text.contains("not counted as launches"), "{text}");
}

#[test]
fn sums_state_no_streams() {
    let file = "tasksets/recordings/clip-cuda_gpu_kern_sum.csv";
    let summary = json(&run(&format!("recording summary {file} --format json")));
    assert_eq!(summary["streams"], Value::Null);
    let text = run(&format!("recording summary {file}")).stdout;
    assert!(text.contains("on an unknown number of streams"), "{text}");
    let text = run("recording summary tasksets/recordings/streams-a100.json.gz").stdout;
    assert_eq!(
        text.matches("NVIDIA A100-PG509-200, 108 SMs").count(),
        1,
        "{text}"
    );
    assert!(text.contains("8 GPUs: "), "{text}");
}

#[test]
fn lines_are_counted_for_all_line_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    let header = "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name";
    let lines = [
        "",
        "** Trace:",
        "",
        header,
        "1,2,1,GPU (0),1,7,k",
        "",
        "3,4,2,GPU (0),1,7,\"a",
        "b\"",
        "5,6,3,GPU (0),1",
    ];
    for newline in ["\n", "\r\n"] {
        for end in ["", newline] {
            std::fs::write(&path, lines.join(newline) + end).unwrap();
            let answer = run(&format!("recording summary {}", path.display()));
            let place = "the first: line 9: found 5 values, expected 7, as in the header";
            assert!(answer.stdout.contains(place), "{newline:?}: {answer:?}");
        }
    }
}

#[test]
fn a_missing_unit_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.csv");
    let header = "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name";
    std::fs::write(&path, format!("{header}\n100.0,30,2,15.0,10,20,k\n")).unwrap();
    let answer = run(&format!("recording summary {} --format json", path.display()));
    assert_eq!(json(&answer)["kernels"][0]["max_ns"], 20);
    let note = "old.csv: line 1: columns `minimum`, `maximum` state no unit: gpusched assumes nanoseconds";
    assert!(answer.stderr.contains(note), "{}", answer.stderr);
    let file = "tasksets/recordings/clip-cuda_gpu_kern_sum.csv";
    assert_eq!(run(&format!("recording summary {file}")).stderr, "");
}

#[test]
fn tasks_from_doubtful_recordings_have_notes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, run: &Run| write(folder.path(), name, run);
    let apart = write(
        "apart.sqlite",
        &recorded(&[("camera", 0, 9), ("lidar", 500_000, 9)]),
    );
    let both = write(
        "both.sqlite",
        &recorded(&[("camera", 0, 9), ("lidar", 30_000, 9)]),
    );
    let (_, notes) = derived(&format!("{apart}@8"));
    assert!(
        !notes.contains("at the same time") && !notes.contains("whole GPU"),
        "{notes}"
    );
    let mut longer = recorded(&[("camera", 0, 9), ("lidar", 30_000, 9)]);
    longer.kernels.iter_mut().for_each(|kernel| kernel.end += 1_000);
    let longer = write("longer.sqlite", &longer);
    let (_, notes) = derived(&format!("{both}@8 --conflict {longer}@8"));
    let note = "both.sqlite: kernels of \"camera\", \"lidar\" ran at the same time on one GPU, so their times in isolation contain interference";
    assert_eq!(notes.matches(note).count(), 1, "{notes}");
    let (_, notes) = derived(&apart);
    let note =
        "apart.sqlite: no size (FILE@SMS), so gpusched assumes that kernels used the whole GPU, 48 SMs";
    assert!(notes.contains(note), "{notes}");
    // Eight distances of 1 ms need eight times 9 ms for the stated period.
    let (set, notes) = derived(&format!(
        "{apart}@8 --period camera=10ms --deadline camera=72050us"
    ));
    assert_eq!(set["tasks"][0]["jitter"], 72_000_000);
    let note = "\"camera\": the stated period 10ms leads to the jitter 72ms, but the observed period is 1ms";
    assert!(notes.contains(note), "{notes}");
    // The jitter never settles, so the advice is another period.
    let note = "\"camera\": if only the deployed system keeps the period 10ms, replace `--period camera=10ms` by `--deployed-period camera=10ms`";
    assert!(notes.contains(note) && !notes.contains("--warm-up"), "{notes}");
    let (_, notes) = derived(&format!("{apart}@8 --period camera=1ms"));
    assert!(
        !notes.contains("stated period") && !notes.contains("deployed"),
        "{notes}"
    );
    // A recording with contention where nothing overlaps.
    let (_, notes) = derived(&format!("{both}@8 --conflict {apart}@8"));
    let note =
        "apart.sqlite: kernels of camera, lidar never ran at the same time as kernels of another activity";
    assert!(
        notes.contains(note) && !notes.contains("both.sqlite: kernels of camera"),
        "{notes}"
    );
    // The WCET of 60 us and the jitter exceed the deadline, so the jitter is the cause.
    let answer = crate::support::run_with("partition - --sms 16 -q", set.to_string());
    let line = "Release jitter is the cause for task `camera`: its jitter of 72ms and its WCET of 60us together exceed its deadline of 72.05ms by 10us. \
                The jitter is from recordings: derive the task set again with a larger `--warm-up`, or state `--deployed-period` if the recorded period is another one.";
    assert!(
        answer.code == 1 && answer.stdout.contains(line),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
}

#[test]
fn bad_sizes_and_unlinked_ranges_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &recorded(&[("camera", 0, 4)]));
    for size in ["0", "abc", "101%"] {
        let answer = run(&format!("recording tasks {file}@{size}"));
        let message = format!("found the size \"{size}\" after `@`, expected a number of SMs from 1 to ");
        assert!(
            answer.code == 2 && answer.stderr.contains(&message),
            "{}",
            answer.stderr
        );
    }
    let answer = run(&format!("recording tasks {file}.old@0"));
    assert!(answer.stderr.contains("cannot open"), "{}", answer.stderr);
    let mut unlinked = recorded(&[("camera", 0, 4)]);
    unlinked.kernels.iter_mut().for_each(|kernel| kernel.call.1 = 200);
    unlinked
        .kernels
        .iter_mut()
        .for_each(|kernel| kernel.call.0 += 500_000);
    let file = write(folder.path(), "unlinked.sqlite", &unlinked);
    let answer = run(&format!("recording audit {file}@8 --set {ADAS}"));
    assert_eq!(answer.code, 2);
    let hint = "try `--by kernel`";
    let found = "found ranges without launches";
    assert!(
        answer.stderr.contains(found) && answer.stderr.contains(hint),
        "{}",
        answer.stderr
    );
    let (_, notes) = derived(&format!("{file}@8"));
    let note = "jobs of \"camera\" contain 4 launches after their ranges";
    assert!(notes.contains(note), "{notes}");
}

/// A slow first job delays the next ones, and the releases are irregular until they catch up.
#[test]
fn a_note_names_the_warm_up_that_settles_the_jitter() {
    let folder = tempfile::tempdir().unwrap();
    let mut slow = recorded(&[("camera", 0, 20)]);
    // The jobs 0 to 2 start 900, 600 and 300 us late.
    for (job, late) in [(0, 900_000), (1, 600_000), (2, 300_000)] {
        let range = &mut slow.ranges[job];
        range.start += late;
        range.end = range.end.map(|end| end + late);
        let kernel = &mut slow.kernels[job];
        (kernel.start, kernel.end) = (kernel.start + late, kernel.end + late);
        kernel.call.0 += late;
    }
    let file = write(folder.path(), "slow.sqlite", &slow);
    let (set, notes) = derived(&format!("{file}@8 --period camera=1ms"));
    assert_eq!(set["tasks"][0]["jitter"], 900_000);
    let note = "`--warm-up 3` gives period 1ms, jitter 0ns. Without it: period 1ms, jitter 900us; C(m) stays";
    assert!(notes.contains(note), "{notes}");
    // With less than 250 us, the jitter is small.
    let (set, notes) = derived(&format!("{file}@8 --period camera=1ms --warm-up 3"));
    assert!(set["tasks"][0].get("jitter").is_none(), "{set}");
    assert!(
        !notes.contains("is released latest") && !notes.contains("gives period"),
        "{notes}"
    );
    // A larger warm-up than necessary changes nothing, and a smaller one leads to the same advice.
    for first in 1..3 {
        let (_, notes) = derived(&format!("{file}@8 --period camera=1ms --warm-up {first}"));
        assert!(
            notes.contains("`--warm-up 3` gives period 1ms, jitter 0ns"),
            "{notes}"
        );
    }
}

#[test]
fn names_of_files_are_compared_with_stated_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let run = recorded(&[("camera", 0, 9)]);
    for (name, said) in [
        ("camera_12sm", Some(12)),
        ("camera-12-SMs.v2", Some(12)),
        ("small_12sm", Some(12)),
        ("camera_8sm", None),
        ("orin16_smoke", None),
        ("sm", None),
        ("camera", None),
    ] {
        let file = write(folder.path(), &format!("{name}.sqlite"), &run);
        let (_, notes) = derived(&format!("{file}@8"));
        let note = said.map(|sms| {
            format!("the name says {sms} SMs, and you state 8 SMs; C(8) is unsafe if the name is right")
        });
        match note {
            Some(note) => assert!(notes.contains(&note), "{name}: {notes}"),
            None => assert!(!notes.contains("the name says"), "{name}: {notes}"),
        }
    }
}

#[test]
fn an_audit_states_what_it_does_not_see() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &recorded(&[("camera", 0, 4)]));
    let audit = |file: &str, more: &str| run(&format!("recording audit {file}@8 {more}"));
    // The set has other names.
    let other = audit(&file, &format!("--set {ADAS}"));
    let reason = "the recording has no activity with this name, only camera";
    assert!(
        other.stdout.contains(reason) && other.stdout.contains("--task TASK=ACTIVITY"),
        "{}",
        other.stdout
    );
    // A plan of another set.
    let set = folder.path().join("set.json");
    std::fs::write(&set, derived(&format!("{file}@8 --margin 1")).0.to_string()).unwrap();
    let plan = folder.path().join("plan.json");
    run(&format!("partition {ADAS} --sms 16 -q -o {}", plan.display()));
    let wrong = audit(
        &file,
        &format!("--set {} --plan {}", set.display(), plan.display()),
    );
    let expected = "found a plan of another set: it has 8 tasks, and its last task is at position 7, expected a plan of the set with 1 task";
    assert!(
        wrong.code == 2 && wrong.stderr.contains(expected),
        "{}",
        wrong.stderr
    );
    // Without host calls, the start of a kernel is not its release.
    let named = format!(
        "--set {} --by kernel --task \"camera=kernel of camera\"",
        set.display()
    );
    let named: Vec<&str> = named.split('"').collect();
    let arguments = ["recording", "audit"].into_iter();
    let at = format!("{file}@8");
    let arguments = arguments.chain([at.as_str()]);
    let mut words: Vec<&str> = arguments.chain(named[0].split_whitespace()).collect();
    words.push(named[1]);
    let seen = crate::support::answer(&mut crate::support::gpusched(&words));
    assert!(
        seen.code == 0 && !seen.stdout.contains("without a host call"),
        "{}",
        seen.stdout
    );
    change(&file, "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME");
    let hidden = crate::support::answer(&mut crate::support::gpusched(&words));
    let reason =
        "deadlines of camera: 4 jobs without a host call: the file does not show how long a job waits";
    assert!(
        hidden.code == 0 && hidden.stdout.contains(reason),
        "{}",
        hidden.stdout
    );
}

#[test]
fn an_audit_drops_the_warm_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut cold = recorded(&[("camera", 0, 4)]);
    cold.kernels[0].end += 400_000;
    cold.kernels[2].end += 10_000;
    let file = write(folder.path(), "cold.sqlite", &cold);
    let set = folder.path().join("set.json");
    let warm = derived(&format!("{file}@8 --margin 1 --warm-up 3 --period camera=1ms")).0;
    std::fs::write(&set, warm.to_string()).unwrap();
    let violations = |more: &str| {
        let line = format!(
            "recording audit {file}@8 --set {} --format json {more}",
            set.display()
        );
        let audit = json(&run(&line));
        let findings = audit["findings"].as_array().unwrap().clone();
        let jobs = findings.iter().filter_map(|finding| finding["job"].as_u64());
        (
            audit["dropped_jobs"].as_u64().unwrap(),
            jobs.collect::<Vec<u64>>(),
        )
    };
    assert_eq!(violations(""), (0, vec![0, 2]));
    assert_eq!(violations("--warm-up 1"), (1, vec![2]));
    assert_eq!(violations("--warm-up 1500us"), (2, vec![2]));
    assert_eq!(violations("--warm-up 3"), (3, vec![]));
    let none = run(&format!(
        "recording audit {file}@8 --set {} --warm-up 9",
        set.display()
    ));
    assert!(
        none.stdout.contains("the warm-up drops all jobs, 4"),
        "{}",
        none.stdout
    );
}
