//! Reader for documents such as task sets or plans. A stream is one JSON document, or JSONL with one document per line.
//! A stream of task sets may also be a CSV table.
//!
//! The first line that is not blank determines the format. If this line is an incomplete JSON value, the whole stream
//! is one JSON document. If the line is complete, the stream is JSONL. The reader never loads a whole JSONL stream into
//! memory. [`Documents::batch`] returns unparsed documents, which several threads can parse in parallel. The iterator
//! parses one document at a time.

mod kinds;
mod likeness;
mod line;
mod raw;
mod tree;
mod units;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::marker::PhantomData;
use std::path::Path;

use serde::de::IgnoredAny;

pub use self::kinds::{
    Bounds, Devices, Document, EndToEndAnswers, EndToEndSystems, Groups, Kernels, MemoryProfiles,
    MemoryRatesFiles, OverheadsFiles, Plans, Scenarios, Systems, TaskSets, WarpScenarios,
};
pub use self::line::line_of;
pub use self::raw::{Fault, RawDocument, from_json};
pub use self::tree::Tree;
pub use self::units::{Listener, listen};
use super::task_table;
use crate::error::{Error, Refusal, Result};

/// Maximum length of one document [bytes]. A task set of this length has about a million tasks.
const LONGEST: u64 = 1 << 28;

/// A batch ends when its text reaches this length [bytes]. The limit bounds the memory that a batch of large documents
/// needs.
const BATCH_BYTES: usize = 1 << 21;

/// A stream of documents of type `T`.
pub struct Documents<T> {
    documents: PhantomData<fn() -> T>,
    file: String,
    source: Box<dyn BufRead>,
    /// Number of lines that the reader has read.
    lines: usize,
    /// Documents that the reader has read ahead: for [`Documents::peek`], or all documents of a table.
    ahead: VecDeque<RawDocument>,
    state: State,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    /// The reader has read only blank lines so far.
    Start,
    /// The stream is JSONL, and the reader has not reached the end of the stream.
    Lines,
    /// The reader has reached the end of the stream.
    End,
}

