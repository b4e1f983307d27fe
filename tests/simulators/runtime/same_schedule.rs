//! The dispatcher and the job simulator make equal schedules, over random sets with round, equal and extreme times.

use std::collections::BTreeMap;

use gpusched::Time;
use gpusched::model::policy::Preemption;
use gpusched::model::{Observer, Policy};
use gpusched::runtime::core as runtime;
use gpusched::simulator::tasks::{
    Arrivals, Discipline, Event, Jitter, Offsets, Pattern, Release, Simulation, Task, priorities,
};
use rand::{Rng, RngExt};

use super::{drive, sets};
use crate::oracle::random_sets::rng;

/// Policies that the dispatcher follows.
const POLICIES: [&str; 9] = [
    "np-edf",
    "np-fifo",
    "np-fp",
    "np-fp-rm",
    "np-fp-given",
    "lp-edf",
    "lp-fp",
    "lp-fp-rm",
    "lp-fp-given",
];

/// One job in a schedule: task, number, arrival, start and end.
type Row = (usize, u64, u64, u64, u64);

/// The schedule of the job simulator, and the execution times of its jobs.
#[derive(Default)]
struct Watch {
    starts: BTreeMap<(usize, u64), u64>,
    rows: Vec<Row>,
    executions: BTreeMap<(usize, u64), u64>,
    preemptions: u64,
}

impl Observer<Event> for Watch {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Start(job) => drop(self.starts.insert((job.task, job.number), now.ns())),
            Event::Complete(job, execution) => {
                let key = (job.task, job.number);
                self.rows.push((
                    job.task,
                    job.number,
                    job.arrival.ns(),
                    self.starts[&key],
                    now.ns(),
                ));
                self.executions.insert(key, execution.ns());
            }
            Event::Preempt(..) => self.preemptions += 1,
            _ => {}
        }
    }
}

/// Draws a set: small or large times, round or not, often equal.
fn set(rng: &mut impl Rng) -> (Vec<Task>, u64) {
    let unit: u64 = [1, 1, 7, 1_000, 1_000_000, 1 << 40][rng.random_range(0..6)];
    let count = rng.random_range(1..7);
    let most = [3, 12, 60][rng.random_range(0..3)];
    let equal = rng.random_bool(0.2);
    let mut draw = |position: usize| {
        let period = rng.random_range(1..=most) * unit;
        let wcet = (rng.random_range(1..=(most / 3).max(1)) * unit).max(1);
        let shortest = if rng.random_bool(0.5) {
            wcet
        } else {
            rng.random_range(1..=wcet)
        };
        let deadline = match rng.random_range(0..4) {
            0 => 0,
            1 => period,
            2 => rng.random_range(0..=2 * most) * unit,
            _ => rng.random_range(0..=period),
        };
        Task {
            wcet: Time::from_ns(wcet),
            shortest: Time::from_ns(shortest),
            block: Time::from_ns(rng.random_range(1..=most) * unit).min(Time::from_ns(wcet)),
            period: Time::from_ns(period),
            deadline: Time::from_ns(deadline),
            jitter: Time::ZERO,
            stream: position as u64,
        }
    };
    let first = draw(0);
    let tasks = (0..count).map(|position| match equal {
        true => Task {
            stream: position as u64,
            ..first
        },
        false => draw(position),
    });
    (tasks.collect(), most * unit * 3)
}

fn core(tasks: &[Task], releases: &[Release], policy: Policy, order: &[usize], end: u64) -> runtime::Core {
    let tasks = tasks.iter().zip(releases).map(|(task, release)| runtime::Task {
        arrivals: match release.gap {
            Time::ZERO => runtime::Arrivals::Periodic {
                first: release.first.ns(),
            },
            _ => runtime::Arrivals::Sporadic,
        },
        period: task.period.ns(),
        deadline: task.deadline.ns(),
        budget: task.wcet.ns(),
        chunk: match Discipline::of(policy).unwrap().preemption {
            Preemption::Limited => task.block.ns(),
            _ => task.wcet.ns(),
        },
    });
    let order = match policy {
        Policy::NpEdf | Policy::LpEdf => runtime::Order::Deadlines,
        Policy::NpFifo => runtime::Order::Arrivals,
        _ => runtime::Order::Ranks(order.to_vec()),
    };
    runtime::Core::new(&tasks.collect::<Vec<_>>(), &order, 0, end).unwrap()
}

