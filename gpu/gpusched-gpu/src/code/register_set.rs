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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn register(number: u16) -> Register {
        Register { number, bank: 0 }
    }

    #[test]
    fn equals_a_set_of_numbers() {
        let mut state = 5_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for most in [3, 130, 70_000] {
            let mut sets = [RegisterSet::default(), RegisterSet::default()];
            let mut twins = [BTreeSet::new(), BTreeSet::new()];
            for _ in 0..2000 {
                let which = random(2) as usize;
                let number = random(most).min(65_535) as u16;
                let other = sets[1 - which].clone();
                match random(9) {
                    0 => {
                        sets[which].insert_all(&other);
                        twins[which] = &twins[which] | &twins[1 - which];
                    }
                    1 | 2 => {
                        sets[which].remove_all(&other);
                        twins[which] = &twins[which] - &twins[1 - which];
                    }
                    3 if random(9) == 0 => {
                        sets[which].copy_from(&other);
                        twins[which] = twins[1 - which].clone();
                    }
                    _ if random(50) == 0 => {
                        sets[which].clear();
                        twins[which].clear();
                    }
                    _ => {
                        sets[which].insert(register(number));
                        twins[which].insert(number);
                    }
                }
                assert_eq!(sets[which].is_empty(), twins[which].is_empty());
                let (low, more) = sets[0].common(&sets[1]);
                let common: Vec<u16> = twins[0].intersection(&twins[1]).copied().collect();
                let bits = common
                    .iter()
                    .filter(|&&number| number < LOW)
                    .fold(0, |bits, &number| bits | 1_u128 << number);
                assert_eq!(low, bits);
                let lowest = twins[0].iter().filter(|&&number| number < LOW);
                assert_eq!(
                    sets[0].lowest(),
                    lowest.fold(0, |bits, &number| bits | 1_u128 << number)
                );
                assert_eq!(more, common.iter().any(|&number| number >= LOW));
            }
        }
    }
}
