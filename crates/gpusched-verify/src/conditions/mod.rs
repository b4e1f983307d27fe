//! Conditions under which tasks meet their deadlines, recomputed from the evidence of a verdict.
//!
//! * `bounds`: utilization bounds in exact arithmetic;
//! * `demand`: the evidence of a processor-demand test;
//! * `response`: response times under fixed priorities;
//! * `fifo`: response times under first in, first out;
//! * `concurrent`: response times of kernels that run together;
//! * `stated`: checks that the two modules before share;
//! * `fraction`: exact fractions;
//! * `multiple`: least common multiples.

pub(super) mod bounds;
pub(super) mod concurrent;
pub(super) mod demand;
pub(super) mod fifo;
mod fraction;
mod multiple;
pub(super) mod response;
mod stated;

pub(super) use fraction::Fraction;
pub(super) use multiple::least_common_multiple;
