//! The time that a partition can lose to the traffic of others.

use super::Load;
use gpusched_model::Bandwidth;

/// Others that share a memory with a partition.
///
/// While a kernel gets s < d of what it could use, the memory is busy with o = B − s for others, and 1 − s/d ≤ 1 − s/B = o/B: of any
/// window, a partition loses at most (bytes of others)/B.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delay {
    /// B [nano-bytes per nanosecond], positive.
    capacity: u128,
    others: Vec<Load>,
}

impl Delay {
    /// What `others` do to a partition beside them, at a memory of capacity `capacity`, which is not 0.
    pub fn new(capacity: Bandwidth, others: impl IntoIterator<Item = Load>) -> Delay {
        Delay {
            capacity: u128::from(capacity.bytes_per_second()).max(1),
            others: others.into_iter().filter(|load| load.peak() > 0).collect(),
        }
    }

    /// Whether no time is ever lost.
    pub fn is_none(&self) -> bool {
        self.others.is_empty()
    }

    /// The most time lost in any window of length `window` [ns], rounded up; never more than all of it.
    pub fn within(&self, window: u64) -> u64 {
        let most = self.capacity.saturating_mul(window.into());
        let mut bytes = 0u128;
        for load in &self.others {
            bytes = bytes.saturating_add(load.within(window));
            if bytes >= most {
                return window;
            }
        }
        u64::try_from(bytes.div_ceil(self.capacity)).unwrap_or(window)
    }
}
