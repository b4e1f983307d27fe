//! Queues of tasks with released jobs, sorted by urgency. Tasks are numbered by rank, and rank 0
//! is the highest rank.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::lane::Lane;
use crate::engine::few::Few;
use crate::engine::releases::uniform;
use crate::engine::tournament::{NEVER, Queue};

/// A queue of tasks that have a released job.
pub(super) trait Ready {
    /// Adds the task with rank `rank` and state `lane`.
    fn insert(&mut self, rank: usize, lane: &Lane);

    /// Removes the task with rank `rank`, because it has no released job left.
    fn remove(&mut self, rank: usize);

    /// Returns the rank of the most urgent task, or `None` if the queue is empty.
    fn first(&self) -> Option<usize>;

    /// Returns the next time at which the order of the tasks changes without a release or a completion.
    fn change(&self) -> u64 {
        NEVER
    }

    /// Changes the order of the tasks at `now`.
    fn reorder(&mut self, _: u64) {}
}

/// Queue that sorts tasks by a time of the first incomplete job, then by rank. The time is the release if `RELEASES` is
/// true, and otherwise the absolute deadline.
///
/// Few tasks have a released job at the same time, so a heap of these tasks is faster than a tournament of all tasks. The
/// heap may contain old entries of a task, but never at the top. An old entry is not the time of its task.
pub(super) struct ByTime<const RELEASES: bool> {
    /// Times and ranks, packed into one integer each.
    heap: BinaryHeap<Reverse<u128>>,
    /// Time of each task; [`NEVER`] without a released job.
    times: Vec<u64>,
}

impl<const RELEASES: bool> ByTime<RELEASES> {
    /// Creates an empty queue for up to `count` tasks.
    pub fn new(count: usize) -> ByTime<RELEASES> {
        ByTime {
            heap: BinaryHeap::new(),
            times: vec![NEVER; count],
        }
    }

    /// Removes the old entries at the top.
    #[inline]
    fn clean(&mut self) {
        while let Some(&Reverse(top)) = self.heap.peek()
            && self.times[rank_of(top)] != (top >> 64) as u64
        {
            self.heap.pop();
        }
    }
}

/// Returns the rank in an entry of the heap.
#[inline]
fn rank_of(entry: u128) -> usize {
    entry as u64 as usize
}

impl<const RELEASES: bool> Ready for ByTime<RELEASES> {
    #[inline]
    fn insert(&mut self, rank: usize, lane: &Lane) {
        let time = if RELEASES { lane.visible() } else { lane.due() };
        self.times[rank] = time;
        let entry = Reverse(u128::from(time) << 64 | rank as u128);
        match self.heap.peek_mut() {
            Some(mut top) if rank_of(top.0) == rank => *top = entry,
            top => {
                drop(top);
                self.heap.push(entry);
                return;
            }
        }
        self.clean();
    }

    #[inline]
    fn remove(&mut self, rank: usize) {
        self.times[rank] = NEVER;
        self.clean();
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        self.heap.peek().map(|&Reverse(top)| rank_of(top))
    }
}

/// Few tasks, sorted by the absolute deadline of the first incomplete job, then by rank.
impl Ready for Few {
    #[inline(always)]
    fn insert(&mut self, rank: usize, lane: &Lane) {
        self.set(rank, lane.due());
    }

    #[inline(always)]
    fn remove(&mut self, rank: usize) {
        self.set(rank, NEVER);
    }

    #[inline(always)]
    fn first(&self) -> Option<usize> {
        (self.time() < NEVER).then(|| self.winner())
    }
}

/// Queue that sorts tasks by rank. The queue uses one bit per task.
pub(super) struct ByRank(Vec<u64>);

impl ByRank {
    /// Creates an empty queue for up to `count` tasks.
    pub fn new(count: usize) -> ByRank {
        ByRank(vec![0; count.div_ceil(64)])
    }
}

impl Ready for ByRank {
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

/// Queue in a random order, which changes at random times. The queue stands for a GPU that divides its SMs among kernels in
/// an unknown way: for each division, some order has the same execution times and lets a given job end as late.
pub(super) struct AnyOrder {
    /// Random number of each task. The ready task with the smallest number is first.
    numbers: Vec<u64>,
    ready: Vec<bool>,
    rng: ChaCha8Rng,
    /// Next change of the order.
    change: u64,
    /// Number of powers of two among the longest times between two changes.
    powers: u64,
}

impl AnyOrder {
    /// Creates an empty queue for `count` tasks. The times between two changes are at most about `longest` ns, and have all
    /// orders of magnitude.
    pub fn new(count: usize, longest: u64, rng: ChaCha8Rng) -> AnyOrder {
        let mut queue = AnyOrder {
            numbers: vec![0; count],
            ready: vec![false; count],
            rng,
            change: 0,
            powers: u64::from(u64::BITS - longest.leading_zeros()),
        };
        queue.reorder(0);
        queue
    }
}

impl Ready for AnyOrder {
    #[inline]
    fn insert(&mut self, rank: usize, _: &Lane) {
        self.ready[rank] = true;
    }

    #[inline]
    fn remove(&mut self, rank: usize) {
        self.ready[rank] = false;
    }

    fn first(&self) -> Option<usize> {
        let ready = (0..self.ready.len()).filter(|&rank| self.ready[rank]);
        ready.min_by_key(|&rank| self.numbers[rank])
    }

    #[inline]
    fn change(&self) -> u64 {
        // An empty queue has no order, so that a simulation ends.
        match self.ready.contains(&true) {
            true => self.change,
            false => NEVER,
        }
    }

    fn reorder(&mut self, now: u64) {
        for number in &mut self.numbers {
            *number = self.rng.next_u64();
        }
        let power = uniform(&mut self.rng, self.powers);
        self.change = now + 1 + uniform(&mut self.rng, (1 << power) - 1);
    }
}
