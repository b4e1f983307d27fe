//! A symmetric relation between small numbers, and sets of them: a bit each.

const BITS: usize = u64::BITS as usize;

/// A set of numbers below a size fixed when it is made.
#[derive(Debug, Clone)]
pub(super) struct Set {
    words: Vec<u64>,
}

impl Set {
    pub fn with_capacity(size: usize) -> Set {
        Set {
            words: vec![0; size.div_ceil(BITS)],
        }
    }

    pub fn insert(&mut self, number: usize) {
        self.words[number / BITS] |= 1 << (number % BITS);
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words[number / BITS] & (1 << (number % BITS)) != 0
    }

    pub fn remove(&mut self, number: usize) {
        self.words[number / BITS] &= !(1 << (number % BITS));
    }
}

/// A symmetric relation between numbers below a size fixed when it is made.
#[derive(Debug, Clone)]
pub(super) struct SymmetricRelation {
    /// Row by row.
    words: Vec<u64>,
    words_per_row: usize,
}

impl SymmetricRelation {
    pub fn with_capacity(size: usize) -> SymmetricRelation {
        let words_per_row = size.div_ceil(BITS);
        SymmetricRelation {
            words: vec![0; size * words_per_row],
            words_per_row,
        }
    }

    pub fn holds(&self, a: usize, b: usize) -> bool {
        self.row(a)[b / BITS] & (1 << (b % BITS)) != 0
    }

    pub fn relate(&mut self, a: usize, b: usize) {
        for (a, b) in [(a, b), (b, a)] {
            self.words[a * self.words_per_row + b / BITS] |= 1 << (b % BITS);
        }
    }

    /// Relates `to` to all that `from` is related to.
    pub fn inherit(&mut self, to: usize, from: usize) {
        for word in 0..self.words_per_row {
            let mut related = self.row(from)[word];
            while related != 0 {
                self.relate(to, word * BITS + related.trailing_zeros() as usize);
                related &= related - 1;
            }
        }
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.words[a * self.words_per_row..(a + 1) * self.words_per_row]
    }
}

/// Whether some number of `set` other than `a` is related to `a` in neither relation; all of one size.
pub(super) fn any_unrelated(
    set: &Set,
    a: usize,
    first: &SymmetricRelation,
    second: &SymmetricRelation,
) -> bool {
    set.words
        .iter()
        .zip(first.row(a))
        .zip(second.row(a))
        .enumerate()
        .any(|(index, ((word, first), second))| {
            let itself = if index == a / BITS { 1 << (a % BITS) } else { 0 };
            word & !first & !second & !itself != 0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_symmetric_and_heritable() {
        let mut relation = SymmetricRelation::with_capacity(130);
        relation.relate(3, 129);
        relation.relate(64, 3);
        assert!(relation.holds(129, 3) && relation.holds(3, 64) && !relation.holds(64, 129));
        relation.inherit(100, 3);
        assert!(relation.holds(100, 129) && relation.holds(64, 100) && !relation.holds(100, 3));
    }

    #[test]
    fn the_unrelated_are_found_in_every_word() {
        let (mut failed, crossing) = (
            SymmetricRelation::with_capacity(130),
            SymmetricRelation::with_capacity(130),
        );
        let mut set = Set::with_capacity(130);
        set.insert(5);
        assert!(!any_unrelated(&set, 5, &failed, &crossing));
        for other in [0, 70, 129] {
            set.insert(other);
            assert!(any_unrelated(&set, 5, &failed, &crossing), "{other}");
            failed.relate(5, other);
            assert!(!any_unrelated(&set, 5, &crossing, &failed), "{other}");
        }
        set.insert(71);
        set.remove(71);
        assert!(!any_unrelated(&set, 5, &failed, &crossing));
    }
}
