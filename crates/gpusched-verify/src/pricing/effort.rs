//! Search effort for the check of dual prices.

/// Default limit on the number of groups of tasks that a check of dual prices examines. A check
/// with this limit takes about ten seconds.
pub const GROUPS: u64 = 30_000_000;

/// Search effort of a check of dual prices, and a function that observes the progress.
pub struct Effort<'a> {
    /// Maximum number of groups of tasks that the check examines. One schedulability test counts
    /// as several groups.
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
