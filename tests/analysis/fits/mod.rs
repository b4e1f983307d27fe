//! Guarantee: fits to measured times agree with the literature and find planted parameters. No envelope is below a
//! measurement.
#![cfg(feature = "cli")]

mod command;
mod data;
mod distributions;
mod envelope;
mod estimates;
mod kinds;
mod normal;
mod planted;
mod published;
mod saturation;
mod streams;
