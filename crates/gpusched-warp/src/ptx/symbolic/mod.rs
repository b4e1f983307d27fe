//! Integers as polynomials over values that are known only at run time.

mod algebra;
mod poly;
mod print;
mod range;

pub use poly::{Atom, Operator, Poly};
pub use range::{Range, Ranges};
