//! Sets of crossbar ports. Each set uses two 64-bit words, because shifts of 128-bit words are
//! several times slower.

/// Set of numbers from 0 to 127.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ports([u64; 2]);

impl Ports {
    pub fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    pub fn contains(self, port: usize) -> bool {
        self.0[port / 64 % 2] >> (port % 64) & 1 == 1
    }

    /// Adds `port` to the set if `member` is true, and removes `port` otherwise.
    pub fn set(&mut self, port: usize, member: bool) {
        if member {
            self.insert(port);
        } else {
            self.remove(port);
        }
    }

    /// Returns the two words of the set, with one bit per port. The first word contains ports below 64.
    pub fn words(&mut self) -> &mut [u64; 2] {
        &mut self.0
    }

    pub fn insert(&mut self, port: usize) {
        self.0[port / 64 % 2] |= 1 << (port % 64);
    }

    pub fn remove(&mut self, port: usize) {
        self.0[port / 64 % 2] &= !(1 << (port % 64));
    }

    /// Returns the first port in the order `start`, `start` + 1, …, 127, 0, …; `None` if the set is empty.
    pub fn first_from(self, start: usize) -> Option<usize> {
        self.next_from(start).or_else(|| self.first())
    }

    /// Returns the lowest port that is at least `start`; `None` if there is no such port.
    pub fn next_from(self, start: usize) -> Option<usize> {
        let from = |start: usize| u64::MAX.checked_shl(start as u32).unwrap_or(0);
        Self([
            self.0[0] & from(start),
            self.0[1] & from(start.saturating_sub(64)),
        ])
        .first()
    }

    /// Returns the lowest port.
    pub fn first(self) -> Option<usize> {
        match self.0 {
            [0, 0] => None,
            [0, high] => Some(high.trailing_zeros() as usize + 64),
            [low, _] => Some(low.trailing_zeros() as usize),
        }
    }

    /// Returns the union of both sets.
    pub fn with(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// Returns the ports in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let [mut low, mut high] = self.0;
        std::iter::from_fn(move || {
            if low != 0 {
                let port = low.trailing_zeros() as usize;
                low &= low - 1;
                Some(port)
            } else if high != 0 {
                let port = high.trailing_zeros() as usize + 64;
                high &= high - 1;
                Some(port)
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn equals_a_set_of_numbers() {
        let mut state = 23_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut ports, mut twin) = (Ports::default(), BTreeSet::new());
        for _ in 0..5000 {
            let port = random(128) as usize;
            let member = random(5) == 0;
            ports.set(port, member);
            if member {
                twin.insert(port);
            } else {
                twin.remove(&port);
            }
            assert_eq!(ports.contains(port), member);
            assert_eq!(ports.is_empty(), twin.is_empty());
            let start = random(129) as usize;
            let after = twin.range(start..).next().or_else(|| twin.first());
            assert_eq!(ports.first_from(start).as_ref(), after);
            assert_eq!(ports.first().as_ref(), twin.first());
            assert!(ports.iter().eq(twin.iter().copied()));
        }
    }
}
