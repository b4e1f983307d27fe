//! Tests of refusals, lengths of runs, patterns and charts.

use super::*;
use gpusched::simulator::timeline::{Mark, Timeline};

/// A busy-waiting task with a kernel, and an urgent task on its core.
const SYSTEM: &str = r#"{
  "cores": [{"name": "c0", "policy": "fp"}],
  "partitions": [{"name": "gpu", "sms": 1, "policy": "fp"}],
  "tasks": [
    {"name": "urgent", "period": 10, "deadline": 1, "jitter": 4, "phase": 3, "segments": [{"on": "c0", "wcet": 2}]},
    {"name": "kernel", "period": 20, "wait": "busy", "segments": [
      {"on": "c0", "wcet": 1}, {"on": "gpu", "wcet": 6, "bcet": 5}, {"on": "c0", "wcet": 2}]}],
  "chains": [{"tasks": ["urgent", "kernel"]}, {"tasks": ["urgent", "kernel"], "communication": "let"}]}"#;

fn drawn<'a>(system: &'a System, pattern: &Pattern) -> Drawn<'a> {
    Drawn::new(system, &pattern.runs(system, (1, 2)), (1, 2)).unwrap()
}

#[test]
fn a_chart_shows_resources_and_misses() {
    let system = system(SYSTEM);
    let mut timeline = Timeline::new();
    let mut chart = Chart::new(&mut timeline, &system).unwrap();
    let mut simulator = Simulator::new(&system, None).unwrap();
    let pattern = Pattern::default();
    simulator
        .run(&mut drawn(&system, &pattern), Extent::jobs(1), &mut chart)
        .unwrap();
    assert_eq!(chart.refused(), None);
    let layout = timeline.layout();
    let slices: Vec<_> = layout[0]
        .tracks
        .iter()
        .flat_map(|track| {
            let slices = track.slices.iter();
            slices.map(|slice| (track.name, slice.name, slice.start.ns(), slice.end.ns()))
        })
        .collect();
    assert_eq!(
        slices,
        [
            ("c0", "kernel", 0, 1),
            ("c0", "kernel (waits)", 1, 3),
            ("c0", "urgent", 3, 5),
            ("c0", "kernel (waits)", 5, 7),
            ("c0", "kernel", 7, 9),
            ("gpu", "kernel", 1, 7),
        ]
    );
    let instants = &layout[1].tracks[0].instants;
    let instants: Vec<_> = instants
        .iter()
        .map(|instant| (instant.mark, instant.at.ns()))
        .collect();
    assert_eq!(
        instants,
        [(Mark::Release, 3), (Mark::Deadline, 4), (Mark::Miss, 4)]
    );
}

