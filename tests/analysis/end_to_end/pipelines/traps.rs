//! Runs above wrong equations, as scripts.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::System;

use super::super::scripted::{Job, observed};
use super::super::system;
use super::ends;
use super::reference::{Reference, Wrong};

/// Returns the longest time from an arrival to an end of each segment of `task`, in a run with `jobs`.
fn longest(system: &System, jobs: &[Job<'_>], task: usize) -> Vec<u64> {
    let ends = &observed(system, jobs).tasks[task].ends;
    ends.iter().map(|end| end.ns()).collect()
}

/// Returns the bound on the end of a segment, and the value of wrong equations for the table of the analysis.
fn bounds(system: &System, (task, segment): (usize, usize), wrong: Wrong) -> (u64, u64) {
    let bounds = analyze(system).evidence.bounds;
    let reference = Reference {
        system,
        bounds: &bounds,
        wrong,
    };
    let wrong = reference.end(task, segment).unwrap().unwrap();
    (
        bounds.end(task, segment).unwrap().ns(),
        u64::try_from(wrong).unwrap(),
    )
}

/// The blocker ends at 7 and the urgent kernel at 11. At 11, the kernel of `own` could start, but the next urgent kernel arrives.
#[test]
fn an_urgent_kernel_may_arrive_at_the_start() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"np-fp"}],"tasks":[
            {"name":"own","period":100,"priority":2,"jobs":"pipelined","segments":[{"on":"g","wcet":5}]},
            {"name":"urgent","period":10,"priority":1,"segments":[{"on":"g","wcet":4}]},
            {"name":"blocker","period":100,"priority":3,"segments":[{"on":"g","wcet":7}]}]}"#,
    );
    let jobs: [Job<'_>; 4] = [
        (2, 0, 0, &[7]),
        (0, 1, 0, &[5]),
        (1, 1, 0, &[4]),
        (1, 11, 0, &[4]),
    ];
    assert_eq!(longest(&system, &jobs, 0), [19]);
    assert_eq!(bounds(&system, (0, 0), Wrong::StartInstant), (19, 15));
}

/// Three frames of `burst` wait at the core until 45, and then they leave it every 6 ns. So the queue grows at the minimum distances. An
/// equation that only examines the steps of the periods and jitters has the bound 20.
#[test]
fn a_queue_grows_at_the_minimum_distances() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"np-fifo"}],"tasks":[
            {"name":"own","period":1000,"priority":9,"segments":[{"on":"g","wcet":11}]},
            {"name":"burst","period":20,"deadline":100,"priority":1,"jobs":"pipelined","segments":[
            {"on":"c","wcet":6,"bcet":6},{"on":"g","wcet":8}]},
            {"name":"late","period":1000,"priority":0,"segments":[{"on":"c","wcet":45}]}]}"#,
    );
    let jobs: [Job<'_>; 6] = [
        (2, 0, 0, &[45]),
        (1, 0, 0, &[6, 8]),
        (1, 20, 0, &[6, 8]),
        (1, 40, 0, &[6, 8]),
        (1, 60, 0, &[6, 8]),
        (0, 70, 0, &[11]),
    ];
    assert_eq!(longest(&system, &jobs, 0), [24]);
    let bounds = analyze(&system).evidence.bounds;
    assert_eq!(bounds.delay(0, 0), Some(Time::from_ns(25)));
    let reference = Reference {
        system: &system,
        bounds: &bounds,
        wrong: Wrong::DistanceSteps,
    };
    assert_eq!(reference.delay(0, 0), Some(Some(20)));
}

/// The frames of `urgent` leave their first stage at least 15 apart, but one per 20 arrives. At a utilization of 1, the work of the
/// burst accumulates over four own jobs. Only the first own job counts in the wrong variant: its bound is 30.
#[test]
fn minimum_distances_do_not_hold_in_an_endless_window() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"fp"}],"tasks":[
            {"name":"own","period":20,"deadline":200,"priority":2,"jobs":"pipelined","segments":[{"on":"g","wcet":10}]},
            {"name":"urgent","period":20,"deadline":200,"jitter":30,"priority":1,"jobs":"pipelined","segments":[
            {"on":"c","wcet":15,"bcet":15},{"on":"g","wcet":10}]}]}"#,
    );
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for job in 0..8 {
        let arrival = 20 * job;
        jobs.push((1, arrival, 30u64.saturating_sub(arrival), &[15, 10]));
        jobs.push((0, 45 + arrival, 0, &[10]));
    }
    assert_eq!(longest(&system, &jobs, 0), [50]);
    assert_eq!(bounds(&system, (0, 0), Wrong::Distances), (50, 30));
}

