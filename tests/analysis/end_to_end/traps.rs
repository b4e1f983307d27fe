//! Wrong formulas from publications and the code history: a simulated run exceeds each of them.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::{Environment, System};
use gpusched::model::{Bandwidth, Interference};
use gpusched::simulator::end_to_end::{
    Arrival, Burst, Channels, Drawn, Extent, Observed, Pattern, Script, Simulator,
};
use gpusched::verification::verify_system;

use super::{draft, system};

/// Task 1 executes 1 on the core, 1 to 7 on the GPU, and 2 on the core. Task 2 executes 6 on the core.
const EXAMPLE_C: &str = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
    {"name":"1","period":10,"wait":"suspend","segments":[{"on":"cpu","wcet":1,"bcet":1},{"on":"gpu","wcet":7,"bcet":1},{"on":"cpu","wcet":2,"bcet":2}]},
    {"name":"2","period":40,"segments":[{"on":"cpu","wcet":6,"bcet":6}]}]}"#;

/// The second CPU segment has a release jitter of 6. Without the jitter, the formula gives 6 + 3 = 9 for task 2.
#[test]
fn the_jitter_of_later_segments_counts() {
    let system = system(EXAMPLE_C);
    let ns = Time::from_ns;
    let mut script = Script::new(&system);
    let at = |time: u64| Arrival {
        at: ns(time),
        jitter: Time::ZERO,
    };
    // The first kernel is long, and the second one is short.
    script.push(0, at(0), &[ns(1), ns(7), ns(2)]).unwrap();
    script.push(0, at(10), &[ns(1), ns(1), ns(2)]).unwrap();
    script.push(1, at(8), &[ns(6)]).unwrap();
    let mut observed = Observed::new(&system);
    let mut simulator = Simulator::new(&system, None).unwrap();
    simulator
        .run(&mut script.play(), Extent::ALL, &mut observed)
        .unwrap();
    let without_jitter = ns(9);
    let bound = analyze(&system).response_times_ns[1].unwrap();
    assert_eq!(bound, ns(12));
    assert_eq!(observed.tasks[1].response, ns(11));
    assert!(observed.tasks[1].response > without_jitter);
}

/// With a missing BCET of the first segments, the jitter grows to R.
#[test]
fn a_missing_bcet_is_zero() {
    let unknown = EXAMPLE_C.replace(",\"bcet\":1", "");
    let answer = analyze(&system(&unknown));
    // J of the second CPU segment is 8, so two of its jobs may be in the window of task 2: 6 + 1 + 2 + ...
    assert!(answer.response_times_ns[1] >= Some(Time::from_ns(12)));
    assert_eq!(answer.evidence.bounds.end(0, 1), Some(Time::from_ns(8)));
}

/// A task with several segments and without a bound queues its jobs, so its first segment has unbounded jitter, too.
#[test]
fn late_tasks_have_unbounded_jitter() {
    let text = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"1","period":10,"wait":"suspend","segments":[{"on":"cpu","wcet":1},{"on":"gpu","wcet":12},{"on":"cpu","wcet":1}]},
        {"name":"2","period":40,"segments":[{"on":"cpu","wcet":6}]},
        {"name":"3","period":40,"segments":[{"on":"gpu","wcet":2}],"gpu_priority":0,"priority":0}]}"#
        .replace("\"name\":\"1\"", "\"name\":\"1\",\"priority\":1")
        .replace("\"name\":\"2\"", "\"name\":\"2\",\"priority\":2");
    let answer = analyze(&system(&text));
    assert_eq!(answer.response_times_ns, [None, None, Some(Time::from_ns(2))]);
    assert!(!answer.schedulable);
}

/// A task of equal priority without a bound has no bounded work in any window: an own earlier segment may execute while
/// its jobs queue.
#[test]
fn queues_of_equal_priority_have_no_bound() {
    let text = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"i","period":1000,"priority":1,"wait":"suspend","segments":[{"on":"gpu","wcet":100},{"on":"cpu","wcet":1},{"on":"gpu","wcet":1}]},
        {"name":"j","period":30,"priority":1,"segments":[{"on":"gpu","wcet":10}]}]}"#;
    assert_eq!(analyze(&system(text)).response_times_ns, [None, None]);
}

/// On a shared memory, an own kernel delays more urgent work on the core before the release of the next own segment. A
/// local window without the traffic of this kernel gives 24 for task i.
#[test]
fn the_own_kernel_delays_more_urgent_work() {
    let text = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"h","period":20,"priority":0,"segments":[{"on":"cpu","wcet":4,"traffic":"1B"}]},
        {"name":"i","period":60,"priority":1,"wait":"suspend","segments":[
            {"on":"gpu","wcet":10,"bcet":10,"traffic":"10B"},{"on":"cpu","wcet":8,"traffic":"0B"}]}]}"#;
    let environment = Environment {
        overheads: None,
        interference: Interference::ConflictBandwidth,
        memory: Bandwidth::new(1_000_000_000),
    };
    let system = System::new(&draft(text), environment).unwrap();
    let burst = |time| Burst { time, last: false };
    let mut simulator = Simulator::new(&system, None).unwrap();
    let memory = Channels {
        count: 1,
        order: vec![1, 0],
        bursts: vec![vec![burst(1)], vec![burst(10), burst(0)]],
    };
    simulator.share(memory).unwrap();
    let mut observed = Observed::new(&system);
    let mut source = Drawn::new(&system, &Pattern::default().runs(&system, (0, 0)), (0, 0)).unwrap();
    let extent = Extent::before(Time::from_ns(60));
    simulator.run(&mut source, extent, &mut observed).unwrap();
    assert_eq!(observed.tasks[1].response, Time::from_ns(26));
    let answer = analyze(&system);
    assert_eq!(
        answer.response_times_ns,
        [14, 28].map(|ns| Some(Time::from_ns(ns)))
    );
    assert!(verify_system(&answer, &system).is_ok());
}
