//! Search effort for the check of dual prices.

/// Default number of groups of tasks for a check of dual prices. The check takes some seconds.
pub const GROUPS: u64 = 5_000_000;

/// Search effort of a check, and an observer of its progress.
pub struct Effort<'a> {
    /// Maximum number of groups of tasks examined to confirm dual prices. A schedulability test counts as several groups.
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