/// A sequential task waits for all frames in the queue, not for one. The frames arrive in a burst because of their jitter.
#[test]
fn a_sequential_task_waits_for_several_requests() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"np-fifo"}],"tasks":[
            {"name":"own","period":100,"segments":[{"on":"g","wcet":5}]},
            {"name":"frames","period":10,"deadline":100,"jitter":30,"jobs":"pipelined","segments":[{"on":"g","wcet":4}]}]}"#,
    );
    let mut jobs: Vec<Job<'_>> = vec![(0, 31, 0, &[5])];
    for job in 0..4 {
        jobs.push((1, 10 * job, 30 - 10 * job, &[4]));
    }
    // One request of `frames` gives 9.
    assert_eq!(longest(&system, &jobs, 0), [20]);
    assert_eq!(analyze(&system).response_times_ns[0], Some(Time::from_ns(21)));
}

/// Jobs of a more urgent pipelined task overlap: R > T. In the window of a sequential task on a core, two of them carry in work.
#[test]
fn several_jobs_of_a_pipelined_task_interfere_with_a_sequential_task() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"np-fifo"}],"tasks":[
            {"name":"own","period":200,"priority":2,"segments":[{"on":"c","wcet":5}]},
            {"name":"frames","period":20,"deadline":100,"priority":1,"jobs":"pipelined","segments":[
            {"on":"g","wcet":18},{"on":"g","wcet":2},{"on":"c","wcet":3}]}]}"#,
    );
    let bound = analyze(&system).response_times_ns[0].unwrap().ns();
    // Frame 0 waits in both kernels, and frame 1 needs no time there.
    let jobs: [Job<'_>; 3] = [(1, 0, 0, &[18, 2, 3]), (1, 20, 0, &[1, 1, 3]), (0, 20, 0, &[5])];
    let found = longest(&system, &jobs, 0)[0];
    assert_eq!(found, 11);
    assert!(found <= bound, "{bound}");
}

/// Checks a run of segment (`task`, `segment`): the longest time, the bound, and the smaller value of the wrong equations.
fn refuted(
    system: &System,
    (task, segment): (usize, usize),
    wrong: Wrong,
    jobs: &[Job<'_>],
    [run, bound, unsafe_form]: [u64; 3],
) {
    assert_eq!(longest(system, jobs, task)[segment], run);
    assert_eq!(bounds(system, (task, segment), wrong), (bound, unsafe_form));
    assert!(unsafe_form < run && run <= bound);
}

/// The example of Lehoczky: the longest response time is not at the start of the window.
#[test]
fn later_jobs_of_a_window_count() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"fp"}],"tasks":[
            {"name":"own","period":100,"deadline":500,"priority":2,"jobs":"pipelined","segments":[{"on":"g","wcet":62}]},
            {"name":"urgent","period":70,"priority":1,"segments":[{"on":"g","wcet":26}]}]}"#,
    );
    let own = (0..8).map(|job| (0, 100 * job, 0, &[62u64][..]));
    let urgent = (0..10).map(|job| (1, 70 * job, 0, &[26u64][..]));
    let jobs: Vec<Job<'_>> = own.chain(urgent).collect();
    refuted(&system, (0, 0), Wrong::FirstActivation, &jobs, [118, 118, 114]);
}

/// The first stage of a frame takes 10, and the first stage of the next frame takes 1. So their kernels are 11 apart.
#[test]
fn each_segment_has_its_own_jitter() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"fp"}],"tasks":[
            {"name":"own","period":100,"priority":2,"jobs":"pipelined","segments":[{"on":"g","wcet":8}]},
            {"name":"urgent","period":20,"priority":1,"jobs":"pipelined","segments":[
            {"on":"c","wcet":10,"bcet":1},{"on":"g","wcet":5}]}]}"#,
    );
    let jobs: [Job<'_>; 3] = [(1, 0, 0, &[10, 5]), (1, 20, 0, &[1, 5]), (0, 10, 0, &[8])];
    refuted(&system, (0, 0), Wrong::FirstJitter, &jobs, [18, 18, 13]);
}

/// The last segment of frame 0 goes before the first segment of frame 1.
#[test]
fn later_own_segments_count() {
    let system = system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"g","sms":1,"policy":"np-fifo"}],"tasks":[
            {"name":"own","period":6,"deadline":60,"jobs":"pipelined","segments":[
            {"on":"c","wcet":3},{"on":"g","wcet":2},{"on":"c","wcet":2}]}]}"#,
    );
    let jobs: [Job<'_>; 2] = [(0, 0, 0, &[3, 2, 2]), (0, 6, 0, &[3, 2, 2])];
    refuted(&system, (0, 0), Wrong::LaterOwn, &jobs, [4, 11, 3]);
}

