//! Files that a run writes.

use std::collections::BTreeMap;
use std::path::Path;

/// Returns a temporary folder, in memory if possible, so that tests with hundreds of runs do not
/// wait for a disk.
pub fn temporary() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Returns the files in `folder` that must have the same content after every run.
pub fn stable_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(name, _)| !name.ends_with(".timing.csv") && !name.ends_with(".checkpoint.jsonl"))
        // Ignore the temporary files of killed processes.
        .filter(|(name, _)| !name.starts_with(".gpusched-"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}
