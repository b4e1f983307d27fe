//! Compares gpusched with plain programs in C++ and Python that do the same work. Run with `cargo bench --bench peers`, or with
//! `-- NAME` for the peers whose names contain NAME.
//!
//! The peers are in `benches/peers/cpp`. The benchmark compiles them with `c++ -O3 -march=native`, or with the compiler
//! that the environment variable `CXX` names. A peer in Python is beside this file. The two programs run in turn on the same input and must return the same
//! numbers. A ratio is the time of the peer divided by the time of gpusched.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

mod clock;
mod peer;
mod reading;

use std::fmt::Write as _;

use gpusched::end_to_end::analyze;
use gpusched::generation::{Recipe, Source, WcetModel, uunifast};
use gpusched::interference::model_of;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;
use gpusched::model::wcet::Contention;
use gpusched::model::{Evidence, Interference, Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use gpusched::schedulability::{Demand, accepts, evidence};
use gpusched::simulator::tasks::{Discipline, Jitter, Pattern, Simulation, Tally, Task, priorities};
use gpusched::time::Time;
use peer::{Peer, Peers};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Number of SMs of the GPU that the task sets share.
const SMS: u32 = 68;

/// A peer, and its rows.
type Rows = (&'static str, fn(&Peer<'_>));

const ALL: [Rows; 7] = [
    ("qpa", edf),
    ("rta", fixed_priorities),
    ("sms", fewest_sms),
    ("optimum", optimum),
    ("jobs", jobs),
    ("one_core", one_core),
    ("uunifast", vectors),
];

fn main() {
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let is_wanted = |name: &str| { wanted.as_ref() }.is_none_or(|wanted| name.contains(wanted.as_str()));
    let peers = Peers::find();
    println!(
        "{:<44} {:>12} {:>12} {:>7}",
        "case", "gpusched µs", "peer µs", "ratio"
    );
    for (name, rows) in ALL {
        if is_wanted(name) {
            match peers.compile(name) {
                Some(peer) => rows(&peer),
                None => println!("{name}: no C++ compiler is there. CXX may name a compiler."),
            }
        }
    }
    if is_wanted("reading") {
        match peers.script("reading") {
            Some(peer) => reading::rows(&peer, &task_sets(50, 34.0, 1000)),
            None => println!("reading: no Python is there."),
        }
    }
}

/// Tests of sets under preemptive EDF against QPA.
fn edf(peer: &Peer<'_>) {
    for (tasks, utilization) in [
        (10, 0.8),
        (10, 0.95),
        (50, 0.8),
        (50, 0.95),
        (200, 0.8),
        (200, 0.95),
    ] {
        let sets = draw(tasks, utilization);
        let case = format!("test edf, 250 sets, n = {tasks}, U = {utilization}");
        peer.compare(&case, &text(&sets), &[], || {
            vec![sets.iter().filter(|set| accepts(Policy::Edf, set, 1)).count() as i64]
        });
    }
}

/// Tests of sets under deadline-monotonic priorities, and all response times, against a response-time analysis.
fn fixed_priorities(peer: &Peer<'_>) {
    let dm: Policy = "dm".parse().unwrap();
    for (tasks, utilization) in [(10, 0.8), (50, 0.8), (50, 0.95), (200, 0.8)] {
        let sets = draw(tasks, utilization);
        let case = format!("test dm, 250 sets, n = {tasks}, U = {utilization}");
        peer.compare(&case, &text(&sets), &["0".to_owned()], || {
            vec![sets.iter().filter(|set| accepts(dm, set, 1)).count() as i64, 0]
        });
        let case = format!("evidence dm, 250 sets, n = {tasks}, U = {utilization}");
        peer.compare(&case, &text(&sets), &["1".to_owned()], || {
            let evidences = sets.iter().map(|set| evidence(dm, set, 1));
            evidences.fold(vec![0, 0], |counts, evidence| match evidence {
                Evidence::ResponseTimes {
                    response_times_ns, ..
                } => {
                    let sum: u64 = response_times_ns.iter().map(|time| time.ns()).sum();
                    vec![counts[0] + 1, counts[1] + sum as i64]
                }
                _ => counts,
            })
        });
    }
}

