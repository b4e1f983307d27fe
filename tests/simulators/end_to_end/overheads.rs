//! Systems with overheads of dispatchers: no run of dispatchers with overheads exceeds a bound, and both overheads are
//! necessary.

use super::reference::{Dispatchers, run_with};
use super::*;
use crate::support::rounds;
use gpusched::model::Overheads;
use gpusched::model::end_to_end::{Environment, Resource};
use gpusched::model::streams::{Purpose, below, stream};
use gpusched::{end_to_end::analyze, verification::verify_system};
use rand_chacha::ChaCha8Rng;

/// A random system whose partitions have no preemption.
fn draw(rng: &mut ChaCha8Rng) -> Draft {
    let policies: [&str; 3] = std::array::from_fn(|_| ["np-fifo", "np-fp", "np-edf"][below(rng, 3)]);
    let core = ["fp", "edf"][below(rng, 2)];
    let engine = ["fifo", "np-fp"][below(rng, 2)];
    let tasks: Vec<String> = (0..1 + below(rng, 3))
        .map(|index| {
            let segments: Vec<String> = (0..1 + below(rng, 3))
                .map(|_| {
                    let on = ["c0", "ce", "g0", "g0", "g1"][below(rng, 5)];
                    let wcet = 1 + below(rng, 6);
                    let bcet = [0, wcet, below(rng, wcet + 1)][below(rng, 3)];
                    format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{bcet}}}"#)
                })
                .collect();
            let (period, jobs) = match below(rng, 2) {
                0 => (
                    20 + below(rng, 40),
                    ["\"wait\":\"busy\"", "\"wait\":\"suspend\""][below(rng, 2)],
                ),
                _ => (9 + below(rng, 40), r#""deadline":200,"jobs":"pipelined""#),
            };
            format!(
                r#"{{"name":"t{index}","period":{period},"jitter":{},"priority":{},{jobs},"segments":[{}]}}"#,
                [0, below(rng, 9)][below(rng, 2)],
                below(rng, 3),
                segments.join(",")
            )
        })
        .collect();
    let text = format!(
        r#"{{"cores":[{{"name":"c0","policy":"{core}"}}],"copy_engines":[{{"name":"ce","policy":"{engine}"}}],
            "partitions":[{{"name":"g0","sms":1,"policy":"{}"}},{{"name":"g1","sms":1,"policy":"{}"}}],"tasks":[{}]}}"#,
        policies[0],
        policies[1],
        tasks.join(",")
    );
    serde_json::from_str(&text).unwrap()
}

fn with(draft: &Draft, overheads: Option<Overheads>) -> System {
    let environment = Environment {
        overheads,
        ..Interference::None.into()
    };
    System::new(draft, environment).unwrap()
}

/// Returns the bounds on the ends of the segments of `task` in the file; the bounds on wake-ups are left out.
fn bounds(system: &System, task: usize) -> Vec<Option<Time>> {
    let answer = analyze(system);
    verify_system(&answer, system).unwrap();
    let ends = &answer.evidence.bounds.0[task].ends_ns;
    let segments = system.tasks()[task].segments.iter().zip(ends);
    segments
        .filter(|(segment, _)| !matches!(segment.on, Resource::Engine(engine) if engine > 0))
        .map(|(_, &end)| end)
        .collect()
}

