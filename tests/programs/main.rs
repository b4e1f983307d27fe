//! Kernel programs: the language, what streams of them execute, and the PTX reader.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

mod garbage;
mod interpreter;
mod json_garbage;
mod language;
mod refusals;
mod replay;
mod strides;
mod twins;
