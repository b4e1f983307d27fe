//! Promise: the documentation is true. Commands in the documentation run and print the output
//! that the page shows. JSON and TOML blocks are valid, and all link targets exist.
#![cfg(all(unix, feature = "cli"))]

mod circles;
mod columns;
mod commands;
mod data;
mod formats;
mod house;
mod markdown;
mod reference;
mod references;
mod reproduction;
