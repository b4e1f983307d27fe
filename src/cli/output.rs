//! Where results go: standard output, locked and buffered, or a file that appears whole or not at all.
//!
//! A reader of standard output that goes away (`| head`) has seen what it wanted, which is no error: what comes later is dropped.
//! Whoever writes much asks now and then whether there is a [reader](Output::has_reader) left.

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
    /// The reader of standard output has gone away.
    Nobody,
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
    /// [`Error::Io`] if the disk is full, ….
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let bytes = bytes.as_ref();
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write_all(bytes),
            Sink::File(artifact) => artifact.write_all(bytes),
            Sink::Nobody => Ok(()),
        };
        self.heed(written)
    }

    /// Whether somebody may see what is written from now on.
    pub fn has_reader(&self) -> bool {
        !matches!(self.sink, Sink::Nobody)
    }

    /// A failure to write is an error, unless it says only that nobody reads standard output any more.
    fn heed(&mut self, written: io::Result<()>) -> Result<()> {
        match written {
            Err(cause)
                if cause.kind() == io::ErrorKind::BrokenPipe && matches!(self.sink, Sink::Stdout(_)) =>
            {
                self.sink = Sink::Nobody;
                Ok(())
            }
            written => written.map_err(|cause| Error::io(&self.path, "write", cause)),
        }
    }

    /// Lets the reader of standard output see what there is so far.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn flush(&mut self) -> Result<()> {
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::File(_) => Ok(()), // nobody sees it yet
            Sink::Nobody => Ok(()),
        };
        self.heed(written)
    }

    /// Makes sure that everything has arrived.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.sink {
            Sink::Stdout(_) | Sink::Nobody => Ok(()),
            Sink::File(artifact) => artifact.commit(),
        }
    }
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
