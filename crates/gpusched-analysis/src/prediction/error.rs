//! Errors of predictions.

/// Reason why a prediction fails: a property of a kernel is invalid or missing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("kernels[{kernel}].{field}: found {found}, expected {expected}")]
pub struct PredictionError {
    /// Position of the kernel in the group.
    pub kernel: usize,
    /// Name of the invalid field of the kernel.
    pub field: &'static str,
    /// Invalid value, as text.
    pub found: String,
    /// Values that the field accepts.
    pub expected: &'static str,
}
