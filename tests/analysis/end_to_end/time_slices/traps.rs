//! Runs above wrong equations, as scripts.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::{Bounds, System, TaskBounds};
use gpusched::simulator::end_to_end::{Drawn, Extent, Observed, Overruns, Pattern, Simulator, Turns};
use gpusched::verification::verify_system;

use super::super::scripted::{Job, observed};
use super::super::system;
use super::reference::{Reference, Wrong};

/// Returns the least table of the equations for a system whose tasks have one kernel each.
fn solve(system: &System, wrong: Wrong) -> Bounds {
    let rows = system.tasks().iter().map(|task| {
        let value = vec![Some(task.segments[0].wcet)];
        TaskBounds {
            ends_ns: value.clone(),
            delays_ns: value,
        }
    });
    let mut bounds = Bounds(rows.collect());
    loop {
        let reference = Reference {
            system,
            bounds: &bounds,
            wrong,
        };
        let rows = (0..system.tasks().len()).map(|task| {
            let delay = reference.delay(task, 0).unwrap();
            let value = vec![delay.map(|delay| Time::from_ns(u64::try_from(delay).unwrap()))];
            TaskBounds {
                ends_ns: value.clone(),
                delays_ns: value,
            }
        });
        let next = Bounds(rows.collect());
        if next == bounds {
            return bounds;
        }
        bounds = next;
    }
}

/// In each turn of context x, the nine short kernels execute first. Then the slice ends inside the long kernel. So a kernel of 10
/// has ten overruns, not ⌈9/10⌉.
#[test]
fn each_slice_may_end_inside_the_same_preempted_kernel() {
    let short: Vec<String> = (0..9)
        .map(|task| {
            format!(
                r#"{{"name":"short{task}","period":60,"priority":{},"segments":[{{"on":"x","wcet":1,"bcet":1}}]}}"#,
                2 + task
            )
        })
        .collect();
    let text = format!(
        r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"time-sliced","switch":0,"contexts":[
        {{"name":"x","slice":10,"policy":"fp","overrun":20}},{{"name":"y","slice":30,"policy":"fp","overrun":0}}]}}],"tasks":[
        {{"name":"v","period":4000,"priority":1,"segments":[{{"on":"y","wcet":300,"bcet":300}}]}},
        {{"name":"long","period":4000,"priority":50,"segments":[{{"on":"x","wcet":10,"bcet":10}}]}},{}]}}"#,
        short.join(",")
    );
    let system = system(&text);
    let mut longest = Time::ZERO;
    for (first, renew) in [(0, false), (0, true), (1, false), (1, true)] {
        let mut simulator = Simulator::new(&system, None).unwrap();
        simulator.set_turns(Turns {
            renew,
            overruns: Overruns::Longest,
            ..Turns::default()
        });
        let mut runs = Pattern::default().runs(&system, (0, 0));
        runs[0].first = Time::from_ns(first);
        let mut source = Drawn::new(&system, &runs, (0, 0)).unwrap();
        let mut observed = Observed::new(&system);
        let extent = Extent::before(Time::from_ns(4000));
        simulator.run(&mut source, extent, &mut observed).unwrap();
        longest = longest.max(observed.tasks[0].response);
    }
    let answer = analyze(&system);
    assert_eq!(longest, Time::from_ns(580));
    let unsafe_form = solve(&system, Wrong::Preemption);
    assert_eq!(unsafe_form.response_time(0), Some(Time::from_ns(402)));
    assert_eq!(solve(&system, Wrong::Nothing), answer.evidence.bounds);
    assert_eq!(answer.response_times_ns[0], Some(Time::from_ns(600)));
    assert!(verify_system(&answer, &system).is_ok());
}

/// Returns the longest delay of each segment of task 0, in a run with `jobs`.
fn delays(system: &System, jobs: &[Job<'_>]) -> Vec<Time> {
    observed(system, jobs).tasks[0].delays.clone()
}

/// Checks the delay of the only kernel of task 0: the delay in a run, the bound, and the smaller value of the wrong equations.
fn refuted(system: &System, wrong: Wrong, jobs: &[Job<'_>], expected: [u64; 3]) {
    let [run, bound, unsafe_form] = expected.map(Time::from_ns);
    assert_eq!(delays(system, jobs), [run]);
    let answer = analyze(system);
    assert_eq!(answer.evidence.bounds.delay(0, 0), Some(bound));
    assert_eq!(solve(system, wrong).response_time(0), Some(unsafe_form));
    assert!(unsafe_form < run && run <= bound);
    let mut changed = answer.clone();
    changed.evidence.bounds.0[0].delays_ns[0] = Some(unsafe_form);
    assert!(verify_system(&changed, system).is_err());
}

/// Returns a system with two contexts. Task 0 has a kernel of `wcet` on context x. The other tasks are on context y.
fn two_contexts(x: u64, wcet: u64, y: &str, tasks: &str) -> System {
    system(&format!(
        r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"time-sliced","switch":0,"contexts":[{{"name":"x","slice":{x},"overrun":0}},
        {{"name":"y",{y}}}]}}],"tasks":[
        {{"name":"own","period":1000,"priority":0,"segments":[{{"on":"x","wcet":{wcet}}}]}},{tasks}]}}"#
    ))
}

