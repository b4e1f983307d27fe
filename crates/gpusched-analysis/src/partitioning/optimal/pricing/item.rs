//! A task that may join a group.

/// A task that may join a group.
#[derive(Copy, Clone)]
pub(super) struct Item<'l> {
    pub task: usize,
    pub kind: usize,
    pub price: i64,
    /// Price minus weighted demand, under the current weights.
    pub gain: i64,
    /// Demand of the task by each measure.
    pub asks: &'l [i64],
    /// D − J [ns].
    pub due: u64,
    /// Longest time for which a job of the task blocks jobs with earlier deadlines [ns]; 0 under immediate preemption.
    pub blocking: u64,
}

impl Item<'_> {
    /// Returns the weighted demand under the weights that determine the gain [price units].
    pub fn cost(&self) -> i64 {
        self.price - self.gain
    }
}
