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
