//! Destination of results: standard output (locked and buffered) or a file, and possibly
//! additional files. All files of a command appear together when the command succeeds. After an
//! error, no file appears.
//!
//! A program that reads standard output, such as `head`, may close it early. After that, gpusched discards all output
//! and reports no error. Commands with much output check from time to time whether there still is a
//! [reader](Output::has_reader).

#[cfg(feature = "parquet")]
use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Columns, Form, OutputPath, Progress, Report};
use crate::{Format, Global, embedding};
use gpusched_model::artifact::{Artifact, Outputs};
use gpusched_model::error::{Error, Result};
use gpusched_model::spreadsheet::{may_have_formula, shielded};

/// Destination of results. Files appear only after [finish](Output::finish).
#[derive(Debug)]
pub struct Output {
    form: Form,
    path: PathBuf,
    sink: Sink,
    files: Outputs,
    /// Whether the output contains no report yet.
    is_first: bool,
    /// Whether the output is CSV with a header. `None` before the first line.
    is_table: Option<bool>,
}

#[derive(Debug)]
enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// The program that embeds gpusched.
    Program,
    File(Artifact),
    /// A file with columns. The rows are in a temporary CSV file until they are complete.
    #[cfg(feature = "parquet")]
    Columns(Columns, Artifact, File),
    /// After the reader has closed standard output, gpusched discards the output.
    Nobody,
}

impl Output {
    /// Opens the destination that `--output` names.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be created, and with [`Error::Refused`] for a file with columns that
    /// this build cannot write.
    pub fn open(global: &Global) -> Result<Output> {
        let mut files = Outputs::default();
        let (path, sink) = match global.file() {
            Some(path) => (path, Sink::of(path, files.create(path)?)?),
            None if embedding::is_active() => (Path::new("-"), Sink::Program),
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
            is_first: true,
            is_table: None,
        })
    }

    /// Opens an additional file at `path`, if there is a path. Pass the file to [`Output::add`]
    /// when its content is complete.
    ///
    /// # Errors
    /// Fails in the same cases as [`Outputs::create`].
    pub fn beside(&mut self, path: Option<&OutputPath>) -> Result<Option<Artifact>> {
        path.map(|path| self.files.create(path)).transpose()
    }

    /// Adds `file`, whose content is complete. The file appears together with the result.
    pub fn add(&mut self, file: Artifact) {
        self.files.add(file);
    }

    /// Writes `content` to the additional `file`, and adds the file.
    ///
    /// # Errors
    /// Fails in the same cases as [`Artifact::put`].
    pub fn complete(&mut self, mut file: Artifact, content: impl AsRef<[u8]>) -> Result<()> {
        file.put(content)?;
        self.add(file);
        Ok(())
    }

    /// Protects `files` from being overwritten by an output. An input refers to these files.
    ///
    /// # Errors
    /// Fails in the same cases as [`Outputs::keep`].
    pub fn keep(&mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<()> {
        files.into_iter().try_for_each(|file| self.files.keep(file))
    }

    /// Writes the additional files to disk. Call this function before writing the result.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the disk is full.
    pub fn sync(&mut self) -> Result<()> {
        self.files.sync()
    }

    /// Writes the whole result after all additional files are on disk, and finishes the output.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn answer(mut self, text: impl AsRef<[u8]>) -> Result<()> {
        self.sync()?;
        self.write(text)?;
        self.finish()
    }

    /// Writes `report`. There may be several reports. CSV has the header of the first report.
    ///
    /// # Errors
    /// Fails if the report cannot be rendered, and with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn report(&mut self, report: &impl Report) -> Result<()> {
        let text = self.form.render(report, std::mem::take(&mut self.is_first))?;
        self.write(text)
    }

    /// Writes `report` as the last part of the result, after all additional files are on disk.
    ///
    /// # Errors
    /// Fails in the same cases as [`Output::report`].
    pub fn last(self, report: &impl Report) -> Result<()> {
        let text = self.form.render(report, self.is_first)?;
        self.answer(text)
    }

    /// Writes the only report of a measurement. A program that embeds gpusched also receives all other formats, because a second
    /// measurement would have other times.
    ///
    /// # Errors
    /// Fails in the same cases as [`Output::report`].
    pub fn measured(self, report: &impl Report) -> Result<()> {
        if matches!(self.sink, Sink::Program) {
            for format in [Format::Json, Format::Csv, Format::Text] {
                let rendered = self.form.with(format).render(report, true)?;
                embedding::keep(&format.to_string(), rendered);
            }
        }
        self.last(report)
    }

    /// Writes `value` as the whole result, in one line of JSON. The function never holds the
    /// whole text in memory.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn json(mut self, value: &impl Serialize) -> Result<()> {
        self.sync()?;
        // serde_json writes each name and each number separately.
        let mut buffer = BufWriter::with_capacity(1 << 16, &mut self);
        let written = serde_json::to_writer(&mut buffer, value).map_err(io::Error::from);
        let written = written.and_then(|()| buffer.flush());
        drop(buffer);
        written.map_err(|cause| Error::io(&self.path, "write", cause))?;
        self.write("\n")?;
        self.finish()
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if writing fails, for example on a full disk.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let bytes = bytes.as_ref();
        let written = match self.is_for_spreadsheets(bytes) && may_have_formula(bytes) {
            true => shield(bytes).and_then(|rows| self.write_all(&rows)),
            false => self.write_all(bytes),
        };
        written.map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Whether a spreadsheet may open the output: CSV on standard output or in a file. `bytes` are the next rows of the
    /// output. Some commands write no CSV although the format is CSV, so the first line decides.
    fn is_for_spreadsheets(&mut self, bytes: &[u8]) -> bool {
        let is_file = matches!(self.sink, Sink::Stdout(_) | Sink::File(_));
        if !(self.form.is_csv() && is_file) || bytes.is_empty() {
            return false;
        }
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_,".contains(byte);
        let header = || {
            bytes
                .split(|&byte| byte == b'\n')
                .next()
                .is_some_and(|line| line.iter().all(is_name))
        };
        *self.is_table.get_or_insert_with(header)
    }

    /// Writes `total` `units` that gpusched generates in batches, and finishes the output. `generate` returns the texts of
    /// one batch in order, and may use several threads. A progress bar is hidden if the texts go to the same terminal.
    ///
    /// # Errors
    /// Fails with the first error of `generate`, and with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn generate(
        mut self,
        global: &Global,
        (total, units): (u64, &str),
        batch: u64,
        generate: impl Fn(Range<u64>) -> Vec<Result<String>> + Sync,
    ) -> Result<()> {
        let pool = global.pool()?;
        let progress = Progress::beside_results(global, Some(total), units);
        let mut done = 0;
        while done < total && self.has_reader() {
            let end = total.min(done.saturating_add(batch));
            for text in pool.install(|| generate(done..end)) {
                self.write(text?)?;
            }
            progress.advance(end - done);
            done = end;
        }
        drop(progress);
        self.finish()
    }

    /// Whether the output still has a reader.
    pub fn has_reader(&self) -> bool {
        !matches!(self.sink, Sink::Nobody)
    }

    /// Returns `unread` if `written` is the error of a closed standard output. For every other
    /// `written`, returns `written`.
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

    /// Writes buffered output to standard output.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn flush(&mut self) -> Result<()> {
        let written = Write::flush(self);
        written.map_err(|cause| Error::io(&self.path, "write", cause))
    }

    /// Finishes the output. The function first writes all files to disk, and then standard
    /// output. Last, it gives all files their final names.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] in the same cases as [`Output::write`].
    pub fn finish(mut self) -> Result<()> {
        self.files.sync()?;
        self.flush()?;
        match self.sink {
            Sink::File(answer) => self.files.add(answer),
            #[cfg(feature = "parquet")]
            Sink::Columns(columns, mut answer, mut rows) => {
                let written = columns.convert(&mut rows, &mut answer);
                written.map_err(|cause| Error::io(&self.path, "write", cause))?;
                self.files.add(answer);
            }
            Sink::Stdout(_) | Sink::Program | Sink::Nobody => {}
        }
        self.files.commit()
    }
}

