//! Tasks that are asked about together: one partition, or two that may merge.

use super::{Candidate, Problem};
use crate::interference::Company;
use crate::model::Kind;

/// The tasks of one or two partitions, and how they affect each other.
#[derive(Debug, Clone)]
pub(super) struct Group<'t> {
    /// The tasks, part by part.
    pub parts: [&'t [usize]; 2],
    /// All of them.
    pub company: Company,
    /// The class of company by [`kind_index`].
    pub classes: [u8; 3],
}

/// The place of a kind in [`InflatedWcet::class_of_each_kind`](crate::interference::InflatedWcet::class_of_each_kind).
pub(super) fn kind_index(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Compute) => 0,
        Some(Kind::Memory) => 1,
        None => 2,
    }
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
        Group {
            parts,
            company,
            classes: problem.interference().class_of_each_kind(&company),
        }
    }
}
