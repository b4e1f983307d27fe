//! Hash function for addresses.

/// Returns a multiplicative hash of one word. The low bits of the result are the hash. This hash is sufficient for
/// addresses of sectors and lines.
pub fn hash(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}
