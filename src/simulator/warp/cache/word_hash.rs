//! A hash of addresses.

use std::hash::{BuildHasherDefault, Hasher};

/// A map from addresses.
pub type WordMap<V> = std::collections::HashMap<u64, V, BuildHasherDefault<WordHasher>>;

/// A multiplicative hash of one word; sectors and lines need no more.
#[derive(Debug, Clone, Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