/// Two jobs of the other context arrive 20 apart, but the first one is released after its arrival.
#[test]
fn the_other_context_has_work_at_the_start_of_the_window() {
    let other = r#"{"name":"other","period":20,"jitter":13,"priority":1,"segments":[{"on":"y","wcet":5}]}"#;
    let system = two_contexts(2, 4, r#""slice":100,"overrun":0"#, other);
    let jobs: [Job<'_>; 3] = [(1, 0, 13, &[5]), (1, 20, 0, &[5]), (0, 13, 0, &[4])];
    refuted(&system, Wrong::CarryIn, &jobs, [14, 14, 9]);
}

/// A kernel of 2 starts 1 ns before the end of the slice, so it has an overrun.
#[test]
fn a_slice_ends_inside_a_short_kernel() {
    let others = r#"{"name":"long","period":1000,"priority":1,"segments":[{"on":"y","wcet":9}]},
        {"name":"short","period":1000,"priority":2,"segments":[{"on":"y","wcet":2}]}"#;
    let system = two_contexts(100, 1, r#""slice":10,"overrun":20"#, others);
    let jobs: [Job<'_>; 3] = [(1, 0, 0, &[9]), (2, 0, 0, &[2]), (0, 8, 0, &[1])];
    refuted(&system, Wrong::ShortKernels, &jobs, [23, 31, 12]);
}

/// Every segment takes more than 0 ns. So the context is idle between two kernels, even if the CPU segment between them is
/// rounded to 0. Without this rule, the second kernel starts in the rest of a slice, and its delay is 19.
#[test]
fn a_segment_of_length_0_leaves_the_context_idle() {
    let text = r#"{"cores":[{"name":"cpu","policy":"fp"}],
        "partitions":[{"name":"gpu","sms":1,"policy":"time-sliced","switch":0,"contexts":[
        {"name":"x","slice":5,"policy":"fp","overrun":9},{"name":"y","slice":5,"policy":"fp","overrun":0}]}],"tasks":[
        {"name":"a","period":1000,"wait":"suspend","segments":[{"on":"x","wcet":4},{"on":"cpu","wcet":1},{"on":"x","wcet":5}]},
        {"name":"b","period":1000,"segments":[{"on":"y","wcet":5}]}]}"#;
    let system = system(text);
    let bound = analyze(&system).evidence.bounds.delay(0, 2);
    assert_eq!(bound, Some(Time::from_ns(10)));
    let found = delays(&system, &[(0, 0, 0, &[4, 0, 5]), (1, 1, 0, &[5])]);
    assert_eq!(found, [4, 0, 10].map(Time::from_ns));
}

/// At 34, kernel l could start, but the slice of context x ends, and context y receives its second kernel. So l starts later, after
/// the second kernel h. Without the last instant of the window until the start, the bound of l is 5.
#[test]
fn another_context_may_receive_a_kernel_at_the_start() {
    let text = r#"{"partitions":[{"name":"gpu","sms":1,"policy":"time-sliced","switch":0,"contexts":[
        {"name":"x","slice":1,"overrun":0,"policy":"np-fp"},{"name":"y","slice":100,"overrun":0}]}],"tasks":[
        {"name":"l","period":1000,"priority":2,"segments":[{"on":"x","wcet":1}]},
        {"name":"h","period":5,"priority":1,"segments":[{"on":"x","wcet":1}]},
        {"name":"g","period":1000,"priority":3,"segments":[{"on":"x","wcet":1}]},
        {"name":"y","period":25,"jitter":20,"priority":1,"segments":[{"on":"y","wcet":3}]}]}"#;
    let system = system(text);
    let jobs: [Job<'_>; 6] = [
        (0, 30, 0, &[1]),
        (1, 30, 0, &[1]),
        (1, 35, 0, &[1]),
        (2, 29, 0, &[1]),
        (3, 9, 20, &[3]),
        (3, 34, 0, &[3]),
    ];
    refuted(&system, Wrong::LastInstant, &jobs, [9, 9, 5]);
}

