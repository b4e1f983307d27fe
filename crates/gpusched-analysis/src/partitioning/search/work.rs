//! Least work of a partition: a lower bound on the SM time that its tasks need, for every number
//! of SMs.

use crate::interference::{CoLocated, kind_index};
use crate::partitioning::problem::Problem;

/// Lower bounds on Σ least work / T [2⁻⁴⁸ SMs] of the tasks of a partition, under different contention.
///
/// The struct stores the work in two cases: the partition alone, and the partition together with a second copy of it.
/// If more tasks join the partition, the contention class of a kind usually equals its class in one of the two cases.
/// Otherwise, the work of the kind is at least its work in the partition alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeastWork {
    /// Whether the partition has tasks of each kind.
    present: [bool; 3],
    own: InCompany,
    crowded: InCompany,
}

/// Least work of the tasks of each kind, under a given contention class for each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InCompany {
    /// Contention class of each kind, indexed by [`kind_index`] like all arrays in this file. If the work of a kind is only
    /// a lower bound, its class is [`BOUNDED`].
    classes: [u8; 3],
    work: [u64; 3],
    total: u64,
}

/// Number that is no contention class.
const BOUNDED: u8 = u8::MAX;

impl LeastWork {
    /// Returns the least work of `tasks`. `co_located` counts `tasks` by kind.
    pub fn of(problem: &Problem<'_>, tasks: &[usize], co_located: &CoLocated) -> LeastWork {
        let within = |co_located: &CoLocated| {
            let mut work = [0u64; 3];
            for &task in tasks {
                let kind = usize::from(kind_index(problem.tasks()[task].kind()));
                work[kind] = work[kind].saturating_add(problem.work(task, co_located).saturated());
            }
            InCompany::new(problem.interference().class_of_each_kind(co_located), work)
        };
        let mut present = [false; 3];
        for &task in tasks {
            present[usize::from(kind_index(problem.tasks()[task].kind()))] = true;
        }
        let (own, twice) = (within(co_located), co_located.with(co_located));
        let same = problem.interference().class_of_each_kind(&twice) == own.classes;
        let crowded = if same { own.clone() } else { within(&twice) };
        LeastWork {
            present,
            own,
            crowded,
        }
    }

    /// Returns a lower bound of 0 for a partition that the search never merges.
    pub fn unknown() -> LeastWork {
        let none = InCompany::new([BOUNDED; 3], [0; 3]);
        LeastWork {
            present: [true; 3],
            own: none.clone(),
            crowded: none,
        }
    }

    /// Returns the least work of the union of two partitions. `co_located` counts the tasks of
    /// the union by kind.
    pub fn joined(&self, other: &LeastWork, problem: &Problem<'_>, co_located: &CoLocated) -> LeastWork {
        let within = |co_located: &CoLocated| {
            let classes = problem.interference().class_of_each_kind(co_located);
            let work = [0, 1, 2].map(|kind| {
                self.of_kind(kind, classes)
                    .saturating_add(other.of_kind(kind, classes))
            });
            let stored = [0, 1, 2].map(|kind| {
                let exact = self.knows(kind, classes) && other.knows(kind, classes);
                if exact { classes[kind] } else { BOUNDED }
            });
            InCompany::new(stored, work)
        };
        LeastWork {
            present: [0, 1, 2].map(|kind| self.present[kind] || other.present[kind]),
            own: within(co_located),
            crowded: within(&co_located.with(co_located)),
        }
    }

    /// Returns the least work of the partition alone. Additional co-located tasks never reduce
    /// this work.
    pub fn alone(&self) -> u64 {
        self.own.total
    }

    /// Returns the least work of the partition if a second copy of the partition is co-located.
    /// If even this work fits, the search needs no tighter bound.
    pub fn crowded(&self) -> u64 {
        self.crowded.total
    }

    /// Returns the least work with additional co-located tasks, if the contention classes are `classes`.
    pub fn among(&self, classes: [u8; 3]) -> u64 {
        if classes == self.crowded.classes {
            return self.crowded.total;
        }
        let of_kind = |kind| self.of_kind(kind, classes);
        total([of_kind(0), of_kind(1), of_kind(2)])
    }

    /// Whether [`LeastWork::among`] with `classes` is the sum over all tasks, and not only a lower bound.
    pub fn is_exact(&self, classes: [u8; 3]) -> bool {
        self.knows(0, classes) && self.knows(1, classes) && self.knows(2, classes)
    }

    /// Whether the struct stores the work of `kind` under its class in `classes`.
    fn knows(&self, kind: usize, classes: [u8; 3]) -> bool {
        let class = classes[kind];
        !self.present[kind] || class == self.own.classes[kind] || class == self.crowded.classes[kind]
    }

    fn of_kind(&self, kind: usize, classes: [u8; 3]) -> u64 {
        if classes[kind] == self.crowded.classes[kind] {
            self.crowded.work[kind]
        } else {
            self.own.work[kind]
        }
    }
}

