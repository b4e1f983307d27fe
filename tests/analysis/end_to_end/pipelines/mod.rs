//! Pipelined tasks: golden examples, a slow implementation of the equations, and runs above wrong variants of the equations.
//!
//! * `reference`: a slow implementation of the equations, with wrong variants;
//! * `sizes`: sizes of partitions;
//! * `traps`: runs above the wrong variants.

mod reference;
pub mod sizes;
mod traps;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::System;
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::end_to_end::{Drawn, Extent, Observed, Pattern, Simulator};
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use gpusched::verification::verify_system;
use rand::RngExt as _;
use rayon::prelude::*;

use self::reference::{Reference, Wrong};
use super::system;
use crate::oracle::random_sets::rng;
use crate::support::rounds;

/// Returns R of all segments of a task; 0 without a bound. The verifier confirms each answer.
fn ends(system: &System, task: usize) -> Vec<u64> {
    let answer = analyze(system);
    assert_eq!(verify_system(&answer, system).err(), None);
    let ends = &answer.evidence.bounds.0[task].ends_ns;
    ends.iter().map(|end| end.map_or(0, Time::ns)).collect()
}

/// Example E of an independent implementation in Python: two stages with loads below 1, and D = 5·T.
#[test]
fn two_stages_overlap() {
    let system = system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],
            "partitions":[{"name":"enc","sms":4,"policy":"np-fifo"},{"name":"dec","sms":4,"policy":"np-fifo"}],
            "tasks":[{"name":"speech","period":50,"deadline":250,"jobs":"pipelined","segments":[
            {"on":"c0","wcet":3},{"on":"enc","wcet":40},{"on":"dec","wcet":48},{"on":"c0","wcet":2}]}]}"#,
    );
    assert_eq!(ends(&system, 0), [9, 49, 97, 99]);
    let answer = analyze(&system);
    assert!(answer.schedulable);
    assert_eq!(answer.tasks[0].jobs_max, Some(2));
    let stages = answer.tasks[0].stages.iter();
    let stages: Vec<_> = stages
        .map(|stage| (stage.jobs_max, stage.load_permille))
        .collect();
    let expected = [(1, 100), (1, 800), (2, 960), (2, 100)];
    assert_eq!(stages, expected.map(|(jobs, load)| (Some(jobs), Some(load))));
}

/// Example F: two pipelined tasks share a preemptive partition.
#[test]
fn two_pipelines_share_a_stage() {
    let system = system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],
            "partitions":[{"name":"p","sms":4,"policy":"fp"},{"name":"q","sms":4,"policy":"fp"}],"tasks":[
            {"name":"camera","period":30,"deadline":90,"priority":1,"jobs":"pipelined","segments":[
            {"on":"c0","wcet":2},{"on":"p","wcet":12},{"on":"q","wcet":20},{"on":"c0","wcet":1}]},
            {"name":"lidar","period":100,"deadline":300,"priority":2,"jobs":"pipelined","segments":[
            {"on":"c0","wcet":5},{"on":"p","wcet":30},{"on":"c0","wcet":5}]}]}"#,
    );
    assert_eq!(ends(&system, 0), [4, 16, 36, 37]);
    assert_eq!(ends(&system, 1), [9, 63, 72]);
}

/// Example H: a buffer with one slot. A shorter period than in the example makes the slot the bottleneck.
#[test]
fn a_buffer_has_one_slot() {
    let text = |period: u64, buffers: &str| {
        format!(
            r#"{{"cores":[{{"name":"c0","policy":"fp"}}],
                "partitions":[{{"name":"enc","sms":4,"policy":"np-fifo"}},{{"name":"dec","sms":4,"policy":"np-fifo"}}],
                "tasks":[{{"name":"speech","period":{period},"deadline":300,"jobs":"pipelined","buffers":{buffers},"segments":[
                {{"on":"c0","wcet":3}},{{"on":"enc","wcet":30}},{{"on":"dec","wcet":25}},{{"on":"c0","wcet":2}}]}}]}}"#
        )
    };
    let ends = |period, buffers| ends(&system(&text(period, buffers)), 0);
    assert_eq!(ends(60, "[null,1,null]"), [3, 33, 58, 60]);
    assert_eq!(ends(40, "[null,null,null]"), [7, 37, 62, 64]);
    // One slot: each frame takes 55 between two starts of the encoder, so queues grow.
    assert_eq!(ends(40, "[null,1,null]"), [0, 0, 0, 0]);
    assert_eq!(ends(40, "[null,2,null]"), [7, 37, 62, 64]);
}