#[test]
fn no_run_exceeds_a_bound_and_both_overheads_are_necessary() {
    let (mut checked, mut exceeded) = (0, [0, 0]);
    for seed in 0..rounds(20_000u64) {
        let rng = &mut stream(seed, Purpose::ValidationSystems, 0, 0);
        let draft = draw(rng);
        let overheads = Overheads {
            occupancy_ns: Time::from_ns(below(rng, 4) as u64),
            wake_ns: Time::from_ns(below(rng, 5) as u64),
        };
        let plain = with(&draft, None);
        let counted = with(&draft, Some(overheads));
        let without_wake = with(
            &draft,
            Some(Overheads {
                wake_ns: Time::ZERO,
                ..overheads
            }),
        );
        let without_occupancy = with(
            &draft,
            Some(Overheads {
                occupancy_ns: Time::ZERO,
                ..overheads
            }),
        );
        let pattern = Pattern {
            offsets: [Offsets::Synchronous, Offsets::Random][below(rng, 2)],
            phases: false,
            jitter: [Jitter::None, Jitter::Late, Jitter::Random][below(rng, 3)],
            arrivals: [Arrivals::Periodic, Arrivals::Sporadic][below(rng, 2)],
            execution: [Execution::Wcet, Execution::Random, Execution::Extremes][below(rng, 3)],
        };
        let runs = pattern.runs(&plain, (seed, 0));
        let mut drawn = Drawn::new(&plain, &runs, (seed, 0)).unwrap();
        let extent = Extent {
            jobs: 8,
            ..Extent::before(Time::from_ns(250))
        };
        let script = Script::record(&plain, &mut drawn, extent).unwrap();
        let dispatchers = Dispatchers {
            bounds: overheads,
            rng: stream(seed, Purpose::ValidationSystems, 1, 0),
            wakes: vec![None; plain.resources().count()],
        };
        let log = run_with(&plain, None, (None, Some(dispatchers)), &script);
        for task in 0..plain.tasks().len() {
            let counted = bounds(&counted, task);
            let less = [&without_wake, &without_occupancy].map(|system| bounds(system, task));
            for record in log.records.iter().filter(|record| record.task == task) {
                let arrival = script.jobs(task).nth(record.job as usize).unwrap().0.at.ns();
                let end = Time::from_ns(record.ended - arrival);
                if let Some(bound) = counted[record.segment] {
                    checked += 1;
                    assert!(
                        end <= bound,
                        "{seed} {overheads:?} {record:?} {bound} {} {log:#?}",
                        serde_json::to_string(&draft).unwrap()
                    );
                }
                for (exceeded, bounds) in exceeded.iter_mut().zip(&less) {
                    *exceeded += u64::from(bounds[record.segment].is_some_and(|bound| end > bound));
                }
            }
        }
    }
    assert!(
        checked > 0 && exceeded.iter().all(|&count| count > 0),
        "{checked} {exceeded:?}"
    );
}

