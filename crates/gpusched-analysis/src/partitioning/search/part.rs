//! A group of tasks with its SMs.

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
