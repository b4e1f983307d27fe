//! Sufficient tests on U' = Σ C/T', for preemptive scheduling.
//!
//! * [`density`] for EDF, with T' = min(T, D − J): dbf(t) ≤ t·Σ C/T';
//! * [`hyperbolic`] and [`liu_layland`] for fixed priorities in the order of T' = min(T, D) − J: the interference of a
//!   task, ⌈(w + J)/T⌉·C, is no larger than the ⌈w/T'⌉·C of a task without jitter and with period T', and who meets T'
//!   after the latest release meets D after the arrival.
//!
//! With D > T the two T' differ: two releases may be T − J apart, which fixed priorities feel and the demand bound, whose
//! jobs count from their deadlines, does not.

mod density;
mod hyperbolic;
mod liu_layland;
mod terms;

pub use density::density;
pub use hyperbolic::hyperbolic;
pub use liu_layland::liu_layland;
