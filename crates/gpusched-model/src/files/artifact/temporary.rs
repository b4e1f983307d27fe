//! Temporary files next to their destination, and the remnants that killed processes leave.
//!
//! A process that writes a temporary file holds a lock on it, and the lock ends with the process. So a file that can be locked
//! has no owner on any machine. gpusched removes it when it writes a file of the same name again. On a file system without
//! locks, gpusched removes no remnants.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

/// Letters and digits at the end of the name of a temporary file.
const RANDOM: usize = 6;

/// Maximum number of times that another process may take the new file for a remnant before it is locked. A second time is
/// almost impossible.
const TRIES: u32 = 100;

/// Maximum number of bytes of the destination's name in the name of its temporary file. The limit keeps that name short enough.
const NAMED: usize = 100;

/// Returns the folder of `path`.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates a temporary file that may become `path`, and removes the remnants of earlier processes that began to write `path`.
///
/// # Errors
/// Fails with the error of the operating system, which does not name the temporary file.
pub(super) fn create(path: &Path) -> io::Result<NamedTempFile> {
    let (folder, prefix) = (folder(path), prefix(path));
    remove_remnants(folder, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM);
    // The file has the permissions of any new file.
    let open = |path: &Path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).open(path)
    };
    let mut left = TRIES;
    loop {
        let file = builder.make_in(folder, open)?;
        left -= 1;
        match file.as_file().try_lock() {
            // Before the lock, another process may have taken the file for a remnant.
            Ok(()) if left > 0 && !file.path().exists() => {}
            Err(TryLockError::WouldBlock) if left > 0 => {}
            _ => return Ok(file),
        }
    }
}

/// A backup of the file that was at a path.
pub(super) enum Backup {
    /// No file was at the path.
    NoFile,
    /// A second name of the earlier file.
    Link(TempPath),
    /// No backup is possible.
    Missing,
}

/// Returns the backup of the file at `path`.
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

/// Returns the common beginning of the names of temporary files of `path`.
fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=name.len().min(NAMED))
        .rev()
        .find(|&end| name.is_char_boundary(end));
    format!(".gpusched-{}-", name.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// Removes, if possible, the temporary files with `prefix` in `folder` that no process writes any more.
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
            // If the removal fails, the remnant stays.
            let _ = fs::remove_file(&path);
        }
    }
}
