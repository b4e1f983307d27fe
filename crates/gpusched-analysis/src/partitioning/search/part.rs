//! A group of tasks with its SMs, and what is known of groups from a search with other WCETs.

use super::scale::Scale;

/// A group of tasks and the SMs it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub sms: u32,
    /// Ascending.
    pub tasks: Vec<usize>,
}

/// Σ SMs.
pub(crate) fn total(parts: &[Part]) -> u32 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.sms))
}

/// What searches leave to the next one, of the same problem at another factor on the WCETs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Experience {
    /// Groups that helped the last search: they are tried first.
    pub groups: Vec<Vec<usize>>,
    /// Prices, by task, and the factor at which no group is worth more than its SMs. At larger factors groups need no fewer
    /// SMs, so the prices hold there, too.
    pub prices: Vec<(Scale, Vec<i64>)>,
}
