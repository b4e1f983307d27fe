//! Messages to the user, mainly errors.

pub(super) mod counted;
pub mod error;
mod one_line;
pub(super) mod refusal;
