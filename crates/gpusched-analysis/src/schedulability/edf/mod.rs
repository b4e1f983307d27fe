//! Earliest deadline first on one partition: processor-demand criterion with QPA, in integers.
//!
//! Sporadic tasks with arbitrary deadlines meet them iff U ≤ 1 and dbf(t) + B(t) ≤ t at every deadline t:
//! * [`preemptive`]: B = 0, exact (Baruah, Mok & Rosier, RTSS 1990);
//! * [`non_preemptive`]: B(t) = max {Cₖ − 1 : Dₖ > t}, exact (George, Rivierre & Spuri, INRIA RR-2966, 1996);
//! * [`limited`]: preemption at the boundaries of thread blocks, B(t) = max {bₖ − 1 : Dₖ > t}, and a charge for each
//!   preemption; safe.
//!
//! Release jitter J makes D to D' = D − J in all of this: the worst is that a job is released J after it arrived, and the
//! following ones on arrival. Jobs of one task are released in the order of their arrival.
//!
//! [`response_times`] are those of preemptive EDF.

mod blocking;
mod criterion;
mod demand_bound;
mod interval;
pub mod limited;
mod lines;
pub mod non_preemptive;
pub mod preemptive;
mod qpa;
mod response_times;

pub use demand_bound::demand_bound;
pub use preemptive::{slack, test};
pub use qpa::STEP_LIMIT;
pub use response_times::response_times;
