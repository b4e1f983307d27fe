//! Queues of tasks with released jobs, sorted by urgency. Tasks are numbered by rank, and rank 0
//! is the highest rank.

use super::lane::Lane;
use crate::engine::tournament::{NEVER, Tournament};

/// A queue of tasks that have a released job.
pub(super) trait Ready {
    /// Creates an empty queue for up to `count` tasks.
    fn new(count: usize) -> Self;

    /// Adds the task with rank `rank` and state `lane`.
    fn insert(&mut self, rank: usize, lane: &Lane);

    /// Removes the task with rank `rank`, because it has no released job left.
    fn remove(&mut self, rank: usize);

    /// Returns the rank of the most urgent task, or `None` if the queue is empty.
    fn first(&self) -> Option<usize>;
}

/// Queue that sorts tasks by a time of the first incomplete job, then by rank. The time is the release if `RELEASES` is
/// true, and otherwise the absolute deadline.
pub(super) struct ByTime<const RELEASES: bool>(Tournament);

impl<const RELEASES: bool> Ready for ByTime<RELEASES> {
    fn new(count: usize) -> ByTime<RELEASES> {
        ByTime(Tournament::new(count))
    }

    #[inline]
    fn insert(&mut self, rank: usize, lane: &Lane) {
        let time = if RELEASES { lane.visible() } else { lane.due() };
        self.0.set(rank, time);
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

/// Queue that sorts tasks by rank. The queue uses one bit per task.
pub(super) struct ByRank(Vec<u64>);

impl Ready for ByRank {
    fn new(count: usize) -> ByRank {
        ByRank(vec![0; count.div_ceil(64)])
    }

    #[inline]
    fn insert(&mut self, rank: usize, _: &Lane) {
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
