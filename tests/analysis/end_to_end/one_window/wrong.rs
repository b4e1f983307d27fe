//! The equations of the page against the analysis, and wrong variants of the equations. A simulated run exceeds each variant.

use gpusched::Time;
use gpusched::end_to_end::{Baseline, analyze, baseline};
use gpusched::model::end_to_end::{Bounds, System};
use gpusched::simulator::end_to_end::{
    Arrivals, Drawn, Execution, Extent, Observed, Offsets, Pattern, Simulator,
};
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::super::scripted::{Job, observed};
use super::reference::{Reference, Wrong};
use crate::support::rounds;

/// Returns `bounds` with the ends of a wrong variant, as far as they are smaller. The other values of the table stay correct. A table
/// that solves all wrong equations is never above these ends, because the equations are monotone.
fn wrong(system: &System, bounds: &Bounds, wrong: Wrong) -> Bounds {
    let mut changed = bounds.clone();
    let reference = Reference {
        system,
        bounds,
        wrong,
    };
    for (task, row) in changed.0.iter_mut().enumerate() {
        for (segment, end) in row.ends_ns.iter_mut().enumerate() {
            if let (Some(correct), Some(found)) = (end, reference.windows(task, segment)) {
                *correct = (*correct).min(Time::from_ns(u64::try_from(found).unwrap()));
            }
        }
    }
    changed
}

/// Compares each end with the smallest result of all equations. Returns the number of ends, and the number of ends that a window
/// over several segments determines.
fn compared(sharing: Sharing, seed: u64) -> (usize, usize) {
    let campaign = Campaign::new(0, seed, sharing);
    let one = |index| {
        let (system, _) = campaign.system(index).unwrap();
        let bounds = analyze(&system).evidence.bounds;
        let reference = Reference {
            system: &system,
            bounds: &bounds,
            wrong: Wrong::Nothing,
        };
        let (mut all, mut smaller) = (0, 0);
        for (task, found) in system.tasks().iter().enumerate() {
            for segment in 0..found.segments.len() {
                let Some(end) = bounds.end(task, segment).map(|end| u128::from(end.ns())) else {
                    continue;
                };
                let windows = reference.windows(task, segment);
                let expected = match reference.single(task, segment) {
                    Some(single) => single.into_iter().chain(windows).min(),
                    None => Some(windows.map_or(end, |windows| windows.min(end))),
                };
                assert_eq!(
                    Some(end),
                    expected,
                    "system {index}, task {task}, segment {segment}: {system:#?}"
                );
                all += 1;
                let single = reference.single(task, segment);
                smaller += usize::from(single.is_some_and(|single| single != Some(end)));
            }
        }
        (all, smaller)
    };
    let sum = |left: (usize, usize), right: (usize, usize)| (left.0 + right.0, left.1 + right.1);
    (0..rounds(3000)).into_par_iter().map(one).reduce(|| (0, 0), sum)
}

#[test]
fn the_reference_implementation_finds_the_same_ends() {
    let (all, smaller) = compared(Sharing::Nothing, 41);
    assert!(all > rounds(10_000) && smaller > rounds(400), "{all} {smaller}");
}

#[test]
fn the_reference_implementation_finds_the_same_ends_with_time_slices() {
    let (all, smaller) = compared(Sharing::Time, 42);
    assert!(all > rounds(6000) && smaller > rounds(100), "{all} {smaller}");
}

/// With more windows, no bound is larger.
#[test]
fn no_bound_is_above_the_bound_of_single_windows() {
    let counts = [Sharing::Nothing, Sharing::Time].map(|sharing| {
        let campaign = Campaign::new(0, 43, sharing);
        let one = |index| {
            let (system, _) = campaign.system(index).unwrap();
            let bounds = analyze(&system).evidence.bounds;
            let single = baseline(&system, Baseline::SingleWindows);
            let (mut all, mut smaller) = (0, 0);
            for (task, found) in system.tasks().iter().enumerate() {
                for segment in 0..found.segments.len() {
                    for (found, single) in [
                        (bounds.end(task, segment), single.end(task, segment)),
                        (bounds.delay(task, segment), single.delay(task, segment)),
                    ] {
                        assert!(
                            single.is_none_or(|single| found.is_some_and(|found| found <= single)),
                            "system {index}, task {task}, segment {segment}: {system:#?}"
                        );
                        all += 1;
                        smaller += usize::from(found != single);
                    }
                }
            }
            (all, smaller)
        };
        let sum = |left: (usize, usize), right: (usize, usize)| (left.0 + right.0, left.1 + right.1);
        let systems = (0..rounds(3000)).into_par_iter();
        systems.map(one).reduce(|| (0, 0), sum)
    });
    assert!(
        counts.iter().all(|(all, smaller)| *smaller * 100 > *all),
        "{counts:?}"
    );
}

