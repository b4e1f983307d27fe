//! Check of several files on one command line.

use std::collections::BTreeSet;
use std::path::Path;

use gpusched_model::error::{Error, Result};

/// Refuses a file that appears twice in `paths`. Standard input also counts as a file.
///
/// # Errors
/// Fails with [`Error::Refused`], which states the name of the duplicate file.
pub fn distinct<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for path in paths {
        let file = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !seen.insert(file) {
            return Err(Error::file(path, "twice on the command line", "once"));
        }
    }
    Ok(())
}
