//! Credits that the slices of a channel need to send requests. Each credit represents one place in the queues of the
//! channel. Each slice has one private place, and all slices share the other places.

/// Credits for the places in the queues of a DRAM channel.
#[derive(Debug)]
pub struct Credits {
    private: Vec<bool>,
    shared: usize,
    /// Number of shared places; `None` means no limit.
    limit: Option<usize>,
    /// Slice that took the last credit.
    pub last: usize,
}

impl Credits {
    pub fn new(slices: usize, limit: Option<usize>) -> Self {
        Self {
            private: vec![false; slices],
            shared: 0,
            limit,
            last: slices - 1,
        }
    }

    pub fn available(&self, slice: usize) -> bool {
        !self.private[slice] || self.limit.is_none_or(|limit| self.shared < limit)
    }

    pub fn take(&mut self, slice: usize) {
        if self.private[slice] {
            self.shared += 1;
        } else {
            self.private[slice] = true;
        }
        self.last = slice;
    }

    pub fn give_back(&mut self, slice: usize) {
        if self.private[slice] {
            self.private[slice] = false;
        } else {
            self.shared -= 1;
        }
    }
}
