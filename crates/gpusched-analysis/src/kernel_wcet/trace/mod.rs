//! Measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A).
//!
//! A trace is a table with one row per execution of one thread block. A row has the run, the block, its start and its duration. It
//! also states whether best-effort cores caused interference (q = 1) or not (q = 0). A **run** is one execution of the whole kernel
//! at one level of q. The rows of a run are contiguous, and each block of the run has one row. All runs have the same blocks 0 … N
//! − 1. gpusched rejects every other trace, and the error message names the file and the line.
//!
//! gpusched reads a trace in one pass. A [`Recorder`] contains the current run. For each block and level, it also contains the
//! number of measurements, their maximum, mean and variance, and a uniform random sample ([`Measurements`]). Maximum, mean and
//! variance are exact over all runs. The required memory increases with the number of blocks and the size of the sample. Each run
//! needs only eight more bytes, to detect a repeated run.

mod level;
mod measurements;
mod places;
mod recorder;
mod row;
mod slot;

pub use level::Level;
pub use measurements::{Measurements, Summary};
pub use recorder::{MAX_BLOCKS, MAX_SAMPLES, Recorder, Trace};
pub use row::Row;
