//! Decoding of addresses: bits, hash functions, channels and banks.

mod bits;
pub(super) mod decoder;
pub(super) mod hash;
pub(super) mod mapping;
