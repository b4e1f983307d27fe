//! Reader of CSV tables with task sets. It converts each set to a JSON document, so that gpusched checks fields in one
//! place. In the document, each task is on the line of its row, so that errors state the line of the table.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::IgnoredAny;

use super::{Column, OF_SET, SCALING, TEXTS, TIMES, VALUES, column};
use crate::counted;
use crate::error::Refusal;
use crate::files::spreadsheet::original;
use crate::time::Time;

/// The line of a fault in the table, counted from 1, together with the refusal.
type Fault = (usize, Refusal);

/// Returns whether `line`, the first line of a file, is the header of a table of tasks: it names a column with periods. Tables with
/// another separator are refused later, with an error that names the separator.
pub fn is_header(line: &[u8]) -> bool {
    str::from_utf8(line).is_ok_and(|line| separator(line).is_some())
}

/// Separators of cells, with their names. Only commas are accepted: tables with semicolons often have decimal commas.
const SEPARATORS: [(char, &str); 3] = [(',', "commas"), (';', "semicolons"), ('\t', "tabs")];

/// Returns the separator of the header in the first line of `text`, with its name.
fn separator(text: &str) -> Option<(char, &'static str)> {
    let header = header_of(text).lines().next().unwrap_or_default();
    let has_period = |&(separator, _): &(char, &str)| {
        let mut cells = header.split(separator).map(|cell| cell.trim().trim_matches('"'));
        cells.any(|cell| matches!(cell, "period" | "period_ns"))
    };
    SEPARATORS.into_iter().find(has_period)
}

/// Returns the text without a byte order mark. Spreadsheets write this mark.
fn header_of(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Converts the CSV `text` to JSON documents, one for each set. Each document has the number of its first line in
/// `text`, counted from 1.
pub fn documents(text: &[u8]) -> Result<Vec<(usize, Vec<u8>)>, Fault> {
    let text = str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        (line, Refusal::new("", "bytes that are not UTF-8", "CSV in UTF-8"))
    })?;
    if text.matches('"').count() % 2 == 1 {
        let lines = text.lines().take_while(|line| line.matches('"').count() % 2 == 0);
        let refusal = Refusal::new("", "a quote without a second quote", "quotes in pairs");
        return Err((lines.count() + 1, refusal));
    }
    if let Some((_, name)) = separator(text).filter(|(separator, _)| *separator != ',') {
        let expected = "cells separated by commas, and numbers with decimal points";
        return Err((
            1,
            Refusal::new("", format!("cells separated by {name}"), expected),
        ));
    }
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true);
    let text = header_of(text);
    let mut reader = reader.from_reader(text.as_bytes());
    let mut records = reader.records();
    let unread = |error: csv::Error| (1, Refusal::told("", error));
    let header = records.next().transpose().map_err(unread)?.unwrap_or_default();
    let columns = columns(&header)?;

    let mut sets = Sets::default();
    for record in records {
        let record = record.map_err(unread)?;
        let line = record.position().map_or(1, |position| line_of(text, position));
        if record.len() != columns.len() {
            let expected = format!("{} cells, as in the header", columns.len());
            return Err((line, Refusal::new("", counted(record.len(), "cell"), expected)));
        }
        let row = Row {
            columns: &columns,
            cells: &record,
        };
        sets.add(line, &row).map_err(|refusal| (line, refusal))?;
    }
    match sets.finished() {
        sets if sets.is_empty() => Err((1, Refusal::new("", "no rows", "one row for each task"))),
        sets => Ok(sets),
    }
}

/// Returns the line of the record at `position`. The position is before the blank lines that precede the record.
fn line_of(text: &str, position: &csv::Position) -> usize {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
    let blank = blank.filter(|&&byte| byte == b'\n').count();
    usize::try_from(position.line())
        .unwrap_or(usize::MAX)
        .saturating_add(blank)
}

/// A column, with its name and whether its cells are numbers of nanoseconds.
type Named<'a> = (Column, &'a str, bool);