/// The loads of the stages decide whether a bound exists, and the sum of the stages does not. T and D are from measurements of
/// Whisper on Thor (QUIET, EuroSys 2027).
#[test]
fn the_slowest_stage_decides() {
    let bound = |encoder: u64, decoder: u64| {
        let text = format!(
            r#"{{"partitions":[{{"name":"enc","sms":10,"policy":"np-fifo"}},{{"name":"dec","sms":10,"policy":"np-fifo"}}],
                "tasks":[{{"name":"whisper","period":"52.6ms","deadline":"250ms","jobs":"pipelined","segments":[
                {{"on":"enc","wcet":"{encoder}us"}},{{"on":"dec","wcet":"{decoder}us"}}]}}]}}"#
        );
        let answer = analyze(&system(&text));
        (answer.schedulable, answer.tasks[0].bound_ns)
    };
    let bounded = |encoder, decoder| (true, Some(Time::from_ns((encoder + decoder) * 1000)));
    for (encoder, decoder) in [
        (52_599, 52_599),
        (1_000, 52_599),
        (52_599, 1_000),
        (26_300, 26_300),
    ] {
        assert_eq!(bound(encoder, decoder), bounded(encoder, decoder));
    }
    // At a load of exactly 1, a frame never waits for the previous one.
    assert_eq!(bound(52_600, 52_600), bounded(52_600, 52_600));
    for (encoder, decoder) in [(52_601, 1_000), (1_000, 52_601), (60_000, 60_000)] {
        assert_eq!(bound(encoder, decoder), (false, None));
    }
}