impl<T: Document> Documents<T> {
    /// Opens the file at `path`. The path `-` means standard input.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Documents<T>> {
        let path = path.as_ref();
        let source: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
            Box::new(BufReader::with_capacity(1 << 16, file))
        };
        Ok(Documents::new(path.display().to_string(), source))
    }

    /// Reads the file at `path`, which must contain exactly one document. `what` names the kind of document for error
    /// messages.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is invalid. Fails with [`Error::Refused`] if the file
    /// contains no document or a second document.
    pub fn only(path: impl AsRef<Path>, what: &str) -> Result<T> {
        let mut documents = Documents::open(path)?;
        let Some(first) = documents.next() else {
            return Err(documents.error(None, "nothing", format!("a {what}")));
        };
        let (_, document) = first?;
        if let Some(second) = documents.next() {
            let (line, _) = second?;
            return Err(documents.error(Some(line), format!("a second {what}"), format!("one {what}")));
        }
        Ok(document)
    }

    /// Reads the text of the file at `path`, which must contain exactly one document. `what` names the kind of document
    /// for error messages. The caller parses the text later.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is invalid. Fails with [`Error::Refused`] if the file
    /// contains no document or a second document.
    pub fn only_raw(path: impl AsRef<Path>, what: &str) -> Result<RawDocument> {
        let mut documents = Documents::<T>::open(path)?;
        let mut raw = documents.batch(2)?.into_iter();
        let Some(first) = raw.next() else {
            return Err(documents.error(None, "nothing", format!("a {what}")));
        };
        match raw.next() {
            None => Ok(first),
            Some(second) => {
                first.parse::<T>(&documents.file)?; // report a fault of the first document first
                Err(documents.error(
                    Some(second.line),
                    format!("a second {what}"),
                    format!("one {what}"),
                ))
            }
        }
    }

    /// Creates a reader for `source`. In error messages, `file` is the name of the source.
    pub fn new(file: impl Into<String>, source: impl BufRead + 'static) -> Documents<T> {
        Documents {
            documents: PhantomData,
            file: file.into(),
            source: Box::new(source),
            lines: 0,
            ahead: VecDeque::new(),
            state: State::Start,
        }
    }

    /// Returns the name of the stream in error messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns whether the reader has reached the end of the stream.
    pub fn at_end(&self) -> bool {
        self.state == State::End && self.ahead.is_empty()
    }

    /// Returns the next document without consuming it. Returns `None` at the end of the stream.
    ///
    /// # Errors
    /// Fails in the same cases as [`Documents::batch`].
    pub fn peek(&mut self) -> Result<Option<&RawDocument>> {
        if self.ahead.is_empty() {
            let next = self.next_raw()?;
            // `next_raw` may have read a whole table ahead.
            next.into_iter().for_each(|next| self.ahead.push_front(next));
        }
        Ok(self.ahead.front())
    }

    /// Returns the same stream as a stream of documents of type `U`.
    pub fn retyped<U: Document>(self) -> Documents<U> {
        Documents {
            documents: PhantomData,
            file: self.file,
            source: self.source,
            lines: self.lines,
            ahead: self.ahead,
            state: self.state,
        }
    }

    /// Returns up to `sets` further documents without parsing them. A batch of large documents may have fewer than
    /// `sets` documents. At the end of the stream, the batch is empty.
    ///
    /// A batch with only one document is the last batch, unless the caller requested only one document.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the stream cannot be read. Fails with [`Error::Refused`] if the stream contains no
    /// document or a line that is too long.
    pub fn batch(&mut self, sets: usize) -> Result<Vec<RawDocument>> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < sets && (bytes < BATCH_BYTES || batch.len() < 2) {
            let Some(raw) = self.next_raw()? else { break };
            bytes += raw.text.len();
            batch.push(raw);
        }
        Ok(batch)
    }

    fn next_raw(&mut self) -> Result<Option<RawDocument>> {
        if let Some(ahead) = self.ahead.pop_front() {
            return Ok(Some(ahead));
        }
        while self.state != State::End {
            let Some(text) = self.next_line()? else {
                if self.state == State::Start {
                    let csv = if T::HAS_TABLES {
                        ", JSONL or CSV"
                    } else {
                        " or JSONL"
                    };
                    let expected = format!("{}, as JSON{csv}", T::EXPECTED);
                    return Err(self.error(None, "nothing", expected));
                }
                self.state = State::End;
                break;
            };
            self.lines += 1;
            if text.trim_ascii().is_empty() {
                continue;
            }
            let mut raw = RawDocument {
                line: self.lines,
                text,
            };
            if self.state == State::Start {
                self.state = State::Lines;
                if self.is_table(&raw.text) {
                    self.state = State::End;
                    self.read(&mut raw.text, usize::MAX)?;
                    self.read_table(&raw)?;
                    return Ok(self.ahead.pop_front());
                }
                let is_whole = !ends_early(&raw.text);
                if !is_whole {
                    self.read(&mut raw.text, usize::MAX)?;
                    self.state = State::End;
                }
                // Notes on task sets cover their periods and deadlines.
                units::check(&raw.text, &self.file, T::HAS_TABLES && !raw.is_end_to_end());
                if !is_whole {
                    return Ok(Some(raw));
                }
            }
            // The reader removes the final line break, so that an error cannot refer to the line
            // after the document.
            raw.text.truncate(raw.text.trim_ascii_end().len());
            return Ok(Some(raw));
        }
        Ok(None)
    }

    /// Returns whether the stream is a table of task sets. `line` is its first line.
    fn is_table(&self, line: &[u8]) -> bool {
        let is_named = || {
            Path::new(&self.file)
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
        };
        let is_object = line.trim_ascii_start().starts_with(b"{");
        T::HAS_TABLES && !is_object && (task_table::is_header(line) || is_named())
    }

    /// Reads all documents of `table`, the whole text of the stream, ahead.
    fn read_table(&mut self, table: &RawDocument) -> Result<()> {
        let place = |line: usize| table.line + line.saturating_sub(1);
        let documents = task_table::documents(&table.text)
            .map_err(|(line, refusal)| refusal.at(&self.file, place(line)))?;
        let documents = documents.into_iter().map(|(line, text)| RawDocument {
            line: place(line),
            text,
        });
        self.ahead.extend(documents);
        Ok(())
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.read(&mut line, 1)?;
        Ok((!line.is_empty()).then_some(line))
    }

    /// If `lines` is 1, appends the next line to `text`. For other values of `lines`, appends the rest of the stream.
    fn read(&mut self, text: &mut Vec<u8>, lines: usize) -> Result<()> {
        let room = (LONGEST + 1).saturating_sub(text.len() as u64);
        let mut source = (&mut self.source).take(room);
        let outcome = match lines {
            1 => source.read_until(b'\n', text),
            _ => source.read_to_end(text),
        };
        outcome.map_err(|cause| Error::io(&self.file, "read", cause))?;
        if text.len() as u64 > LONGEST {
            let found = format!("a document of more than {LONGEST} bytes");
            return Err(self.error(Some(self.lines.max(1)), found, format!("at most {LONGEST}")));
        }
        Ok(())
    }

    fn error(&self, line: Option<usize>, found: impl ToString, expected: impl ToString) -> Error {
        Refusal::new("", found, expected).at(&self.file, line).into()
    }
}

/// Iterates over the documents. Each item contains a document and the line where the document
/// starts. After an error, the iterator ends.
impl<T: Document> Iterator for Documents<T> {
    type Item = Result<(usize, T)>;

    fn next(&mut self) -> Option<Self::Item> {
        let set = match self.next_raw() {
            Ok(raw) => {
                let raw = raw?;
                raw.parse(&self.file).map(|set| (raw.line, set))
            }
            Err(error) => Err(error),
        };
        if set.is_err() {
            self.state = State::End;
        }
        Some(set)
    }
}

/// Returns whether `line` is an incomplete JSON value.
fn ends_early(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_err_and(|error| error.is_eof())
}