/// Returns the meaning of each column of the table.
fn columns(header: &csv::StringRecord) -> Result<Vec<Named<'_>>, Fault> {
    let mut columns = Vec::new();
    let mut known = BTreeSet::new();
    for name in header {
        let name = name.trim();
        let Some((column, is_ns)) = column(name) else {
            let times = TIMES.map(|time| format!("{time} or {time}_ns"));
            let known = OF_SET
                .map(|(column, _)| column)
                .into_iter()
                .chain(TEXTS)
                .chain(VALUES);
            let expected = format!(
                "the name of a column: {}, {}, set, wcet or wcet_ns, work or work_ns, serial, conflict, and \
                 wcet_M and conflict_M (or wcet_M_ns and conflict_M_ns) for M SMs, such as wcet_8",
                times.join(", "),
                known.collect::<Vec<_>>().join(", "),
            );
            return Err((1, Refusal::new("", format!("a column {name:?}"), expected)));
        };
        if !known.insert(column) {
            let found = format!("a second column with the values of {name:?}");
            return Err((1, Refusal::new("", found, "one column for each value")));
        }
        columns.push((column, name, is_ns));
    }
    if !known.contains(&Column::Time("period")) {
        let expected = "a column `period` with times such as 50ms, or `period_ns`";
        return Err((1, Refusal::new("period", "no column", expected)));
    }
    Ok(columns)
}

/// The documents of a table.
#[derive(Default)]
struct Sets {
    /// The finished documents.
    documents: Vec<(usize, Vec<u8>)>,
    /// The document of the current set.
    current: Option<Document>,
    /// Cells of the column `set` that have occurred.
    keys: BTreeSet<String>,
}

/// The document of a set.
struct Document {
    key: String,
    /// Fields of the set.
    head: String,
    /// Number of tasks.
    tasks: usize,
    /// Line of the table for the first line of the document, and for the last line so far.
    lines: (usize, usize),
    text: String,
}

impl Sets {
    /// Adds the task of `row` on line number `line`.
    fn add(&mut self, line: usize, row: &Row<'_>) -> Result<(), Refusal> {
        let (key, head) = (row.key()?, row.head()?);
        if self.current.as_ref().is_none_or(|set| set.key != key) {
            self.close();
            if !self.keys.insert(key.to_owned()) {
                let expected = "the rows of a set in one block";
                return Err(Refusal::new(
                    "set",
                    format!("{key:?} again after another set"),
                    expected,
                ));
            }
            self.current = Some(Document {
                key: key.to_owned(),
                text: format!("{{{head}\"tasks\":["),
                head: head.clone(),
                tasks: 0,
                lines: (line.saturating_sub(1), line.saturating_sub(1)),
            });
        }
        let Some(set) = &mut self.current else {
            return Ok(());
        };
        if set.head != head {
            let [(name, _), (times, _)] = OF_SET;
            let expected = format!("equal cells of {name} and {times} in all rows of a set");
            return Err(Refusal::new(
                "",
                "cells that differ from the row before",
                expected,
            ));
        }
        let task = row
            .task()
            .map_err(|refusal| refusal.within(&format!("tasks[{}]", set.tasks)))?;
        if set.tasks > 0 {
            set.text.push(',');
        }
        for _ in set.lines.1..line {
            set.text.push('\n');
        }
        set.lines.1 = line;
        set.text += &task;
        set.tasks += 1;
        Ok(())
    }

    /// Finishes the current set.
    fn close(&mut self) {
        if let Some(set) = self.current.take() {
            self.documents.push((set.lines.0, (set.text + "]}").into_bytes()));
        }
    }

    fn finished(mut self) -> Vec<(usize, Vec<u8>)> {
        self.close();
        self.documents
    }
}

/// A row of the table: a task.
struct Row<'a> {
    columns: &'a [Named<'a>],
    cells: &'a csv::StringRecord,
}

