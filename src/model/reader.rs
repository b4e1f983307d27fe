//! Reading task sets or plans from a stream: one JSON document, or JSONL with one per line.
//!
//! If the first line that is not blank holds a complete JSON value, the stream is JSONL; if that line ends early, the
//! whole stream is one document, as an editor or a pretty-printer writes it. JSONL is never held in memory as a whole:
//! [`Documents::batch`] hands out unparsed lines, which any thread may parse, and the iterator parses one by one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::marker::PhantomData;
use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::program::{Refusal, line_of};
use super::{
    Benchmarks, Bound, Group, Kernel, MemoryProfile, Plan, Program, Scenario, System, TaskSet, WarpRun,
    WarpScenario,
};
use crate::error::{Error, InputError, Result};

/// The longest text of one document [bytes]: about a million tasks.
const LONGEST: u64 = 1 << 28;

/// A batch ends after this much text [bytes], so that large documents come in small batches.
const BATCH_BYTES: usize = 1 << 21;

/// What a stream can consist of.
pub trait Document: DeserializeOwned {
    /// What is expected where there is something else.
    const EXPECTED: &str;

    /// The path and the message of an error that was found in the whole document, but belongs to a field.
    fn field_of(_message: &str) -> Option<(&str, &str)> {
        None
    }
}

impl Document for TaskSet {
    const EXPECTED: &str = "a task set: an object such as {\"tasks\":[…]}";
}

impl Document for Plan {
    const EXPECTED: &str = "a plan: an object such as {\"schedulable\":…,\"partitions\":[…]}";
}

impl Document for Kernel {
    const EXPECTED: &str =
        "a kernel: an object such as {\"active_blocks\":4,\"regulation_period\":\"1ms\",\"clusters\":[…]}";
}

impl Document for Bound {
    const EXPECTED: &str = "a bound: an object such as {\"q\":0.13,\"wcet_ns\":…,\"certificate\":{…}}";
}

impl Document for Benchmarks {
    const EXPECTED: &str = "benchmarks: an object such as {\"benchmarks\":[…],\"sources\":{…}}";
}

impl Document for Scenario {
    const EXPECTED: &str = "a scenario: an object such as {\"platform\":\"xavier\",\"kernels\":[…]}";
}

impl Document for WarpScenario {
    const EXPECTED: &str = "a scenario: an object such as {\"scheduler\":\"gto\",\"kernels\":[…]}";
}

impl Document for WarpRun {
    const EXPECTED: &str = "a scenario: an object such as {\"machine\":\"rtx2060\",\"kernels\":[…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        let (field, message) = message.split_once(": ")?;
        let path = field == "sms" || field.starts_with("kernels") && !field.contains(' ');
        path.then_some((field, message))
    }
}

impl Document for Program {
    const EXPECTED: &str = "a program: an object such as {\"name\":…,\"grid\":…,\"block\":…,\"body\":[…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        Refusal::parts(message)
    }
}

impl Document for System {
    const EXPECTED: &str = "a system: an object such as {\"kernels\":[{\"kernel\":…,\"period\":…},…]}";
}

impl Document for Group {
    const EXPECTED: &str = "a group: an object such as {\"kernels\":[{\"profile\":…,\"sms\":5},…]}";

    fn field_of(message: &str) -> Option<(&str, &str)> {
        let (field, message) = message.split_once(": ")?;
        let path = field.starts_with("kernels") || field.starts_with("platform.");
        (path && !field.contains(' ')).then_some((field, message))
    }
}

impl Document for MemoryProfile {
    const EXPECTED: &str = "a profile: an object such as {\"name\":…,\"points\":[{\"sms\":30,\"time\":\"379us\",\"bandwidth\":330},…]}";
}

/// A stream of task sets.
pub type TaskSets = Documents<TaskSet>;

/// A stream of kernels.
pub type Kernels = Documents<Kernel>;

/// A stream of bounds.
pub type Bounds = Documents<Bound>;

/// A stream of scenarios.
pub type Scenarios = Documents<Scenario>;

/// A stream of scenarios of one sub-core.
pub type WarpScenarios = Documents<WarpScenario>;

/// A stream of systems.
pub type Systems = Documents<System>;

/// A stream of groups.
pub type Groups = Documents<Group>;

