//! Compares the warp-level simulator with data of GPGPU-Sim in `tasksets/reference/gpgpusim`. If
//! the program behind the data is known, results agree to the cycle.
mod calibration;
mod camping;
mod estimate;
mod isolation;
mod issues;
mod micro;
mod pairs;
mod reference;
mod shared;
