//! Output files that appear together and complete, or not at all.
//!
//! gpusched writes every file through [`Outputs`]. Each file starts as a temporary file next to its destination.
//! [`Outputs::commit`] brings all files to disk and then renames them. A full disk, a kill or bad input before the renames
//! leaves the old files unchanged and creates no new ones. If a rename fails, `commit` reverts the renames before it. `commit`
//! cannot handle two cases: a kill between two renames, and a replaced file on a file system without hard links.
//! The next file of the same name removes the remnants of a killed process.
//!
//! [`Outputs::keep`] names the files that a run reads. No output replaces one of them.

mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use temporary::Backup;

/// The output files of one run. [`Outputs::commit`] makes either all of them visible or no file at all.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Paths of started files, so that no two files have one path.
    started: Vec<PathBuf>,
    /// Files that the run reads.
    kept: Vec<PathBuf>,
    complete: Vec<Artifact>,
}

impl Outputs {
    /// Creates an empty set of outputs for a run that reads `files` ([`Outputs::keep`]).
    pub fn keeping(files: impl IntoIterator<Item = impl AsRef<Path>>) -> Outputs {
        let kept = files.into_iter().flat_map(fs::canonicalize).collect();
        Outputs {
            kept,
            ..Outputs::default()
        }
    }

    /// Starts a file that will appear at `path`. A device or pipe such as `/dev/null` is written in place.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder is missing or not writable, or `path` is a folder. [`Error::Refused`] for a file that the run
    /// reads ([`Outputs::keep`]) or writes already.
    pub fn create(&mut self, path: impl AsRef<Path>) -> Result<Artifact> {
        let artifact = Artifact::create(path.as_ref())?;
        if !artifact.is_device() {
            if self.kept.contains(&artifact.path) {
                return Err(read(&artifact.shown));
            }
            if self.started.contains(&artifact.path) {
                return Err(Error::file(
                    artifact.shown,
                    "the same file for two outputs",
                    "two files",
                ));
            }
            self.started.push(artifact.path.clone());
        }
        Ok(artifact)
    }

    /// Takes a file that is complete. A file that is dropped instead does not appear.
    pub fn add(&mut self, artifact: Artifact) {
        self.complete.push(artifact);
    }

    /// Starts a file at `path` and completes it with `content`.
    ///
    /// # Errors
    /// Fails as [`Outputs::create`] and [`Artifact::put`] do.
    pub fn write(&mut self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
        let mut artifact = self.create(path)?;
        artifact.put(content)?;
        self.add(artifact);
        Ok(())
    }

    /// Protects a file that the run reads. A `path` without a file needs no protection.
    ///
    /// # Errors
    /// [`Error::Refused`] if the run writes to it already.
    pub fn keep(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if let Ok(file) = fs::canonicalize(path) {
            if self.started.contains(&file) {
                return Err(read(path));
            }
            self.kept.push(file);
        }
        Ok(())
    }

    /// Brings the complete files to disk, still without their names. Only renames are left to [`Outputs::commit`].
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full.
    pub fn sync(&mut self) -> Result<()> {
        self.complete.iter_mut().try_for_each(Artifact::sync)
    }