/// A stream of profiles.
pub type MemoryProfiles = Documents<MemoryProfile>;

/// A stream of programs.
pub type Programs = Documents<Program>;

/// A stream of plans.
pub type Plans = Documents<Plan>;

/// A stream of documents of type `T`.
pub struct Documents<T> {
    documents: PhantomData<fn() -> T>,
    file: String,
    source: Box<dyn BufRead>,
    /// Lines read so far.
    lines: usize,
    state: State,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    /// Nothing but blank lines so far.
    Start,
    /// In the middle of JSONL.
    Lines,
    /// All has been read.
    End,
}

/// The text of one document, not yet parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawDocument {
    /// Where it starts in the file, counted from 1.
    pub line: usize,
    text: Vec<u8>,
}

impl<T: Document> Documents<T> {
    /// Opens the file at `path`; `-` is standard input.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be opened.
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

    /// The one document in the file at `path`, which is a `what`.
    ///
    /// # Errors
    /// Those of reading, and [`Error::Input`] if a second document follows.
    pub fn only(path: impl AsRef<Path>, what: &str) -> Result<T> {
        let mut documents = Documents::open(path)?;
        let Some(first) = documents.next() else {
            return Err(documents.error(None, format!("found nothing, expected a {what}")));
        };
        let (_, document) = first?;
        if let Some(second) = documents.next() {
            let (line, _) = second?;
            return Err(documents.error(Some(line), format!("found a second {what}, expected one")));
        }
        Ok(document)
    }

    /// The text of the one document in the file at `path`, which is a `what`, to be parsed when it is known as what.
    ///
    /// # Errors
    /// Those of reading, and [`Error::Input`] if a second document follows.
    pub fn only_raw(path: impl AsRef<Path>, what: &str) -> Result<RawDocument> {
        let mut documents = Documents::<T>::open(path)?;
        let mut raw = documents.batch(2)?.into_iter();
        let Some(first) = raw.next() else {
            return Err(documents.error(None, format!("found nothing, expected a {what}")));
        };
        match raw.next() {
            None => Ok(first),
            Some(second) => {
                first.parse::<T>(&documents.file)?; // what is wrong first is told first
                Err(documents.error(Some(second.line), format!("found a second {what}, expected one")))
            }
        }
    }

    /// Reads from `source`; errors call it `file`.
    pub fn new(file: impl Into<String>, source: impl BufRead + 'static) -> Documents<T> {
        Documents {
            documents: PhantomData,
            file: file.into(),
            source: Box::new(source),
            lines: 0,
            state: State::Start,
        }
    }

    /// The name of the stream in errors.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether everything has been read.
    pub fn at_end(&self) -> bool {
        self.state == State::End
    }

    /// The next documents, unparsed: at most `sets` of them, fewer if they are large; none at the end.
    ///
    /// A batch of one means that no other follows (or that one was asked for).
    ///
    /// # Errors
    /// [`Error::Io`] if the stream cannot be read, [`Error::Input`] if it holds no document at all or an endless line.
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
        while self.state != State::End {
            let Some(text) = self.next_line()? else {
                if self.state == State::Start {
                    return Err(self.error(
                        None,
                        format!("found nothing, expected {}, as JSON or JSONL", T::EXPECTED),
                    ));
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
                if ends_early(&raw.text) {
                    self.read(&mut raw.text, usize::MAX)?;
                    self.state = State::End;
                    return Ok(Some(raw));
                }
            }
            // Without its line break, so that no error is on the line after.
            raw.text.truncate(raw.text.trim_ascii_end().len());
            return Ok(Some(raw));
        }
        Ok(None)
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.read(&mut line, 1)?;
        Ok((!line.is_empty()).then_some(line))
    }

    /// Appends up to `lines` lines to `text`.
    fn read(&mut self, text: &mut Vec<u8>, lines: usize) -> Result<()> {
        let room = (LONGEST + 1).saturating_sub(text.len() as u64);
        let mut source = (&mut self.source).take(room);
        let outcome = match lines {
            1 => source.read_until(b'\n', text),
            _ => source.read_to_end(text),
        };
        outcome.map_err(|cause| Error::io(&self.file, "read", cause))?;
        if text.len() as u64 > LONGEST {
            let message = format!("found a document of more than {LONGEST} bytes");
            return Err(self.error(Some(self.lines.max(1)), message));
        }
        Ok(())
    }

