//! A tournament tree: a queue with a fixed number of competitors, stored in an array.
//!
//! An update follows a path of fixed length from a leaf to the root. The update has no branch
//! that depends on times, and allocates no memory. For unsorted times, such as releases and
//! deadlines, a tournament tree is faster than a heap.

/// A queue of competitors with times.
pub trait Queue {
    /// Sets the time of competitor `number` to `time`.
    fn set(&mut self, number: usize, time: u64);

    /// Returns the smallest time of all competitors, or [`NEVER`] if no competitor has a time.
    fn time(&self) -> u64;

    /// Returns the number of the competitor with the smallest time. In a tie, the competitor with the lower number wins.
    fn winner(&self) -> usize;
}

/// Finds the competitor with the smallest time. In a tie, the competitor with the lower number
/// wins.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Time and number of the winner below each node. Node 1 is the root, and the leaves are the second half of the array.
    nodes: Vec<(u64, usize)>,
}

/// Special time of a competitor that has no next event.
pub const NEVER: u64 = u64::MAX;

/// [`NEVER`] in the tree. All times there fit into 63 bits, so the sign of a difference compares two times.
const NONE: u64 = i64::MAX as u64;

impl Tournament {
    /// Creates the competitors 0 … `count` − 1. Each competitor has time [`NEVER`].
    pub fn new(count: usize) -> Tournament {
        let leaves = count.next_power_of_two().max(2);
        Tournament {
            nodes: vec![(NONE, usize::MAX); 2 * leaves],
        }
    }

    /// Sets the times of all competitors to [`NEVER`].
    pub fn clear(&mut self) {
        self.nodes.fill((NONE, usize::MAX));
    }

    /// Sets the time of competitor `number` to `time`. Times from 2⁶³ − 1 up count as [`NEVER`].
    #[inline]
    pub fn set(&mut self, number: usize, time: u64) {
        let nodes = &mut self.nodes[..];
        let mut node = nodes.len() / 2 + number;
        let (mut time, mut winner) = (time.min(NONE), number);
        nodes[node] = (time, winner);
        while node > 1 {
            let (other_time, other) = nodes[node ^ 1];
            // All bits are set if the other competitor wins. It has a lower number if `node` is odd, and then it also wins a tie.
            // The compiler would turn a comparison into a branch, which no processor predicts well.
            let lead = (node & 1) as u64;
            let wins = other_time.wrapping_sub(lead).wrapping_sub(time).cast_signed() >> 63;
            time ^= (time ^ other_time) & wins.cast_unsigned();
            winner ^= (winner ^ other) & wins as usize;
            node /= 2;
            nodes[node] = (time, winner);
        }
    }

    /// Returns the smallest time of all competitors, or [`NEVER`] if no competitor has a time.
    #[inline]
    pub fn time(&self) -> u64 {
        match self.nodes[1].0 {
            NONE => NEVER,
            time => time,
        }
    }

    /// Returns the number of the competitor with the smallest time.
    #[inline]
    pub fn winner(&self) -> usize {
        self.nodes[1].1
    }
}

impl Queue for Tournament {
    #[inline]
    fn set(&mut self, number: usize, time: u64) {
        Tournament::set(self, number, time);
    }

    #[inline]
    fn time(&self) -> u64 {
        Tournament::time(self)
    }

    #[inline]
    fn winner(&self) -> usize {
        Tournament::winner(self)
    }
}
