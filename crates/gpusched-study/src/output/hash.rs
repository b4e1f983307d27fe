//! Hashes that identify files and experiments.

use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 hash of `bytes` as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
