//! Tasks that are asked about together: one partition, or two that may merge.

use super::{Candidate, Problem};
use crate::interference::Company;
use crate::model::Kind;

/// The tasks of one or two partitions in one, and how they affect each other.
#[derive(Debug, Clone)]
pub(super) struct Group<'t> {
    parts: [&'t [usize]; 2],
    company: Company,
    /// The class of company for compute, memory and unclassified tasks.
    classes: [usize; 3],
}

impl<'t> Group<'t> {
    pub fn of(problem: &Problem<'_>, partition: &'t Candidate) -> Group<'t> {
        Group::new(problem, [&partition.tasks, &[]], partition.company)
    }

    pub fn of_both(problem: &Problem<'_>, first: &'t Candidate, second: &'t Candidate) -> Group<'t> {
        let company = first.company.with(&second.company);
        Group::new(problem, [&first.tasks, &second.tasks], company)
    }

    fn new(problem: &Problem<'_>, parts: [&'t [usize]; 2], company: Company) -> Group<'t> {
        let class = |kind| problem.interference().class(kind, &company);
        Group {
            parts,
            company,
            classes: [class(Some(Kind::Compute)), class(Some(Kind::Memory)), class(None)],
        }
    }

    pub fn company(&self) -> &Company {
        &self.company
    }

    /// The class of company that `task` is in.
    pub fn class(&self, problem: &Problem<'_>, task: usize) -> usize {
        self.classes[match problem.tasks()[task].kind() {
            Some(Kind::Compute) => 0,
            Some(Kind::Memory) => 1,
            None => 2,
        }]
    }

    /// The tasks, part by part.
    pub fn tasks(&self) -> impl Iterator<Item = usize> {
        self.parts.into_iter().flatten().copied()
    }

    /// The tasks by position.
    pub fn ascending(&self) -> impl Iterator<Item = usize> {
        let [mut first, mut second] = self.parts;
        std::iter::from_fn(move || {
            let from = match (first, second) {
                ([a, ..], [b, ..]) if b < a => &mut second,
                ([], _) => &mut second,
                _ => &mut first,
            };
            let (&task, rest) = from.split_first()?;
            *from = rest;
            Some(task)
        })
    }
}
