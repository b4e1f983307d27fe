//! On random systems, the simulator agrees with the reference implementation and with the definitions of chains.

use super::reference::{Log, Record, Recorder};
use super::*;
use crate::support::rounds;
use gpusched::model::end_to_end::{PartitionPolicy, Task};
use gpusched::model::streams::{Purpose, below, stream};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;

/// A random system with short times. `timers` selects a system for enforced releases.
fn draw(rng: &mut ChaCha8Rng, timers: bool) -> System {
    let mut pick = |list: &[&'static str]| list[below(rng, list.len())];
    let cores = [pick(&["fp", "edf"]), pick(&["fp", "edf"])];
    let engine = pick(&["fifo", "np-fp"]);
    let policies = ["np-fifo", "np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"];
    let partitions = [pick(&policies), pick(&policies)];
    let pipelines = !timers && below(rng, 2) == 0;
    let (mut tasks, mut sequential) = (Vec::new(), Vec::new());
    for index in 0..1 + below(rng, 4) {
        let pipelined = pipelines && below(rng, 3) > 0;
        let core = ["c0", "c1"][below(rng, 2)];
        let count = 1 + below(rng, 5);
        let mut segments = Vec::new();
        for _ in 0..count {
            let other = if pipelined { "c0" } else { core };
            let on = [core, other, "ce", "g0", "g1"][below(rng, 5)];
            let wcet = 1 + below(rng, 6);
            let bcet = if below(rng, 2) == 0 {
                wcet
            } else {
                below(rng, wcet + 1)
            };
            let block = match on {
                "g0" | "g1" => format!(r#","block":{}"#, 1 + below(rng, 4)),
                _ => String::new(),
            };
            segments.push(format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{bcet}{block}}}"#));
        }
        let period = [6 + below(rng, 30), 1 + below(rng, 8)][usize::from(pipelined && below(rng, 2) == 0)];
        let deadline = match (pipelined, count) {
            (true, _) => 1 + below(rng, 5 * period),
            (false, 1) => 1 + below(rng, 2 * period),
            (false, _) => 1 + below(rng, period),
        };
        let mut jobs = format!(
            r#""wait":"{}""#,
            if timers {
                "suspend"
            } else {
                ["busy", "suspend"][below(rng, 2)]
            }
        );
        if pipelined {
            let slots = (1..count).map(|_| ["null", "1", "2", "3"][below(rng, 4)]);
            let slots = slots.collect::<Vec<_>>().join(",");
            jobs = [
                r#""jobs":"pipelined""#.to_owned(),
                format!(r#""jobs":"pipelined","buffers":[{slots}]"#),
            ][below(rng, 2)]
            .clone();
        } else {
            sequential.push(index);
        }
        tasks.push(format!(
            r#"{{"name":"t{index}","period":{period},"deadline":{deadline},"jitter":{},"priority":{},"gpu_priority":{},{jobs},"segments":[{}]}}"#,
            [0, below(rng, 9)][below(rng, 2)],
            below(rng, 3),
            below(rng, 3),
            segments.join(",")
        ));
    }
    let chain = (0..1 + below(rng, 3)).map(|_| {
        let task = sequential.get(below(rng, sequential.len().max(1)))?;
        Some(format!(r#""t{task}""#))
    });
    let chains = chain.collect::<Option<Vec<_>>>().map_or(String::new(), |chain| {
        let chain = chain.join(",");
        format!(r#"{{"tasks":[{chain}]}},{{"tasks":[{chain}],"communication":"let"}}"#)
    });
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"{}"}},{{"name":"c1","policy":"{}"}}],
            "copy_engines":[{{"name":"ce","policy":"{engine}"}}],
            "partitions":[{{"name":"g0","sms":1,"policy":"{}"}},{{"name":"g1","sms":1,"policy":"{}"}}],
            "tasks":[{}],"chains":[{chains}]}}"#,
        cores[0],
        cores[1],
        partitions[0],
        partitions[1],
        tasks.join(",")
    ))
}