/// Random pipelines through the same stages. In each stage, the load is 1, or one part in 120 or more below it, or one part above it.
/// The bounds are finite if no load exceeds 1, for different priorities. If a load exceeds 1, a task has no bound, and a run has longer and longer responses.
#[test]
fn the_load_of_the_stages_decides() {
    let counts: Vec<[usize; 3]> = (0..rounds(3000u64))
        .into_par_iter()
        .map(|seed| {
            let mut rng = rng(seed);
            let (count, stages) = (rng.random_range(1..=3), rng.random_range(1..=4usize));
            // The first task has the hyperperiod, so its WCET gives each load in parts of 120.
            let others = (1..count).map(|_| [40, 60, 120][rng.random_range(0..3)]);
            let periods: Vec<u64> = [120].into_iter().chain(others).collect();
            let overloaded = rng.random_bool(0.3).then(|| rng.random_range(0..stages));
            let (mut full, equal) = (false, rng.random_bool(0.3));
            let wcets: Vec<Vec<u64>> = (0..stages)
                .map(|stage| {
                    let mut free = 120;
                    let mut wcets: Vec<u64> = Vec::new();
                    for period in &periods[1..] {
                        let parts = 120 / period;
                        let wcet = rng.random_range(1..=free / 2 / parts);
                        wcets.push(wcet);
                        free -= parts * wcet;
                    }
                    let below = [0, 0, 1, free / 2, free - 1][rng.random_range(0..5)].min(free - 1);
                    full |= below == 0;
                    let last = match overloaded == Some(stage) {
                        true => free + 1,
                        false => free - below,
                    };
                    wcets.insert(0, last);
                    wcets
                })
                .collect();
            let partitions: Vec<String> = (0..stages)
                .map(|stage| {
                    let policy = ["np-fifo", "fp", "np-fp"][rng.random_range(0..3)];
                    format!(r#"{{"name":"s{stage}","sms":1,"policy":"{policy}"}}"#)
                })
                .collect();
            let tasks: Vec<String> = periods
                .iter()
                .enumerate()
                .map(|(task, period)| {
                    let segments = wcets.iter().enumerate().map(|(stage, wcets)| {
                        format!(r#"{{"on":"s{stage}","wcet":{0},"bcet":{0}}}"#, wcets[task])
                    });
                    let segments: Vec<String> = segments.collect();
                    format!(
                        r#"{{"name":"{task}","period":{period},"deadline":{},"priority":{},"jobs":"pipelined","segments":[{}]}}"#,
                        1000 * period,
                        if equal { 1 } else { (seed as usize + task) % 3 },
                        segments.join(",")
                    )
                })
                .collect();
            let system = system(&format!(
                r#"{{"partitions":[{}],"tasks":[{}]}}"#,
                partitions.join(","),
                tasks.join(",")
            ));
            let answer = analyze(&system);
            assert_eq!(verify_system(&answer, &system).err(), None, "{seed}");
            let bounded = answer.response_times_ns.iter().all(Option::is_some);
            // Bounds of tasks of equal priority depend on each other, so they may be infinite below a load of 1.
            if overloaded.is_some() || !equal {
                assert_eq!(bounded, overloaded.is_none(), "{seed}: {wcets:?} {periods:?}");
            }
            let longest = |before: u64| {
                let mut observed = Observed::new(&system);
                let runs = Pattern::default().runs(&system, (0, 0));
                let mut source = Drawn::new(&system, &runs, (0, 0)).unwrap();
                let mut simulator = Simulator::new(&system, None).unwrap();
                let extent = Extent::before(Time::from_ns(before));
                simulator.run(&mut source, extent, &mut observed).unwrap();
                observed.tasks.iter().map(|task| task.response.ns()).max().unwrap()
            };
            if overloaded.is_some() {
                let grown = longest(48_000) - longest(24_000);
                assert!(grown >= 100, "{seed}: {grown}");
                return [1, 0, 0];
            }
            let most = answer.response_times_ns.iter().flatten().max();
            assert!(!bounded || Some(longest(2_400)) <= most.map(|most| most.ns()), "{seed}");
            [0, usize::from(full), usize::from(!full)]
        })
        .collect();
    for kind in 0..3 {
        let sum: usize = counts.iter().map(|counts| counts[kind]).sum();
        assert!(sum >= rounds(20), "{kind}: {sum}");
    }
}

/// The second stage is overloaded. The first stage never waits for it, so the first stage and the other task on its resource have bounds.
#[test]
fn stages_before_an_overloaded_stage_have_bounds() {
    let text = |buffers: &str| {
        format!(
            r#"{{"partitions":[{{"name":"a","sms":1,"policy":"fp"}},{{"name":"b","sms":1,"policy":"np-fifo"}}],"tasks":[
            {{"name":"video","period":10,"priority":0,"jobs":"pipelined","buffers":{buffers},"segments":[{{"on":"a","wcet":4}},{{"on":"b","wcet":11}}]}},
            {{"name":"other","period":20,"priority":1,"gpu_priority":1,"segments":[{{"on":"a","wcet":5}}]}}]}}"#
        )
    };
    let free = system(&text("[null]"));
    assert_eq!(ends(&free, 0), [4, 0]);
    assert_eq!(ends(&free, 1), [9]);
    let answer = analyze(&free);
    let stages = answer.tasks[0].stages.iter().map(|stage| stage.jobs_max);
    assert_eq!(stages.collect::<Vec<_>>(), [Some(1), None]);
    // The verifier checks these bounds, too.
    for claimed in [Some(3), Some(5), None] {
        let mut changed = answer.clone();
        changed.evidence.bounds.0[0].ends_ns[0] = claimed.map(Time::from_ns);
        assert!(verify_system(&changed, &free).is_err(), "{claimed:?}");
    }
    // With slots, the first stage waits for the second one.
    let slots = system(&text("[3]"));
    assert_eq!(ends(&slots, 0), [0, 0]);
    assert_eq!(ends(&slots, 1), [0]);
}