#[test]
fn dispatcher_and_simulator_make_equal_schedules() {
    let mut rng = rng(0x5AEE);
    let (mut jobs, mut preemptions) = (0, 0);
    for number in 0..sets() {
        let (tasks, end) = set(&mut rng);
        let policy: Policy = POLICIES[rng.random_range(0..POLICIES.len())].parse().unwrap();
        let discipline = Discipline::of(policy).unwrap();
        assert_ne!(discipline.preemption, Preemption::Preemptive);
        let mut order = priorities(policy, &tasks).unwrap();
        if matches!(policy, Policy::FixedPriority(..)) && rng.random_bool(0.3) {
            let other = rng.random_range(0..order.len());
            order.swap(0, other);
        }
        let pattern = Pattern {
            offsets: [Offsets::Synchronous, Offsets::Random][rng.random_range(0..2)],
            jitter: Jitter::None,
            arrivals: Arrivals::Periodic,
            blocker: rng
                .random_bool(0.3)
                .then(|| rng.random_range(0..tasks.len() as u64)),
        };
        let releases = pattern.releases(&tasks, (number, 0));
        let simulation = Simulation::new(
            &tasks,
            &releases,
            discipline,
            &order,
            Time::from_ns(end),
            (number, 0),
        )
        .unwrap();
        let mut watch = Watch::default();
        simulation.run(&mut watch);

        let mut core = core(&tasks, &releases, policy, &order, end);
        // A job runs in chunks, and each preemption repeats one chunk.
        let mut left = vec![0; tasks.len()];
        let mut occupancy = |job: runtime::Job| {
            let chunk = match discipline.preemption {
                Preemption::Limited => tasks[job.task].block.ns(),
                _ => u64::MAX,
            };
            let left = &mut left[job.task];
            match (job.chunk, job.resumed) {
                (0, _) => *left = watch.executions[&(job.task, job.number)],
                (_, true) => *left += chunk,
                _ => {}
            }
            let time = chunk.min(*left);
            *left -= time;
            (time, *left == 0)
        };
        let records = drive(&mut core, &mut occupancy, &mut || 0);
        let mut starts = BTreeMap::new();
        let rows = records.iter().filter_map(|record| {
            let job = record.job;
            let start = *starts.entry((job.task, job.number)).or_insert(record.decision);
            (record.last).then_some((job.task, job.number, job.arrival, start, record.completion))
        });
        let rows: Vec<Row> = rows.collect();
        let resumed = records.iter().filter(|record| record.job.resumed).count();
        assert_eq!(
            resumed as u64, watch.preemptions,
            "set {number}: {tasks:?} under {policy}"
        );
        preemptions += watch.preemptions;
        assert_eq!(
            rows, watch.rows,
            "set {number}: {tasks:?} under {policy} until {end}"
        );
        let misses = records.iter().filter(|record| record.status.missed).count() as u64;
        assert_eq!((core.counters().misses, core.counters().overruns), (misses, 0));
        jobs += rows.len();
    }
    assert!(jobs as u64 > 10 * sets(), "only {jobs} jobs");
    assert!(preemptions > sets() / 10, "only {preemptions} preemptions");
}

/// Sporadic releases that the simulator draws are on time, so the dispatcher sees equal arrivals.
#[test]
fn sporadic_releases_make_equal_schedules() {
    let mut rng = rng(0x5AEF);
    for number in 0..sets() / 10 {
        let (mut tasks, end) = set(&mut rng);
        tasks
            .iter_mut()
            .for_each(|task| task.period = Time::from_ns(task.period.ns().max(2)));
        let policy = [Policy::NpEdf, Policy::NpFifo][rng.random_range(0..2)];
        let pattern = Pattern {
            offsets: Offsets::Random,
            jitter: Jitter::None,
            arrivals: Arrivals::Sporadic,
            blocker: None,
        };
        let releases = pattern.releases(&tasks, (number, 0));
        let order = priorities(policy, &tasks).unwrap();
        let discipline = Discipline::of(policy).unwrap();
        let simulation = Simulation::new(
            &tasks,
            &releases,
            discipline,
            &order,
            Time::from_ns(end),
            (number, 0),
        )
        .unwrap();
        let mut watch = Watch::default();
        simulation.run(&mut watch);
        let mut core = core(&tasks, &releases, policy, &order, end);
        let mut arrivals: Vec<(usize, u64, u64)> =
            watch.rows.iter().map(|row| (row.0, row.1, row.2)).collect();
        arrivals.sort_unstable();
        // All requests are known in advance here. More requests than the dispatcher keeps would be dropped.
        if arrivals.len() > 1000 {
            continue;
        }
        for (task, _, arrival) in arrivals {
            assert_eq!(core.notify(task, arrival), runtime::Notified::OnTime);
        }
        let occupancy = |job: runtime::Job| watch.executions[&(job.task, job.number)];
        let mut records = Vec::new();
        let mut now = 0;
        loop {
            match core.next(now) {
                runtime::Action::Launch(job) => {
                    now += occupancy(job);
                    let outcome = runtime::Outcome {
                        enqueued: now,
                        overhead: None,
                        failed: false,
                        last: true,
                    };
                    records.extend(core.completed(now, outcome));
                }
                runtime::Action::Sleep(u64::MAX) | runtime::Action::Stop => break,
                runtime::Action::Sleep(until) => now = until,
            }
        }
        let rows: Vec<Row> = records
            .iter()
            .map(|record| {
                let job = record.job;
                (
                    job.task,
                    job.number,
                    job.arrival,
                    record.decision,
                    record.completion,
                )
            })
            .collect();
        assert_eq!(rows, watch.rows, "set {number}: {tasks:?} until {end}");
    }
}
