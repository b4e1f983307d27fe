//! A queue with at most 16 competitors, without a tree.

use super::tournament::{NEVER, Queue};

/// Number of the lowest bits of a key that contain the number of the competitor.
const BITS: u32 = 4;

/// Finds the competitor with the smallest time. In a tie, the competitor with the lower number wins.
///
/// A time and a number are one integer, so the search for the smallest one has no branch. This is faster than a tree or a heap.
#[derive(Clone, Debug)]
pub struct Few {
    /// Key of each competitor; `u64::MAX` for [`NEVER`].
    keys: [u64; 1 << BITS],
    /// Smallest key.
    least: u64,
}

impl Few {
    /// Creates the competitors 0 … `count` − 1. Each competitor has time [`NEVER`]. Returns `None` for more than 16 competitors, and if
    /// `latest`, the largest time of a competitor, is 2⁵⁹ ns (18 years) or more.
    pub fn new(count: usize, latest: u64) -> Option<Few> {
        (count <= 1 << BITS && latest < 1 << 59).then_some(Few {
            keys: [u64::MAX; 1 << BITS],
            least: u64::MAX,
        })
    }
}

impl Queue for Few {
    #[inline(always)]
    fn set(&mut self, number: usize, time: u64) {
        let key = match time {
            NEVER => u64::MAX,
            time => time << BITS | number as u64,
        };
        self.keys[number] = key;
        if self.winner() == number {
            let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = self.keys;
            let low = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
            let high = i.min(j).min(k.min(l)).min(m.min(n).min(o.min(p)));
            self.least = low.min(high);
        } else {
            self.least = self.least.min(key);
        }
    }

    #[inline(always)]
    fn time(&self) -> u64 {
        match self.least {
            u64::MAX => NEVER,
            key => key >> BITS,
        }
    }

    #[inline(always)]
    fn winner(&self) -> usize {
        self.least as usize % (1 << BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tournament::Tournament;
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn few_competitors_have_the_winner_of_the_tournament() {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        for count in 1..=16 {
            let (mut few, mut tree) = (Few::new(count, 1 << 58).unwrap(), Tournament::new(count));
            for _ in 0..3_000 {
                let time = match rng.random_range(0..8) {
                    0 => NEVER,
                    1 => 0,
                    2 => (1 << 59) - 1,
                    3 => rng.random_range(0..1 << 59),
                    _ => rng.random_range(0..20),
                };
                let number = match rng.random_range(0..3) {
                    0 if tree.time() < NEVER => tree.winner(),
                    _ => rng.random_range(0..count),
                };
                few.set(number, time);
                tree.set(number, time);
                assert_eq!(few.time(), tree.time());
                assert!(few.time() == NEVER || few.winner() == tree.winner());
            }
        }
        assert!(Few::new(17, 0).is_none() && Few::new(2, 1 << 59).is_none());
    }
}
