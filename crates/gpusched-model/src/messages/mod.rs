//! What is said to the user, errors above all.

pub(super) mod counted;
pub mod error;
mod one_line;
pub(super) mod refusal;