impl<'a> Row<'a> {
    /// Returns the cells with a value. Names keep their spaces.
    fn given(&self) -> impl Iterator<Item = (Named<'a>, &'a str)> + use<'a> {
        let cells = self.columns.iter().zip(self.cells);
        let cells = cells.map(|(&column, cell)| match column.0 {
            Column::OfSet("name") | Column::Text("name") => (column, original(cell)),
            _ => (column, original(cell).trim()),
        });
        cells.filter(|(_, cell)| !cell.is_empty())
    }

    /// Returns the cell of the column `set`. Without this column, all rows are one set, and the cell is an empty text.
    fn key(&self) -> Result<&'a str, Refusal> {
        let is_set = |column: Column| column == Column::Set;
        let key = self.given().find(|((column, ..), _)| is_set(*column));
        match key {
            Some((_, key)) => Ok(key),
            None if self.columns.iter().any(|&(column, ..)| is_set(column)) => {
                Refusal::refuse("set", "an empty cell", "the task set of the row, such as 0")
            }
            None => Ok(""),
        }
    }

    /// Returns the fields of the set in JSON, each with a comma at its end.
    fn head(&self) -> Result<String, Refusal> {
        let mut fields = String::new();
        for ((column, ..), cell) in self.given() {
            if let Column::OfSet(field) = column {
                fields += &format!("\"{field}\":{},", text(cell)?);
            }
        }
        Ok(fields)
    }

    /// Returns the task in JSON, in one line.
    fn task(&self) -> Result<String, Refusal> {
        let mut fields = Vec::new();
        let mut wcet = Wcet::default();
        for ((column, name, is_ns), cell) in self.given() {
            let time = || match is_ns {
                true => nanoseconds(cell).map_err(|refusal| refusal.within(name)),
                false => with_unit(name, cell),
            };
            match column {
                Column::Set | Column::OfSet(_) => {}
                Column::Text(field) => fields.push(format!("\"{field}\":{}", text(cell)?)),
                Column::Time(field) => fields.push(format!("\"{field}\":{}", time()?)),
                Column::Value(field) => fields.push(format!("\"{field}\":{}", value(name, cell)?)),
                Column::Wcet => wcet.stated.push((name, cell.to_owned())),
                Column::Constant => wcet
                    .stated
                    .push((name, nanoseconds(cell).map_err(|refusal| refusal.within(name))?)),
                Column::Work => wcet.work = Some(time()?),
                Column::Parameter(field) => {
                    wcet.parameters.insert(field, value(name, cell)?);
                }
                Column::Point(in_conflict, sms) => {
                    wcet.points[usize::from(in_conflict)].insert(sms, time()?);
                }
            }
        }
        fields.push(format!("\"wcet\":{}", wcet.json()?));
        Ok(format!("{{{}}}", fields.join(",")))
    }
}

/// The WCET function of a row.
#[derive(Default)]
struct Wcet<'a> {
    /// Cells of `wcet` and `wcet_ns`.
    stated: Vec<(&'a str, String)>,
    work: Option<String>,
    parameters: BTreeMap<&'static str, String>,
    /// Points in isolation and in conflict.
    points: [BTreeMap<u32, String>; 2],
}

