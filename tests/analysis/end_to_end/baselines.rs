//! Published bounds for self-suspending tasks: against simulation, and against the end-to-end analysis.

use gpusched::end_to_end::{Baseline, analyze, baseline};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Answer, System};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing, draw};

use crate::end_to_end::system;
use crate::support::rounds;

/// Returns the bounds of a baseline as an answer, for comparison with simulated runs.
fn answer(system: &System, method: Baseline) -> Answer {
    let mut answer = analyze(system);
    let bounds = baseline(system, method);
    answer.response_times_ns = (0..system.tasks().len())
        .map(|task| bounds.response_time(task))
        .collect();
    answer.evidence.bounds = bounds;
    answer.chains.clear();
    answer
}

#[test]
fn no_run_exceeds_a_baseline() {
    let analyses: [fn(&System) -> Answer; 3] = [
        |system| answer(system, Baseline::Oblivious),
        |system| answer(system, Baseline::Jitter),
        |system| answer(system, Baseline::Blocking),
    ];
    for (seed, analysis) in (30..).zip(analyses) {
        let mut campaign = Campaign::new(rounds(3000), seed, Sharing::Nothing);
        campaign.analysis = analysis;
        let report = campaign.run(None, |_| ()).unwrap();
        assert_eq!(report.excess, None);
        assert!(
            report.tally.bounds > rounds(500) && report.tally.attained > rounds(50),
            "{:?}",
            report.tally
        );
    }
}

/// The end-to-end analysis uses the window of the baseline `jitter`, and other windows.
#[test]
fn no_jitter_bound_is_below_the_end_to_end_bound() {
    let mut bounds = 0;
    for index in 0..rounds(3000) {
        let draft = draw::system(31, index).unwrap();
        let system = System::new(&draft, Interference::Conflict).unwrap();
        let holistic = analyze(&system).response_times_ns;
        let jitter = baseline(&system, Baseline::Jitter);
        for (task, end_to_end) in holistic.iter().enumerate() {
            if let Some(bound) = jitter.response_time(task) {
                bounds += 1;
                assert!(
                    end_to_end.is_some_and(|end_to_end| end_to_end <= bound),
                    "{index} {task}"
                );
            }
        }
    }
    assert!(bounds > rounds(1000), "{bounds}");
}

/// A more urgent task with a short suspension: its second CPU segment has the jitter 7, so two of its jobs count in a
/// window of 24 or more. If the suspension counts as execution or as blocking, one job counts.
#[test]
fn a_baseline_may_be_below_the_end_to_end_bound() {
    let system = super::system(
        r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"1","period":8,"priority":1,"segments":[{"on":"cpu","wcet":4}]},
        {"name":"2","period":30,"priority":2,"wait":"suspend","segments":[{"on":"cpu","wcet":2},{"on":"gpu","wcet":1},{"on":"cpu","wcet":2}]},
        {"name":"3","period":100,"priority":3,"segments":[{"on":"cpu","wcet":8}]}]}"#,
    );
    let third = |method| baseline(&system, method).response_time(2).unwrap().ns();
    assert_eq!(third(Baseline::Oblivious), 29);
    assert_eq!(third(Baseline::Blocking), 29);
    assert_eq!(analyze(&system).response_times_ns[2].unwrap().ns(), 30);
}

/// Returns the response times of tasks (C, S, T) on one core. The most urgent task is first. Each task suspends
/// itself for S between its first nanosecond and the rest of C, on its own partition.
fn responses(tasks: &[(u64, u64, u64)], wait: &str, method: Baseline) -> Vec<u64> {
    let partitions: Vec<String> = (0..tasks.len())
        .map(|index| format!(r#"{{"name":"g{index}","sms":1,"policy":"fp"}}"#))
        .collect();
    let list: Vec<String> = tasks
        .iter()
        .enumerate()
        .map(|(index, (cost, suspension, period))| {
            let segments = match suspension {
                0 => format!(r#"{{"on":"cpu","wcet":{cost}}}"#),
                _ => format!(
                    r#"{{"on":"cpu","wcet":1}},{{"on":"g{index}","wcet":{suspension}}},{{"on":"cpu","wcet":{}}}"#,
                    cost - 1
                ),
            };
            format!(
                r#"{{"name":"{index}","period":{period},"priority":{index},"wait":"{wait}","segments":[{segments}]}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"partitions":[{}],"tasks":[{}]}}"#,
        partitions.join(","),
        list.join(",")
    );
    let bounds = baseline(&system(&text), method);
    let of = |task: usize| bounds.response_time(task).map_or(0, |time| time.ns());
    (0..tasks.len()).map(of).collect()
}

/// Example of dynamic suspension in the style of Chen et al. 2019. With the suspension as jitter, the bound of the
/// last task is 12, which is unsafe. With the jitter R − C, the bound is 22.
#[test]
fn the_jitter_is_the_response_time_without_the_execution() {
    let tasks = [(1, 0, 2), (5, 5, 20), (1, 0, 50)];
    assert_eq!(responses(&tasks, "suspend", Baseline::Jitter), [1, 20, 22]);
    // 1 + min(5, 5) + ⌈W/2⌉ + 5⌈W/20⌉ = W
    assert_eq!(responses(&tasks, "suspend", Baseline::Blocking), [1, 20, 32]);
    // 1 + ⌈W/2⌉ + 10⌈W/20⌉ > W for all W up to 50
    assert_eq!(responses(&tasks, "suspend", Baseline::Oblivious), [1, 20, 0]);
}

#[test]
fn busy_waiting_is_execution() {
    let tasks = [(4, 4, 20), (6, 0, 40)];
    for method in [Baseline::Oblivious, Baseline::Jitter, Baseline::Blocking] {
        assert_eq!(responses(&tasks, "busy", method), [8, 14], "{method:?}");
    }
    assert_eq!(responses(&tasks, "suspend", Baseline::Oblivious), [8, 14]);
    assert_eq!(responses(&tasks, "suspend", Baseline::Blocking), [8, 14]);
    assert_eq!(responses(&tasks, "suspend", Baseline::Jitter), [8, 10]);
}
