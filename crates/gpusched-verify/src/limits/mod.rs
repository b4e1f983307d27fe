//! Statements about all plans.
//!
//! * `lower_bound`: the number of SMs that every plan needs;
//! * `failure`: the reason why no plan exists;
//! * `margin`: the WCET margin, and its limit for every plan.

pub(super) mod failure;
pub(super) mod lower_bound;
pub(super) mod margin;
