//! Pipelined tasks: schedules computed by hand, and rules that hold in all runs, also on time-sliced partitions.

use super::reference::{Log, Record, Recorder};
use super::*;
use crate::support::rounds;
use gpusched::model::end_to_end::{CorePolicy, EnginePolicy, PartitionPolicy, Resource, Task};
use gpusched::simulator::timeline::Timeline;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};

/// Runs `jobs` jobs of each task, periodically and with WCETs.
fn run(system: &System, jobs: u64) -> (Log, Observed) {
    let mut observer = (Recorder::default(), Observed::new(system));
    let mut source = Drawn::new(system, &Pattern::default().runs(system, (1, 1)), (1, 1)).unwrap();
    let mut simulator = Simulator::new(system, None).unwrap();
    simulator
        .run(&mut source, Extent::jobs(jobs), &mut observer)
        .unwrap();
    (observer.0.log.sorted(), observer.1)
}

/// Starts and ends of a segment of all jobs of the first task.
fn times(log: &Log, segment: usize) -> Vec<(u64, u64)> {
    let records = log.records.iter().filter(|record| record.task == 0);
    let records = records.filter(|record| record.segment == segment);
    records.map(|record| (record.started, record.ended)).collect()
}

/// A segment starts only after the job before it has left the segment, and only with a free slot for its output.
#[test]
fn jobs_overlap_and_buffers_hold_them_back() {
    let text = |buffers: &str| {
        format!(
            r#"{{"cores":[{{"name":"c","policy":"fp"}}],
                "partitions":[{{"name":"enc","sms":1,"policy":"np-fifo"}},{{"name":"dec","sms":1,"policy":"np-fifo"}}],
                "tasks":[{{"name":"speech","period":40,"deadline":200,"jobs":"pipelined"{buffers},"segments":[
                {{"on":"c","wcet":3}},{{"on":"enc","wcet":30}},{{"on":"dec","wcet":25}},{{"on":"c","wcet":2}}]}}]}}"#
        )
    };
    let (free, observed) = run(&system(&text("")), 3);
    assert_eq!(times(&free, 1), [(3, 33), (43, 73), (83, 113)]);
    assert_eq!(times(&free, 3), [(58, 60), (98, 100), (138, 140)]);
    assert_eq!(observed.tasks[0].queues, [1, 1, 1, 1]);
    let (held, observed) = run(&system(&text(r#","buffers":[null,1,null]"#)), 3);
    assert_eq!(times(&held, 1), [(3, 33), (58, 88), (113, 143)]);
    assert_eq!(times(&held, 3), [(58, 60), (113, 115), (168, 170)]);
    assert_eq!(observed.tasks[0].queues, [1, 2, 1, 1]);
    // A slot counts from its own instant: a second slot is enough here.
    let (two, _) = run(&system(&text(r#","buffers":[null,2,null]"#)), 3);
    assert_eq!(times(&two, 1), times(&free, 1));
}

/// The oldest job of a task goes first, although its priority equals the priority of younger jobs.
#[test]
fn an_older_job_preempts_a_younger_one() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"fp"}],
            "tasks":[{"name":"t","period":4,"deadline":20,"jobs":"pipelined","segments":[
            {"on":"c","wcet":3},{"on":"g","wcet":2},{"on":"c","wcet":2}]}]}"#,
    );
    let (log, _) = run(&system, 2);
    assert_eq!(times(&log, 0), [(0, 3), (4, 9)]);
    assert_eq!(times(&log, 2), [(5, 7), (11, 13)]);
}

/// Under first in, first out, a younger job goes first if its segment was released first, even while its thread was busy.
#[test]
fn a_queue_orders_jobs_by_their_releases() {
    let text = |policy: &str| {
        format!(
            r#"{{"cores":[{{"name":"c","policy":"fp"}}],"partitions":[{{"name":"g","sms":1,"policy":"{policy}"}}],
                "tasks":[{{"name":"t","period":2,"deadline":90,"jobs":"pipelined","segments":[
                {{"on":"g","wcet":3}},{{"on":"c","wcet":2}},{{"on":"g","wcet":3}}]}}]}}"#
        )
    };
    let (fifo, _) = run(&system(&text("np-fifo")), 3);
    assert_eq!(times(&fifo, 0), [(0, 3), (3, 6), (6, 9)]);
    assert_eq!(times(&fifo, 2)[0], (9, 12));
    for policy in ["np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"] {
        let (log, _) = run(&system(&text(policy)), 3);
        let preempts = ["fp", "edf"].contains(&policy);
        assert_eq!(times(&log, 2)[0].0, if preempts { 5 } else { 6 }, "{policy}");
    }
}

/// The segments of a pipelined task overlap, so a chart has one track for each of them.
#[test]
fn a_chart_has_a_track_for_each_stage() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"fp"},{"name":"h","sms":1,"policy":"fp"}],
            "tasks":[{"name":"t","period":4,"deadline":20,"jobs":"pipelined","segments":[
            {"on":"g","wcet":4},{"on":"h","wcet":3}]}]}"#,
    );
    let mut timeline = Timeline::new();
    let mut chart = Chart::new(&mut timeline, &system).unwrap();
    let mut source = Drawn::new(&system, &Pattern::default().runs(&system, (1, 1)), (1, 1)).unwrap();
    let mut simulator = Simulator::new(&system, None).unwrap();
    simulator.run(&mut source, Extent::jobs(2), &mut chart).unwrap();
    assert_eq!(chart.refused(), None);
    let layout = timeline.layout();
    let slices = layout[1].tracks.iter().map(|track| {
        let slices = track.slices.iter();
        let slices = slices.map(|slice| (slice.start.ns(), slice.end.ns()));
        (track.name, slices.collect())
    });
    let slices: Vec<(&str, Vec<(u64, u64)>)> = slices.collect();
    assert_eq!(
        slices,
        [
            ("t", vec![(0, 4), (4, 8)]),
            ("t, segment 1", vec![(4, 7), (8, 11)])
        ]
    );
}

