//! Errors of predictions.

/// Reason why a prediction is impossible: a property of a kernel is invalid or missing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("kernels[{kernel}].{field}: found {found}, expected {expected}")]
pub struct PredictionError {
    /// Position of the kernel in the group.
    pub kernel: usize,
    /// Name of the invalid field of the kernel.
    pub field: &'static str,
    /// Value that was found.
    pub found: String,
    /// Accepted values.
    pub expected: &'static str,
}