    /// Makes all complete files visible under their names.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full or a rename fails. Then no file appears.
    pub fn commit(mut self) -> Result<()> {
        self.sync()?;
        let last = self.complete.len().saturating_sub(1);
        let mut renamed: Vec<Renamed> = Vec::new();
        for (index, artifact) in self.complete.into_iter().enumerate() {
            // No rename follows the last one, so it needs no backup.
            match artifact.rename(index < last) {
                Ok(done) => renamed.extend(done),
                Err(error) => {
                    renamed.into_iter().rev().for_each(Renamed::take_back);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// The error for an output at `path`, which the run reads.
fn read(path: &Path) -> Error {
    Error::file(path, "an output that is also an input of this run", "another")
}

/// A file being written, started by [`Outputs::create`].
#[derive(Debug)]
pub struct Artifact {
    /// The path as the user wrote it.
    shown: PathBuf,
    /// The path without symbolic links, as far as it exists.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Temporary(BufWriter<NamedTempFile>),
    /// A device or pipe, which must not be replaced by a file.
    Direct(BufWriter<File>),
}

impl Artifact {
    fn create(shown: &Path) -> Result<Artifact> {
        let fail = |cause| Error::io(shown, "create", cause);
        // Write through a symbolic link rather than replacing it.
        let path = resolved(shown);
        let sink = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).open(&path).map_err(fail)?;
                Sink::Direct(BufWriter::new(file))
            }
            _ => Sink::Temporary(BufWriter::new(temporary::create(&path).map_err(fail)?)),
        };
        let shown = shown.to_owned();
        Ok(Artifact { shown, path, sink })
    }

    fn is_device(&self) -> bool {
        matches!(self.sink, Sink::Direct(_))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// [`Error::Io`] with the path of the file.
    pub fn put(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let written = self.write_all(bytes.as_ref());
        written.map_err(|cause| self.failed(cause))
    }

    /// The error for `cause`, a failure to write this file.
    pub fn failed(&self, cause: io::Error) -> Error {
        Error::io(&self.shown, "write", cause)
    }

    fn sync(&mut self) -> Result<()> {
        let synced = match &mut self.sink {
            Sink::Direct(file) => file.flush(),
            Sink::Temporary(file) => file.flush().and_then(|()| file.get_ref().as_file().sync_all()),
        };
        synced.map_err(|cause| self.failed(cause))
    }

    /// Gives a file on disk its name. `undoable` asks for a backup of the file that it replaces.
    fn rename(self, undoable: bool) -> Result<Option<Renamed>> {
        let fail = |cause| Error::io(&self.shown, "write", cause);
        let Sink::Temporary(file) = self.sink else {
            return Ok(None);
        };
        let file = file.into_inner().map_err(|error| fail(error.into_error()))?;
        let backup = match undoable {
            true => temporary::backup(&self.path),
            false => Backup::Missing,
        };
        file.persist(&self.path).map_err(|error| fail(error.error))?;
        let path = self.path;
        Ok(Some(Renamed { path, backup }))
    }
}

/// A file that has its final name.
struct Renamed {
    path: PathBuf,
    backup: Backup,
}

impl Renamed {
    /// Restores the earlier file, if possible.
    fn take_back(self) {
        // The user sees only the first failure.
        let _ = match self.backup {
            Backup::NoFile => fs::remove_file(&self.path),
            Backup::Link(link) => link.persist(&self.path).map_err(|error| error.error),
            Backup::Missing => Ok(()),
        };
    }
}

/// `path` without symbolic links. The file itself may be missing.
fn resolved(path: &Path) -> PathBuf {
    let beside = || {
        let folder = fs::canonicalize(temporary::folder(path)).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let resolved = fs::canonicalize(path).ok();
    resolved.or_else(beside).unwrap_or_else(|| path.to_owned())
}

impl Write for Artifact {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Temporary(file) => file.write(bytes),
            Sink::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Temporary(file) => file.flush(),
            Sink::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: impl AsRef<Path>, content: &str) -> Result<()> {
        let mut outputs = Outputs::default();
        outputs.write(path, content)?;
        outputs.commit()
    }

    /// The names in `folder`, hidden ones included, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn appears_on_commit_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut outputs = Outputs::default();
        outputs.write(&path, "half").unwrap();
        outputs.sync().unwrap();
        drop(outputs);
        assert_eq!(names(folder.path()), [""; 0]);

        write(&path, "whole").unwrap();
        write(&path, "again").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "again");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    /// A file that is dropped before it is complete does not appear; the other files do.
    #[test]
    fn only_complete_files_appear() {
        let folder = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::default();
        let mut dropped = outputs.create(folder.path().join("a.txt")).unwrap();
        dropped.put("half").unwrap();
        outputs.write(folder.path().join("b.txt"), "whole").unwrap();
        drop(dropped);
        outputs.commit().unwrap();
        assert_eq!(names(folder.path()), ["b.txt"]);
    }

    /// The last of four renames fails: new files are removed, and replaced files are restored.
    #[test]
    fn a_rename_that_fails_takes_back_those_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old.txt"), "old").unwrap();
        let mut outputs = Outputs::default();
        for name in ["new.txt", "old.txt", "more.txt", "blocked.txt"] {
            outputs.write(path(name), "written").unwrap();
        }
        // A file cannot replace a folder.
        fs::create_dir(path("blocked.txt")).unwrap();
        let message = outputs.commit().unwrap_err().to_string();
        assert!(message.contains("blocked.txt: cannot write"), "{message}");
        assert_eq!(names(folder.path()), ["blocked.txt", "old.txt"]);
        assert_eq!(fs::read_to_string(path("old.txt")).unwrap(), "old");

        fs::remove_dir(path("blocked.txt")).unwrap();
        let mut outputs = Outputs::default();
        for name in ["old.txt", "new.txt"] {
            outputs.write(path(name), "written").unwrap();
        }
        outputs.commit().unwrap();
        assert_eq!(names(folder.path()), ["new.txt", "old.txt"]);
        assert_eq!(fs::read_to_string(path("old.txt")).unwrap(), "written");
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        let mut outputs = Outputs::default();
        outputs.write(folder.path().join("a.txt"), "one").unwrap();
        let twice = outputs.create(folder.path().join("inner/../a.txt"));
        let message = twice.unwrap_err().to_string();
        assert!(message.contains("a.txt: found the same file"), "{message}");
    }

    #[test]
    fn what_is_read_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, late) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        for path in [&path, &late] {
            fs::write(path, "read").unwrap();
        }
        fs::create_dir(folder.path().join("inner")).unwrap();
        let mut outputs = Outputs::default();
        outputs.keep(&path).unwrap();
        let kept = outputs.create(folder.path().join("inner/../a.txt"));
        let message = kept.unwrap_err().to_string();
        assert!(
            message.contains("a.txt: found an output that is also an input"),
            "{message}"
        );
        outputs.write(&late, "new").unwrap();
        assert!(outputs.keep(&late).is_err());
        drop(outputs);
        assert_eq!(fs::read_to_string(&late).unwrap(), "read");