/// Returns system `index`: two to four tasks on one core, with up to three kernels on one GPU. `gpu` is the policy of the GPU. Under
/// `time-sliced`, each task has its own context.
fn system(gpu: &str, index: u64) -> System {
    let mut rng = ChaCha8Rng::seed_from_u64(index);
    let count = rng.random_range(2..=4);
    let levels = if rng.random_bool(0.3) { 2 } else { 100 };
    let tasks = (0..count).map(|task| {
        let period = [20, 30, 40, 60, 120][rng.random_range(0..5)];
        let core = if task > 0 && rng.random_bool(0.3) { "d" } else { "c" };
        let on = if gpu == "time-sliced" { format!("x{task}") } else { "gpu".to_owned() };
        let kernels = [0, 1, 1, 2, 3][rng.random_range(0..5)];
        let longest = (period / (2 * count)).max(1);
        let segments = (0..=2 * kernels).map(|segment| {
            let wcet = rng.random_range(1..=longest);
            let bcet = if rng.random_bool(0.5) { wcet } else { rng.random_range(0..=wcet) };
            let on = if segment % 2 == 0 { core } else { on.as_str() };
            format!(r#"{{"on":"{on}","wcet":{wcet},"bcet":{bcet}}}"#)
        });
        let segments: Vec<String> = segments.collect();
        let wait = if rng.random_bool(0.5) { "busy" } else { "suspend" };
        format!(
            r#"{{"name":"{task}","period":{period},"priority":{},"gpu_priority":{},"wait":"{wait}","segments":[{}]}}"#,
            rng.random_range(0..levels),
            rng.random_range(0..levels),
            segments.join(",")
        )
    });
    let tasks: Vec<String> = tasks.collect();
    let contexts: Vec<String> = (0..count)
        .map(|task| format!(r#"{{"name":"x{task}","slice":{},"overrun":0}}"#, 1 + task % 3))
        .collect();
    let contexts = match gpu {
        "time-sliced" => format!(r#","switch":1,"contexts":[{}]"#, contexts.join(",")),
        _ => String::new(),
    };
    super::super::system(&format!(
        r#"{{"cores":[{{"name":"c","policy":"fp"}},{{"name":"d","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":1,
        "policy":"{gpu}"{contexts}}}],"tasks":[{}]}}"#,
        tasks.join(",")
    ))
}

/// Whether one of several runs of system `index` exceeds an end in `bounds`.
fn exceeds(system: &System, bounds: &Bounds, index: u64) -> bool {
    (0..48).any(|run| {
        let pattern = Pattern {
            execution: [Execution::Wcet, Execution::Extremes][run as usize % 2],
            offsets: Offsets::Random,
            arrivals: [Arrivals::Periodic, Arrivals::Sporadic][run as usize / 2 % 2],
            ..Pattern::default()
        };
        let numbers = (index, run);
        let runs = pattern.runs(system, numbers);
        let mut source = Drawn::new(system, &runs, numbers).unwrap();
        let mut observed = Observed::new(system);
        let extent = Extent::before(Time::from_ns(480));
        let mut simulator = Simulator::new(system, None).unwrap();
        simulator.run(&mut source, extent, &mut observed).unwrap();
        let tasks = observed.tasks.iter().enumerate();
        let mut ends = tasks.flat_map(|(task, found)| {
            let ends = found.ends.iter().enumerate();
            ends.map(move |(segment, &end)| (task, segment, end))
        });
        ends.any(|(task, segment, end)| bounds.end(task, segment).is_some_and(|bound| end > bound))
    })
}

#[test]
fn no_run_of_these_systems_exceeds_an_end() {
    for gpu in ["fp", "np-fp", "np-fifo", "time-sliced"] {
        for index in 0..rounds(200) {
            let system = system(gpu, index);
            let bounds = analyze(&system).evidence.bounds;
            assert!(!exceeds(&system, &bounds, index), "{gpu} {index}: {system:#?}");
        }
    }
}

