//! A hash of addresses.

/// A multiplicative hash of one word, in its low bits; sectors and lines need no more.
pub fn hash(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}