#[test]
fn runs_without_a_rule_are_refused() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"fp"}],
            "tasks":[{"name":"t","period":4,"jobs":"pipelined","segments":[{"on":"g","wcet":4}]}]}"#,
    );
    let timers = Simulator::new(&system, Some(&[vec![Time::ZERO]]))
        .unwrap_err()
        .to_string();
    assert!(
        timers.contains("only sequential tasks have enforced releases"),
        "{timers}"
    );
    let memory = Channels {
        count: 1,
        order: vec![0],
        bursts: vec![vec![Burst::default()]],
    };
    let shared = Simulator::new(&system, None)
        .unwrap()
        .share(memory)
        .unwrap_err()
        .to_string();
    assert!(
        shared.contains("sequential tasks with a shared memory"),
        "{shared}"
    );
}

/// Whether `resource` serves requests in the order of their releases.
fn is_fifo(system: &System, resource: Resource) -> bool {
    match resource {
        Resource::Core(_) => false,
        Resource::Engine(index) => system.engines()[index].policy == EnginePolicy::Fifo,
        Resource::Partition(index) => system.partitions()[index].policy == PartitionPolicy::NpFifo,
    }
}

/// Whether a more urgent segment preempts a segment on `resource` at once.
fn preempts(system: &System, resource: Resource) -> bool {
    match resource {
        Resource::Core(index) => matches!(system.cores()[index].policy, CorePolicy::Fp | CorePolicy::Edf),
        Resource::Engine(_) => false,
        Resource::Partition(index) => {
            let policy = system.partitions()[index].policy;
            matches!(policy, PartitionPolicy::Fp | PartitionPolicy::Edf)
        }
    }
}

/// Checks the rules of pipelined tasks in a run.
fn check(system: &System, log: &Log, place: &str) {
    let find = |task: usize, job: u64, segment: usize| {
        let mut records = log.records.iter();
        records.find(|found| (found.task, found.job, found.segment) == (task, job, segment))
    };
    for record in &log.records {
        let of: &Task = &system.tasks()[record.task];
        if !of.is_pipelined() {
            continue;
        }
        let ended = |job: u64, segment: usize| find(record.task, job, segment).unwrap().ended;
        if let Some(before) = record.segment.checked_sub(1) {
            assert!(ended(record.job, before) <= record.released, "{place} {record:?}");
        }
        if let Some(before) = record.job.checked_sub(1) {
            assert!(
                ended(before, record.segment) <= record.started,
                "{place} {record:?}"
            );
        }
        if let Some(slots) = of.slots(record.segment)
            && let Some(before) = record.job.checked_sub(slots)
        {
            assert!(
                ended(before, record.segment + 1) <= record.released,
                "{place} {record:?}"
            );
        }
    }
    let mut occupied: Vec<(u64, Resource)> =
        log.uses.iter().map(|found| (found.at, found.resource)).collect();
    for (_, resource) in &mut occupied {
        // The contexts of one time-sliced partition never execute at the same time.
        if let Some((gpu, _)) = system.context(*resource) {
            *resource = Resource::Partition(gpu.contexts[0].partition);
        }
    }
    occupied.sort_unstable();
    assert!(occupied.windows(2).all(|pair| pair[0] != pair[1]), "{place}");
    for found in &log.uses {
        let of = &system.tasks()[found.task];
        let starts = find(found.task, found.job, found.segment).unwrap().started == found.at;
        if !of.is_pipelined()
            || is_fifo(system, found.resource)
            || !(starts || preempts(system, found.resource))
        {
            continue;
        }
        let older = |other: &&Record| {
            other.task == found.task
                && other.job < found.job
                && of.segments[other.segment].on == found.resource
                && (other.released..other.ended).contains(&found.at)
        };
        assert_eq!(log.records.iter().find(older), None, "{place} {found:?}");
    }
}

#[test]
fn the_rules_of_pipelined_tasks_hold_on_time_sliced_partitions() {
    for sharing in [Sharing::Nothing, Sharing::Time] {
        let campaign = Campaign {
            pipelined: true,
            ..Campaign::new(0, 41, sharing)
        };
        for index in 0..rounds(300) {
            let (system, _) = campaign.system(index).unwrap();
            let mut simulator = Simulator::new(&system, None).unwrap();
            simulator.set_turns(Turns {
                by_arrival: index % 2 == 0,
                renew: index % 3 == 0,
                overruns: [Overruns::Longest, Overruns::Random][index as usize % 2],
                numbers: (41, index),
            });
            let pattern = Pattern {
                offsets: Offsets::Random,
                phases: false,
                jitter: Jitter::Random,
                arrivals: Arrivals::Sporadic,
                execution: Execution::Extremes,
            };
            let numbers = (41, index);
            let mut source = Drawn::new(&system, &pattern.runs(&system, numbers), numbers).unwrap();
            let mut recorder = Recorder::default();
            simulator
                .run(&mut source, Extent::jobs(8), &mut recorder)
                .unwrap();
            check(&system, &recorder.log.sorted(), &format!("{sharing:?} {index}"));
        }
    }
}
