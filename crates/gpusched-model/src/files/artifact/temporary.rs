//! Temporary files in the destination folder of an output. A *remnant* is a temporary file that a
//! killed process left.
//!
//! A process locks each temporary file while it writes the file. The operating system releases the lock when the
//! process ends. If gpusched can lock a temporary file, the file is a remnant, because no process on any computer still
//! writes it. When gpusched next writes an output of the same name, it removes the remnant. On a file system without
//! locks, gpusched does not remove remnants.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

/// Number of random letters and digits at the end of the name of a temporary file.
const RANDOM: usize = 6;

/// Maximum number of attempts to create a temporary file. An attempt fails if another process removes the new file as a
/// remnant before this process locks the file. Two failures in a row are extremely unlikely.
const TRIES: u32 = 100;

/// The name of a temporary file contains at most this number of bytes of the destination name. The limit keeps the name
/// short enough for the file system.
const NAMED: usize = 100;

/// Returns the folder that contains `path`.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates a temporary file for the destination `path`. Also removes the remnants of earlier processes that wrote to
/// `path`.
///
/// # Errors
/// Fails with the error of the operating system. The error does not state the name of the temporary file.
pub(super) fn create(path: &Path) -> io::Result<NamedTempFile> {
    let (folder, prefix) = (folder(path), prefix(path));
    remove_remnants(folder, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM);
    // The temporary file has the default permissions of a new file.
    let open = |path: &Path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).open(path)
    };
    let mut left = TRIES;
    loop {
        let file = builder.make_in(folder, open)?;
        left -= 1;
        match file.as_file().try_lock() {
            // Before the lock, another process may have removed the file as a remnant.
            Ok(()) if left > 0 && !file.path().exists() => {}
            Err(TryLockError::WouldBlock) if left > 0 => {}
            _ => return Ok(file),
        }
    }
}

/// A backup of the file that a rename replaces.
pub(super) enum Backup {
    /// There is no file at the path, so the rename needs no backup.
    NoFile,
    /// A hard link to the file that the rename replaces.
    Link(TempPath),
    /// There is a file at the path, but the file system cannot make a backup.
    Missing,
}

/// Makes a backup of the file at `path` as a hard link.
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

/// Returns the first part of the names of all temporary files for the destination `path`.
fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=name.len().min(NAMED))
        .rev()
        .find(|&end| name.is_char_boundary(end));
    format!(".gpusched-{}-", name.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// Removes the remnants in `folder` whose names start with `prefix`. The function ignores errors.
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
            // If the removal fails, the remnant remains.
            let _ = fs::remove_file(&path);
        }
    }
}
