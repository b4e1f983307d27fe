//! Guarantee: gpusched reads Accel-Sim traces as they were written, in every form of the format, and rejects all other
//! files.

mod command;
mod fuzz;
mod kernels;
mod model;
mod reading;
mod refusals;
mod specialized;
mod streams;