#[test]
fn a_task_alone_has_the_sum_of_its_overheads() {
    let draft = |segments: &str, rest: &str| -> Draft {
        let text = format!(
            r#"{{"cores":[{{"name":"c","policy":"fp"}}],"partitions":[{{"name":"g","sms":1,"policy":"np-edf"}}],
                "tasks":[{{"name":"t","period":1000,"wait":"suspend"{rest},"segments":[{segments}]}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let overheads = |occupancy, wake| {
        Some(Overheads {
            occupancy_ns: Time::from_ns(occupancy),
            wake_ns: Time::from_ns(wake),
        })
    };
    let response = |draft: &Draft, overheads| {
        let system = with(draft, overheads);
        let bounds = bounds(&system, 0);
        bounds.last().unwrap().map(Time::ns)
    };
    let (core, kernel) = (r#"{"on":"c","wcet":10}"#, r#"{"on":"g","wcet":100}"#);
    let both = draft(&format!("{core},{kernel}"), "");
    assert_eq!(response(&both, None), Some(110));
    assert_eq!(response(&both, overheads(0, 0)), Some(110));
    assert_eq!(response(&both, overheads(7, 0)), Some(117));
    assert_eq!(response(&both, overheads(0, 5)), Some(115));
    assert_eq!(response(&both, overheads(7, 5)), Some(122));
    // The wake-up of a task of one kernel is release jitter, so a deadline above the period stays possible.
    let late = draft(kernel, r#","deadline":3000,"jitter":20"#);
    assert_eq!(response(&late, overheads(7, 5)), Some(132));
}

/// A wake-up of a pipelined task is a stage like all others. It is refused beside slots of a buffer.
#[test]
fn a_wake_up_of_a_pipelined_task_is_a_stage() {
    let draft = |buffers: &str| -> Draft {
        let text = format!(
            r#"{{"copy_engines":[{{"name":"e","policy":"fifo"}}],
                "partitions":[{{"name":"g","sms":1,"policy":"np-fifo"}},{{"name":"h","sms":1,"policy":"np-fifo"}}],
                "tasks":[{{"name":"t","period":10,"deadline":40,"jobs":"pipelined"{buffers},"segments":[
                {{"on":"g","wcet":7}},{{"on":"h","wcet":8}}]}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let overheads = Overheads {
        occupancy_ns: Time::from_ns(2),
        wake_ns: Time::from_ns(5),
    };
    let ends = bounds(&with(&draft(""), Some(overheads)), 0);
    assert_eq!(ends, [14, 29].map(|end| Some(Time::from_ns(end))));
    let environment = Environment {
        overheads: Some(overheads),
        ..Interference::None.into()
    };
    let refused = System::new(&draft(r#","buffers":[1]"#), environment).unwrap_err();
    assert_eq!(refused.field(), "tasks[0].buffers");
}

#[test]
fn overheads_without_an_analysis_are_refused() {
    let refusal = |policy: &str, wcet: u64| {
        let text = format!(
            r#"{{"partitions":[{{"name":"g","sms":1,"policy":"{policy}"}}],
                "tasks":[{{"name":"t","period":1000,"segments":[{{"on":"g","wcet":{wcet}}}]}}]}}"#
        );
        let draft: Draft = serde_json::from_str(&text).unwrap();
        let environment = Environment {
            overheads: Some(Overheads {
                occupancy_ns: Time::from_ns(2),
                wake_ns: Time::LIMIT,
            }),
            ..Interference::Conflict.into()
        };
        System::new(&draft, environment).unwrap_err().to_string()
    };
    for (policy, reason) in [
        ("fp", "preempts at any point"),
        ("edf", "preempts"),
        ("lp-fp", "each launch"),
        ("lp-edf", "launch"),
    ] {
        let found = refusal(policy, 1);
        assert!(
            found.starts_with("partitions[0].policy") && found.contains(reason),
            "{found}"
        );
    }
    let found = refusal("np-fp", Time::LIMIT.ns() - 1);
    assert!(
        found.contains("tasks[0].segments[0].wcet") && found.contains("an overhead of 2ns"),
        "{found}"
    );
    assert_eq!(with_wake_at_the_limit(1), Err("tasks[0].jitter".to_owned()));
    assert_eq!(with_wake_at_the_limit(0), Ok(()));
}

/// Returns the field of the refusal of a system whose first kernel has `jitter`, with the longest wake-up.
fn with_wake_at_the_limit(jitter: u64) -> Result<(), String> {
    let text = format!(
        r#"{{"partitions":[{{"name":"g","sms":1,"policy":"np-fp"}}],
            "tasks":[{{"name":"t","period":1000,"jitter":{jitter},"segments":[{{"on":"g","wcet":1}}]}}]}}"#
    );
    let draft: Draft = serde_json::from_str(&text).unwrap();
    let overheads = Overheads {
        occupancy_ns: Time::ZERO,
        wake_ns: Time::LIMIT,
    };
    let environment = Environment {
        overheads: Some(overheads),
        ..Interference::Conflict.into()
    };
    match System::new(&draft, environment) {
        Ok(system) => {
            assert_eq!(analyze(&system).tasks[0].bound_ns, None);
            Ok(())
        }
        Err(refusal) => Err(refusal.field().to_owned()),
    }
}

/// Overheads change nothing about a task without kernels: its buffers keep their slots, and its bound stays the same.
#[test]
fn a_pipelined_task_without_kernels_keeps_its_buffers() {
    let text = r#"{"cores":[{"name":"a","policy":"fp"},{"name":"b","policy":"fp"}],
        "partitions":[{"name":"g","sms":1,"policy":"np-fp"}],"tasks":[
        {"name":"p","period":10,"deadline":20,"jobs":"pipelined","buffers":[1],
         "segments":[{"on":"a","wcet":2},{"on":"b","wcet":9}]},
        {"name":"k","period":10,"segments":[{"on":"g","wcet":1}]}]}"#;
    let draft: Draft = serde_json::from_str(text).unwrap();
    let [occupancy_ns, wake_ns] = [1, 2].map(Time::from_ns);
    let (plain, counted) = (
        with(&draft, None),
        with(
            &draft,
            Some(Overheads {
                occupancy_ns,
                wake_ns,
            }),
        ),
    );
    assert_eq!(plain.tasks()[0].buffers, [Some(1)]);
    assert_eq!(counted.tasks()[0].buffers, [Some(1)]);
    assert_eq!(bounds(&plain, 0), bounds(&counted, 0));
}
