//! The warp level against GPGPU-Sim: the data in `tasksets/reference/gpgpusim`, to the cycle where their origin is
//! known.
mod calibration;
mod camping;
mod estimate;
mod isolation;
mod issues;
mod micro;
mod pairs;
mod reference;