/// Four frames of another pipeline are in the queue.
#[test]
fn a_pipelined_task_has_several_requests() {
    let system = system(
        r#"{"partitions":[{"name":"g","sms":1,"policy":"np-fifo"}],"tasks":[
            {"name":"own","period":100,"jobs":"pipelined","segments":[{"on":"g","wcet":5}]},
            {"name":"frames","period":10,"deadline":100,"jitter":30,"jobs":"pipelined","segments":[{"on":"g","wcet":4}]}]}"#,
    );
    let mut jobs: Vec<Job<'_>> = vec![(0, 31, 0, &[5])];
    for job in 0..4 {
        jobs.push((1, 10 * job, 30 - 10 * job, &[4]));
    }
    refuted(&system, (0, 0), Wrong::OneRequest, &jobs, [20, 21, 9]);
}

/// With one slot, each frame keeps the encoder and the decoder for 55 in turn, so queues grow. Without the buffer, the bound is 64.
#[test]
fn buffers_delay_segments() {
    let text = |slots: &str| {
        format!(
            r#"{{"cores":[{{"name":"c0","policy":"fp"}}],
                "partitions":[{{"name":"enc","sms":4,"policy":"np-fifo"}},{{"name":"dec","sms":4,"policy":"np-fifo"}}],
                "tasks":[{{"name":"speech","period":40,"deadline":300,"jobs":"pipelined","buffers":[null,{slots},null],"segments":[
                {{"on":"c0","wcet":3}},{{"on":"enc","wcet":30}},{{"on":"dec","wcet":25}},{{"on":"c0","wcet":2}}]}}]}}"#
        )
    };
    let jobs = (0..3).map(|job| (0, 40 * job, 0, &[3u64, 30, 25, 2][..]));
    let jobs: Vec<Job<'_>> = jobs.collect();
    let found = |slots| {
        let system = system(&text(slots));
        let bound = analyze(&system).response_times_ns[0];
        (longest(&system, &jobs, 0)[3], bound.map(Time::ns))
    };
    assert_eq!(found("null"), (60, Some(64)));
    assert_eq!(found("1"), (90, None));
}

/// Found by review: the window over all stages of i uses bounds of tasks on resources that only other stages use. The jitter of j
/// grows late, after the last stage of i was evaluated. A stale value gave 36, and a run takes 40.
#[test]
fn windows_over_stages_follow_all_their_resources() {
    let task = |name: &str,
                priority: u32,
                (period, deadline): (u32, u32),
                segments: &[(&str, u32)],
                pipelined: bool| {
        let segments = segments
            .iter()
            .map(|(on, wcet)| format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":1}}"#));
        let segments: Vec<String> = segments.collect();
        let jobs = if pipelined { r#","jobs":"pipelined""# } else { "" };
        format!(
            r#"{{"name":"{name}","priority":{priority},"period":{period},"deadline":{deadline},"arrivals":"sporadic"{jobs},
            "segments":[{}]}}"#,
            segments.join(",")
        )
    };
    let partitions =
        ["pY", "pX", "pZ", "pW", "pV"].map(|name| format!(r#"{{"name":"{name}","sms":2,"policy":"fp"}}"#));
    let tasks = [
        task("v", 1, (20, 20), &[("pX", 6)], false),
        task("f", 2, (1000, 1000), &[("pV", 45)], false),
        task("g", 3, (60, 100), &[("pV", 1), ("pW", 16)], true),
        task("h", 4, (45, 100), &[("pW", 1), ("pZ", 20)], true),
        task("j", 5, (63, 63), &[("pZ", 4), ("pY", 4)], false),
        task(
            "i",
            6,
            (1000, 39),
            &[("pY", 5), ("pX", 5), ("pY", 5), ("pX", 5)],
            true,
        ),
    ];
    let system = system(&format!(
        r#"{{"partitions":[{}],"tasks":[{}]}}"#,
        partitions.join(","),
        tasks.join(",")
    ));
    assert_eq!(ends(&system, 5).last(), Some(&40));
    assert!(!analyze(&system).schedulable);
}

/// With a small BCET, the minimum distance has many steps below the first one that matters.
#[test]
fn small_bcets_keep_the_busy_window_of_a_queue() {
    let stage = |core: &str, name: &str| {
        format!(
            r#"{{"name":"{name}","period":33000000,"jitter":66000000,"deadline":120000000,"jobs":"pipelined","segments":[
            {{"on":"{core}","wcet":4000000,"bcet":1000}},{{"on":"copy","wcet":5000000}}]}}"#
        )
    };
    let system = system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"fp"}},{{"name":"c1","policy":"fp"}}],"copy_engines":[{{"name":"copy","policy":"fifo"}}],
        "tasks":[{},{}]}}"#,
        stage("c0", "a"),
        stage("c1", "b")
    ));
    assert_eq!(ends(&system, 0).last(), Some(&89_998_000));
}
