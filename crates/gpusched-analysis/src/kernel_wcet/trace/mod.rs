//! Measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A).
//!
//! A trace is a table with one row per execution of one thread block: run, block, start, duration, and whether best-effort
//! cores interfered (q = 1) or not (q = 0). A **run** is one execution of the whole kernel at one level of q. Its rows are
//! contiguous, each of its blocks occurs once, and all runs have the same blocks 0 … N − 1; whatever is not so is refused
//! with file and line.
//!
//! Traces are read in one pass. A [`Recorder`] holds the run at hand, and for each block and level the number of
//! measurements, their maximum, mean and variance (exact over all runs), and a uniform sample of them ([`Measurements`]).
//! Memory grows with the number of blocks and the size of the sample, not with the number of runs (but for eight bytes
//! each, to notice a run that comes twice).

mod level;
mod measurements;
mod overlap;
mod recorder;
mod row;
mod slot;

pub use level::Level;
pub use measurements::{Measurements, Summary};
pub use recorder::{MAX_BLOCKS, MAX_SAMPLES, Recorder, Trace};
pub use row::Row;
