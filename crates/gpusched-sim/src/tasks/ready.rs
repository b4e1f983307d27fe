//! Queues of released tasks by urgency. Tasks are numbered by rank; rank 0 is the highest.

use super::tournament::{NEVER, Tournament};

/// A queue of released tasks.
pub(super) trait Ready {
    /// Creates an empty queue for `count` tasks.
    fn new(count: usize) -> Self;

    /// Adds task `rank`, whose first incomplete job has the absolute deadline `deadline`.
    fn insert(&mut self, rank: usize, deadline: u64);

    /// Removes task `rank`, which has no released job.
    fn remove(&mut self, rank: usize);

    /// Returns the most urgent task.
    fn first(&self) -> Option<usize>;
}

/// Orders tasks by deadline, then by rank.
pub(super) struct ByDeadline(Tournament);

impl Ready for ByDeadline {
    fn new(count: usize) -> ByDeadline {
        ByDeadline(Tournament::new(count))
    }

    #[inline]
    fn insert(&mut self, rank: usize, deadline: u64) {
        self.0.set(rank, deadline);
    }

    #[inline]
    fn remove(&mut self, rank: usize) {
        self.0.set(rank, NEVER);
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        (self.0.time() < NEVER).then(|| self.0.winner())
    }
}

/// Orders tasks by rank, with one bit per task.
pub(super) struct ByRank(Vec<u64>);

impl Ready for ByRank {
    fn new(count: usize) -> ByRank {
        ByRank(vec![0; count.div_ceil(64)])
    }

    #[inline]
    fn insert(&mut self, rank: usize, _: u64) {
        self.0[rank / 64] |= 1 << (rank % 64);
    }

    #[inline]
    fn remove(&mut self, rank: usize) {
        self.0[rank / 64] &= !(1 << (rank % 64));
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }
}
