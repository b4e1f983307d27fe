//! Readers of the files of other tools.
//!
//! * [`accelsim`]: machine-code traces of the Accel-Sim tracer.
//! * [`gpgpusim_config`]: configurations of GPGPU-Sim.
//! * [`ptx`]: kernels in PTX.

pub mod accelsim;
pub mod gpgpusim_config;
pub mod ptx;
