//! Where results go: standard output, locked and buffered, or a file that appears whole or not at all.

use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::Global;
use crate::artifact::Artifact;
use crate::error::{Error, Result};

/// The destination of results. What is not [finished](Output::finish) leaves no file.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(Artifact),
}

impl Output {
    /// Opens what `--output` names.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be created.
    pub fn open(global: &Global) -> Result<Output> {
        let (path, sink) = match global.file() {
            Some(path) => (path, Sink::File(Artifact::create(path)?)),
            None => {
                let stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
                (Path::new("-"), Sink::Stdout(stdout))
            }
        };
        Ok(Output {
            path: path.to_owned(),
            sink,
        })
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full, the reader of the pipe gone, ….
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let bytes = bytes.as_ref();
        match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write_all(bytes),
            Sink::File(artifact) => artifact.write_all(bytes),
        }
        .map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Lets the reader of standard output see what there is so far.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.sink {
            Sink::Stdout(stdout) => stdout
                .flush()
                .map_err(|cause| Error::io(&self.path, "write", cause)),
            Sink::File(_) => Ok(()), // nobody sees it yet
        }
    }

    /// Makes sure that everything has arrived.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.sink {
            Sink::Stdout(_) => Ok(()),
            Sink::File(artifact) => artifact.commit(),
        }
    }
}

/// Whether `error` only says that nobody reads our standard output any more, as in `gpusched … | head`.
pub fn is_closed_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { path, cause, .. }
        if path == Path::new("-") && cause.kind() == io::ErrorKind::BrokenPipe)
}

/// How text stands out; everything is plain unless standard output is a terminal that wants colors.
#[derive(Copy, Clone, Debug, Default)]
pub struct Palette {
    /// A positive verdict.
    pub good: Style,
    /// A negative verdict.
    pub bad: Style,
    /// The header of a table.
    pub header: Style,
    /// What is of less interest.
    pub dim: Style,
}

impl Palette {
    /// The palette for the output of `global`.
    pub fn of(global: &Global) -> Palette {
        let choice = anstream::AutoStream::choice(&io::stdout());
        if global.file().is_some() || choice == anstream::ColorChoice::Never {
            return Palette::default();
        }
        Palette {
            good: AnsiColor::Green.on_default().bold(),
            bad: AnsiColor::Red.on_default().bold(),
            header: Style::new().bold(),
            dim: Style::new().dimmed(),
        }
    }
}
