//! Hashes that tell files and experiments apart.

use sha2::{Digest as _, Sha256};

/// SHA-256 as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
