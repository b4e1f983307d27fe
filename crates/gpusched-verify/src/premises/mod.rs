//! What a plan is based on and its evidence cannot show.
//!
//! * `listed`: the assumptions that the plan lists;
//! * `stated`: what the plan has to match, and what is taken from it.

mod listed;
mod stated;

pub use stated::{Stated, Taken};

pub(crate) use listed::check;
