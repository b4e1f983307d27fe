//! A symmetric relation between small numbers, and sets of small numbers. The relation and the sets are stored as bits.

const BITS: usize = u64::BITS as usize;

/// A set of numbers below a fixed size.
#[derive(Debug, Clone)]
pub(crate) struct Set {
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

/// A symmetric relation between numbers below a fixed size.
#[derive(Debug, Clone)]
pub(crate) struct SymmetricRelation {
    /// Bit matrix, row by row.
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

    pub fn relate(&mut self, a: usize, b: usize) {
        for (a, b) in [(a, b), (b, a)] {
            self.words[a * self.words_per_row + b / BITS] |= 1 << (b % BITS);
        }
    }

    /// Adds a relation between `to` and every number that is related to `from`.
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

impl Set {
    /// Sets `self` to the members of `all`, except `a`, that are unrelated to `a` in both
    /// `relations`. Returns the number of these members.
    ///
    /// All sets and relations must have the same size.
    pub fn fill_with_unrelated(&mut self, all: &Set, a: usize, relations: [&SymmetricRelation; 2]) -> usize {
        let [first, second] = relations.map(|relation| relation.row(a));
        for (((word, all), first), second) in self.words.iter_mut().zip(&all.words).zip(first).zip(second) {
            *word = all & !first & !second;
        }
        self.remove(a);
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}