impl Wcet<'_> {
    /// Returns the function in JSON.
    fn json(self) -> Result<String, Refusal> {
        let [isolated, conflict] = self.points.map(|points| {
            let points = points.iter().map(|(sms, time)| format!("[{sms},{time}]"));
            points.collect::<Vec<_>>().join(",")
        });
        let scaling = |form: &str, work: String| {
            let parameters = self
                .parameters
                .iter()
                .map(|(field, value)| format!(",\"{field}\":{value}"));
            format!(
                "{{\"{form}\":{{\"work\":{work}{}}}}}",
                parameters.collect::<String>()
            )
        };
        let has_parameters = self.work.is_some() || !self.parameters.is_empty();
        match (
            &self.stated[..],
            self.work.clone(),
            isolated.is_empty() && conflict.is_empty(),
        ) {
            ([], None, true) if !has_parameters => {
                let expected =
                    "a cell in `wcet_M` (WCET on M SMs, such as `wcet_8`), `wcet`, `wcet_ns` or `work`";
                Refusal::refuse("wcet", "no value", expected)
            }
            ([], None, false) if !has_parameters => match isolated.as_str() {
                "" => Refusal::refuse("wcet", "only WCETs in conflict", "also a cell in `wcet_M`"),
                _ if conflict.is_empty() => Ok(format!("{{\"table\":{{\"isolated\":[{isolated}]}}}}")),
                _ if conflict == isolated => Ok(format!("{{\"table\":[{isolated}]}}")),
                _ => Ok(format!(
                    "{{\"table\":{{\"isolated\":[{isolated}],\"conflict\":[{conflict}]}}}}"
                )),
            },
            ([], Some(work), true) => Ok(scaling("amdahl", work)),
            ([(_, form)], Some(work), true) if SCALING.contains(&form.as_str()) => Ok(scaling(form, work)),
            ([(_, form)], None, true) if SCALING.contains(&form.as_str()) => {
                Refusal::refuse("work", "no value", format!("a time, because `wcet` is {form}"))
            }
            ([("wcet", cell)], None, true) if !has_parameters && cell.starts_with('{') => value("wcet", cell),
            ([("wcet", cell)], None, true) if !has_parameters => with_unit("wcet", cell),
            ([(_, nanoseconds)], None, true) if !has_parameters => Ok(nanoseconds.clone()),
            _ => Refusal::refuse(
                "wcet",
                "cells of several WCET functions",
                "`wcet_M` and `conflict_M`, or `work` with `serial` and `conflict`, or a time",
            ),
        }
    }
}

/// Returns `cell` as a text in JSON.
fn text(cell: &str) -> Result<String, Refusal> {
    serde_json::to_string(cell).map_err(|error| Refusal::told("", error))
}

/// Returns the time `cell` of the column `name` in JSON.
fn with_unit(name: &str, cell: &str) -> Result<String, Refusal> {
    match cell.parse::<Time>() {
        Ok(_) => text(cell),
        Err(error) => {
            let refusal = Refusal::told(name, error);
            Err(match cell.bytes().all(|byte| byte.is_ascii_digit()) {
                true => refusal.hint(format!(
                    "if the times are in nanoseconds, call the column `{name}_ns`"
                )),
                false => refusal,
            })
        }
    }
}

/// Returns `cell` of the column `name` in JSON: numbers, lists and objects as they are, and anything else as a text.
fn value(name: &str, cell: &str) -> Result<String, Refusal> {
    let is_nested = cell.starts_with(['{', '[']);
    if let Some(whole) = whole(cell) {
        return Ok(whole.to_string());
    }
    match serde_json::from_str::<IgnoredAny>(cell) {
        Ok(_) if is_nested || cell.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            Ok(cell.replace(['\n', '\r'], " ")) // a line break can only be between two tokens
        }
        Err(_) if is_nested => Refusal::refuse(name, format!("{cell:?}"), "valid JSON"),
        _ => text(cell),
    }
}

/// Returns the number of nanoseconds in `cell`.
fn nanoseconds(cell: &str) -> Result<String, Refusal> {
    match whole(cell) {
        Some(ns) => Ok(ns.to_string()),
        None => Refusal::refuse(
            "",
            format!("{cell:?}"),
            "a whole number of nanoseconds without unit",
        ),
    }
}

/// Returns the whole number in `cell`. pandas writes whole numbers as 5.0 if another cell of the column is empty.
fn whole(cell: &str) -> Option<u64> {
    let (whole, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    let is_whole =
        fraction.bytes().all(|digit| digit == b'0') && whole.bytes().all(|digit| digit.is_ascii_digit());
    whole.parse().ok().filter(|_| is_whole)
}
