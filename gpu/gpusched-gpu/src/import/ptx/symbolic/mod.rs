//! Integers as polynomials over values that are unknown until run time.

mod algebra;
mod poly;
mod print;
mod range;

pub use poly::{Atom, Operator, Poly};
pub use range::{Range, Ranges};
