//! A group of tasks with its SMs, and what is known of groups from a search with other WCETs.

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

/// What one search leaves to the next, of the same tasks with other WCETs. It changes what is tried first; nothing is concluded
/// from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Experience {
    /// Groups that helped.
    pub groups: Vec<Vec<usize>>,
    /// The prices of the bound, by task.
    pub prices: Vec<i64>,
}
