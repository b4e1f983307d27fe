//! Premises of a plan: facts about the GPU and the analysis that the evidence of the plan cannot
//! prove.
//!
//! * `listed`: the assumptions that a plan, a bound or a verdict lists;
//! * `identity`: the task set, system or kernel that a result was computed for;
//! * `stated`: the premises that the user states, and the premises that the verifier takes from
//!   the plan;
//! * `conclusion`: what a verified plan proves under the stated premises.

mod conclusion;
mod identity;
mod listed;
mod stated;

pub use conclusion::Conclusion;
pub use identity::{check_identity, check_input, identity_faults, input_faults};
pub use stated::{Stated, Taken};

pub(crate) use listed::compare;
