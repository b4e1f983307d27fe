//! Measured times of thread blocks ([Aghilinasab20] §IV-A, §VI-A).
//!
//! A trace is a table with one row per execution of one thread block. A row states the run, the
//! block, and the start and duration of the block. The row also states whether best-effort cores
//! caused interference (q = 1) or not (q = 0). A **run** is one execution of the whole kernel at
//! one interference level q. The rows of a run are contiguous, and each block of the run has one
//! row. All runs have the blocks 0 … N − 1. gpusched rejects all other traces with an error message that names the file
//! and the line.
//!
//! gpusched reads a trace in one pass. A [`Recorder`] contains the current run, and the [`Measurements`] of each
//! interference level. For each block, the measurements contain the count, the maximum, the mean and the variance, and
//! a uniform random sample. Maximum, mean and variance are exact over all runs. The required memory increases with the
//! number of blocks and with the size of the sample. For each run, gpusched stores only eight more bytes, which it uses
//! to detect a repeated run.

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
