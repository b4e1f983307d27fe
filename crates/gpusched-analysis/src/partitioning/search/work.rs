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
