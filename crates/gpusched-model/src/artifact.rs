//! Files that appear whole or not at all.
//!
//! Everything gpusched writes goes to a temporary file beside its destination, is flushed to disk and then renamed, so a
//! full disk, a kill or bad input half-way leaves the old file, or none. What a killed process left goes when the same file is written
//! again. A file that was read because an input names it ([`keep`])
//! is not replaced.

mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Files that are named in inputs of this process, whoever read them: a command line does not show that they are inputs.
static KEPT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<PathBuf>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same path, of a file that an input names: no [`Artifact`] of this process replaces it.
pub fn keep<P: AsRef<Path>>(path: P) -> P {
    if let Ok(file) = fs::canonicalize(&path) {
        let mut kept = kept();
        if !kept.contains(&file) {
            kept.push(file);
        }
    }
    path
}

/// A file being written; nothing is visible under its name before [`Artifact::commit`].
#[derive(Debug)]
pub struct Artifact {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Temporary(BufWriter<NamedTempFile>),
    /// A device or pipe such as `/dev/null`, which must not be replaced by a file.
    Direct(BufWriter<File>),
}

impl Artifact {
    /// Starts a file that will appear at `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder is missing or not writable, or `path` is a folder; [`Error::Usage`] for a file to [`keep`].
    pub fn create(path: impl AsRef<Path>) -> Result<Artifact> {
        // Write through a symbolic link rather than replacing it.
        let path = fs::canonicalize(&path).unwrap_or_else(|_| path.as_ref().to_owned());
        check(&path)?;
        let fail = |cause| Error::io(&path, "create", cause);
        let sink = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).open(&path).map_err(fail)?;
                Sink::Direct(BufWriter::new(file))
            }
            _ => {
                let folder = match path.parent() {
                    Some(folder) if !folder.as_os_str().is_empty() => folder,
                    _ => Path::new("."),
                };
                Sink::Temporary(BufWriter::new(temporary::create(folder, &path).map_err(fail)?))
            }
        };
        Ok(Artifact { path, sink })
    }

    /// Makes the file visible under its name, safely on disk.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full or the rename fails, [`Error::Usage`] for a file to [`keep`]; then nothing appears.
    pub fn commit(self) -> Result<()> {
        check(&self.path)?; // it may have been read since
        let fail = |cause| Error::io(&self.path, "write", cause);
        match self.sink {
            Sink::Direct(mut file) => file.flush().map_err(fail),
            Sink::Temporary(file) => {
                let file = file.into_inner().map_err(|e| fail(e.into_error()))?;
                file.as_file().sync_all().map_err(fail)?;
                file.persist(&self.path).map_err(|e| fail(e.error))?;
                Ok(())
            }
        }
    }

    /// Writes all of `content` to `path`.
    ///
    /// # Errors
    /// [`Error::Io`] as for the other functions.
    pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
        let mut artifact = Artifact::create(&path)?;
        artifact
            .write_all(content.as_ref())
            .map_err(|cause| Error::io(&path, "write", cause))?;
        artifact.commit()
    }
}

/// `path` is not to be kept; it is canonical if it exists.
fn check(path: &Path) -> Result<()> {
    match kept().iter().any(|kept| kept == path) {
        false => Ok(()),
        true => Err(Error::Usage(format!(
            "{}: found an output that an input names as a file to read, expected another",
            path.display()
        ))),
    }
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

    #[test]
    fn appears_on_commit_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut artifact = Artifact::create(&path).unwrap();
        artifact.write_all(b"half").unwrap();
        drop(artifact);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

        Artifact::write(&path, "whole").unwrap();
        Artifact::write(&path, "again").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "again");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_inputs_name_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, late) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        for path in [&path, &late] {
            fs::write(path, "read").unwrap();
        }
        assert_eq!(keep(&path), &path);
        fs::create_dir(folder.path().join("inner")).unwrap();
        let message = Artifact::create(folder.path().join("inner/../a.txt"))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("a.txt: found an output that an input names"),
            "{message}"
        );
        let mut artifact = Artifact::create(&late).unwrap();
        artifact.write_all(b"new").unwrap();
        keep(&late);
        assert!(artifact.commit().is_err());
        assert_eq!(fs::read_to_string(&late).unwrap(), "read");
        keep(folder.path().join("missing.txt"));
        Artifact::write(folder.path().join("missing.txt"), "new").unwrap();
    }

    #[test]
    fn refuses_folders_and_missing_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Artifact::create(folder.path()).is_err());
        let missing = folder.path().join("missing/a.txt");
        let message = Artifact::create(&missing).unwrap_err().to_string();
        let start = format!("{}: cannot create: ", missing.display());
        assert!(
            message.starts_with(&start) && !message.contains(".gpusched-"),
            "{message}"
        );
    }

    /// What a killed process left is removed, and nothing else is: neither what is still being written, nor files of others.
    #[test]
    fn remnants_go_with_the_next_file_of_that_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
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
        let mut slow = Artifact::create(&path).unwrap();
        slow.write_all(b"slow").unwrap();
        assert_eq!(names().len(), others.len() + 1, "{:?}", names());
        Artifact::write(&path, "fast").unwrap();
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
        Artifact::write("/dev/null", "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