    fn error(&self, line: Option<usize>, message: impl Into<String>) -> Error {
        Error::Input(InputError {
            file: self.file.clone(),
            line,
            field: String::new(),
            message: message.into(),
        })
    }
}

/// Each document with the line where it starts. After an error there is no more.
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

/// Whether `line` is the beginning of a JSON value, but not all of it.
fn ends_early(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

impl RawDocument {
    /// Whether it is an object with a field of that name, as far as can be said before it is parsed.
    pub fn has(&self, name: &str) -> bool {
        let fields = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(&self.text);
        fields.is_ok_and(|fields| fields.contains_key(name))
    }

    /// Whether it looks like an object, which all documents are.
    pub fn is_object(&self) -> bool {
        self.text.trim_ascii_start().starts_with(b"{")
    }

    /// Whether it is JSON at all, for those who look at its fields before they parse it; errors call the file `file`.
    ///
    /// # Errors
    /// [`Error::Input`] with the line, what was found and what was expected.
    pub fn check_syntax(&self, file: &str) -> Result<()> {
        if !self.is_object() {
            return Ok(()); // parsing it says that better
        }
        let Err(error) = serde_json::from_slice::<IgnoredAny>(&self.text) else {
            return Ok(());
        };
        let (line, _, message) = describe(&error, String::new());
        Err(Error::Input(InputError {
            file: file.to_owned(),
            line: Some(self.line + line.saturating_sub(1)),
            field: String::new(),
            message: one_line(&message),
        }))
    }

    /// The document; errors call the file `file`.
    ///
    /// # Errors
    /// [`Error::Input`] with the line, the field, what was found and what was expected.
    pub fn parse<T: Document>(&self, file: &str) -> Result<T> {
        self.try_parse(file).map_err(|(line, field, message)| {
            Error::Input(InputError {
                file: file.to_owned(),
                line: Some(self.line + line.saturating_sub(1)),
                field: one_line(&field),
                message: one_line(&message),
            })
        })
    }

    /// Errors are (line of this text from 1, field, message).
    fn try_parse<T: Document>(&self, file: &str) -> Result<T, (usize, String, String)> {
        let refuse = |line, message: &str| (line, String::new(), message.to_owned());
        let text = str::from_utf8(&self.text).map_err(|error| {
            let before = &self.text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            refuse(line, "found bytes that are not UTF-8, expected JSON in UTF-8")
        })?;
        if text.starts_with('\u{feff}') {
            return Err(refuse(
                1,
                "found a byte order mark, expected JSON in UTF-8 without one",
            ));
        }
        let start = text.trim_ascii();
        if !start.starts_with('{') {
            let found: String = start.chars().take(20).collect();
            let message = format!("found {found:?}, expected {}{}", T::EXPECTED, instead(file));
            return Err(refuse(1, &message));
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let set = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let field = error.path().to_string();
            let field = if field == "." || field == "?" {
                String::new()
            } else {
                field
            };
            let (line, field, message) = describe(error.inner(), field);
            match T::field_of(&message).filter(|_| field.is_empty()) {
                Some((field, message)) => (line_of(text, field), field.to_owned(), message.to_owned()),
                None => (line, field, message),
            }
        })?;
        json.end().map_err(|error| describe(&error, String::new()))?;
        Ok(set)
    }
}

/// What to do with a file that is no JSON, as far as its name tells.
fn instead(file: &str) -> &'static str {
    const FOREIGN: [(&str, &str); 4] = [
        ("ptx", "; `gpusched import ptx` makes a program of PTX"),
        (
            "config",
            "; `gpusched import gpgpusim-config` makes a machine of a configuration of GPGPU-Sim",
        ),
        (
            "g",
            "; `gpusched import accel-sim` says what is in a list of traces, and `simulate warps` takes each .traceg that it names",
        ),
        (
            "traceg",
            "; a trace in a scenario is {\"trace\":\"kernel-1.traceg\"}",
        ),
    ];
    let ending = Path::new(file).extension().unwrap_or_default();
    let known = FOREIGN
        .iter()
        .find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map_or("", |(_, instead)| instead)
}

