//! The option that states the overheads of dispatchers.

use std::path::Path;

use gpusched_model::Overheads;
use gpusched_model::error::Error;
use gpusched_model::reader::OverheadsFiles;

use crate::arguments::refused;

/// Returns the bounds in the file `path`.
///
/// # Errors
/// Fails with a message that states the error in the file.
pub fn overheads(path: &str) -> Result<Overheads, String> {
    let measured = OverheadsFiles::only(Path::new(path), "overheads file").map_err(|error| match error {
        Error::Io { cause, .. } => refused(path, format_args!("a readable file with overheads ({cause})")),
        error => error.to_string(),
    })?;
    Ok(measured.bounds())
}