/// Plans of `fewest-sms` against Algorithms 1 to 3 of [Singh21].
fn fewest_sms(peer: &Peer<'_>) {
    for (tasks, count) in [(50, 10), (100, 4), (200, 2)] {
        let sets = task_sets(tasks, 50.0, count);
        let case = format!("fewest-sms, {count} sets, n = {tasks}, M = {SMS}");
        peer.compare(&case, &kernels(&sets), &[], || {
            sets.iter().fold(vec![0, 0], |sums, set| {
                let plan = plan(set, Interference::Conflict, HeuristicKind::Sms);
                let sms: u32 = plan.partitions.iter().map(|partition| partition.sms).sum();
                vec![
                    sums[0] + plan.stats.merges_tested as i64,
                    sums[1] + i64::from(sms),
                ]
            })
        });
    }
}

/// Plans with the fewest SMs against a dynamic program over all subsets of the tasks.
fn optimum(peer: &Peer<'_>) {
    for (tasks, count) in [(8, 20), (10, 20), (12, 10), (14, 4)] {
        let sets = task_sets(tasks, tasks as f64 / 2.0, count);
        let case = format!("optimal, {count} sets, n = {tasks}, M = {SMS}");
        peer.compare(&case, &kernels(&sets), &[], || {
            let plans = sets
                .iter()
                .map(|set| plan(set, Interference::None, HeuristicKind::Optimal));
            vec![plans.map(|plan| i64::from(plan.sms_used)).sum()]
        });
    }
}

fn plan(set: &TaskSet, interference: Interference, kind: HeuristicKind) -> gpusched::model::Plan {
    let problem = Problem::new(set, SMS, Policy::Edf, model_of(interference)).unwrap();
    partition(&problem, &Heuristic::from(kind))
}

/// Simulated jobs under preemptive EDF against two priority queues.
fn jobs(peer: &Peer<'_>) {
    for tasks in [10, 50, 200] {
        let set = draw(tasks, 0.85).swap_remove(0);
        let rate: f64 = set.iter().map(|task| 1.0 / task.period.ns() as f64).sum();
        let end = (1e6 / rate) as u64;
        let partition: Vec<Task> = { set.iter().zip(0..) }
            .map(|(task, stream)| Task {
                wcet: task.wcet,
                shortest: task.wcet,
                block: task.block,
                period: task.period,
                deadline: task.deadline,
                jitter: Time::ZERO,
                stream,
            })
            .collect();
        let discipline = Discipline::of(Policy::Edf).unwrap();
        let order = priorities(Policy::Edf, &partition).unwrap();
        let pattern = Pattern {
            jitter: Jitter::None,
            ..Pattern::default()
        };
        let releases = pattern.releases(&partition, (1, 0));
        let case = format!("simulate tasks edf, 10^6 jobs, n = {tasks}");
        peer.compare(&case, &text(&[set]), &[end.to_string()], || {
            let mut tally = Tally::new(tasks);
            let end = Time::from_ns(end);
            let simulation = Simulation::new(&partition, &releases, discipline, &order, end, (1, 0));
            simulation.unwrap().run(&mut tally);
            vec![tally.jobs() as i64, tally.misses() as i64]
        });
    }
}

