//! Why a prediction is impossible.

/// Why a prediction is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("kernels[{kernel}].{field}: found {found}, expected {expected}")]
pub struct PredictionError {
    /// Position of the kernel in the group.
    pub kernel: usize,
    /// Field of the kernel.
    pub field: &'static str,
    /// Value that was found.
    pub found: String,
    /// Accepted values.
    pub expected: &'static str,
}
