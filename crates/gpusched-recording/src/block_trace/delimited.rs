//! Block traces in CSV format.

use std::io;

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::Input;
use super::columns::{Column, EXPECTED, Record};
use super::receiver::Receiver;
use super::source::{LONGEST_LINE, Place, Source};
use crate::lines::Lines;
use gpusched_model::error::{Error, Result};

/// Number of rows between two calls of the observer.
const STEP: u64 = 1 << 16;

pub(super) fn read(
    source: Source,
    input: &Input<'_>,
    receiver: &mut dyn Receiver,
    observer: &mut dyn FnMut(u64),
) -> Result<()> {
    let (place, bytes) = source.into_parts();
    let lines = Lines::new(bytes, LONGEST_LINE);
    let last = lines.last();
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(lines);
    let mut record = ByteRecord::new();
    let mut line = |record: &mut ByteRecord, after: u64| -> Result<Option<u64>> {
        let found = reader
            .read_byte_record(record)
            .map_err(|error| refuse(&place, error, after))?;
        let line = record.position().map_or(after, csv::Position::line);
        Ok(found.then_some(line))
    };

    let Some(header) = line(&mut record, 1)? else {
        let message = format!("found nothing, expected a header with the columns {EXPECTED}");
        return Err(place.error(None, message));
    };
    let columns = columns(&record, header, &place)?;
    let (mut rows, mut current) = (0u64, header);
    while let Some(number) = line(&mut record, current)? {
        current = number;
        let mut block = Record::default();
        for (&column, text) in columns.iter().zip(&record) {
            let value = block.set(column, text);
            value.map_err(|fault| place.fault(Some(number), fault))?;
        }
        let taken = receiver.take(&block, input);
        taken.map_err(|fault| place.fault(Some(number), fault))?;
        rows += 1;
        if rows % STEP == 0 {
            let read = record.position().map_or(0, csv::Position::byte);
            observer(read);
        }
    }
    if rows == 0 {
        return Err(place.error(
            Some(current),
            "found no row after the header, expected one row per block and run",
        ));
    }
    // If a file was cut off, its last number may lack digits. A value of `q` has only one digit, so it is complete.
    if last.get() != b'\n' && columns.last() != Some(&Column::Q) {
        let message = "found no line break at the end of the file, expected a line break: the last number may be cut off";
        return Err(place.error(Some(current), message));
    }
    receiver
        .end_file()
        .map_err(|message| place.error(Some(current), message))
}

fn columns(header: &ByteRecord, line: u64, place: &Place) -> Result<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::with_capacity(header.len());
    for name in header {
        let name: String = String::from_utf8_lossy(name.trim_ascii())
            .chars()
            .take(40)
            .collect();
        let column = Column::named(&name);
        let column = column
            .ok_or_else(|| place.error(Some(line), format!("found column {name:?}, expected {EXPECTED}")))?;
        if columns.iter().any(|other| other.kind() == column.kind()) {
            let message = format!(
                "found column {name:?}, expected only one column with {}",
                column.kind()
            );
            return Err(place.error(Some(line), message));
        }
        columns.push(column);
    }
    for needed in [Column::Run, Column::Block, Column::Duration(0)] {
        if !columns.iter().any(|column| column.kind() == needed.kind()) {
            let message = format!("found no column with {}, expected {EXPECTED}", needed.kind());
            return Err(place.error(Some(line), message));
        }
    }
    Ok(columns)
}

fn refuse(place: &Place, error: csv::Error, after: u64) -> Error {
    let line = error.position().map_or(after, csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::InvalidData => {
            place.error(Some(line), cause.to_string())
        }
        ErrorKind::Io(cause) => place.io(cause),
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => place.error(
            Some(line),
            format!("found {len} values, expected {expected_len}, as in the header"),
        ),
        _ => place.error(Some(line), "found invalid CSV"),
    }
}
