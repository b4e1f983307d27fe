//! Tasks that are asked about together: one partition, or two that may merge.

use super::{Candidate, Problem};
use crate::interference::Company;
use crate::model::Kind;

/// A small number for a kind.
pub(super) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        None => 0,
        Some(Kind::Compute) => 1,
        Some(Kind::Memory) => 2,
    }
}

/// The tasks of one or two partitions in one, and how they affect each other.
#[derive(Debug, Clone)]
pub(super) struct Group<'t> {
    parts: [&'t [usize]; 2],
    company: Company,
    /// The class of company by kind.
    classes: [usize; 4],
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
        let class = |kind| match company.includes(kind) {
            true => problem.interference().class(kind, &company),
            false => 0, // never read
        };
        Group {
            parts,
            company,
            classes: [
                class(None),
                class(Some(Kind::Compute)),
                class(Some(Kind::Memory)),
                0,
            ],
        }
    }

    pub fn company(&self) -> &Company {
        &self.company
    }

    /// The class of company that a task of the kind with that [`kind_index`] is in.
    pub fn class(&self, kind: u8) -> usize {
        self.classes[usize::from(kind % 4)]
    }

    /// The tasks, part by part.
    pub fn parts(&self) -> [&'t [usize]; 2] {
        self.parts
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