/// Bounds of tasks with jitter on one core against a response-time analysis.
fn one_core(peer: &Peer<'_>) {
    for tasks in [100, 1000, 5000] {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut set = draw(tasks, 0.7).swap_remove(0);
        set.sort_by_key(|task| task.period);
        let lines = set.iter_mut().enumerate().map(|(index, task)| {
            let jitter = rng.random_range(0..task.period.ns() / 5);
            task.deadline = Time::from_ns(jitter); // the peer reads the jitter there
            format!(
                r#"{{"name":"t{index}","period":{},"deadline":{},"jitter":{jitter},"priority":{index},"segments":[{{"on":"cpu","wcet":{}}}]}}"#,
                task.period.ns(),
                4 * task.period.ns(),
                task.wcet.ns()
            )
        });
        let lines: Vec<String> = lines.collect();
        let system = format!(
            r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"tasks":[{}]}}"#,
            lines.join(",")
        );
        let draft = Draft::from_json(&system).map_err(|(_, refusal)| refusal).unwrap();
        let system = System::new(&draft, Interference::None).unwrap();
        peer.compare(
            &format!("end-to-end, one core, n = {tasks}"),
            &text(&[set]),
            &[],
            || {
                let bounds = analyze(&system).response_times_ns;
                vec![bounds.iter().map(|bound| bound.unwrap().ns() as i64).sum()]
            },
        );
    }
}

/// Vectors of utilizations against UUniFast with the generator and the power of the standard library.
fn vectors(peer: &Peer<'_>) {
    for tasks in [10, 50, 200] {
        let (vectors, mut shares) = (1_000_000 / tasks, vec![0.0; tasks]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let case = format!("UUniFast, {vectors} vectors, n = {tasks}");
        peer.compare(&case, &tasks.to_string(), &[vectors.to_string()], || {
            let totals = (0..vectors).map(|_| {
                uunifast::fill(&mut rng, 34.0, &mut shares);
                shares.iter().sum::<f64>()
            });
            vec![totals.sum::<f64>().round() as i64]
        });
    }
}

/// Returns 250 sets of `tasks` tasks by UUniFast, with D = 0.75·T and log-uniform periods from 10 ms to 1 s.
fn draw(tasks: usize, utilization: f64) -> Vec<Vec<Demand>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut shares = vec![0.0; tasks];
    let set = |_| {
        uunifast::fill(&mut rng, utilization, &mut shares);
        let tasks = shares.iter().map(|share| {
            let period = 10f64.powf(rng.random_range(7.0..9.0));
            Demand::new(
                Time::from_ns((share * period) as u64 + 1),
                Time::from_ns(period as u64),
                Time::from_ns((0.75 * period) as u64),
            )
        });
        tasks.collect()
    };
    (0..250).map(set).collect()
}

/// Returns the input of a peer that reads task sets of one processor.
fn text(sets: &[Vec<Demand>]) -> String {
    let mut text = String::new();
    for set in sets {
        writeln!(text, "{}", set.len()).unwrap();
        for task in set {
            let (wcet, deadline, period) = (task.wcet.ns(), task.deadline.ns(), task.period.ns());
            writeln!(text, "{wcet} {deadline} {period}").unwrap();
        }
    }
    text
}

fn task_sets(tasks: usize, utilization: f64, count: u64) -> Vec<TaskSet> {
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let source = Source::new(&recipe, tasks, utilization, 1).unwrap();
    (0..count).map(|set| source.draw(0, set).unwrap()).collect()
}

/// Returns the input of a peer that reads task sets with C(m).
fn kernels(sets: &[TaskSet]) -> String {
    let mut text = String::new();
    for set in sets {
        writeln!(text, "{} {SMS}", set.tasks().len()).unwrap();
        for task in set.tasks() {
            let kind = task.kind().unwrap() as i64;
            write!(text, "{} {} {kind}", task.period().ns(), task.deadline().ns()).unwrap();
            for contention in [Contention::Isolated, Contention::Conflict] {
                for sms in 1..=SMS {
                    let wcet = task.wcet().at(sms, contention).unwrap();
                    write!(text, " {}", wcet.ns()).unwrap();
                }
            }
            writeln!(text).unwrap();
        }
    }
    text
}
