//! Promise: the documentation is true. Its commands run and show what it says they show, its JSON and TOML is accepted,
//! and what it points to exists.
#![cfg(all(unix, feature = "cli"))]

mod commands;
mod data;
mod formats;
mod markdown;
mod reference;
mod references;
mod reproduction;
