//! Where results go: standard output, locked and buffered, or a file, and further files beside it. All files of a command appear
//! together when it ends well, and none of them otherwise.
//!
//! A reader of standard output that goes away (`| head`) has seen what it wanted, which is no error: what comes later is dropped.
//! Whoever writes much asks now and then whether there is a [reader](Output::has_reader) left.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Form, OutputPath, Report};
use crate::artifact::{Artifact, Outputs};
use crate::cli::Global;
use crate::error::{Error, Result};

/// The destination of results. What is not [finished](Output::finish) leaves no file.
#[derive(Debug)]
pub struct Output {
    form: Form,
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
            form: Form::of(global),
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

    /// Writes the text before the first report: in CSV the `columns`, separated by commas.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn header(&mut self, columns: &str) -> Result<()> {
        self.write(self.form.header(columns))
    }

    /// Writes `report`, one of many.
    ///
    /// # Errors
    /// Those of the report, and [`Error::Io`] as for [`Output::write`].
    pub fn report(&mut self, report: &impl Report) -> Result<()> {
        let text = self.form.render(report)?;
        self.write(text)
    }

    /// Writes `report`, the whole answer, as [`Output::answer`] does.
    ///
    /// # Errors
    /// Those of [`Output::report`].
    pub fn only(mut self, columns: &str, report: &impl Report) -> Result<()> {
        let text = self.form.render(report)?;
        self.sync()?;
        self.header(columns)?;
        self.answer(text)
    }

    /// Writes `report`, the end of the answer, after all files beside it are on disk.
    ///
    /// # Errors
    /// Those of [`Output::report`].
    pub fn last(self, report: &impl Report) -> Result<()> {
        let text = self.form.render(report)?;
        self.answer(text)
    }

    /// Writes `value` on one line of JSON, the whole answer, in pieces: the text may be larger than the value.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn json(mut self, value: &impl Serialize) -> Result<()> {
        self.sync()?;
        let written = serde_json::to_writer(&mut self, value);
        written.map_err(|cause| Error::io(&self.path, "write", cause.into()))?;
        self.write("\n")?;
        self.finish()
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk is full, ….
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let written = self.write_all(bytes.as_ref());
        written.map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Whether somebody may see what is written from now on.
    pub fn has_reader(&self) -> bool {
        !matches!(self.sink, Sink::Nobody)
    }

    /// A failure to write is an error, unless it says only that the reader of standard output has gone away; then `unread` is the result.
    fn heed<T>(&mut self, written: io::Result<T>, unread: T) -> io::Result<T> {
        match written {
            Err(cause)
                if cause.kind() == io::ErrorKind::BrokenPipe && matches!(self.sink, Sink::Stdout(_)) =>
            {
                self.sink = Sink::Nobody;
                Ok(unread)
            }
            written => written,
        }
    }

    /// Lets the reader of standard output see what there is so far.
    ///
    /// # Errors
    /// [`Error::Io`] as for [`Output::write`].
    pub fn flush(&mut self) -> Result<()> {
        let written = Write::flush(self);
        written.map_err(|cause| Error::io(&self.path, "write", cause))
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

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write(bytes),
            Sink::File(file) => file.write(bytes),
            Sink::Nobody => Ok(bytes.len()),
        };
        self.heed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.flush(),
            // Nobody sees the file yet.
            Sink::File(_) | Sink::Nobody => Ok(()),
        };
        self.heed(flushed, ())
    }
}
