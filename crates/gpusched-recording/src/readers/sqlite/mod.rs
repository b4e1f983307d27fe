//! SQLite databases of profilers: exports of Nsight Systems, and rocpd databases of rocprofv3. The readers open a file without
//! changing it, and read only the tables that a [`Recording`] needs.

mod database;
mod nsys;
mod rocpd;

use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result};

use super::Options;
use super::input::Input;
use crate::model::Recording;
use database::Database;

/// Reads the database at `path`.
///
/// # Errors
/// Refuses a damaged database, and a database without tables of a supported profiler.
pub fn read(path: &Path, options: Options, input: Input<'_>) -> Result<Recording> {
    if path == Path::new("-") {
        let refusal = Refusal::new("", "SQLite on standard input", "a file");
        return Err(refusal.at(path, None).hint("store the database in a file").into());
    }
    drop(input);
    let bytes = std::fs::metadata(path)
        .map_err(|cause| Error::io(path, "read", cause))?
        .len();
    let database = Database::open(path, bytes)?;
    if nsys::is_export(&database) {
        return nsys::read(&database, options);
    }
    match rocpd::is_rocpd(&database) {
        true => rocpd::read(&database, options),
        false => Err(Error::file(
            path,
            "a database without tables of nsys or rocpd",
            "an SQLite export of nsys, or a rocpd database of rocprofv3",
        )),
    }
}
