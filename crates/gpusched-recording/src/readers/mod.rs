//! There is one reader for each file format of a profiler. Every reader reads its file in one pass and fills a
//! [`Recording`].

mod capture;
mod date;
mod detection;
mod input;
mod json;
mod reports;
mod signed;
mod sqlite;

pub use date::of_epoch_ns;
pub use json::Cleaned;
pub use reports::Locale;
pub use signed::signed;
use std::path::Path;

use gpusched_model::counted;
use gpusched_model::error::{Error, Result};

use crate::model::{Recording, Tool};
use detection::Format;
use input::Input;

/// Options of [`read`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Profiler that wrote the file. If `None`, the content of the file determines the profiler.
    pub tool: Option<Tool>,
    /// Whether to read the host call of each launch. The calls link launches with ranges, but they need additional
    /// memory.
    pub calls: bool,
    /// Maximum size of a compressed file after unpacking [bytes].
    pub unpacked: u64,
}

impl Options {
    /// Default of [`unpacked`](Options::unpacked): 1 GB.
    pub const UNPACKED: u64 = 1_000_000_000;
}

impl Default for Options {
    fn default() -> Options {
        Options {
            tool: None,
            calls: false,
            unpacked: Options::UNPACKED,
        }
    }
}

/// Reads the recording at `path`. The path `-` means standard input, except for SQLite. Regularly calls `observer` with
/// the number of bytes read so far.
///
/// # Errors
/// Returns [`Error::Refused`] if the file is not a recording of a supported profiler, if it is damaged, or if it unpacks
/// to more than `options.unpacked` bytes. Returns [`Error::Io`] if the file cannot be read.
pub fn read(path: impl AsRef<Path>, options: Options, observer: &mut dyn FnMut(u64)) -> Result<Recording> {
    let path = path.as_ref();
    let mut input = Input::open(path, options.unpacked, observer)?;
    let format = detection::detect(&mut input)?;
    let mut recording = match format {
        Format::Sqlite => sqlite::read(path, options, input)?,
        Format::Json => json::read(input, options)?,
        Format::Csv => reports::read(input)?,
    };
    let names = recording.names.texts();
    let replaced = names.filter(|name| name.contains('\u{fffd}')).count();
    if replaced > 0 {
        let names = counted(replaced, "name");
        let note = format!("{names} with bytes not UTF-8: replaced by `\u{fffd}`");
        recording.notes.push(note);
    }
    match options.tool {
        Some(tool) if tool != recording.origin.tool => {
            let found = format!("a file of {}", recording.origin.tool);
            Err(Error::file(path, found, format!("a file of {tool}")))
        }
        _ => Ok(recording),
    }
}
