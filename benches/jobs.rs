//! Measures the simulated jobs per second on one core. Run with `cargo bench --bench jobs`, or
//! with `-- JOBS` for another number of jobs per run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

#[path = "peers/clock.rs"]
mod clock;

use gpusched::generation::{Recipe, Source};
use gpusched::interference::NoInterference;
use gpusched::model::Policy;
use gpusched::partitioning::Problem;
use gpusched::simulator::tasks::{Discipline, Jitter, Pattern, Simulation, Tally, Task, priorities};
use gpusched::time::Time;

const POLICIES: [&str; 6] = ["edf", "np-edf", "lp-edf", "dm", "np-fp", "lp-fp"];

/// Number of runs. The printed figure is the median of the runs.
const RUNS: usize = 5;

fn main() {
    let jobs: u64 = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(10_000_000);
    println!(
        "millions of jobs per second of processor time on one core; {jobs} jobs per run, medians of {RUNS} runs\n"
    );
    println!(
        "{:>4} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "n", "", POLICIES[0], POLICIES[1], POLICIES[2], POLICIES[3], POLICIES[4], POLICIES[5]
    );
    for tasks in [10, 20, 50, 200] {
        for (times, jitter) in [("wcet", Jitter::None), ("drawn", Jitter::Random)] {
            let speeds =
                POLICIES.map(|policy| speed(policy.parse().unwrap(), tasks, times == "drawn", jitter, jobs));
            print!("{tasks:>4} {times:>5}");
            speeds.iter().for_each(|speed| print!(" {speed:>8.1}"));
            println!();
        }
    }
}

/// Returns the simulated jobs per second under `policy`, in millions.
fn speed(policy: Policy, tasks: usize, drawn: bool, jitter: Jitter, jobs: u64) -> f64 {
    let tasks = partition(tasks, drawn);
    let discipline = Discipline::of(policy).unwrap();
    let order = priorities(policy, &tasks).unwrap();
    let pattern = Pattern {
        jitter,
        ..Pattern::default()
    };
    let releases = pattern.releases(&tasks, (1, 0));
    let rate: f64 = tasks.iter().map(|task| 1.0 / task.period.ns() as f64).sum();
    let end = Time::from_ns((jobs as f64 / rate) as u64);
    let mut speeds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let mut tally = Tally::new(tasks.len());
            let simulation = Simulation::new(&tasks, &releases, discipline, &order, end, (1, 0)).unwrap();
            let ((), time) = clock::measured(|| simulation.run(&mut tally));
            assert!(tally.jobs() > jobs / 10 * 9);
            tally.jobs() as f64 / time * 1e3
        })
        .collect();
    speeds.sort_by(f64::total_cmp);
    speeds[RUNS / 2]
}

/// Returns tasks with total utilization 0.8, log-uniform periods from 10 ms to 1 s, ten blocks
/// per kernel, and a jitter of a tenth of the period.
fn partition(tasks: usize, drawn: bool) -> Vec<Task> {
    let recipe: Recipe = toml::from_str(
        "periods = 'log-uniform:10ms:1s'\ncap = 1.0\nblocks = 10\njitter = 0.1\nwcet = 'proportional'\nmemory-share = 0\ndeadline = 1",
    )
    .unwrap();
    let set = Source::new(&recipe, tasks, 0.8 / 1.02, 1)
        .unwrap()
        .draw(0, 0)
        .unwrap();
    let problem = Problem::new(&set, 1, Policy::Edf, &NoInterference).unwrap();
    let all: Vec<usize> = (0..tasks).collect();
    let demands = problem.demands(&all, 1).unwrap();
    demands
        .iter()
        .zip(0..)
        .map(|(demand, stream)| Task {
            wcet: demand.wcet,
            shortest: if drawn {
                Time::from_ns(demand.wcet.ns().div_ceil(2))
            } else {
                demand.wcet
            },
            block: demand.block,
            period: demand.period,
            deadline: demand.deadline,
            jitter: demand.jitter,
            stream,
        })
        .collect()
}
