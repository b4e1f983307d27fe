//! The answers of the tests without their evidence, for searches and experiments that ask millions of times.
//!
//! Each short cut is a proof of one answer, or no answer at all; the test itself then decides. Floats may propose a
//! number, integers confirm what is concluded from it.

pub(super) mod edf;
mod share;
