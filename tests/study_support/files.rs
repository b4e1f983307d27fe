//! Files that a run writes.

use std::collections::BTreeMap;
use std::path::Path;

/// A temporary folder, in memory where the system has one there: tests with hundreds of runs wait for no disk.
pub fn temporary() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// The files of a folder that must be the same in every run.
pub fn stable_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(name, _)| !name.ends_with(".timing.csv") && !name.ends_with(".checkpoint.jsonl"))
        // What a killed process leaves has names of its own.
        .filter(|(name, _)| !name.starts_with(".gpusched-"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}
