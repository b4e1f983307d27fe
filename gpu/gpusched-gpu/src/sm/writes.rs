//! Registers that an in-flight instruction writes.

use super::super::code::Register;

/// Bank numbers of the written registers, in order. The first four numbers are stored inline,
/// because most instructions write only one register.
#[derive(Debug, Clone, Default)]
pub struct Writes {
    few: [u16; FEW],
    more: Vec<u16>,
    len: usize,
}

const FEW: usize = 4;

impl Writes {
    /// Replaces the content with the banks of `registers`.
    pub fn set(&mut self, registers: &[Register]) {
        let (few, more) = registers.split_at(registers.len().min(FEW));
        for (place, register) in self.few.iter_mut().zip(few) {
            *place = register.bank;
        }
        if !(more.is_empty() && self.more.is_empty()) {
            self.more.clear();
            self.more.extend(more.iter().map(|register| register.bank));
        }
        self.len = registers.len();
    }

    /// Returns the number of written registers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the bank number of the written register at `index`, which must be less than [`Writes::len`].
    pub fn bank(&self, index: usize) -> u16 {
        match self.few.get(index) {
            Some(&bank) => bank,
            None => self.more[index - FEW],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_any_number_of_registers() {
        let mut writes = Writes::default();
        for count in [0, 3, 4, 5, 9, 4, 0, 7] {
            let register = |number: u16| Register {
                number,
                bank: 100 + number,
            };
            let registers: Vec<Register> = (0..count).map(register).collect();
            writes.set(&registers);
            let banks: Vec<u16> = (0..writes.len()).map(|index| writes.bank(index)).collect();
            assert_eq!(banks, (100..100 + count).collect::<Vec<u16>>());
        }
    }
}