/// A random memory for all resources; `None` for a system whose kernels are preempted at block boundaries, and for a system with
/// pipelined tasks.
fn memory(rng: &mut ChaCha8Rng, system: &System) -> Option<Channels> {
    let limited = |policy| matches!(policy, PartitionPolicy::LpFp | PartitionPolicy::LpEdf);
    let mut rest: Vec<usize> = (0..system.resources().count()).collect();
    let count = 1 + below(rng, 2);
    let order = (0..rest.len())
        .map(|_| rest.swap_remove(below(rng, rest.len())))
        .collect();
    let bursts = system.tasks().iter().map(|task| {
        let bursts = task.segments.iter().map(|_| Burst {
            time: below(rng, 8) as u64,
            last: below(rng, 2) == 0,
        });
        bursts.collect()
    });
    let bursts = bursts.collect();
    let mut partitions = system.partitions().iter();
    let pipelined = system.tasks().iter().any(Task::is_pipelined);
    (!pipelined && !partitions.any(|partition| limited(partition.policy))).then_some(Channels {
        count,
        order,
        bursts,
    })
}

/// Returns a random pattern, and whether each job is released as late as possible.
fn pattern(rng: &mut ChaCha8Rng) -> (Pattern, bool) {
    let offsets = [Offsets::Synchronous, Offsets::Random][below(rng, 2)];
    let jitter = [Some(Jitter::None), Some(Jitter::Late), None, Some(Jitter::Random)][below(rng, 4)];
    let pattern = Pattern {
        offsets,
        phases: false,
        jitter: jitter.unwrap_or(Jitter::None),
        arrivals: [Arrivals::Periodic, Arrivals::Sporadic][below(rng, 2)],
        execution: [
            Execution::Wcet,
            Execution::Bcet,
            Execution::Random,
            Execution::Extremes,
        ][below(rng, 4)],
    };
    (pattern, jitter.is_none())
}

/// Simulates random system `seed` with both simulators, and checks the chains.
fn compare(seed: u64) {
    let rng = &mut stream(seed, Purpose::ValidationSystems, 0, 0);
    let timers = below(rng, 3) == 0;
    let system = draw(rng, timers);
    let offsets: Option<Vec<Vec<Time>>> = timers.then(|| {
        let tasks = system.tasks().iter();
        let tasks = tasks.map(|task| {
            task.segments
                .iter()
                .map(|_| Time::from_ns(below(rng, 20) as u64))
                .collect()
        });
        tasks.collect()
    });
    let mut simulator = Simulator::new(&system, offsets.as_deref()).unwrap();
    for run in 0..3 {
        let memory = memory(rng, &system).filter(|_| run > 0);
        if let Some(memory) = &memory {
            simulator.share(memory.clone()).unwrap();
        }
        let (pattern, latest) = pattern(rng);
        let mut runs = pattern.runs(&system, (seed, run));
        if latest {
            runs.iter_mut().for_each(|run| run.delay = Delay::Max);
        }
        let drawn = || Drawn::new(&system, &runs, (seed, run)).unwrap();
        let extent = Extent {
            jobs: 8,
            ..Extent::before(Time::from_ns(150))
        };
        let script = Script::record(&system, &mut drawn(), extent).unwrap();
        let expected = reference::run(&system, offsets.as_deref(), memory.as_ref(), &script);
        let mut observer = (
            Recorder::default(),
            (Observed::new(&system), ChainTimes::new(&system)),
        );
        simulator.run(&mut drawn(), extent, &mut observer).unwrap();
        let (recorder, (observed, mut chains)) = observer;
        assert_eq!(
            recorder.log.sorted(),
            expected,
            "{seed} {pattern:?} {system:#?} {offsets:?} {script:#?}"
        );
        let mut again = Recorder::default();
        simulator
            .run(&mut script.play(), Extent::ALL, &mut again)
            .unwrap();
        assert_eq!(again.log.sorted(), expected, "{seed}");
        for (task, found) in observed.tasks.iter().enumerate() {
            let records = expected.records.iter().filter(|record| record.task == task);
            for (segment, (&end, &delay)) in found.ends.iter().zip(&found.delays).enumerate() {
                let of = records.clone().filter(|record| record.segment == segment);
                let arrival = |job: u64| script.jobs(task).nth(job as usize).unwrap().0.at.ns();
                let ends = of.clone().map(|record| record.ended - arrival(record.job));
                assert_eq!(end.ns(), ends.max().unwrap_or(0));
                assert_eq!(
                    delay.ns(),
                    of.clone()
                        .map(|record| record.ended - record.released)
                        .max()
                        .unwrap_or(0)
                );
                // Jobs that enter and leave a queue at one instant count or do not.
                let stays = of.map(|record| {
                    let before = expected.records.iter().find(|other| {
                        (other.task, other.job) == (record.task, record.job) && other.segment + 1 == segment
                    });
                    (
                        before.map_or(arrival(record.job), |before| before.ended),
                        record.ended,
                    )
                });
                let stays: Vec<(u64, u64)> = stays.collect();
                let most = |present: fn(u64, (u64, u64)) -> bool| {
                    let counts = stays.iter().map(|&(enters, _)| {
                        stays.iter().filter(|&&stay| present(enters, stay)).count() as u64
                    });
                    counts.max().unwrap_or(0)
                };
                let least = most(|at, (enters, leaves)| enters <= at && at < leaves);
                let most = most(|at, (enters, leaves)| enters <= at && at <= leaves);
                let queue = found.queues[segment];
                assert!((least..=most).contains(&queue), "{seed} {least} {queue} {most}");
            }
        }
        let times = chains.times();
        let instant = |read: &Record| {
            let ended = expected
                .records
                .iter()
                .filter(|record| (record.task, record.job) == (read.task, read.job));
            read.segment == 0 && ended.map(|record| record.ended).max() == Some(read.started)
        };
        if expected.records.iter().any(instant) {
            continue; // the definition does not order the reads and writes of jobs of length 0
        }
        for (chain, found) in times.iter().enumerate() {
            assert_eq!(
                *found,
                chain_by_definition(&system, chain, &script, &expected),
                "{seed} {chain}"
            );
        }
    }
}

