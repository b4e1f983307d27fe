//! Premises of a plan that its evidence cannot prove.
//!
//! * `listed`: the assumptions that the plan lists;
//! * `stated`: the premises that the user states, and the premises that are taken from the plan.

mod listed;
mod stated;

pub use stated::{Stated, Taken};

pub(crate) use listed::check;
