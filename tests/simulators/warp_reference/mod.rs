//! The warp level against GPGPU-Sim: what `tasksets/reference/gpgpusim` holds, to the cycle wherever we know how it was made.
mod calibration;
mod camping;
mod estimate;
mod isolation;
mod issues;
mod micro;
mod pairs;
mod reference;
