//! Hash function for addresses.

/// Returns a multiplicative hash of one word. Callers use the low bits of the result. The hash
/// distributes addresses of sectors and lines well enough.
pub fn hash(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}