/// Returns the CSV `rows` with an apostrophe before each cell that a spreadsheet would take as a formula.
fn shield(rows: &[u8]) -> io::Result<Vec<u8>> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).flexible(true).from_reader(rows);
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for record in reader.records() {
        for cell in &record? {
            writer.write_field(&*shielded(cell))?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

impl Sink {
    /// Returns the destination for results in the file `answer` at `path`.
    fn of(path: &Path, answer: Artifact) -> Result<Sink> {
        let Some(columns) = Columns::of(path) else {
            return Ok(Sink::File(answer));
        };
        columns.check("output", path.display())?;
        #[cfg(feature = "parquet")]
        {
            let rows = tempfile::tempfile().map_err(|cause| Error::io(path, "create", cause))?;
            Ok(Sink::Columns(columns, answer, rows))
        }
        #[cfg(not(feature = "parquet"))]
        Ok(Sink::File(answer))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write(bytes),
            Sink::File(file) => file.write(bytes),
            #[cfg(feature = "parquet")]
            Sink::Columns(_, _, rows) => rows.write(bytes),
            Sink::Program => {
                embedding::write(bytes);
                Ok(bytes.len())
            }
            Sink::Nobody => Ok(bytes.len()),
        };
        self.heed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.flush(),
            #[cfg(feature = "parquet")]
            Sink::Columns(..) => Ok(()),
            // `finish` gives the file its final name later.
            Sink::File(_) | Sink::Program | Sink::Nobody => Ok(()),
        };
        self.heed(flushed, ())
    }
}