#[test]
fn runs_have_the_stated_length() {
    let system = system(SYSTEM);
    let mut simulator = Simulator::new(&system, None).unwrap();
    for (extent, jobs, misses) in [
        (Extent::jobs(3), [3, 3], 3),
        (Extent::before(Time::from_ns(14)), [2, 1], 2),
        // The simulation ends at the deadline of the second job of the urgent task, so this job has not missed it.
        (Extent::until(Time::from_ns(14)), [1, 1], 1),
        (
            Extent {
                end: Time::from_ns(4),
                ..Extent::until(Time::from_ns(5))
            },
            [0, 0],
            0,
        ),
        (Extent::before(Time::ZERO), [0, 0], 0),
    ] {
        let mut observed = Observed::new(&system);
        let mut source = drawn(&system, &Pattern::default());
        simulator.run(&mut source, extent, &mut observed).unwrap();
        assert_eq!(
            [observed.tasks[0].jobs, observed.tasks[1].jobs],
            jobs,
            "{extent:?}"
        );
        assert_eq!(observed.misses, misses, "{extent:?}");
        assert_eq!(observed.first_miss.is_some(), misses > 0);
    }
    // A run that stops reports the overdue jobs.
    let text = SYSTEM.replacen(r#""wcet": 2"#, r#""wcet": 9"#, 1);
    let slow = self::system(&text);
    let mut observed = Observed::new(&slow);
    let mut source = drawn(&slow, &Pattern::default());
    let mut simulator = Simulator::new(&slow, None).unwrap();
    simulator
        .run(&mut source, Extent::until(Time::from_ns(10)), &mut observed)
        .unwrap();
    assert_eq!((observed.tasks[0].jobs, observed.misses), (0, 1));
}

#[test]
fn one_chain_has_the_times_of_its_jobs() {
    let system = system(SYSTEM);
    let mut chains = ChainTimes::new(&system);
    let mut simulator = Simulator::new(&system, None).unwrap();
    let times = |reaction, age| ChainTime {
        reaction: Some(Time::from_ns(reaction)),
        age: Some(Time::from_ns(age)),
    };
    let extent = Extent::before(Time::from_ns(60));
    for _ in 0..2 {
        // The urgent task reads at 3, 13, …; the other task reads at 0, 20, … and writes at 9, 31, ….
        simulator
            .run(&mut drawn(&system, &Pattern::default()), extent, &mut chains)
            .unwrap();
        // An event directly after 13 is read at 23. The output at 49 depends on the read at 33.
        assert_eq!(chains.times(), [times(36, 16), times(47, 27)]);
        chains.restart();
    }
}

#[test]
fn patterns_respect_the_system() {
    let text = SYSTEM.replacen(
        r#""phase": 3"#,
        r#""arrivals": "sporadic", "max_interarrival": 12"#,
        1,
    );
    let sporadic = system(&text);
    let late = Pattern {
        phases: false,
        jitter: Jitter::Late,
        arrivals: Arrivals::Sporadic,
        ..Pattern::default()
    };
    let runs = late.runs(&sporadic, (1, 2));
    let ns = |time: Time| time.ns();
    assert_eq!([runs[0].first, runs[0].earliest, runs[0].gap].map(ns), [0, 4, 2]);
    assert_eq!([runs[1].first, runs[1].earliest, runs[1].gap].map(ns), [4, 4, 10]);
    let mut source = Drawn::new(&sporadic, &runs, (1, 2)).unwrap();
    let script = Script::record(&sporadic, &mut source, Extent::jobs(50)).unwrap();
    let arrivals: Vec<Arrival> = script.jobs(0).map(|(arrival, _)| arrival).collect();
    let gaps: Vec<u64> = arrivals
        .windows(2)
        .map(|pair| pair[1].at.ns() - pair[0].at.ns())
        .collect();
    assert!(gaps.iter().all(|gap| (10..=12).contains(gap)) && gaps.contains(&12));
    assert_eq!((arrivals[0].jitter.ns(), arrivals[1].jitter.ns()), (4, 0));
    let stated = system(SYSTEM);
    let pattern = Pattern {
        offsets: Offsets::Random,
        ..Pattern::default()
    };
    let [urgent, kernel] = pattern.runs(&stated, (1, 2))[..] else {
        panic!()
    };
    assert!(urgent.first.ns() == 3 && kernel.first.ns() < 20);
    for execution in [Execution::Bcet, Execution::Random, Execution::Extremes] {
        let mut source = drawn(
            &stated,
            &Pattern {
                execution,
                ..Pattern::default()
            },
        );
        let script = Script::record(&stated, &mut source, Extent::jobs(40)).unwrap();
        let kernels: Vec<u64> = script.jobs(1).map(|(_, times)| times[1].ns()).collect();
        let expected: &[u64] = if execution == Execution::Bcet {
            &[5]
        } else {
            &[5, 6]
        };
        assert!(
            expected.iter().all(|time| kernels.contains(time)),
            "{execution:?}: {kernels:?}"
        );
    }
}

#[test]
fn impossible_runs_are_refused() {
    let system = system(SYSTEM);
    let zeros = vec![vec![Time::ZERO], vec![Time::ZERO; 3]];
    for (offsets, expected) in [
        (
            zeros.clone(),
            "offsets_ns[1]: found enforced releases of the busy-waiting task \"kernel\"",
        ),
        (zeros[..1].to_vec(), "offsets_ns: found 1 lists"),
        (vec![vec![], vec![]], "offsets_ns[0]: found 0 times"),
        (vec![vec![Time::from_ns(u64::MAX)], vec![]], "less than 2^63 ns"),
    ] {
        let message = Simulator::new(&system, Some(&offsets)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let mut script = Script::new(&system);
    let arrival = |at, jitter| Arrival {
        at: Time::from_ns(at),
        jitter: Time::from_ns(jitter),
    };
    let two = [Time::from_ns(2)];
    script.push(0, arrival(5, 4), &two).unwrap();
    for (task, arrival, times, expected) in [
        (
            0,
            arrival(14, 0),
            &two[..],
            "tasks[0].arrival: found 14ns, expected at least 15ns",
        ),
        (
            0,
            arrival(15, 5),
            &two,
            "tasks[0].jitter: found 5ns, expected at most 4ns",
        ),
        (
            0,
            arrival(15, 0),
            &[],
            "found 0 execution times, expected 1 execution times",
        ),
        (
            0,
            arrival(15, 0),
            &[Time::from_ns(3)],
            "found 3ns, expected 0ns to 2ns",
        ),
        (2, arrival(15, 0), &two, "task: found 2"),
    ] {
        let message = script.push(task, arrival, times).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(script.jobs(0).count(), 1);
    script.clear();
    assert_eq!(script.jobs(0).count(), 0);
    let runs = [TaskRun {
        earliest: Time::from_ns(5),
        ..TaskRun::default()
    }; 2];
    assert!(
        Drawn::new(&system, &runs, (1, 1))
            .unwrap_err()
            .to_string()
            .contains("runs[0].earliest")
    );
    assert!(Drawn::new(&system, &runs[..1], (1, 1)).is_err());
    let mut simulator = Simulator::new(&system, None).unwrap();
    let far = TaskRun {
        first: Time::from_ns(FOREVER.ns() - 1),
        ..TaskRun::default()
    };
    let mut source = Drawn::new(&system, &[far; 2], (1, 1)).unwrap();
    let result = simulator.run(&mut source, Extent::ALL, &mut ());
    assert!(result.unwrap_err().to_string().contains("shorter duration"));
    let long = Extent::before(Time::LIMIT);
    assert!(
        simulator
            .run(&mut drawn(&system, &Pattern::default()), long, &mut ())
            .is_err()
    );
}
