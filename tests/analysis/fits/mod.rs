//! Promise: fits to measured times are those of the literature, find what was planted, and no envelope is below a measurement.
#![cfg(feature = "cli")]

mod command;
mod data;
mod envelope;
mod estimates;
mod kinds;
mod normal;
mod planted;
mod published;
mod saturation;
mod streams;
