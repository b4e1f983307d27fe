//! The types of the file formats, from which the files in `schemas/` are generated.

use schemars::{Schema, schema_for};

use crate::{simulate, validate};
use gpusched_gpu::import::accelsim::TraceSummary;
use gpusched_gpu::machine::MachineShape;
use gpusched_gpu::program::Program;
use gpusched_gpu::warp_run::WarpRun;

/// A file format: its name, and a function that returns the schema of its type.
type Entry = (&'static str, fn() -> Schema);

/// The file formats of the cycle-level GPU.
#[rustfmt::skip] // a table
pub const TYPES: &[Entry] = &[
    ("warp-validation", || schema_for!(validate::WarpValidation)),
    ("program", || schema_for!(Program)),
    ("warp-simulation", || schema_for!(simulate::warps::Answer<'_>)),
    ("warp-run", || schema_for!(WarpRun)),
    ("warp-results", || schema_for!(simulate::kernels::Answer)),
    ("warp-profile", || schema_for!(simulate::profile::Answer)),
    ("warp-matrix", || schema_for!(simulate::matrix::Answer)),
    ("warp-stress", || schema_for!(simulate::profile::StressAnswer)),
    ("trace-summary", || schema_for!(TraceSummary)),
    ("machine", || schema_for!(MachineShape)),
];
