//! Registers and sets of registers.

/// Register of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register {
    /// Number of the register within the warp; the first register has number 1. Dependencies
    /// between instructions use this number.
    pub number: u16,
    /// Number that determines the bank of the register in the register file. For PTX, this is the number in the
    /// register name (12 for `%rd12`). It may differ from `number`, because each PTX type numbers its own registers.
    pub bank: u16,
}

/// Set of registers, identified by their numbers.
///
/// One word stores the registers with numbers below 128. Most kernels use only these registers,
/// so a dependency check takes one comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterSet {
    low: u128,
    /// Registers with number 128 or higher, 64 per word.
    more: Vec<u64>,
}

const LOW: u16 = 128;

impl RegisterSet {
    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.more.iter().all(|&word| word == 0)
    }

    /// Adds `register` to the set.
    pub fn insert(&mut self, register: Register) {
        let number = register.number;
        if number < LOW {
            self.low |= 1 << number;
            return;
        }
        let (word, bit) = place(number);
        if self.more.len() <= word {
            self.more.resize(word + 1, 0);
        }
        if let Some(word) = self.more.get_mut(word) {
            *word |= bit;
        }
    }

    /// Adds all registers of `other` to the set.
    pub fn insert_all(&mut self, other: &RegisterSet) {
        self.low |= other.low;
        if self.more.len() < other.more.len() {
            self.more.resize(other.more.len(), 0);
        }
        for (word, more) in self.more.iter_mut().zip(&other.more) {
            *word |= more;
        }
    }

    /// Removes all registers of `other` from the set.
    pub fn remove_all(&mut self, other: &RegisterSet) {
        self.low &= !other.low;
        for (word, more) in self.more.iter_mut().zip(&other.more) {
            *word &= !more;
        }
    }

    /// Copies `other` into this set and reuses the allocated memory.
    pub fn copy_from(&mut self, other: &RegisterSet) {
        self.low = other.low;
        if !(self.more.is_empty() && other.more.is_empty()) {
            self.more.clone_from(&other.more);
        }
    }

    /// Returns the registers with numbers below 128, one bit per register.
    pub fn lowest(&self) -> u128 {
        self.low
    }

    /// Returns the registers with numbers below 128 that both sets contain, one bit per register. Also returns whether
    /// the sets have a common register with number 128 or higher.
    pub fn common(&self, other: &RegisterSet) -> (u128, bool) {
        let more = self.more.iter().zip(&other.more).any(|(x, y)| x & y != 0);
        (self.low & other.low, more)
    }

    /// Removes all registers from the set.
    pub fn clear(&mut self) {
        self.low = 0;
        self.more.clear();
    }
}

/// Returns the word and the bit that represent register `number`, which must be at least 128.
fn place(number: u16) -> (usize, u64) {
    let number = number - LOW;
    (usize::from(number / 64), 1 << (number % 64))
}

impl FromIterator<Register> for RegisterSet {
    fn from_iter<I: IntoIterator<Item = Register>>(registers: I) -> RegisterSet {
        let mut set = RegisterSet::default();
        registers.into_iter().for_each(|register| set.insert(register));
        set
    }
}
