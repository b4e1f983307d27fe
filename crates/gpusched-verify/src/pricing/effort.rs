//! Search effort for the check of dual prices.

/// Default limit on the groups of tasks that a check of dual prices examines. The check takes some seconds.
pub const GROUPS: u64 = 5_000_000;

/// Search effort of a check, and a function that observes its progress.
pub struct Effort<'a> {
    /// Maximum number of groups of tasks that the check examines. A schedulability test counts as several groups.
    pub groups: u64,
    /// Function that regularly receives the number of groups examined so far.
    pub watch: &'a dyn Fn(u64),
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort {
            groups: GROUPS,
            watch: &|_| {},
        }
    }
}
