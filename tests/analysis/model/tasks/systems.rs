//! End-to-end systems: names, times, conflicts, and refused systems.

use gpusched_model::end_to_end::{Draft, Resource, System};
use gpusched_model::reader::Document as _;
use gpusched_model::time::Time;
use gpusched_model::{Interference, Refusal};

const SYSTEM: &str = r#"{
  "cores": [{"name": "c0", "policy": "fp"}, {"name": "c1", "type": "A57", "policy": "edf"}],
  "copy_engines": [{"name": "ce", "policy": "fifo", "bandwidth": "1GB/s"}],
  "partitions": [{"name": "gpu", "sms": 2, "policy": "fp"}],
  "tasks": [
    {"name": "a", "period": 100, "wait": "busy", "segments": [
      {"on": "c0", "wcet": 2, "bcet": 1}, {"on": "ce", "bytes": 7}, {"on": "gpu", "wcet": {"table": [[1, 9], [2, 5]]}}, {"on": "c0", "wcet": 3}]},
    {"name": "b", "period": 50, "segments": [{"on": "c1", "wcet": 4}]}],
  "chains": [{"tasks": ["b", "a"], "limit": 500}]}"#;

fn system(text: &str) -> Result<System, Refusal> {
    let draft = Draft::from_json(text).map_err(|(_, refusal)| refusal)?;
    System::new(&draft, Interference::Conflict)
}

#[test]
fn names_and_times_are_resolved() {
    let system = system(SYSTEM).unwrap();
    let [a, b] = system.tasks() else { panic!() };
    let wcets: Vec<u64> = a.segments.iter().map(|segment| segment.wcet.ns()).collect();
    assert_eq!(wcets, [2, 7, 5, 3]);
    assert_eq!(a.segments[2].on, Resource::Partition(0));
    assert_eq!([a.priority, b.priority], [1, 0]);
    assert!(a.spins() && !b.spins() && a.core == Some(0));
    assert_eq!(a.earliest(3), Time::from_ns(1));
    assert_eq!(system.chains()[0].tasks, [1, 0]);
    assert_eq!(system.on(Resource::Core(0)).collect::<Vec<_>>(), [(0, 0), (0, 3)]);
    assert_eq!(system.hyperperiod(), Some(Time::from_ns(100)));
    let draft = Draft::from_json(SYSTEM).unwrap();
    let text = serde_json::to_string(&draft).unwrap();
    assert_eq!(Draft::from_json(&text).unwrap(), draft);
    let larger = System::new(&draft.sized(&[1]), Interference::Conflict).unwrap();
    assert_eq!(larger.tasks()[0].segments[2].wcet.ns(), 9);
}

/// A kernel has its WCET in conflict if its partition has a kernel of another task that may be of the same kind.
#[test]
fn kernels_of_one_kind_conflict() {
    let kernels = |first: &str, second: &str| {
        format!(
            r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"np-fifo"}}],"tasks":[
            {{"name":"a","period":100,"segments":[{{"on":"gpu"{first},"wcet":{{"table":{{"isolated":[[1,5]],"conflict":[[1,8]]}}}}}}]}},
            {{"name":"b","period":100,"segments":[{{"on":"gpu"{second},"wcet":6}}]}}]}}"#
        )
    };
    for (first, second, wcet) in [
        ("", "", 8),
        (r#","kind":"compute""#, "", 8),
        (r#","kind":"compute""#, r#","kind":"memory""#, 5),
        (r#","kind":"memory""#, r#","kind":"memory""#, 8),
    ] {
        let system = system(&kernels(first, second)).unwrap();
        assert_eq!(system.tasks()[0].segments[0].wcet.ns(), wcet, "{first} {second}");
    }
}

#[test]
fn what_is_no_system_is_refused() {
    for (old, new, expected) in [
        (
            "\"c1\", \"type\"",
            "\"ce\", \"type\"",
            "copy_engines[0].name: found \"ce\"",
        ),
        (
            "\"name\": \"b\"",
            "\"name\": \"a\"",
            "tasks[1].name: found \"a\", the name of tasks[0]",
        ),
        (
            "\"on\": \"c1\"",
            "\"on\": \"c9\"",
            "tasks[1].segments[0].on: found \"c9\", expected the name of a resource: c0",
        ),
        (
            "{\"on\": \"c0\", \"wcet\": 3}",
            "{\"on\": \"c1\", \"wcet\": 3}",
            "tasks[0].segments[3].on: found \"c1\"",
        ),
        (", \"wait\": \"busy\"", "", "tasks[0].wait: found no field `wait`"),
        (
            ", \"bandwidth\": \"1GB/s\"",
            "",
            "a `bandwidth` of the copy engine",
        ),
        ("\"sms\": 2, ", "", "partitions[0].sms: found no field `sms`"),
        ("\"sms\": 2", "\"sms\": 0", "partitions[0].sms: found 0"),
        (
            "\"bcet\": 1",
            "\"bcet\": 3",
            "tasks[0].segments[0].bcet: found 3ns, expected at most 2ns",
        ),
        ("[1, 9]", "[3, 9]", "segments[2].wcet"),
        (
            "\"wcet\": 3",
            "\"wcet\": 3, \"kind\": \"compute\"",
            "tasks[0].segments[3].kind",
        ),
        (
            "\"period\": 100",
            "\"period\": 100, \"deadline\": 101",
            "tasks[0].deadline: found 101ns",
        ),
        (
            "\"period\": 100",
            "\"period\": 100, \"priority\": 1",
            "tasks[1].priority: found no field",
        ),
        (
            "\"period\": 50",
            "\"period\": 50, \"max_interarrival\": 60",
            "because the task is periodic",
        ),
        (
            "\"period\": 50",
            "\"period\": 50, \"arrivals\": \"sporadic\", \"max_interarrival\": 40",
            "at least 50ns",
        ),
        (
            "\"period\": 50",
            "\"period\": 50, \"phase\": 450",
            "tasks[1].phase: found 450ns, expected less than 50ns, the period",
        ),
        (
            "\"period\": 50",
            "\"period\": 50, \"phase\": 50",
            "tasks[1].phase: found 50ns, expected less than 50ns, the period",
        ),
        (
            "[\"b\", \"a\"]",
            "[\"b\", \"z\"]",
            "chains[0].tasks[1]: found \"z\"",
        ),
        ("[\"b\", \"a\"]", "[]", "chains[0].tasks: found an empty list"),
        (
            "\"wcet\": 4",
            "\"wcet\": {\"amdahl\": {\"work\": 9, \"serial\": 0}}",
            "a function of the number of SMs",
        ),
    ] {
        let text = SYSTEM.replacen(old, new, 1);
        assert_ne!(text, SYSTEM, "{old}");
        let message = system(&text).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\n{expected}");
    }
}

/// Two kernels of a pipelined task on one partition, and a task of another kind.
fn pipeline(fields: &str) -> String {
    format!(
        r#"{{"cores":[{{"name":"c0","policy":"fp"}},{{"name":"c1","policy":"fp"}}],
            "partitions":[{{"name":"gpu","sms":1,"policy":"np-fp"}}],"tasks":[
            {{"name":"a","period":100,"deadline":250{fields},"segments":[{{"on":"c0","wcet":1}},
              {{"on":"gpu","kind":"compute","wcet":{{"table":{{"isolated":[[1,5]],"conflict":[[1,8]]}}}}}},
              {{"on":"gpu","kind":"compute","wcet":{{"table":{{"isolated":[[1,6]],"conflict":[[1,9]]}}}}}},
              {{"on":"c1","wcet":2}}]}},
            {{"name":"b","period":100,"segments":[{{"on":"gpu","kind":"memory","wcet":6}}]}}]}}"#
    )
}