/// Checks that a run of system `index` exceeds an end of the variant, and no end of the analysis.
fn exceeded(variant: Wrong, gpu: &str, index: u64) {
    let system = system(gpu, index);
    let bounds = analyze(&system).evidence.bounds;
    let changed = wrong(&system, &bounds, variant);
    assert!(exceeds(&system, &changed, index) && !exceeds(&system, &bounds, index));
}

/// The task `own` is more urgent than `busy` on the GPU, but less urgent on the core. Its kernel delays the kernel of `busy` until 20. So
/// `busy` occupies the core until 23, and again from 24 on. A closed window from 20 on contains only one job of `busy`.
#[test]
fn inverted_priorities_open_the_window() {
    let system = super::super::system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"own","period":100,"priority":1,"gpu_priority":0,"wait":"suspend","segments":[{"on":"gpu","wcet":20,"bcet":20},
        {"on":"c","wcet":2,"bcet":2}]},
        {"name":"busy","period":24,"priority":0,"gpu_priority":1,"wait":"busy","segments":[{"on":"c","wcet":1,"bcet":1},
        {"on":"gpu","wcet":2,"bcet":2},{"on":"c","wcet":1,"bcet":1}]}]}"#,
    );
    let jobs: [Job<'_>; 3] = [(0, 0, 0, &[20, 2]), (1, 0, 0, &[1, 2, 1]), (1, 24, 0, &[1, 2, 1])];
    let longest = observed(&system, &jobs).tasks[0].ends[1];
    let bounds = analyze(&system).evidence.bounds;
    let end = |bounds: &Bounds| bounds.end(0, 1).map(Time::ns);
    assert_eq!(
        (
            end(&bounds),
            longest.ns(),
            end(&wrong(&system, &bounds, Wrong::Closed))
        ),
        (Some(30), 29, Some(26))
    );
}

/// The first kernel of `own` keeps `between` waiting from 1 to 10, and `busy` occupies the core until 24, because `between` delays its
/// kernel from 10 to 15 and from 18 to 23. Only one of these two jobs is released in the window, which starts at 10.
#[test]
fn work_before_the_window_counts() {
    let system = super::super::system(
        r#"{"cores":[{"name":"c","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"own","period":100,"priority":1,"gpu_priority":0,"wait":"suspend","segments":[{"on":"gpu","wcet":10,"bcet":10},
        {"on":"c","wcet":2,"bcet":2}]},
        {"name":"between","period":17,"priority":9,"gpu_priority":1,"segments":[{"on":"gpu","wcet":5,"bcet":5}]},
        {"name":"busy","period":100,"priority":1,"gpu_priority":2,"wait":"busy","segments":[{"on":"c","wcet":1,"bcet":1},
        {"on":"gpu","wcet":4,"bcet":4}]}]}"#,
    );
    let jobs: [Job<'_>; 4] = [
        (2, 0, 0, &[1, 4]),
        (0, 0, 0, &[10, 2]),
        (1, 1, 0, &[5]),
        (1, 18, 0, &[5]),
    ];
    let longest = observed(&system, &jobs).tasks[0].ends[1];
    let bounds = analyze(&system).evidence.bounds;
    let end = |bounds: &Bounds| bounds.end(0, 1).map(Time::ns);
    assert_eq!(
        (
            end(&bounds),
            longest.ns(),
            end(&wrong(&system, &bounds, Wrong::WorkBefore))
        ),
        (Some(27), 26, Some(22))
    );
}

macro_rules! exceeded {
    ($($test:ident: $wrong:ident, $gpu:literal, $index:literal;)*) => {$(
        #[test]
        fn $test() {
            exceeded(Wrong::$wrong, $gpu, $index);
        }
    )*};
}

// The number is the first system with a run above the variant.
exceeded! {
    each_kernel_is_blocked: BlockedOnce, "np-fp", 20;
    busy_waiting_tasks_are_blocked: BusyBlocking, "np-fp", 115;
    less_urgent_kernels_delay_busy_waiting_tasks: OwnLevel, "fp", 222;
    less_urgent_kernels_delay_busy_waiting_tasks_without_preemption: OwnLevel, "np-fp", 427;
    a_suspension_is_jitter: AllCosts, "fp", 212;
    early_ends_make_jitter: BestCase, "fp", 356;
    requests_of_busy_waiting_tasks_wait: BusyRequests, "np-fifo", 20;
    busy_waiting_tasks_wait_for_turns: BusyTurns, "time-sliced", 20;
}
