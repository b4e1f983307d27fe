//! CSV reports of `nsys stats`, Nsight Compute and rocprof. A file may contain several reports. The tools may write
//! other lines between the reports.

mod calls;
mod header;
mod ncu;
mod nsys;
mod number;
mod rocprof;

pub use ncu::Locale;

use std::io::{self, Read as _};

use csv::{ByteRecord, ReaderBuilder, Terminator};
use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result};

use super::input::{Input, damaged};
use crate::lines::Lines;
use crate::model::{Origin, Recording, Tool};
use calls::Links;
use header::Header;

/// A report that is being read.
trait Report {
    /// Reads one row.
    ///
    /// # Errors
    /// Refuses a value. The refusal names the column.
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal>;

    /// Minimum number of values in a row. Nsight Compute omits empty values at the end of a row.
    fn fewest_values(&self, columns: usize) -> usize {
        columns
    }

    /// Counts the records of a row that [`row`](Report::row) refuses, or that has a wrong number of values: by default, one launch of an
    /// unknown kernel.
    fn set_aside(&mut self, _row: &Row<'_>, recording: &mut Recording) {
        recording.unknown_launch();
    }

    /// Completes the report after its last row.
    ///
    /// # Errors
    /// Fails if values contradict each other.
    fn end(&mut self, _recording: &mut Recording) -> Result<(), Refusal> {
        Ok(())
    }
}

/// One row of a report, and its line in the file.
struct Row<'a>(&'a ByteRecord, u64);

impl Row<'_> {
    /// Returns the text of a column without spaces at its ends. The text of a missing column is empty.
    fn text(&self, column: Option<usize>) -> std::borrow::Cow<'_, str> {
        let bytes = column.and_then(|column| self.0.get(column)).unwrap_or_default();
        String::from_utf8_lossy(bytes.trim_ascii())
    }
}

/// Hint for a file without launches.
const GPU_TRACE: &str = "`nsys stats --report cuda_gpu_trace --format csv` writes all launches of a run";

/// Lines that the tools may write between reports.
const NOISE: [&str; 12] = [
    "==",
    "Processing ",
    "Generating ",
    "Exporting ",
    "** ",
    "WARNING",
    "NOTICE",
    "SKIPPED",
    "Using ",
    "Report ",
    "#",
    "ROCPRofiler",
];

/// Longest line [bytes]. Raw pages of Nsight Compute have long lines.
const LONGEST_LINE: u64 = 1 << 19;

/// Largest number of lines before the first report.
const PREAMBLE: u64 = 10_000;

