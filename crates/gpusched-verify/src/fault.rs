//! Faults that the verifier finds in a plan.

/// Reason why a plan is not a valid proof.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Fault {
    /// Field of the plan that has the fault, such as `partitions[2].verdict.evidence.checked[0]`.
    pub field: String,
    /// Message with the invalid value and the expected value.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault {
            field: field.into(),
            message: message.into(),
        }
    }

    pub(crate) fn inside(mut self, field: &str) -> Fault {
        self.field = match self.field.is_empty() {
            true => field.to_owned(),
            false => format!("{field}.{}", self.field),
        };
        self
    }
}
