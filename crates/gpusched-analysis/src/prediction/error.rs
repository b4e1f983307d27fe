//! Why there is no prediction.

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("kernels[{kernel}].{field}: found {found}, expected {expected}")]
pub struct PredictionError {
    /// The position of the kernel.
    pub kernel: usize,
    /// The field of the kernel.
    pub field: &'static str,
    /// What was found.
    pub found: String,
    /// What would have been accepted.
    pub expected: &'static str,
}
