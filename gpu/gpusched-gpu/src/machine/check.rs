//! Checks of the parameters of a simulated GPU. An error states the field with the invalid value.

use gpusched_model::Refusal;
use std::ops::RangeInclusive;

/// The group of fields that a check covers, for error messages.
pub(super) struct Faults {
    /// Path of the group in the file, with a period at the end.
    path: String,
}

impl Faults {
    pub fn root() -> Faults {
        Faults { path: String::new() }
    }

    /// Returns the group of fields inside `field`.
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
