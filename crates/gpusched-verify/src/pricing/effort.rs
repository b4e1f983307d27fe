//! How far a check of prices goes.

/// Groups of tasks that a check of prices looks at unless it is told otherwise: some seconds.
pub const GROUPS: u64 = 5_000_000;

/// How much a check may do, and who wants to know how far it is.
pub struct Effort<'a> {
    /// Groups of tasks that may be looked at to confirm the prices of a bound; a test of one counts as some more.
    pub groups: u64,
    /// Is told from time to time how many have been.
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
