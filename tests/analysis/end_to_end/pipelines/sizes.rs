//! Sizes of partitions for systems with pipelined tasks: against all sizes of all divisions, against the verifier and against runs.

use gpusched::Time;
use gpusched::end_to_end::{Gpu, Search, analyze, plan};
use gpusched::model::end_to_end::{Answer, Draft, PartitionDraft, System};
use gpusched::model::streams::{Purpose, below, stream};
use gpusched::model::{Interference, Observer};
use gpusched::partitioning::HeuristicKind;
use gpusched::simulator::end_to_end::{
    Arrivals, Drawn, Event, Execution, Extent, Jitter, Observed, Offsets, Pattern, Simulator,
};
use gpusched::verification::verify_system;
use rand::Rng;
use rayon::prelude::*;

use super::super::draft;
use crate::support::rounds;

/// SMs of the GPU.
const SMS: u32 = 5;

/// Returns one of `list`.
fn pick<'a>(rng: &mut impl Rng, list: &[&'a str]) -> &'a str {
    list[below(rng, list.len())]
}

/// Returns the WCET of a random kernel: a function, a table that may start at two SMs, or a constant.
fn wcet(rng: &mut impl Rng) -> String {
    let work = 4 + below(rng, 36);
    match below(rng, 6) {
        0 => format!("{}", 1 + work / 4),
        1 => format!(r#"{{"table":[[2,{work}],[3,{}]]}}"#, 1 + work / 2),
        2 => format!(r#"{{"table":[[1,{work}],[4,{}]]}}"#, 1 + below(rng, work)),
        _ => {
            let serial = pick(rng, &["0", "0.1", "0.5"]);
            let conflict = pick(rng, &["1", "1.5", "2"]);
            format!(r#"{{"amdahl":{{"work":{work},"serial":{serial},"conflict":{conflict}}}}}"#)
        }
    }
}

/// Returns a system with one to three tasks and at most four kernels. Most tasks are pipelined, at least one. In one of eight
/// systems, all kernels and all periods are equal.
pub fn random(index: u64) -> Draft {
    let rng = &mut stream(54, Purpose::PipelinedSystems, index, 0);
    let policy = pick(
        rng,
        &["np-fifo", "np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"],
    );
    let core = pick(rng, &["fp", "fp", "edf"]);
    let equal = (below(rng, 8) == 0).then(|| (wcet(rng), 10 + below(rng, 40)));
    let (mut left, mut tasks) = (4, Vec::new());
    for task in 0..1 + below(rng, 3) {
        let pipelined = task == 0 || below(rng, 3) > 0;
        let mut segments = Vec::new();
        for position in 0..1 + below(rng, 3) {
            let kernel = task + position == 0 || below(rng, 4) > 0;
            segments.push(if kernel && left > 0 {
                left -= 1;
                let time = equal.as_ref().map_or_else(|| wcet(rng), |(time, _)| time.clone());
                let block = match below(rng, 3) {
                    0 => format!(r#","block":{}"#, 1 + below(rng, 4)),
                    _ => String::new(),
                };
                let on = pick(rng, &["g0", "g1", "g1"]);
                format!(r#"{{"on":"{on}","wcet":{time}{block}}}"#)
            } else {
                let time = 1 + below(rng, 4);
                format!(r#"{{"on":"c","wcet":{time},"bcet":{}}}"#, below(rng, time + 1))
            });
        }
        let period = equal
            .as_ref()
            .map_or_else(|| 12 + below(rng, 60), |&(_, period)| period);
        let mut fields = match pipelined {
            true => format!(
                r#","jobs":"pipelined","deadline":{}"#,
                period * [1, 2, 4, 8][below(rng, 4)]
            ),
            false => format!(r#","wait":"{}""#, pick(rng, &["suspend", "busy"])),
        };
        if pipelined && below(rng, 3) == 0 {
            let slots: Vec<&str> = segments[1..]
                .iter()
                .map(|_| pick(rng, &["null", "1", "2", "3"]))
                .collect();
            fields += &format!(r#","buffers":[{}]"#, slots.join(","));
        }
        if below(rng, 3) == 0 {
            fields += &format!(r#","jitter":{}"#, below(rng, period));
        }
        tasks.push(format!(
            r#"{{"name":"t{task}","period":{period},"priority":{},"gpu_priority":{}{fields},"segments":[{}]}}"#,
            below(rng, 3),
            below(rng, 3),
            segments.join(",")
        ));
    }
    let chain = match below(rng, 3) {
        0 => format!(r#"{{"tasks":["t0"],"limit":{}}}"#, 20 + below(rng, 200)),
        _ => String::new(),
    };
    draft(&format!(
        r#"{{"cores":[{{"name":"c","policy":"{core}"}}],
            "partitions":[{{"name":"g0","policy":"{policy}"}},{{"name":"g1","policy":"{policy}"}}],
            "tasks":[{}],"chains":[{chain}]}}"#,
        tasks.join(",")
    ))
}

/// Returns all divisions of the kernels of `draft` into partitions. Kernels of one task on one partition stay together.
fn divisions(draft: &Draft) -> Vec<Draft> {
    let mut units: Vec<(usize, String)> = Vec::new();
    for (index, task) in draft.tasks.iter().enumerate() {
        for segment in &task.segments {
            let unit = (index, segment.on.clone());
            if segment.on != "c" && !units.contains(&unit) {
                units.push(unit);
            }
        }
    }
    // Group of each unit. A new group has the next number.
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in &units {
        let next = |groups: Vec<usize>| {
            let new = groups.iter().map(|group| group + 1).max().unwrap_or(0);
            (0..=new).map(move |group| [groups.as_slice(), &[group]].concat())
        };
        all = all.into_iter().flat_map(next).collect();
    }
    let divided = all.iter().map(|groups| {
        let mut divided = draft.clone();
        let original = divided.partitions.swap_remove(0);
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let partition = |group| PartitionDraft {
            name: format!("p{group}"),
            ..original.clone()
        };
        divided.partitions = (0..count).map(partition).collect();
        for ((task, on), group) in units.iter().zip(groups) {
            let segments = &mut divided.tasks[*task].segments;
            for segment in segments.iter_mut().filter(|segment| segment.on == *on) {
                segment.on = format!("p{group}");
            }
        }
        divided
    });
    divided.collect()
}

/// Returns all vectors of `count` sizes with a sum of at most `most`.
fn sizes(count: usize, most: u32) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..count {
        let next = |sizes: Vec<u32>| {
            let left = most - sizes.iter().sum::<u32>();
            (1..=left).map(move |size| [sizes.as_slice(), &[size]].concat())
        };
        all = all.into_iter().flat_map(next).collect();
    }
    all
}

fn analyzed(draft: &Draft, sizes: &[u32]) -> Option<Answer> {
    let system = System::new(&draft.clone().sized(sizes), Interference::Conflict).ok()?;
    Some(analyze(&system))
}

/// Times at which jobs enter and leave the queue of each segment.
struct Queues(Vec<Vec<(Vec<u64>, Vec<u64>)>>);

impl Observer<Event> for Queues {
    fn see(&mut self, now: Time, event: Event) {
        let mut enter = |task: usize, segment: usize| {
            if let Some((enters, _)) = self.0[task].get_mut(segment) {
                enters.push(now.ns());
            }
        };
        match event {
            Event::Arrival(job) => enter(job.task, 0),
            Event::End { part, .. } => {
                enter(part.job.task, part.segment + 1);
                self.0[part.job.task][part.segment].1.push(now.ns());
            }
            _ => {}
        }
    }
}

/// Simulates `system`. No time exceeds its bound, and no queue exceeds its length.
fn simulate(system: &System, answer: &Answer, seed: u64) {
    let mut simulator = Simulator::new(system, None).unwrap();
    let mut observed = Observed::new(system);
    let longest = system.tasks().iter().map(|task| task.period.ns()).max().unwrap();
    for run in 0..6 {
        let pattern = Pattern {
            offsets: [Offsets::Synchronous, Offsets::Random][run % 2],
            phases: false,
            jitter: [Jitter::None, Jitter::Random, Jitter::Late][run % 3],
            arrivals: [Arrivals::Periodic, Arrivals::Sporadic][usize::from(run == 5)],
            execution: [
                Execution::Wcet,
                Execution::Extremes,
                Execution::Extremes,
                Execution::Random,
            ][run % 4],
        };
        let numbers = (seed, run as u64);
        let mut source = Drawn::new(system, &pattern.runs(system, numbers), numbers).unwrap();
        let none =
            |task: &gpusched::model::end_to_end::Task| vec![(Vec::new(), Vec::new()); task.segments.len()];
        let mut queues = Queues(system.tasks().iter().map(none).collect());
        let extent = Extent::before(Time::from_ns(8 * longest));
        simulator
            .run(&mut source, extent, &mut (&mut observed, &mut queues))
            .unwrap();
        for (task, queues) in answer.tasks.iter().zip(&queues.0) {
            for (stage, (enters, leaves)) in task.stages.iter().zip(queues) {
                // A job is in the queue up to its end, and not at its end.
                let longest = enters.iter().map(|&now| {
                    let count = |times: &[u64]| times.iter().filter(|&&time| time <= now).count();
                    (count(enters) - count(leaves)) as u64
                });
                assert!(
                    longest.max() <= stage.jobs_max.or(Some(u64::MAX)),
                    "{seed} {system:#?}"
                );
            }
        }
    }
    for (task, observed) in observed.tasks.iter().enumerate() {
        for (segment, &end) in observed.ends.iter().enumerate() {
            let bound = answer.evidence.bounds.end(task, segment);
            assert!(
                bound.is_none_or(|bound| end <= bound),
                "{seed} {task} {segment} {end} {system:#?}"
            );
        }
    }
}

/// `optimal` finds the fewest SMs of all divisions and all sizes. Each plan is verified, and no run of it exceeds a bound.
#[test]
fn plans_of_pipelines_have_the_fewest_sms() {
    let found: Vec<Option<u32>> = (0..rounds(600u64))
        .into_par_iter()
        .map(|index| {
            let draft = random(index);
            let divisions = divisions(&draft);
            let all = divisions.iter().flat_map(|divided| {
                let sizes = sizes(divided.partitions.len(), SMS).into_iter();
                sizes.map(move |sizes| (divided, sizes))
            });
            let passing = all
                .filter(|(divided, sizes)| analyzed(divided, sizes).is_some_and(|answer| answer.schedulable));
            let fewest: Option<u32> = passing.map(|(_, sizes)| sizes.iter().sum()).min();
            for heuristic in [
                HeuristicKind::Optimal,
                HeuristicKind::Auto,
                HeuristicKind::Savings,
                HeuristicKind::OnePerPartition,
            ] {
                let search = Search {
                    heuristic,
                    environment: Interference::Conflict.into(),
                    alternatives: false,
                    tests: 100_000,
                };
                let found = plan(
                    &draft,
                    Gpu {
                        sms: SMS,
                        offer: None,
                    },
                    search,
                )
                .unwrap();
                if heuristic == HeuristicKind::Optimal {
                    assert!(found.proven);
                    assert_eq!(found.schedulable.then_some(found.sms_used), fewest, "{index}");
                }
                let (Some(system), true) = (&found.system, found.schedulable) else {
                    continue;
                };
                assert!(fewest.is_some_and(|fewest| fewest <= found.sms_used && found.sms_used <= SMS));
                found.check_system(&draft).unwrap();
                let system = System::new(system, Interference::Conflict).unwrap();
                let answer = found.verdict.unwrap();
                assert_eq!(verify_system(&answer, &system).err(), None);
                simulate(&system, &answer, index);
                for (task, of) in answer.tasks.iter().zip(system.tasks()) {
                    assert_eq!(task.jobs_max.is_some(), of.is_pipelined());
                    let loads = task.stages.iter().map(|stage| stage.load_permille);
                    assert!(
                        loads
                            .into_iter()
                            .all(|load| load.is_some_and(|load| load <= 1000))
                    );
                }
            }
            fewest
        })
        .collect();
    let planned = found.iter().filter(|fewest| fewest.is_some()).count();
    let several = found
        .iter()
        .filter(|fewest| fewest.is_some_and(|sms| sms > 1))
        .count();
    let count = found.len();
    assert!(
        planned > count / 4 && several > count / 8 && planned < count,
        "{planned} {several} {count}"
    );
}

/// Larger partitions never make a bound longer. The search relies on it.
#[test]
fn larger_partitions_never_make_a_bound_longer() {
    let better: usize = (0..rounds(2000u64))
        .into_par_iter()
        .map(|index| {
            let draft = random(index);
            let divisions = divisions(&draft);
            let divided = &divisions[index as usize % divisions.len()];
            let mut better = 0;
            for small in sizes(divided.partitions.len(), SMS) {
                let Some(before) = analyzed(divided, &small) else {
                    continue;
                };
                for partition in 0..small.len() {
                    let mut large = small.clone();
                    large[partition] += 1;
                    let after = analyzed(divided, &large).unwrap();
                    let bounds = before.response_times_ns.iter().zip(&after.response_times_ns);
                    for (before, after) in bounds {
                        let never = Time::from_ns(u64::MAX);
                        let (before, after) = (before.unwrap_or(never), after.unwrap_or(never));
                        assert!(after <= before, "{index} {small:?} {large:?}");
                        better += usize::from(after < before);
                    }
                }
            }
            better
        })
        .sum();
    assert!(better > rounds(2000), "{better}");
}
