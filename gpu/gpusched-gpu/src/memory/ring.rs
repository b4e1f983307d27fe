//! Queue in a ring buffer.

/// First-in, first-out queue of small values.
///
/// The number of places is a power of two, and each place always contains a value. Adding or removing a value therefore
/// takes only a few instructions.
#[derive(Debug, Clone)]
pub struct Ring<T> {
    /// Places of the ring. Empty until the first value is added.
    places: Vec<T>,
    /// Index of the place of the first value.
    first: usize,
    len: usize,
}

/// Minimum number of places of a ring that is not empty.
const FEWEST: usize = 8;

impl<T: Copy> Ring<T> {
    /// Creates an empty queue.
    pub const fn new() -> Self {
        Self {
            places: Vec::new(),
            first: 0,
            len: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the index of the place that is `behind` places after the place of the first value.
    fn place(&self, behind: usize) -> usize {
        self.first.wrapping_add(behind) & self.places.len().wrapping_sub(1)
    }

    /// Returns the oldest value; `None` if the queue is empty.
    pub fn front(&self) -> Option<&T> {
        match self.len {
            0 => None,
            _ => self.places.get(self.first),
        }
    }

    /// Returns the oldest value for modification; `None` if the queue is empty.
    pub fn front_mut(&mut self) -> Option<&mut T> {
        match self.len {
            0 => None,
            _ => self.places.get_mut(self.first),
        }
    }

    /// Returns the newest value; `None` if the queue is empty.
    pub fn back(&self) -> Option<&T> {
        match self.len {
            0 => None,
            len => self.places.get(self.place(len.wrapping_sub(1))),
        }
    }

    /// Adds `value` as the newest value.
    pub fn push_back(&mut self, value: T) {
        if self.len == self.places.len() {
            self.grow(value);
        }
        let place = self.place(self.len);
        if let Some(place) = self.places.get_mut(place) {
            *place = value;
            self.len = self.len.wrapping_add(1);
        }
    }

    /// Removes and returns the oldest value; `None` if the queue is empty.
    pub fn pop_front(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.len = self.len.wrapping_sub(1);
        // An empty queue restarts at the first place. A short queue thus uses only a small part
        // of memory.
        self.first = if self.len == 0 { 0 } else { self.place(1) };
        Some(value)
    }

    /// Doubles the number of places. The new places contain `filler`.
    #[cold]
    fn grow(&mut self, filler: T) {
        self.places.rotate_left(self.first);
        self.first = 0;
        let places = (self.places.len() * 2).max(FEWEST);
        self.places.resize(places, filler);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn equals_a_queue() {
        let mut state = 31_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..50 {
            let (mut ring, mut twin) = (Ring::new(), VecDeque::new());
            for value in 0..500 {
                // The queue alternately fills and drains.
                if random(10) < [4, 6][value / 100 % 2] {
                    ring.push_back(value);
                    twin.push_back(value);
                } else {
                    assert_eq!(ring.pop_front(), twin.pop_front());
                }
                if random(20) == 0 {
                    ring.front_mut().into_iter().for_each(|first| *first += 1000);
                    twin.front_mut().into_iter().for_each(|first| *first += 1000);
                }
                assert_eq!(ring.front(), twin.front());
                assert_eq!(ring.back(), twin.back());
                assert_eq!((ring.len(), ring.is_empty()), (twin.len(), twin.is_empty()));
            }
        }
    }
}
