//! Sufficient tests on U' = Σ C/T', for preemptive scheduling.
//!
//! * [`density`] for EDF, with T' = min(T, D − J): dbf(t) ≤ t·Σ C/T';
//! * [`hyperbolic`] and [`liu_layland`] for fixed priorities in the order of T' = min(T, D) − J. A task causes interference of
//!   ⌈(w + J)/T⌉·C. This is at most ⌈w/T'⌉·C, the interference of a task without jitter and with period T'. A job that ends within
//!   T' of its latest release meets its deadline, which is D after its arrival.
//!
//! If D > T, the two definitions of T' differ, because two releases may be only T − J apart. This distance matters for fixed
//! priorities. It does not matter for the demand bound, which counts jobs by their deadlines.

mod density;
mod hyperbolic;
mod liu_layland;
mod terms;

pub use density::density;
pub use hyperbolic::hyperbolic;
pub use liu_layland::liu_layland;
