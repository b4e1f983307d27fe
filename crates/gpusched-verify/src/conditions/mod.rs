//! Conditions under which tasks meet their deadlines, recomputed from the evidence of a verdict.
//!
//! * `bounds`: utilization bounds in exact arithmetic;
//! * `demand`: the evidence of a processor-demand test;
//! * `response`: response times under fixed priorities;
//! * `fraction`: exact fractions.

pub(super) mod bounds;
pub(super) mod demand;
mod fraction;
pub(super) mod response;

pub(super) use fraction::Fraction;
