//! Sufficient tests for preemptive scheduling that use only U' = Σ C/T' or Π (C/T' + 1).
//!
//! * [`density`]: for EDF, with T' = min(T, D − J). The test uses dbf(t) ≤ t·Σ C/T'.
//! * [`hyperbolic`] and [`liu_layland`]: for fixed priorities in ascending order of T' = min(T, D) − J. In a window of
//!   length w, the interference of a task is at most ⌈(w + J)/T⌉·C. This is at most ⌈w/T'⌉·C, the interference of a
//!   task with period T' and without jitter. A job that ends within T' of its latest release meets its deadline, which
//!   is D after its arrival.
//!
//! If D > T, the two definitions of T' differ, because the releases of two jobs may be only T − J
//! apart. This distance matters for fixed priorities, but not for the demand bound, which counts jobs by their
//! deadlines.

mod density;
mod hyperbolic;
mod liu_layland;
mod terms;

pub use density::density;
pub use hyperbolic::hyperbolic;
pub use liu_layland::liu_layland;