impl InCompany {
    fn new(classes: [u8; 3], work: [u64; 3]) -> InCompany {
        InCompany {
            classes,
            total: total(work),
            work,
        }
    }
}

/// Returns the sum of `work`. The sum saturates at the largest number, which stands for all larger values.
fn total(work: [u64; 3]) -> u64 {
    let [compute, memory, unclassified] = work;
    compute.saturating_add(memory).saturating_add(unclassified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interference::{InflatedWcet, Interference, model_of};
    use gpusched_model::time::Time;
    use gpusched_model::{Contention, Kind, Policy, Task, TaskSet};

    /// The joined work equals the newly computed work of the union, and the union has at least the work of each part.
    #[test]
    fn joined_work_is_that_of_the_union() {
        let tasks: Vec<String> = [r#""kind":"compute","#, r#""kind":"memory","#, ""]
            .iter()
            .cycle()
            .take(6)
            .enumerate()
            .map(|(i, kind)| {
                let work = 1 + i;
                format!(
                    r#"{{"period":"50ms",{kind}"wcet":{{"amdahl":{{"work":"{work}ms","serial":0,"conflict":1.5}}}}}}"#
                )
            })
            .collect();
        let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{}]}}"#, tasks.join(","))).unwrap();
        for model in [Interference::Conflict, Interference::None] {
            let problem = Problem::new(&set, 4, Policy::Edf, model_of(model)).unwrap();
            let of = |bits: u32| {
                let tasks: Vec<usize> = (0..6).filter(|task| bits & (1 << task) != 0).collect();
                let co_located = problem.co_located(&tasks);
                (LeastWork::of(&problem, &tasks, &co_located), co_located)
            };
            for (first, second) in (1..64).flat_map(|a| (1..64).map(move |b| (a, b))) {
                if first & second == 0 {
                    let ((a, _), (b, _), (union, co_located)) = (of(first), of(second), of(first | second));
                    let classes = problem.interference().class_of_each_kind(&co_located);
                    assert_eq!(a.joined(&b, &problem, &co_located), union);
                    assert_eq!(a.among(classes) + b.among(classes), union.alone());
                    assert!(a.is_exact(classes) && b.is_exact(classes));
                    assert!(!LeastWork::unknown().is_exact(classes));
                    assert!(a.alone() + b.alone() <= union.alone());
                }
            }
        }
    }

    /// Model with four classes: co-located compute tasks and co-located memory tasks delay tasks of every kind.
    struct Crosswise;

    impl InflatedWcet for Crosswise {
        fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time> {
            let wcet = task.wcet().at(sms, Contention::Isolated)?;
            Some(Time::from_ns(
                wcet.ns() * u64::from(1 + self.class(None, co_located)),
            ))
        }

        fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128 {
            task.wcet().least_work(Contention::Isolated) * u128::from(1 + self.class(None, co_located))
        }

        fn classes(&self) -> u8 {
            4
        }

        fn class(&self, _: Option<Kind>, co_located: &CoLocated) -> u8 {
            let [compute, memory] =
                [Kind::Compute, Kind::Memory].map(|kind| co_located.has_rival_of(Some(kind)));
            u8::from(compute) + 2 * u8::from(memory)
        }
    }

    /// In a model with more classes, the joined work is at most the work of the union. It is equal if it claims to be exact.
    #[test]
    fn joined_work_of_many_classes_is_a_lower_bound() {
        let kinds = ["compute", "memory", "memory", "compute", "compute", "memory"];
        let tasks = kinds.map(|kind| {
            format!(r#"{{"period":"50ms","kind":"{kind}","wcet":{{"amdahl":{{"work":"1ms","serial":0}}}}}}"#)
        });
        let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{}]}}"#, tasks.join(","))).unwrap();
        let problem = Problem::new(&set, 4, Policy::Edf, &Crosswise).unwrap();
        let of = |tasks: &[usize]| {
            (
                LeastWork::of(&problem, tasks, &problem.co_located(tasks)),
                problem.co_located(tasks),
            )
        };
        let (mut exact, mut bounds) = (0, 0);
        for (a, b, c) in (1..5).flat_map(|a| (a + 1..6).flat_map(move |b| (b + 1..7).map(move |c| (a, b, c))))
        {
            let all: Vec<usize> = (0..c).collect();
            let ((first, some), (second, others), (third, rest)) =
                (of(&all[..a]), of(&all[a..b]), of(&all[b..]));
            let both = some.with(&others);
            let joined = first.joined(&second, &problem, &both);
            let classes = problem.interference().class_of_each_kind(&both.with(&rest));
            let (least, union) = (joined.among(classes) + third.among(classes), of(&all).0.alone());
            if joined.is_exact(classes) && third.is_exact(classes) {
                assert_eq!(least, union);
                exact += 1;
            } else {
                assert!(least <= union);
                bounds += usize::from(least < union);
            }
        }
        assert!(exact > 0 && bounds > 0, "{exact} {bounds}");
    }
}
