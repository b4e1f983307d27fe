//! A tournament tree: a queue with a fixed number of competitors, stored in an array.
//!
//! An update follows a path of fixed length from a leaf to the root. The update has no branch
//! that depends on times, and allocates no memory. For unsorted times, such as releases and
//! deadlines, a tournament tree is faster than a heap.

use std::hint::select_unpredictable;

/// Finds the competitor with the smallest time. In a tie, the competitor with the lower number
/// wins.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Time and number of the winner below each node, packed into one integer. Node 1 is the
    /// root, and the leaves are the second half of the array.
    nodes: Vec<u128>,
}

/// Special time of a competitor that has no next event.
pub const NEVER: u64 = u64::MAX;

fn entry(time: u64, number: usize) -> u128 {
    u128::from(time) << 64 | number as u128
}

impl Tournament {
    /// Creates the competitors 0 … `count` − 1. Each competitor has time [`NEVER`].
    pub fn new(count: usize) -> Tournament {
        let leaves = count.next_power_of_two().max(2);
        Tournament {
            nodes: vec![entry(NEVER, usize::MAX); 2 * leaves],
        }
    }

    /// Sets the times of all competitors to [`NEVER`].
    pub fn clear(&mut self) {
        self.nodes.fill(entry(NEVER, usize::MAX));
    }

    /// Sets the time of competitor `number` to `time`.
    #[inline]
    pub fn set(&mut self, number: usize, time: u64) {
        let nodes = &mut self.nodes[..];
        let mut node = nodes.len() / 2 + number;
        let mut winner = entry(time, number);
        nodes[node] = winner;
        while node > 1 {
            let other = nodes[node ^ 1];
            winner = select_unpredictable(other < winner, other, winner);
            node /= 2;
            nodes[node] = winner;
        }
    }

    /// Returns the smallest time of all competitors, or [`NEVER`] if no competitor has a time.
    #[inline]
    pub fn time(&self) -> u64 {
        (self.nodes[1] >> 64) as u64
    }

    /// Returns the number of the competitor with the smallest time.
    #[inline]
    pub fn winner(&self) -> usize {
        self.nodes[1] as u64 as usize
    }
}
