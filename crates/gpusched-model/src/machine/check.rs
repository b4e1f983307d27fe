//! Checks of a machine, with the places of faults.

use crate::Refusal;
use std::ops::RangeInclusive;

/// The part of the machine whose fields are checked.
pub(super) struct Faults {
    /// Path to the fields, with a final point.
    path: String,
}

impl Faults {
    pub fn root() -> Faults {
        Faults { path: String::new() }
    }

    /// Returns the place of the fields within `field`.
    pub fn of(&self, field: &str) -> Faults {
        Faults {
            path: format!("{}{field}.", self.path),
        }
    }

    pub fn refuse(&self, field: &str, found: impl ToString, expected: impl ToString) -> Result<(), Refusal> {
        Refusal::refuse(format!("{}{field}", self.path), found, expected)
    }

    pub fn within(&self, field: &str, found: u32, range: RangeInclusive<u32>) -> Result<(), Refusal> {
        if range.contains(&found) {
            return Ok(());
        }
        let expected = format!("{} to {}", range.start(), range.end());
        self.refuse(field, found, expected)
    }

    pub fn power_of_two(&self, field: &str, found: u32, most: u32) -> Result<(), Refusal> {
        if found.is_power_of_two() && found <= most {
            return Ok(());
        }
        self.refuse(field, found, format!("a power of two up to {most}"))
    }
}