        let mut outputs = Outputs::default();
        outputs.keep(folder.path().join("missing.txt")).unwrap();
        outputs.write(folder.path().join("missing.txt"), "new").unwrap();
        outputs.commit().unwrap();
    }

    #[test]
    fn refuses_folders_and_missing_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(folder.path(), "").is_err());
        let missing = folder.path().join("missing/a.txt");
        let message = write(&missing, "").unwrap_err().to_string();
        let start = format!("{}: cannot create: ", missing.display());
        assert!(
            message.starts_with(&start) && !message.contains(".gpusched-"),
            "{message}"
        );
    }

    /// Only the remnants of a killed process are removed. Files still being written and files of other destinations stay.
    #[test]
    fn remnants_go_with_the_next_file_of_that_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let names = || names(folder.path());
        let others = [
            ".gpusched-a.txt-",
            ".gpusched-a.txt-Ab12C",
            ".gpusched-Ab12Cd",
            ".gpusched-b.txt-Ab12Cd",
            "a.txt-Ab12Cd",
        ];
        for name in others
            .iter()
            .chain(&[".gpusched-a.txt-Ab12Cd", ".gpusched-a.txt-000000"])
        {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let mut slow = Outputs::default();
        slow.write(&path, "slow").unwrap();
        assert_eq!(names().len(), others.len() + 1, "{:?}", names());
        write(&path, "fast").unwrap();
        assert_eq!(names().len(), others.len() + 2, "{:?}", names());
        slow.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "slow");
        let mut expected: Vec<&str> = others.into_iter().chain(["a.txt"]).collect();
        expected.sort_unstable();
        assert_eq!(names(), expected);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_not_replaced() {
        let mut outputs = Outputs::default();
        for _ in 0..2 {
            outputs.write("/dev/null", "gone").unwrap();
        }
        outputs.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