/// The segments of a pipelined task are threads: they may use several cores, and two kernels of two jobs contend.
#[test]
fn a_pipelined_task_has_threads() {
    let found = system(&pipeline(r#","jobs":"pipelined","buffers":[null,3,1]"#)).unwrap();
    let task = &found.tasks()[0];
    assert!(task.is_pipelined() && !task.spins() && !task.suspends() && task.core.is_none());
    assert_eq!(
        [0, 1, 2, 3, 9].map(|segment| task.slots(segment)),
        [None, Some(3), Some(1), None, None]
    );
    let wcets: Vec<u64> = task.segments.iter().map(|segment| segment.wcet.ns()).collect();
    assert_eq!(wcets, [1, 8, 9, 2]);
    assert!(!found.tasks()[1].is_pipelined());
    let refusal = found.check_sequential("of a test").unwrap_err().to_string();
    assert_eq!(
        refusal,
        "tasks[0].jobs: found pipelined, expected sequential, because of a test"
    );
    let free = system(&pipeline(r#","jobs":"pipelined","wait":"suspend""#)).unwrap();
    assert_eq!(free.tasks()[0].slots(1), None);
    // A kernel never contends with itself, because its thread executes one job at a time.
    let one = pipeline(r#","jobs":"pipelined""#).replace(
        r#"{"on":"gpu","kind":"compute","wcet":{"table":{"isolated":[[1,6]],"conflict":[[1,9]]}}},"#,
        "",
    );
    assert_eq!(system(&one).unwrap().tasks()[0].segments[1].wcet.ns(), 5);
    let text = pipeline(r#","jobs":"pipelined","buffers":[null,3,1]"#);
    let draft = Draft::from_json(&text).unwrap();
    let written = serde_json::to_string(&draft).unwrap();
    assert_eq!(Draft::from_json(&written).unwrap(), draft);
    assert_eq!(written.matches("jobs").count(), 1);
}

#[test]
fn invalid_pipelined_tasks_are_refused() {
    for (fields, expected) in [
        (
            "",
            "tasks[0].deadline: found 250ns, expected at most 100ns, the period, for a sequential task",
        ),
        (r#","jobs":"sequential""#, "tasks[0].deadline: found 250ns"),
        (r#","jobs":"parallel""#, "unknown variant `parallel`"),
        (
            r#","jobs":"pipelined","wait":"busy""#,
            "tasks[0].wait: found busy, expected suspend",
        ),
        (
            r#","jobs":"pipelined","buffers":[1,1]"#,
            "tasks[0].buffers: found 2 entries, expected 3 entries",
        ),
        (
            r#","jobs":"pipelined","buffers":[1,0,1]"#,
            "tasks[0].buffers[1]: found 0, expected null, or at least one slot",
        ),
        (r#","jobs":"pipelined","buffers":[1,-1,1]"#, "-1"),
    ] {
        let refusal = system(&pipeline(fields)).unwrap_err().to_string();
        assert!(refusal.contains(expected), "{fields}: {refusal}");
    }
    let sequential = pipeline(r#","wait":"busy","buffers":[1,1,1]"#)
        .replace(":250", ":90")
        .replace("c1\",\"wcet", "c0\",\"wcet");
    let refusal = system(&sequential).unwrap_err().to_string();
    assert!(
        refusal.contains("tasks[0].buffers: found 3 entries, expected no such field"),
        "{refusal}"
    );
}