/// The jobs of the first task reach the partition up to 80 after φ, and D − φ is negative. Both tasks still have bounds under EDF.
#[test]
fn jobs_may_be_late_before_they_reach_a_resource() {
    let text = |deadline: u64| {
        format!(
            r#"{{"cores":[{{"name":"c","policy":"fp"}}],"partitions":[{{"name":"g","sms":1,"policy":"edf"}}],"tasks":[
            {{"name":"late","period":100,"deadline":{deadline},"priority":1,"jobs":"pipelined","segments":[{{"on":"c","wcet":60,"bcet":20}},
            {{"on":"g","wcet":10}}]}},
            {{"name":"core","period":400,"priority":0,"segments":[{{"on":"c","wcet":40}}]}},
            {{"name":"other","period":50,"priority":2,"segments":[{{"on":"g","wcet":10}}]}}]}}"#
        )
    };
    for (deadline, end) in [(10, 110), (60, 110), (90, 110), (150, 120)] {
        let system = system(&text(deadline));
        assert_eq!(ends(&system, 0), [100, end], "{deadline}");
        assert_eq!(ends(&system, 2), [20], "{deadline}");
    }
}

/// The equations of the page give the bounds of the analysis.
#[test]
fn the_reference_implementation_finds_the_same_bounds() {
    let campaign = Campaign {
        pipelined: true,
        ..Campaign::new(0, 51, Sharing::Nothing)
    };
    let delays = AtomicU64::new(0);
    let compared: u64 = (0..rounds(3000))
        .into_par_iter()
        .map(|index| {
            let (system, _) = campaign.system(index).unwrap();
            let bounds = analyze(&system).evidence.bounds;
            let reference = Reference {
                system: &system,
                bounds: &bounds,
                wrong: Wrong::Nothing,
            };
            let mut compared = 0;
            for (task, found) in system.tasks().iter().enumerate() {
                if bounds.response_time(task).is_none() && !found.is_pipelined() {
                    continue;
                }
                for segment in 0..found.segments.len() {
                    if let Some(delay) = reference.delay(task, segment) {
                        let delay = delay.map(|delay| Time::from_ns(u64::try_from(delay).unwrap()));
                        assert_eq!(
                            bounds.delay(task, segment),
                            delay,
                            "system {index}, task {task}, segment {segment}: {system:#?}\n{bounds:?}"
                        );
                        delays.fetch_add(1, Relaxed);
                    }
                    if !found.is_pipelined() || bounds.end(task, segment).is_none() {
                        continue;
                    }
                    let Some(end) = reference.end(task, segment) else {
                        continue;
                    };
                    let end = end.map(|end| Time::from_ns(u64::try_from(end).unwrap()));
                    assert_eq!(
                        bounds.end(task, segment),
                        end,
                        "system {index}, task {task}, segment {segment}: {system:#?}\n{bounds:?}"
                    );
                    compared += 1;
                }
            }
            compared
        })
        .sum();
    assert!(compared > rounds(2500), "{compared}");
    let delays = delays.into_inner();
    assert!(delays > rounds(100), "{delays}");
}

