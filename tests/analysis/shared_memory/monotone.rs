//! More traffic of other partitions never helps, zero traffic has no effect, and max-min fairness is never worse.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::{
    Arbitration, Bandwidth, Bytes, Evidence, OtherTraffic, Peak, Task, TaskSet, TaskShape, Verdict,
};
use gpusched::partitioning::Problem;
use gpusched::simulator::validation::shared::campaign::verdicts;
use gpusched::simulator::validation::shared::draw::{System, system};

use crate::shared_memory::ns;
use crate::support::rounds;

/// Returns the system with tasks changed by `change`, which receives the positions of the tasks.
fn with(system: &System, change: impl Fn(usize, TaskShape) -> TaskShape) -> System {
    let tasks = system.set.tasks().iter().enumerate();
    let tasks =
        tasks.map(|(position, task)| Task::from_shape(change(position, task.clone().into())).unwrap());
    let set = TaskSet::new(None, tasks.collect()).unwrap();
    System {
        set: set.beside(system.set.other_traffic().to_vec()),
        ..system.clone()
    }
}

/// Returns whether `more`, the verdict with more traffic, is not better than `less`.
fn no_better(more: &Verdict, less: &Verdict) -> bool {
    let times = |verdict: &Verdict| match &verdict.evidence {
        Evidence::ResponseTimes {
            response_times_ns, ..
        } => Some(response_times_ns.clone()),
        _ => None,
    };
    let orders = |verdict: &Verdict| match &verdict.evidence {
        Evidence::ResponseTimes { priorities, .. } => Some(priorities.clone()),
        _ => None,
    };
    if more.schedulable && !less.schedulable {
        return false;
    }
    match (times(more), times(less)) {
        (Some(more_times), Some(less_times)) if orders(more) == orders(less) => more_times
            .iter()
            .zip(less_times)
            .all(|(more, less)| *more >= less),
        _ => true,
    }
}

#[test]
fn more_traffic_elsewhere_never_helps() {
    let mut worse = 0;
    for index in 0..rounds(4_000) {
        let system = system(3, index).unwrap();
        let before = verdicts(&system, true).unwrap();
        let last = system.parts.len() - 1;
        let elsewhere = |position: usize| system.parts[last].contains(&position);
        let more_bytes = with(&system, |position, shape| match elsewhere(position) {
            true => TaskShape {
                traffic: shape
                    .traffic
                    .and_then(|bytes| Bytes::new(bytes.bytes() * 3 / 2 + 1)),
                ..shape
            },
            false => shape,
        });
        let unknown = with(&system, |position, shape| match elsewhere(position) {
            true => TaskShape {
                traffic: None,
                ..shape
            },
            false => shape,
        });
        let faster = with(&system, |position, shape| {
            match (elsewhere(position), &shape.bandwidth) {
                (true, Some(Peak::Flat(rate))) => TaskShape {
                    bandwidth: Bandwidth::new(rate.bytes_per_second() * 5 / 4).map(Peak::Flat),
                    ..shape
                },
                _ => shape,
            }
        });
        let copies = System {
            set: system.set.clone().beside(
                vec![OtherTraffic {
                    name: None,
                    traffic: Bytes::new(100_000).unwrap(),
                    period: ns(50_000),
                    deadline: None,
                    bandwidth: None,
                    batch: true,
                }]
                .into_iter()
                .chain(system.set.other_traffic().to_vec())
                .collect(),
            ),
            ..system.clone()
        };
        for changed in [more_bytes, unknown, faster, copies] {
            let after = verdicts(&changed, true).unwrap();
            // More traffic of the last partition delays only the other partitions. The demand of
            // the last partition is unchanged.
            for (part, (more, less)) in after.iter().zip(&before).enumerate().take(last) {
                assert!(
                    no_better(more, less),
                    "system {index}, partition {part}: {less:?} became {more:?}"
                );
                worse += usize::from(more != less);
            }
        }
    }
    assert!(worse > rounds(1_000), "{worse}");
}

#[test]
fn no_traffic_is_conflict_exactly() {
    for index in 0..rounds(2_000) {
        let system = system(4, index).unwrap();
        let silent = with(&system, |_, shape| TaskShape {
            traffic: Bytes::new(0),
            ..shape
        });
        let silent = System {
            set: silent.set.beside(Vec::new()),
            ..silent
        };
        assert_eq!(
            verdicts(&silent, true).unwrap(),
            verdicts(&silent, false).unwrap(),
            "system {index}"
        );
        // A kernel with bandwidth 0 transfers no bytes, even if its traffic is unknown.
        let idle = with(&silent, |_, shape| TaskShape {
            traffic: None,
            bandwidth: Bandwidth::new(0).map(Peak::Flat),
            ..shape
        });
        assert_eq!(
            verdicts(&idle, true).unwrap(),
            verdicts(&silent, false).unwrap(),
            "system {index}"
        );
    }
}

#[test]
fn fairness_never_hurts() {
    let (mut same, mut better) = (0, 0);
    for index in 0..rounds(4_000) {
        let system = system(6, index).unwrap();
        let under = |arbitration| {
            let mut changed = system.clone();
            changed.memory.arbitration = arbitration;
            verdicts(&changed, true).unwrap()
        };
        for (fair, any) in under(Arbitration::MaxMin).iter().zip(&under(Arbitration::Any)) {
            assert!(no_better(any, fair), "system {index}: {any:?} {fair:?}");
            same += usize::from(fair.schedulable && any.schedulable);
            better += usize::from(fair.schedulable && !any.schedulable);
        }
    }
    assert!(same > rounds(1_000) && better > rounds(100), "{same} {better}");
}

/// A single partition has no interference from other partitions.
#[test]
fn a_single_partition_loses_nothing() {
    for index in 0..rounds(500) {
        let system = system(8, index).unwrap();
        let set = system.set.clone().beside(Vec::new());
        let model = model_of(Interference::Conflict);
        let alone = Problem::new(&set, 1, system.policy, model).unwrap();
        let all: Vec<usize> = (0..set.tasks().len()).collect();
        let sharing = alone.sharing(system.memory).unwrap();
        assert_eq!(sharing.verdict(&all, 1), alone.verdict(&all, 1));
    }
}
