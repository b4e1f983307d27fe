//! Where results go: standard output, locked and buffered, or a file, and further files beside it. All files of a command appear
//! together when it ends well, and none of them otherwise.
//!
//! A reader of standard output that goes away (`| head`) has seen what it wanted, which is no error: what comes later is dropped.
//! Whoever writes much asks now and then whether there is a [reader](Output::has_reader) left.

mod path;

pub use path::{Content, OutputPath};

use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::Global;
use crate::artifact::{Artifact, Outputs};
use crate::error::{Error, Result};

/// The destination of results. What is not [finished](Output::finish) leaves no file.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
    files: Outputs,
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
        let mut files = Outputs::default();
        let (path, sink) = match global.file() {
            Some(path) => (path, Sink::File(files.create(path)?)),
            None => {
                let stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
                (Path::new("-"), Sink::Stdout(stdout))
            }
        };
        Ok(Output {
            path: path.to_owned(),
            sink,
            files,
        })
    }

    /// Starts a file beside the answer, if `path` asks for one. [`Output::add`] takes it when it is complete.
    ///
    /// # Errors
    /// Those of [`Outputs::create`].
    pub fn beside(&mut self, path: Option<&OutputPath>) -> Result<Option<Artifact>> {
        path.map(|path| self.files.create(path)).transpose()
    }

    /// Takes a complete file, which appears together with the answer.
    pub fn add(&mut self, file: Artifact) {
        self.files.add(file);
    }

    /// Completes `file` with `content`.
    ///
    /// # Errors
    /// Those of [`Artifact::put`].
    pub fn complete(&mut self, mut file: Artifact, content: impl AsRef<[u8]>) -> Result<()> {
        file.put(content)?;
        self.add(file);
        Ok(())
    }

    /// Protects files that an input names.
    ///
    /// # Errors
    /// Those of [`Outputs::keep`].
    pub fn keep(&mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<()> {
        files.into_iter().try_for_each(|file| self.files.keep(file))
    }

    /// Brings the files beside the answer to disk, before the answer is written.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full.
    pub fn sync(&mut self) -> Result<()> {
        self.files.sync()
    }

    /// Writes the whole answer, once all files beside it are on disk, and makes sure that everything has arrived.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn answer(mut self, text: impl AsRef<[u8]>) -> Result<()> {
        self.sync()?;
        self.write(text)?;
        self.finish()
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full, ….
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let bytes = bytes.as_ref();
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write_all(bytes),
            Sink::File(file) => return file.put(bytes),
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

    /// Makes sure that everything has arrived: the files on disk, then standard output, then the names of the files.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn finish(mut self) -> Result<()> {
        self.files.sync()?;
        self.flush()?;
        if let Sink::File(answer) = self.sink {
            self.files.add(answer);
        }
        self.files.commit()
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