/// Systems whose busy windows are long: many jobs, loads close to 1, deadlines of many periods, and step limits. The verifier
/// confirms each answer, also where it states no bound.
#[test]
fn the_verifier_confirms_answers_with_long_windows() {
    let counts: Vec<(usize, usize)> = (0..rounds(600u64))
        .into_par_iter()
        .map(|seed| {
            let mut rng = rng(seed);
            let count = rng.random_range(1..=3);
            let tasks = (0..count).map(|task| {
                let period = [100u64, 101, 997, 10_007, 20, 1_000_000][rng.random_range(0..6)];
                let deadline = period * [1, 1, 3, 100][rng.random_range(0..4)];
                let pipelined = rng.random_bool(0.8);
                let stages = rng.random_range(1..=3);
                // The sum of all loads is slightly below 1, exactly 1, or slightly above.
                let load = (period / count).saturating_sub(rng.random_range(0..3)).max(1);
                let jitter = [0, 0, 1, period / 2, period * 5][rng.random_range(0..5)];
                let jitter = if pipelined { jitter } else { jitter.min(period) };
                let segments = (0..stages).map(|stage| {
                    let on = ["g", "h", "h"][if stage == 0 { 0 } else { rng.random_range(0..3) }];
                    let wcet = if on == "g" { load } else { rng.random_range(1..=load) };
                    format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{}}}"#, [0, wcet][rng.random_range(0..2)])
                });
                let segments: Vec<String> = segments.collect();
                let (jobs, deadline) = match pipelined {
                    true => (r#","jobs":"pipelined""#, deadline),
                    false => ("", deadline.min(period)),
                };
                format!(
                    r#"{{"name":"{task}","period":{period},"deadline":{deadline},"jitter":{jitter},"priority":{}{jobs},"segments":[{}]}}"#,
                    rng.random_range(0..3),
                    segments.join(",")
                )
            });
            let tasks: Vec<String> = tasks.collect();
            let policy = ["np-fifo", "np-fp", "fp", "edf", "np-edf", "lp-fp"];
            let [g, h] = [0, 1].map(|_| policy[rng.random_range(0..policy.len())]);
            let sliced = rng.random_bool(0.3);
            let g = match sliced && g != "lp-fp" {
                true => format!(
                    r#""policy":"time-sliced","switch":1,"contexts":[{{"name":"g","slice":50,"overrun":0,"policy":"{g}"}}]"#
                ),
                false => format!(r#""policy":"{g}""#),
            };
            let name = if g.contains("time-sliced") { "gpu" } else { "g" };
            let system = system(&format!(
                r#"{{"partitions":[{{"name":"{name}","sms":1,{g}}},{{"name":"h","sms":1,"policy":"{h}"}}],"tasks":[{}]}}"#,
                tasks.join(",")
            ));
            let answer = analyze(&system);
            if let Err(fault) = verify_system(&answer, &system) {
                panic!("seed {seed}: {fault}\n{system:#?}");
            }
            let bounds = answer.response_times_ns.iter().flatten().count();
            (bounds, answer.response_times_ns.len() - bounds)
        })
        .collect();
    let bounds: usize = counts.iter().map(|(bounds, _)| bounds).sum();
    let nulls: usize = counts.iter().map(|(_, nulls)| nulls).sum();
    assert!(bounds > rounds(200) && nulls > rounds(200), "{bounds} {nulls}");
}

/// Chains with pipelined tasks count, too.
#[test]
fn no_run_exceeds_a_bound() {
    for sharing in [Sharing::Nothing, Sharing::Time] {
        let campaign = Campaign {
            pipelined: true,
            ..Campaign::new(rounds(400), 53, sharing)
        };
        let report = campaign.run(None, |_| ()).unwrap();
        assert_eq!(report.excess, None);
        assert!(report.tally.attained > rounds(20), "{:?}", report.tally);
        assert!(report.tally.chains > rounds(10), "{:?}", report.tally);
    }
}

/// No proof covers timers together with pipelined tasks, or a value S of such a task.
#[test]
fn the_verifier_refuses_what_no_proof_covers() {
    let system = system(
        r#"{"partitions":[{"name":"enc","sms":4,"policy":"np-fifo"},{"name":"dec","sms":4,"policy":"np-fifo"}],
            "tasks":[{"name":"t","period":10,"jobs":"pipelined","segments":[{"on":"enc","wcet":3},{"on":"dec","wcet":4}]}]}"#,
    );
    let answer = analyze(&system);
    assert_eq!(verify_system(&answer, &system).err(), None);
    let mut timers = answer.clone();
    timers.policy = gpusched::model::end_to_end::Analysis::EnforcedReleases;
    timers.assumptions.clear();
    timers.evidence.offsets_ns = Some(vec![vec![Time::ZERO, Time::from_ns(3)]]);
    let fault = verify_system(&timers, &system).unwrap_err();
    assert_eq!(fault.field, "evidence.offsets_ns", "{fault}");
    let mut delays = answer.clone();
    delays.evidence.bounds.0[0].delays_ns[0] = Some(Time::from_ns(3));
    let fault = verify_system(&delays, &system).unwrap_err();
    assert_eq!(fault.field, "evidence.bounds[0].delays_ns[0]", "{fault}");
    let mut jobs = answer;
    jobs.tasks[0].stages[1].jobs_max = Some(0);
    let fault = verify_system(&jobs, &system).unwrap_err();
    assert_eq!(fault.field, "tasks[0].stages[1].jobs_max", "{fault}");
}
