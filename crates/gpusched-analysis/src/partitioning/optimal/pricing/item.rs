//! A task that may join a group.

/// A task that may join.
#[derive(Copy, Clone)]
pub(super) struct Item<'l> {
    pub task: usize,
    pub kind: usize,
    pub price: i64,
    /// Price less what it asks for, by some weights.
    pub gain: i64,
    /// By measure.
    pub asks: &'l [i64],
}

impl Item<'_> {
    /// What it asks for, by those weights [units].
    pub fn cost(&self) -> i64 {
        self.price - self.gain
    }
}
