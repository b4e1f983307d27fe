//! Detection of the file format from the first bytes.

use gpusched_model::Refusal;
use gpusched_model::error::Result;

use super::input::Input;
use crate::block_trace::is_neutrino;

/// Container of a recording. The content determines the profiler.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    Sqlite,
    Json,
    Csv,
}

/// First bytes of every SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Returns the format of `input`.
///
/// # Errors
/// Refuses empty files and binary files. For a binary file, a hint states how to export it.
pub fn detect(input: &mut Input<'_>) -> Result<Format> {
    let start = input.peek()?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = start.trim_ascii_start();
    let binary = start.iter().take(512).any(|&byte| byte == 0);
    let format = match text.first() {
        _ if start.starts_with(SQLITE) => Some(Format::Sqlite),
        Some(b'{' | b'[') => Some(Format::Json),
        Some(_) if !binary => Some(Format::Csv),
        _ => None,
    };
    let is_empty = start.is_empty();
    let found = if is_empty {
        "an empty file"
    } else if is_neutrino(start) {
        "records of the thread blocks of one launch (Neutrino)"
    } else {
        "binary data"
    };
    format.ok_or_else(|| {
        let expected = "an export of nsys, ncu, Kineto or rocprof (SQLite, CSV or JSON)";
        let refusal = Refusal::new("", found, expected).at(input.name(), None);
        if found.ends_with("(Neutrino)") {
            let hint = "these records belong beside a recording, or into the profile of a kernel";
            return refusal.hint(hint).into();
        }
        if is_empty {
            let hint = "write the recording again: `profiler.export_chrome_trace(FILE)` after the profiler has stopped, or `nsys export --type sqlite`";
            return refusal.hint(hint).into();
        }
        let hint = "export reports first: `nsys export --type sqlite FILE.nsys-rep`, or `ncu --import FILE.ncu-rep --csv`";
        refusal.hint(hint).into()
    })
}
