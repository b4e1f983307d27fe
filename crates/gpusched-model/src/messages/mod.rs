//! Messages for the user, mainly error messages.

pub(super) mod counted;
pub mod error;
mod one_line;
pub(super) mod refusal;
