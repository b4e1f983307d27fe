//! A group of tasks with its SMs, and knowledge from searches with other WCETs.

use super::scale::Scale;

/// A group of tasks and its SMs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub sms: u32,
    /// Positions in the task set, ascending.
    pub tasks: Vec<usize>,
}

/// Σ SMs.
pub(crate) fn total(parts: &[Part]) -> u32 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.sms))
}

/// Knowledge that a search passes to the next search for the same problem with another factor on the WCETs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Experience {
    /// Groups from the last search. The next search tests them first.
    pub groups: Vec<Vec<usize>>,
    /// Dual prices by task, each list with a factor at which the price sum of every group is at most its SMs.
    ///
    /// At larger factors, groups need at least as many SMs, so the prices are valid there, too.
    pub prices: Vec<(Scale, Vec<i64>)>,
}
