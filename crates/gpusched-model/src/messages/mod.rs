//! What is said to the user, errors above all.

pub mod error;
mod one_line;
pub(super) mod refusal;
pub mod words;
