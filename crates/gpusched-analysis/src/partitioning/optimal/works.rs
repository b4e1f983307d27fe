//! Least work that a task adds to a group, for each contention class. The bounds of pricing use
//! this work.

use super::units::ONE;
use crate::interference::{CoLocated, kind_index};
use crate::partitioning::problem::Problem;

/// Least work of each task divided by its period (rounded down, in price units), and the possible growths of a group.
#[derive(Debug)]
pub(super) struct Works {
    pub classes: usize,
    /// Least work, indexed by task · classes + class.
    work: Vec<i64>,
    /// Kind of each task.
    kinds: Vec<usize>,
    /// For each kind that occurs: the task counts of a group that consists of one task of this
    /// kind.
    one: [Option<CoLocated>; 3],
    pub growths: Vec<Growth>,
}

/// Number of tasks of each kind that join a group: 0, 1, or several (stored as 2).
#[derive(Debug)]
pub(super) struct Growth {
    pub counts: [u8; 3],
    /// Smallest numbers of tasks by kind that match these counts.
    pub co_located: CoLocated,
}

impl Works {
    pub fn new(problem: &Problem<'_>) -> Works {
        let classes = usize::from(problem.interference().classes());
        let kinds: Vec<usize> = problem
            .tasks()
            .iter()
            .map(|task| usize::from(kind_index(task.kind())))
            .collect();
        let mut one = [None; 3];
        for (task, &kind) in kinds.iter().enumerate() {
            one[kind] = Some(problem.co_located(&[task]));
        }
        let growths = growths(&one);
        let mut works = Works {
            classes,
            work: Vec::with_capacity(kinds.len() * classes),
            kinds,
            one,
            growths,
        };
        for task in 0..works.kinds.len() {
            works.add(problem, task);
        }
        works
    }

    /// Adds the work of `task` in each contention class. If no growth leads to a class, the entry of the class is the
    /// work in isolation, which is the smallest work.
    fn add(&mut self, problem: &Problem<'_>, task: usize) {
        let alone = problem.co_located(&[task]);
        let kind = self.kinds[task];
        let first = self.work.len();
        let least = units(problem, task, &alone);
        self.work.resize(first + self.classes, least);
        let mut known = vec![false; self.classes];
        let none = [CoLocated::default()];
        let companies = none
            .iter()
            .chain(self.growths.iter().map(|growth| &growth.co_located));
        for growth in companies {
            let co_located = alone.with(growth);
            let class = usize::from(problem.interference().class_of_each_kind(&co_located)[kind]);
            if !known[class] {
                known[class] = true;
                self.work[first + class] = units(problem, task, &co_located);
            }
        }
    }

    /// Returns the smallest work of `task` over all contention classes.
    pub fn alone(&self, task: usize) -> i64 {
        (0..self.classes)
            .map(|class| self.work(task, class))
            .min()
            .unwrap_or(0)
    }

    pub fn kind(&self, task: usize) -> usize {
        self.kinds[task]
    }

    pub fn work(&self, task: usize, class: usize) -> i64 {
        self.work[task * self.classes + class]
    }

    /// Returns the numbers of tasks by kind after one task of `kind` joins `co_located`.
    pub fn with_one(&self, co_located: &CoLocated, kind: usize) -> CoLocated {
        match &self.one[kind] {
            Some(one) => co_located.with(one),
            None => *co_located,
        }
    }
}

/// Returns the least work of one task divided by its period, rounded down [price units].
fn units(problem: &Problem<'_>, task: usize, co_located: &CoLocated) -> i64 {
    let work = u128::from(problem.work(task, co_located).saturated());
    i64::try_from((work * ONE as u128) >> 48).unwrap_or(i64::MAX >> 16)
}

fn growths(one: &[Option<CoLocated>; 3]) -> Vec<Growth> {
    let mut growths = Vec::new();
    for code in 1..27u8 {
        let counts = [code % 3, code / 3 % 3, code / 9];
        let mut co_located = CoLocated::default();
        let mut exists = true;
        for (count, one) in counts.iter().zip(one) {
            for _ in 0..*count {
                match one {
                    Some(one) => co_located = co_located.with(one),
                    None => exists = false,
                }
            }
        }
        if exists {
            growths.push(Growth { counts, co_located });
        }
    }
    growths
}
