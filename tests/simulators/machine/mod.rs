//! The machine of the warp level: presets and their consequences, and configurations of GPGPU-Sim.

mod addresses;
mod command;
mod files;
mod garbage;
mod hashes;
mod import;
mod occupancy;
mod presets;
mod published;
mod refusals;