/// (line, field, message) of a JSON error, without the position that serde_json appends to its message.
fn describe(error: &serde_json::Error, field: String) -> (usize, String, String) {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&message);
    // The field says where a bad value is; bad syntax is found by its column.
    match error.is_data() {
        true => (line, field, message.to_owned()),
        false => (line, field, format!("{message} (column {column})")),
    }
}

/// `text` without control characters, and with its middle left out where it is long: a message must fit the screen.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    const KEPT: usize = 180;
    let clean: Vec<char> = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if clean.len() <= LONGEST {
        return clean.into_iter().collect();
    }
    let (head, tail) = (&clean[..KEPT], &clean[clean.len() - KEPT..]);
    head.iter().chain(&[' ', '…', ' ']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = r#"{"period":"5ms","wcet":{"table":[[1,10]]}}"#;

    fn read(text: &'static [u8]) -> TaskSets {
        TaskSets::new("x", text)
    }

    fn lines(text: impl Into<Vec<u8>>) -> Result<Vec<usize>, String> {
        TaskSets::new("x", io::Cursor::new(text.into()))
            .map(|set| set.map(|(line, _)| line).map_err(|e| e.to_string()))
            .collect()
    }

    #[test]
    fn jsonl_and_documents_are_told_apart() {
        let set = format!(r#"{{"tasks":[{TASK}]}}"#);
        assert_eq!(lines(set.clone()), Ok(vec![1]));
        assert_eq!(lines(format!("\n{set}\r\n\n  \n{set}\n")), Ok(vec![2, 5]));
        let pretty = format!("\n{{\n \"tasks\": [\n  {TASK}\n ]\n}}\n\n");
        assert_eq!(lines(pretty), Ok(vec![2]));
    }

    #[test]
    fn errors_name_line_and_field() {
        let set = format!(r#"{{"tasks":[{TASK}]}}"#);
        for (text, expected) in [
            (
                format!("{set}\n\n{{\"tasks\":[{TASK},{{\"period\":0}}]}}"),
                "x:3: at tasks[1].period: invalid value: 0",
            ),
            (format!("{set}\n{{\"tasks\":["), "x:2: at tasks"),
            (
                format!("{{\n\"tasks\":[\n{TASK},\n{{\"period\":-1}}]}}"),
                "x:4: at tasks[1].period: invalid value: integer `-1`",
            ),
            (format!("{set} {set}"), "x:1: trailing characters (column"),
            (
                format!("{{\n\"tasks\":[\n{TASK}]}}\n x"),
                "x:4: trailing characters (column 2)",
            ),
            ("\u{feff}{}".to_owned(), "x:1: found a byte order mark"),
            ("[1]".to_owned(), "x:1: found \"[1]\", expected a task set"),
            (" \n\n".to_owned(), "x: found nothing, expected a task set"),
        ] {
            let message = lines(text.clone()).expect_err(&text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        let message = lines(*b"{\n\"name\":\"\xff\"}").unwrap_err();
        assert!(
            message.starts_with("x:2: found bytes that are not UTF-8"),
            "{message}"
        );
    }

    #[test]
    fn long_values_are_clipped() {
        let long = "\u{1b}[31m".repeat(100_000);
        let message = lines(format!(r#"{{"{long}":1}}"#).replace('\u{1b}', "\\u001b")).unwrap_err();
        assert!(message.len() < 2_000 && !message.contains('\u{1b}'), "{message}");
    }

    #[test]
    fn nothing_follows_an_error() {
        let mut sets = read(b"x\n{}\n");
        assert!(sets.next().is_some_and(|set| set.is_err()));
        assert!(sets.next().is_none());
    }

    #[test]
    fn batches_are_bounded() {
        let mut sets = read(b"{}\n{}\n\n{}\n");
        assert_eq!(sets.batch(2).unwrap().len(), 2);
        assert!(!sets.at_end());
        assert_eq!(
            sets.batch(2)
                .unwrap()
                .iter()
                .map(|raw| raw.line)
                .collect::<Vec<_>>(),
            [4]
        );
        assert!(sets.at_end());
        assert!(sets.batch(2).unwrap().is_empty());
    }
}