/// Job b waits for its kernel for at most 18 after the release of the kernel, but it ends at most 21 after its arrival. So it
/// occupies the core for 21 and not for 4 + 18. With 22, the bound of a is 57.
#[test]
fn a_job_occupies_its_core_for_at_most_its_response_time() {
    let text = r#"{"cores":[{"name":"cpu","policy":"edf"}],
        "partitions":[{"name":"gpu","sms":1,"policy":"time-sliced","switch":1,"idle":"wait","contexts":[
        {"name":"x","slice":2,"overrun":0},{"name":"y","slice":3,"overrun":3,"policy":"edf"},{"name":"z","slice":7,"overrun":0}]}],"tasks":[
        {"name":"a","period":160,"jitter":16,"wait":"suspend","segments":[{"on":"cpu","wcet":1},{"on":"z","wcet":3},
        {"on":"cpu","wcet":4,"bcet":4}]},
        {"name":"b","period":80,"wait":"busy","segments":[{"on":"cpu","wcet":4,"bcet":3},{"on":"y","wcet":2}]},
        {"name":"c","period":160,"segments":[{"on":"y","wcet":1}]}]}"#;
    let system = system(text);
    let answer = analyze(&system);
    let ns = |time: u64| Some(Time::from_ns(time));
    assert_eq!(answer.response_times_ns, [ns(56), ns(21), ns(18)]);
    assert_eq!(answer.evidence.bounds.delay(1, 1), ns(18));
    assert!(verify_system(&answer, &system).is_ok());
    let mut changed = answer;
    changed.evidence.bounds.0[0].ends_ns[2] = ns(55);
    assert!(verify_system(&changed, &system).is_err());
}

/// Context x is alone, so its slices never end inside a kernel. It waits for at most one switch: the first one of the run.
#[test]
fn no_slice_of_a_context_that_is_alone_ends() {
    let system = |policy: &str, gpu: &str| {
        system(&format!(
            r#"{{"partitions":[{gpu}],"tasks":[
            {{"name":"a","period":100,"priority":1,"segments":[{{"on":"{policy}","wcet":9}}]}},
            {{"name":"b","period":100,"priority":2,"segments":[{{"on":"{policy}","wcet":12}}]}}]}}"#
        ))
    };
    for policy in ["np-fifo", "np-fp", "fp", "edf", "np-edf"] {
        let partition = format!(r#"{{"name":"{policy}","sms":1,"policy":"{policy}"}}"#);
        let context = |idle: &str| {
            format!(
                r#"{{"name":"gpu","sms":1,"policy":"time-sliced","switch":5,"idle":"{idle}","contexts":[
                {{"name":"{policy}","slice":4,"overrun":3,"policy":"{policy}"}},{{"name":"unused","slice":6,"overrun":1}}]}}"#
            )
        };
        let (sliced, plain) = (system(policy, &context("skip")), system(policy, &partition));
        let found = analyze(&sliced);
        assert_eq!(verify_system(&found, &sliced).err(), None, "{policy}");
        let expected = analyze(&plain).response_times_ns.into_iter();
        let expected: Vec<_> = expected
            .map(|bound| bound.map(|bound| Time::from_ns(bound.ns() + 5)))
            .collect();
        assert_eq!(found.response_times_ns, expected, "{policy}");
        let jobs: [Job<'_>; 2] = [(0, 0, 0, &[9]), (1, 0, 0, &[12])];
        let run = observed(&sliced, &jobs);
        let longest = run.tasks.iter().map(|task| Some(task.delays[0])).max();
        assert_eq!(longest, found.response_times_ns.iter().copied().max(), "{policy}");
        // With turns of idle contexts, the context waits for them.
        let waits = analyze(&system(policy, &context("wait")));
        assert!(waits.response_times_ns[0].is_none_or(|bound| Some(bound) > found.response_times_ns[0]));
    }
}

/// The only task of an EDF context has one kernel at a time, so its delay is the delay under every policy. R is exactly T.
#[test]
fn a_response_time_may_be_the_period() {
    let text = |policy: &str| {
        format!(
            r#"{{"partitions":[{{"name":"gpu","sms":1,"policy":"time-sliced","switch":1,"idle":"wait","contexts":[
            {{"name":"x","slice":4,"overrun":0,"policy":"{policy}"}},{{"name":"y","slice":4,"overrun":0}}]}}],"tasks":[
            {{"name":"own","period":10,"segments":[{{"on":"x","wcet":4}}]}},
            {{"name":"other","period":100,"segments":[{{"on":"y","wcet":4}}]}}]}}"#
        )
    };
    for policy in ["np-fifo", "fp", "edf"] {
        let system = system(&text(policy));
        let answer = analyze(&system);
        assert_eq!(answer.response_times_ns[0], Some(Time::from_ns(10)), "{policy}");
        assert_eq!(verify_system(&answer, &system).err(), None, "{policy}");
    }
}
