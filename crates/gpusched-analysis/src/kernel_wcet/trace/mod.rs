//! Measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A).
//!
//! A trace is a table with one row per execution of one thread block: run, block, start, duration, and whether best-effort cores
//! interfered (q = 1) or not (q = 0). A **run** is one execution of the whole kernel at one level of q. Its rows are contiguous,
//! and each of its blocks occurs once. All runs have the same blocks 0 … N − 1. gpusched rejects every other trace with file and
//! line.
//!
//! gpusched reads traces in one pass. A [`Recorder`] contains the current run. For each block and level it also contains the number
//! of measurements, their maximum, mean and variance (exact over all runs), and a uniform sample of them ([`Measurements`]). Memory
//! grows with the number of blocks and the size of the sample. A run needs only eight bytes more, to detect a repeated run.

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