/// Finds the times of a chain by its definition, from the reads and writes of all jobs.
fn chain_by_definition(system: &System, chain: usize, script: &Script<'_>, log: &Log) -> ChainTime {
    let chain = &system.chains()[chain];
    let hops: Vec<Vec<(u64, u64)>> = chain
        .tasks
        .iter()
        .map(|&task| {
            let jobs = script.jobs(task).enumerate();
            jobs.map(|(job, (arrival, _))| match chain.communication {
                gpusched::model::end_to_end::Communication::Let => (
                    arrival.at.ns(),
                    arrival.at.ns() + system.tasks()[task].deadline.ns(),
                ),
                gpusched::model::end_to_end::Communication::Asynchronous => {
                    let of = log
                        .records
                        .iter()
                        .filter(|record| record.task == task && record.job == job as u64);
                    let last = system.tasks()[task].segments.len() - 1;
                    let first = of.clone().find(|record| record.segment == 0).unwrap();
                    (
                        first.started,
                        of.clone().find(|record| record.segment == last).unwrap().ended,
                    )
                }
            })
            .collect()
        })
        .collect();
    // Reaction: follow each job of the first task forward. The external event is directly after the read of the
    // previous job.
    let mut longest = ChainTime::default();
    for first in 1..hops[0].len() {
        let mut written = hops[0][first].1;
        let complete = hops[1..].iter().all(|jobs| {
            let next = jobs.iter().find(|(read, _)| *read >= written);
            next.inspect(|(_, write)| written = *write).is_some()
        });
        let seen = is_traced(&hops, written).is_some();
        if complete && seen {
            let reaction = Time::from_ns(written - hops[0][first - 1].0);
            // The first output that depends on any data ends the interval that began before the run.
            let earlier = hops[hops.len() - 1].iter().filter(|(_, write)| *write < written);
            if earlier
                .filter_map(|(_, write)| is_traced(&hops, *write))
                .next()
                .is_some()
            {
                longest.reaction = longest.reaction.max(Some(reaction));
            }
        }
    }
    // Age: follow each output backward.
    for &(_, write) in &hops[hops.len() - 1] {
        if let Some(source) = is_traced(&hops, write) {
            longest.age = longest.age.max(Some(Time::from_ns(write - hops[0][source].0)));
        }
    }
    longest
}

/// Follows the output at `write` backward. Returns the job of the first task.
fn is_traced(hops: &[Vec<(u64, u64)>], write: u64) -> Option<usize> {
    let mut job = hops[hops.len() - 1].iter().position(|found| found.1 == write)?;
    for hop in (1..hops.len()).rev() {
        let read = hops[hop][job].0;
        job = hops[hop - 1].iter().rposition(|found| found.1 <= read)?;
    }
    Some(job)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2000)))]
    #[test]
    fn the_simulator_agrees_with_the_reference_implementation(seed in any::<u64>()) {
        compare(seed);
    }
}
