//! A field of an input that has a value it cannot have.

/// Why something is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found {found}, expected {expected}")]
pub struct FieldError {
    /// The field, such as `kernels[1].sms`.
    pub field: String,
    /// Its value.
    pub found: String,
    /// What would have been accepted.
    pub expected: String,
}

impl FieldError {
    /// `found` in `field`, where `expected` would have been accepted.
    pub fn new(field: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> FieldError {
        FieldError {
            field: field.into(),
            found: found.to_string(),
            expected: expected.into(),
        }
    }

    /// The same, as a result.
    ///
    /// # Errors
    /// Always.
    pub fn refuse<T>(
        field: impl Into<String>,
        found: impl ToString,
        expected: impl Into<String>,
    ) -> Result<T, FieldError> {
        Err(FieldError::new(field, found, expected))
    }
}
