//! A group of tasks with its number of SMs, and knowledge that a search keeps for the next search.

use crate::partitioning::problem::Scale;

/// A group of tasks and its number of SMs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub sms: u32,
    /// Positions in the task set, ascending.
    pub tasks: Vec<usize>,
}

/// Returns the total number of SMs of `parts`.
pub(crate) fn total(parts: &[Part]) -> u32 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.sms))
}

/// Knowledge that a search passes to the next search. The next search solves the same problem with another factor on the
/// WCETs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Experience {
    /// Groups that the last search found. The next search tests these groups first.
    pub groups: Vec<Vec<usize>>,
    /// Lists of dual prices, with one price per task. Each list is stored with a factor on the
    /// WCETs. At this factor, the price sum of every group is at most its SMs.
    ///
    /// At a larger factor, every group needs at least as many SMs, so the prices are valid at the larger factor too.
    pub prices: Vec<(Scale, Vec<i64>)>,
}
