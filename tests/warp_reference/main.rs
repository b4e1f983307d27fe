//! The warp level against GPGPU-Sim: what `tasksets/reference/gpgpusim` holds, to the cycle wherever we know how it was made.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

mod calibration;
mod camping;
mod estimate;
mod isolation;
mod issues;
mod micro;
mod pairs;
mod reference;
