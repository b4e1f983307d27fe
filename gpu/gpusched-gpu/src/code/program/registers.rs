//! Mapping from register names to register numbers.

use std::collections::HashMap;

use crate::code::Register;

/// Assigns numbers to registers, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Registers<'p> {
    known: HashMap<&'p str, Register>,
}

impl<'p> Registers<'p> {
    /// Returns the register whose name is `name`. The first number in the name determines the
    /// bank, as in GPGPU-Sim.
    pub fn get(&mut self, name: &'p str) -> Register {
        let number = u16::try_from(self.known.len() + 1).unwrap_or(u16::MAX);
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let bank = digits
            .get(..end)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(number);
        *self.known.entry(name).or_insert(Register { number, bank })
    }

    /// Returns the registers whose names are in `names`, without repetition.
    pub fn set(&mut self, names: impl IntoIterator<Item = &'p str>) -> Box<[Register]> {
        let mut set = Vec::new();
        for name in names {
            let register = self.get(name);
            if !set.contains(&register) {
                set.push(register);
            }
        }
        set.into()
    }

    /// Returns the number of distinct registers.
    pub fn count(&self) -> usize {
        self.known.len()
    }
}