/// Reads all reports of `input`.
///
/// # Errors
/// Refuses a file without a known report, and a file with more damaged rows than rows that are read. Fewer damaged rows are set aside.
pub fn read(mut input: Input<'_>) -> Result<Recording> {
    let name = input.name().to_owned();
    // The text ends with a line break, and only `\n` counts as a line break. So the number of line breaks gives the
    // line of every row.
    let lines = Lines::new(input.reader(), LONGEST_LINE).chain(&b"\n"[..]);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .terminator(Terminator::Any(b'\n'))
        .from_reader(lines);
    let at = |refusal: Refusal, line: u64| -> Error { refusal.at(&name, usize::try_from(line).ok()).into() };
    let mut recording = Recording::default();
    let links = Links::default();
    let mut report: Option<(Box<dyn Report>, usize)> = None;
    let (mut record, mut line, mut lines) = (ByteRecord::new(), 0, 0u64);
    let (mut short, mut timeless) = (None, None);
    let (mut rows, mut damaged_rows, mut first_damaged) = (0u64, 0u64, None);
    loop {
        let found = reader.read_byte_record(&mut record);
        let found = found.map_err(|error| {
            let place = error.position().map_or(line, csv::Position::line);
            match error.into_kind() {
                csv::ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::InvalidData => {
                    at(Refusal::told("", cause), place)
                }
                csv::ErrorKind::Io(cause) => damaged(&name, cause),
                _ => at(Refusal::told("", "found invalid CSV"), place),
            }
        })?;
        if !found {
            break;
        }
        let breaks = record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        // A quotation mark without its end joins all later rows, so the record has no line break after it.
        let after = breaks + u64::from(record.as_slice().last() != Some(&b'\n'));
        (line, lines) = (reader.position().line().saturating_sub(after), lines + 1);
        if record.len() == 1 && record.iter().all(|value| value.trim_ascii().is_empty()) {
            continue;
        }
        // Every row contains a number, and a header contains no number.
        let words = !record
            .iter()
            .any(|value| value.first().is_some_and(u8::is_ascii_digit));
        if words && timeless.is_none() {
            timeless = rocprof::missing_times(&Header::of(&record));
        }
        if let Some((origin, next)) = words.then(|| known(&Header::of(&record), &links)).flatten() {
            if let Some((mut report, _)) = report.take() {
                report.end(&mut recording).map_err(|refusal| at(refusal, line))?;
            }
            if origin.tool == Tool::Nsys {
                let note = nsys::assumed_units(&Header::of(&record));
                recording
                    .notes
                    .extend(note.map(|note| format!("line {line}: {note}")));
            }
            if ["", nsys::CALLS].contains(&recording.origin.report) {
                recording.origin = origin;
            }
            report = Some((next, record.len()));
            continue;
        }
        let start = || Row(&record, line).text(Some(0)).into_owned();
        match &mut report {
            Some((report, columns)) => {
                let row = Row(&record, line);
                let fewest = report.fewest_values(*columns);
                let result = if !(fewest..=*columns).contains(&record.len()) {
                    if NOISE.iter().any(|noise| start().starts_with(noise)) {
                        continue;
                    }
                    let found = format!("{} values", record.len());
                    Err(Refusal::new("", found, format!("{columns}, as in the header")))
                } else if joins_rows(&record, fewest) {
                    let found = "values with the line break and the commas of a row";
                    Err(Refusal::new("", found, "one row per line"))
                } else {
                    report.row(&row, &mut recording)
                };
                match result {
                    Ok(()) => rows += 1,
                    Err(refusal) => {
                        let joined = record.as_slice().split(|&byte| byte == b'\n');
                        for _ in joined.filter(|row| !row.trim_ascii().is_empty()) {
                            report.set_aside(&row, &mut recording);
                        }
                        damaged_rows += 1;
                        let missing = &mut recording.missing;
                        missing.impossible(format_args!("line {line}: {refusal}"));
                        first_damaged.get_or_insert_with(|| at(refusal, line));
                    }
                }
                short = None;
            }
            None if lines > PREAMBLE => break,
            None => short = short.or_else(|| Some(start())),
        }
    }
    let Some((mut report, _)) = report else {
        let found = short.filter(|start| !start.is_empty());
        let found = found.map_or_else(|| "no report".to_owned(), |start| format!("{start:?}"));
        let expected = "the header of a report of nsys stats, ncu or rocprof";
        if let Some(missing) = timeless {
            let hint = "`rocprof --timestamp on` and `rocprofv3 --kernel-trace` write the times of launches";
            return Err(Refusal::new(
                "header",
                "a file of rocprof without times",
                format!("the columns {missing}"),
            )
            .at(&name, None)
            .hint(hint)
            .into());
        }
        return Err(Refusal::new("", found, expected)
            .at(&name, None)
            .hint(GPU_TRACE)
            .into());
    };
    if let Some(error) = first_damaged.filter(|_| damaged_rows > rows) {
        return Err(error);
    }
    report.end(&mut recording).map_err(|refusal| at(refusal, line))?;
    if recording.origin.report == nsys::CALLS {
        let found = format!("only calls of the CUDA API ({})", nsys::CALLS);
        let refusal = Refusal::new("", found, "a report with the times of kernels").at(&name, None);
        return Err(refusal.hint(GPU_TRACE).into());
    }
    links.join(&mut recording);
    Ok(recording)
}

/// Whether a quotation mark without its end joins several rows to `record`. A row has at least `fewest` values, and a name with a line
/// break has fewer commas than such a row. By chance, the record can have the number of values of a row.
fn joins_rows(record: &ByteRecord, fewest: usize) -> bool {
    let count = |byte: u8| record.as_slice().iter().filter(|&&found| found == byte).count();
    count(b'\n') > 0 && count(b',') + 1 >= fewest
}

/// Returns the report that starts with `header`.
fn known(header: &Header, links: &Links) -> Option<(Origin, Box<dyn Report>)> {
    nsys::report(header, links)
        .or_else(|| ncu::report(header))
        .or_else(|| rocprof::report(header))
}
