//! Output files of a run. A run writes all of its output files completely, or it creates no output file.
//!
//! gpusched writes every output file through [`Outputs`]. It first writes a temporary file in the destination folder.
//! [`Outputs::commit`] writes all temporary files to disk and then renames them. If a run fails before the renames, the
//! old files stay unchanged and no new file appears. Examples of such failures are a full disk, a killed process and an
//! invalid input. If a rename fails, `commit` reverts the earlier renames. In two cases, only some of the output files
//! may appear. The process is killed between two renames. Or a rename fails after another output has replaced a file on
//! a file system without hard links. A killed process leaves its temporary files. gpusched removes these files when it
//! next writes an output file of the same name.
//!
//! [`Outputs::keep`] protects the input files of a run: no output may replace an input file.

mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use temporary::Backup;

/// The output files of one run. [`Outputs::commit`] makes all files visible, or it fails and
/// makes no file visible.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Paths of the output files that the run has started. Two output files must not have the
    /// same path.
    started: Vec<PathBuf>,
    /// Paths of the input files. No output may replace an input file.
    kept: Vec<PathBuf>,
    complete: Vec<Artifact>,
}

impl Outputs {
    /// Creates an empty set of outputs, for a run that reads `files`. No output may replace an
    /// input file.
    pub fn keeping(files: impl IntoIterator<Item = impl AsRef<Path>>) -> Outputs {
        let kept = files.into_iter().flat_map(fs::canonicalize).collect();
        Outputs {
            kept,
            ..Outputs::default()
        }
    }

    /// Starts an output file. The file appears at `path` after [`Outputs::commit`]. If `path` is
    /// a device or pipe, such as `/dev/null`, gpusched writes to it directly.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the folder is missing or not writable, or if `path` is a
    /// folder. Fails with [`Error::Refused`] if `path` is an input file of the run
    /// ([`Outputs::keep`]) or another output of the run.
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
                    "two different files",
                ));
            }
            self.started.push(artifact.path.clone());
        }
        Ok(artifact)
    }

    /// Adds a complete file to the outputs. If the program drops an [`Artifact`] without a call of `add`, its file
    /// never appears.
    pub fn add(&mut self, artifact: Artifact) {
        self.complete.push(artifact);
    }

    /// Writes `content` to an output file. The file appears at `path` after [`Outputs::commit`].
    ///
    /// # Errors
    /// Fails if [`Outputs::create`] or [`Artifact::put`] fails.
    pub fn write(&mut self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
        let mut artifact = self.create(path)?;
        artifact.put(content)?;
        self.add(artifact);
        Ok(())
    }

    /// Protects the input file at `path`: no output may replace it. If there is no file at
    /// `path`, the function does nothing.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the file is already an output of the run.
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

    /// Writes all complete files to disk under their temporary names. After this call, [`Outputs::commit`] only renames
    /// files.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the disk is full.
    pub fn sync(&mut self) -> Result<()> {
        self.complete.iter_mut().try_for_each(Artifact::sync)
    }

    /// Gives all complete files their final names.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the disk is full or a rename fails. In this case, no file appears, unless the file
    /// system has no hard links.
    pub fn commit(mut self) -> Result<()> {
        self.sync()?;
        let last = self.complete.len().saturating_sub(1);
        let mut renamed: Vec<Renamed> = Vec::new();
        for (index, artifact) in self.complete.into_iter().enumerate() {
            // The last file needs no backup, because no rename follows that could fail.
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

/// Creates the error for an output at `path` that would replace an input of the run.
fn read(path: &Path) -> Error {
    Error::file(
        path,
        "an output that is also an input of this run",
        "another file",
    )
}

/// An output file that the run is writing. [`Outputs::create`] creates it.
#[derive(Debug)]
pub struct Artifact {
    /// Path as the user wrote it, for messages.
    shown: PathBuf,
    /// Path with all symbolic links resolved. The file itself may be missing.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Temporary(BufWriter<NamedTempFile>),
    /// Writer to a device or pipe, which a regular file must not replace.
    Direct(BufWriter<File>),
}

impl Artifact {
    fn create(shown: &Path) -> Result<Artifact> {
        let fail = |cause| Error::io(shown, "create", cause);
        // If the path is a symbolic link, gpusched writes to the target of the link and keeps the
        // link.
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

    /// Appends `bytes` to the file.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the operating system cannot write the file.
    pub fn put(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let written = self.write_all(bytes.as_ref());
        written.map_err(|cause| self.failed(cause))
    }

    /// Creates the error for a failed write to this file. `cause` is the error of the operating
    /// system.
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

    /// Renames a complete file to its final name. If `undoable` is true, the function first makes
    /// a backup of the file that the rename replaces.
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

/// A file after the rename to its final name.
struct Renamed {
    path: PathBuf,
    backup: Backup,
}

impl Renamed {
    /// Reverts the rename. If the rename replaced a file and there is no backup of this file, the new file remains.
    fn take_back(self) {
        // gpusched reports only the failed rename, so it ignores a second failure here.
        let _ = match self.backup {
            Backup::NoFile => fs::remove_file(&self.path),
            Backup::Link(link) => link.persist(&self.path).map_err(|error| error.error),
            Backup::Missing => Ok(()),
        };
    }
}

/// Returns `path` with all symbolic links resolved. The file itself may be missing.
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
