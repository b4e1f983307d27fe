//! Block traces in JSONL format.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead as _, Read as _};

use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Input;
use super::columns::{Column, EXPECTED, Fault, Record};
use super::receiver::Receiver;
use super::source::{LONGEST_LINE, Source};
use gpusched_model::error::Result;

/// Number of lines between two calls of the observer.
const STEP: u64 = 1 << 16;

pub(super) fn read(
    source: Source,
    input: &Input<'_>,
    receiver: &mut dyn Receiver,
    observer: &mut dyn FnMut(u64),
) -> Result<()> {
    let (place, mut bytes) = source.into_parts();
    let (mut line, mut number, mut last, mut read) = (Vec::new(), 0u64, None, 0u64);
    loop {
        line.clear();
        let mut limited = (&mut bytes).take(LONGEST_LINE + 1);
        let count = limited
            .read_until(b'\n', &mut line)
            .map_err(|cause| place.io(cause))?;
        if count == 0 {
            break;
        }
        number += 1;
        read += count as u64;
        if count as u64 > LONGEST_LINE {
            let message = format!("found a line of more than {LONGEST_LINE} bytes");
            return Err(place.error(Some(number), message));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        last = Some(number);
        let taken = parse(&line).and_then(|record| receiver.take(&record, input));
        taken.map_err(|fault| place.fault(Some(number), fault))?;
        if number % STEP == 0 {
            observer(read);
        }
    }
    if last.is_none() {
        return Err(place.error(
            None,
            format!("found nothing, expected one object per line with {EXPECTED}"),
        ));
    }
    receiver.end_file().map_err(|message| place.error(last, message))
}

/// Parses one row.
fn parse(line: &[u8]) -> Result<Record, Fault> {
    let refuse = |error: serde_json::Error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        Fault::new(
            "",
            format!("{} (column {})", message.replace('\n', " "), error.column()),
        )
    };
    let mut json = serde_json::Deserializer::from_slice(line.trim_ascii_end());
    let parsed = json.deserialize_map(Fields).map_err(refuse)?;
    json.end().map_err(refuse)?;
    parsed
}

/// Parser of the fields of a row. The outer error is a JSON error, and the inner error is an invalid value.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Result<Record, Fault>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with ")?;
        f.write_str(EXPECTED)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut record, mut seen) = (Record::default(), Vec::with_capacity(7));
        let mut fault = None;
        while let Some(name) = map.next_key::<Name<'_>>()? {
            let clipped = || name.0.chars().take(40).collect::<String>();
            let column = Column::named(&name.0).ok_or_else(|| {
                A::Error::custom(format!("found field {:?}, expected {EXPECTED}", clipped()))
            })?;
            if seen.contains(&column.kind()) {
                let message = format!(
                    "found field {:?}, expected only one field with {}",
                    clipped(),
                    column.kind()
                );
                return Err(A::Error::custom(message));
            }
            seen.push(column.kind());
            let value: &RawValue = map.next_value()?;
            if matches!((value.get(), column), ("null", Column::Start(_) | Column::Sm)) {
                continue;
            }
            if let (Err(error), None) = (record.set(column, value.get().as_bytes()), &fault) {
                fault = Some(error);
            }
        }
        Ok(fault.map_or(Ok(record), Err))
    }
}

/// Name of a field. The parser copies the name only if it contains escape sequences.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
