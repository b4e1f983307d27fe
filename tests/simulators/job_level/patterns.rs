//! Releases are legal, critical releases match the theory, and random releases depend only on the seed.

use gpusched::model::{Observer, Policy};
use gpusched::simulator::tasks::{
    Arrivals, Discipline, Event, Jitter, Offsets, Pattern, Simulation, Task, hyperperiod, priorities,
};
use gpusched::time::Time;

use crate::job_level::twin::{ns, pattern, tasks};
use crate::job_level::watch::{Seen, Watch};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{self, critical};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

fn simulate(policy: &str, tasks: &[Task], pattern: Pattern, end: u64, numbers: (u64, u64)) -> Vec<Seen> {
    let policy: Policy = policy.parse().unwrap();
    let (discipline, order) = (
        Discipline::of(policy).unwrap(),
        priorities(policy, tasks).unwrap(),
    );
    let releases = pattern.releases(tasks, numbers);
    let mut watch = Watch::default();
    Simulation::new(tasks, &releases, discipline, &order, Time::from_ns(end), numbers)
        .unwrap()
        .run(&mut watch);
    watch.jobs
}

#[test]
fn releases_are_legal() {
    let mut rng = rng(201);
    let (mut delayed, mut apart, mut short) = (0, 0, 0);
    for round in 0..rounds(20_000) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 5,
                jitter: true,
                blocks: true,
            },
        );
        let tasks = tasks(&set, &mut rng);
        let pattern = pattern(&tasks, &mut rng);
        let jobs = simulate("lp-edf", &tasks, pattern, 90, (round, 0));
        for (position, task) in tasks.iter().enumerate() {
            let own: Vec<&Seen> = jobs.iter().filter(|seen| seen.job.task == position).collect();
            for seen in &own {
                let (arrival, delay) = (seen.job.arrival.ns(), seen.release - seen.job.arrival.ns());
                assert!(arrival < 90 && delay <= task.jitter.ns(), "{task:?} {seen:?}");
                assert!(task.shortest.ns() <= seen.execution && seen.execution <= task.wcet.ns());
                assert_eq!(seen.job.deadline.ns(), arrival + task.deadline.ns());
                delayed += u64::from(delay > 0);
                short += u64::from(seen.execution < task.wcet.ns());
            }
            for pair in own.windows(2) {
                let distance = pair[1].job.arrival.ns() - pair[0].job.arrival.ns();
                assert!(distance >= task.period.ns() && pair[0].release <= pair[1].release);
                apart += u64::from(distance > task.period.ns());
                assert!(distance == task.period.ns() || pattern.arrivals == Arrivals::Sporadic);
            }
        }
    }
    assert!(
        delayed > rounds(10_000) && apart > rounds(10_000) && short > rounds(10_000),
        "{delayed} {apart} {short}"
    );
}

#[test]
fn late_synchronous_releases_are_the_critical_ones() {
    let mut rng = rng(202);
    for _ in 0..rounds(5_000) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 5,
                jitter: true,
                blocks: false,
            },
        );
        let tasks = tasks(&set, &mut rng);
        for blocker in std::iter::once(None).chain((0..set.len()).map(Some)) {
            let pattern = Pattern {
                blocker: blocker.map(|task| task as u64),
                ..Pattern::default()
            };
            let instant = set
                .iter()
                .map(|task| task.j)
                .max()
                .unwrap()
                .max(i64::from(blocker.is_some()));
            let mut expected = critical(&set, |_| true, blocker, 40);
            expected.sort_by_key(|job| (job.release, job.task, job.arrival));
            let found = simulate(
                "edf",
                &tasks,
                pattern,
                u64::try_from(instant + 40).unwrap(),
                (1, 2),
            );
            let mut found: Vec<(usize, i64, i64)> = found
                .iter()
                .map(|seen| {
                    let units = |time: u64| i64::try_from(time).unwrap() - instant;
                    (seen.job.task, units(seen.job.arrival.ns()), units(seen.release))
                })
                .collect();
            found.sort_by_key(|&(task, arrival, release)| (release, task, arrival));
            let expected: Vec<_> = expected
                .iter()
                .map(|job| (job.task, job.arrival, job.release))
                .collect();
            assert_eq!(found, expected, "{set:?} {blocker:?}");
        }
    }
}

#[test]
fn random_numbers_depend_on_seed_set_and_task_alone() {
    let mut rng = rng(203);
    let mut differ = 0;
    for round in 0..rounds(2_000) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 5,
                jitter: true,
                blocks: true,
            },
        );
        let mut tasks = tasks(&set, &mut rng);
        let pattern = Pattern {
            offsets: Offsets::Random,
            jitter: Jitter::Random,
            arrivals: Arrivals::Sporadic,
            blocker: None,
        };
        let of = |jobs: &[Seen], stream: u64, tasks: &[Task]| -> Vec<(u64, u64, u64)> {
            let own = jobs.iter().filter(|seen| tasks[seen.job.task].stream == stream);
            own.map(|seen| (seen.job.arrival.ns(), seen.release, seen.execution))
                .collect()
        };
        let edf = simulate("edf", &tasks, pattern, 80, (round, 5));
        let other = simulate("edf", &tasks, pattern, 80, (round, 6));
        let before = tasks.clone();
        differ += u64::from((0..5).any(|task| of(&edf, task, &before) != of(&other, task, &before)));
        // The order of events and the other tasks have no effect.
        tasks.reverse();
        tasks.truncate(3);
        let again = simulate("np-fp", &tasks, pattern, 80, (round, 5));
        for stream in tasks.iter().map(|task| task.stream) {
            assert_eq!(of(&edf, stream, &before), of(&again, stream, &tasks));
        }
    }
    assert!(differ > rounds(1_900), "{differ}");
}

#[test]
fn a_simulation_can_be_left_early() {
    struct First(u64);
    impl Observer<Event> for First {
        fn see(&mut self, _: Time, event: Event) {
            self.0 += u64::from(matches!(event, Event::Complete(..)));
        }
        fn goes_on(&self) -> bool {
            self.0 < 3
        }
    }
    let task = simulation::Task {
        c: 1,
        d: 2,
        t: 2,
        j: 0,
        b: 1,
    };
    let tasks = tasks(&[task], &mut rng(1));
    let policy = Policy::Edf;
    let releases = Pattern::default().releases(&tasks, (1, 1));
    let discipline = Discipline::of(policy).unwrap();
    let mut first = First(0);
    Simulation::new(&tasks, &releases, discipline, &[0], ns(1_000), (1, 1))
        .unwrap()
        .run(&mut first);
    assert_eq!(first.0, 3);
}

#[test]
fn hyperperiods_are_exact_or_refused() {
    let of = |periods: &[u64]| {
        let tasks: Vec<Task> = periods
            .iter()
            .map(|&period| Task {
                wcet: ns(1),
                shortest: ns(1),
                block: ns(1),
                period: Time::from_ns(period),
                deadline: ns(1),
                jitter: ns(0),
                stream: 0,
            })
            .collect();
        hyperperiod(&tasks).map(Time::ns)
    };
    assert_eq!(of(&[4, 6, 10]), Some(60));
    assert_eq!(of(&[1 << 61, 1 << 60]), Some(1 << 61));
    assert_eq!(of(&[1 << 62]), None);
    assert_eq!(of(&[999_999_937, 999_999_929, 999_999_893]), None);
}
