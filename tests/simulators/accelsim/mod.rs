//! Promise: traces of Accel-Sim are read as they were written, in every form the format has, and what is no trace is refused.

mod command;
mod fuzz;
mod kernels;
mod model;
mod reading;
mod refusals;
mod streams;
