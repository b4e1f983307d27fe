//! What is wrong with a machine, and where.

use std::ops::RangeInclusive;

/// Why something is no machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found {found}, expected {expected}")]
pub struct MachineError {
    /// The field, such as `memory.l2.sets`.
    pub field: String,
    /// Its value.
    pub found: String,
    /// What would have been accepted.
    pub expected: String,
}

/// Where in the machine fields are being checked.
pub(super) struct Faults {
    /// The path to the fields, with its final point.
    path: String,
}

impl Faults {
    pub fn root() -> Faults {
        Faults { path: String::new() }
    }

    /// The fields of `field`.
    pub fn of(&self, field: &str) -> Faults {
        Faults {
            path: format!("{}{field}.", self.path),
        }
    }

    pub fn refuse(
        &self,
        field: &str,
        found: impl ToString,
        expected: impl Into<String>,
    ) -> Result<(), MachineError> {
        Err(MachineError {
            field: format!("{}{field}", self.path),
            found: found.to_string(),
            expected: expected.into(),
        })
    }

    pub fn within(&self, field: &str, found: u32, range: RangeInclusive<u32>) -> Result<(), MachineError> {
        if range.contains(&found) {
            return Ok(());
        }
        let expected = format!("{} to {}", range.start(), range.end());
        self.refuse(field, found, expected)
    }

    pub fn power_of_two(&self, field: &str, found: u32, most: u32) -> Result<(), MachineError> {
        if found.is_power_of_two() && found <= most {
            return Ok(());
        }
        self.refuse(field, found, format!("a power of two up to {most}"))
    }
}
