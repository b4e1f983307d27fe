//! Earliest deadline first (EDF) on one partition: the processor-demand criterion with QPA (Quick
//! Processor-demand Analysis), computed in integers.
//!
//! Sporadic tasks with arbitrary deadlines meet all deadlines iff U ≤ 1 and dbf(t) + B(t) ≤ t at
//! every deadline t. U is the utilization, dbf the demand bound function, and B the blocking:
//! * [`preemptive`]: B = 0; exact (Baruah, Mok & Rosier, RTSS 1990);
//! * [`non_preemptive`]: B(t) = max {Cₖ − 1 : Dₖ > t}; exact (George, Rivierre & Spuri, INRIA
//!   RR-2966, 1996);
//! * [`limited`]: preemption at thread-block boundaries, with B(t) = max {bₖ − 1 : Dₖ > t} and
//!   additional time for each preemption; sufficient.
//!
//! Under release jitter J, all tests use D − J in place of D. In the worst case, one job is
//! released J after its arrival, and all later jobs are released when they arrive. Jobs of one
//! task are released in the order of their arrival.
//!
//! [`response_times`] computes response times under preemptive EDF.

mod blocking;
mod criterion;
mod demand_bound;
mod early;
mod interval;
pub mod limited;
mod lines;
pub mod non_preemptive;
pub mod preemptive;
mod qpa;
mod response_times;

pub use demand_bound::demand_bound;
pub use early::EARLY_DEADLINES;
pub use preemptive::{slack, test};
pub use qpa::STEP_LIMIT;
pub use response_times::response_times;
