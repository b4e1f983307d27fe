//! Temporary files beside their destination, and what killed processes left of them.
//!
//! Whoever writes a temporary file holds a lock on it, which ends with the process. So what can be locked has no owner any more, on
//! whatever machine, and is removed when a file of the same name is written again. Where a file system knows no locks, nothing is.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

/// Letters and digits at the end of the name of a temporary file.
const RANDOM: usize = 6;

/// How often another process may take the file for a remnant before it has a lock; more than once is next to impossible.
const TRIES: u32 = 100;

/// Bytes of the name of the destination that are in that of its temporary file, lest that is too long.
const NAMED: usize = 100;

/// The folder of `path`.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file that may become `path`, and nothing left there by those who began with that before and are gone.
///
/// # Errors
/// Those of the operating system, which do not name the temporary file.
pub(super) fn create(path: &Path) -> io::Result<NamedTempFile> {
    let (folder, prefix) = (folder(path), prefix(path));
    remove_remnants(folder, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM);
    // With the permissions of any new file.
    let open = |path: &Path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).open(path)
    };
    let mut left = TRIES;
    loop {
        let file = builder.make_in(folder, open)?;
        left -= 1;
        match file.as_file().try_lock() {
            // Before the lock another process may have taken it for a remnant.
            Ok(()) if left > 0 && !file.path().exists() => {}
            Err(TryLockError::WouldBlock) if left > 0 => {}
            _ => return Ok(file),
        }
    }
}

/// A way back to the file that was at a path.
pub(super) enum Backup {
    /// There was no file.
    NoFile,
    /// A second name of that file.
    Link(TempPath),
    /// There is no way back.
    Missing,
}

/// The way back to the file at `path`.
pub(super) fn backup(path: &Path) -> Backup {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Backup::NoFile;
    }
    let prefix = prefix(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM);
    let link = builder.make_in(folder(path), |link| fs::hard_link(path, link));
    link.map_or(Backup::Missing, |link| Backup::Link(link.into_temp_path()))
}

/// How the names of temporary files of `path` begin.
fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=name.len().min(NAMED))
        .rev()
        .find(|&end| name.is_char_boundary(end));
    format!(".gpusched-{}-", name.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// Removes the temporary files of that `prefix` in `folder` that nobody writes any more, as far as that goes.
fn remove_remnants(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let is_temporary = random.is_some_and(|random| {
            random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_temporary
            && is_file
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            // If that fails, the remnant stays.
            let _ = fs::remove_file(&path);
        }
    }
}
