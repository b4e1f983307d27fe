//! The columns of a trace: names, units, and values.

use gpusched_analysis::kernel_wcet::trace::{Level, Row};
use gpusched_model::kernel::LONGEST;
use gpusched_model::time::decimal::{Rounding, integer, nanoseconds};

/// Content of a column. For a time, the value is the exponent e of its unit: the unit is 10^e ns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Column {
    Run,
    Block,
    Start(u32),
    End(u32),
    Duration(u32),
    Q,
}

/// Units of times, as suffixes of column names.
const UNITS: [(&str, u32); 4] = [("_ns", 0), ("_us", 3), ("_ms", 6), ("_s", 9)];

pub(super) const EXPECTED: &str =
    "run, block, duration_ns or end_ns, and possibly start_ns and q (times also in _us, _ms, _s)";

impl Column {
    pub(super) fn named(name: &str) -> Option<Column> {
        let timed = || {
            let (name, unit) = UNITS
                .iter()
                .find_map(|(ending, unit)| Some((name.strip_suffix(ending)?, *unit)))?;
            match name {
                "start" => Some(Column::Start(unit)),
                "end" => Some(Column::End(unit)),
                "duration" => Some(Column::Duration(unit)),
                _ => None,
            }
        };
        match name {
            "run" => Some(Column::Run),
            "block" => Some(Column::Block),
            "q" => Some(Column::Q),
            _ => timed(),
        }
    }

    /// Returns the name of the value that the column sets. Two columns of a trace must not set the same value.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Column::Run => "run",
            Column::Block => "block",
            Column::Start(_) => "start",
            Column::End(_) | Column::Duration(_) => "duration or end",
            Column::Q => "q",
        }
    }
}

/// A row that may still lack values.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Draft {
    run: Option<u64>,
    block: Option<u64>,
    start: Option<u64>,
    end: Option<u64>,
    duration: Option<u64>,
    level: Option<Level>,
}

/// An error in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// Column of the invalid value. Empty if the error does not concern a single column.
    pub(super) field: &'static str,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Fault {
        Fault {
            field,
            message: message.into(),
        }
    }

    fn value(column: Column, text: &[u8], expected: &str) -> Fault {
        let found = String::from_utf8_lossy(text);
        let found: String = found.chars().take(40).collect();
        let field = match column {
            Column::End(_) => "end",
            Column::Duration(_) => "duration",
            other => other.kind(),
        };
        Fault::new(field, format!("found {found:?}, expected {expected}"))
    }
}

impl Draft {
    /// Creates a row with the numbers of its run and its block.
    pub(super) fn of(run: u64, block: u64) -> Draft {
        Draft {
            run: Some(run),
            block: Some(block),
            ..Draft::default()
        }
    }

    /// Sets the value of `column` from `text`.
    pub(super) fn set(&mut self, column: Column, text: &[u8]) -> Result<(), Fault> {
        const NUMBER: &str = "a number from 0 on";
        const TIME: &str = "a time from 0 to 2^63 - 1 ns";
        let text = text.trim_ascii();
        let identity = || {
            let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            let value = digits.then(|| integer(text)).flatten();
            value.ok_or_else(|| Fault::value(column, text, NUMBER))
        };
        let time = |unit, rounding, expected| {
            nanoseconds(text, unit, rounding).ok_or_else(|| Fault::value(column, text, expected))
        };
        match column {
            Column::Run => self.run = Some(identity()?),
            Column::Block => self.block = Some(identity()?),
            Column::Start(_) if text.is_empty() => {}
            Column::Start(unit) => self.start = Some(time(unit, Rounding::Down, TIME)?),
            Column::End(unit) => self.end = Some(time(unit, Rounding::Up, TIME)?),
            Column::Duration(unit) => {
                const DURATION: &str = "a positive time up to 2^40 ns (18 minutes)";
                let duration = time(unit, Rounding::Up, DURATION)?;
                if !(1..=LONGEST.ns()).contains(&duration) {
                    return Err(Fault::value(column, text, DURATION));
                }
                self.duration = Some(duration);
            }
            Column::Q => {
                self.level = Some(match text {
                    b"0" => Level::Isolated,
                    b"1" => Level::Interference,
                    _ => {
                        return Err(Fault::value(
                            column,
                            text,
                            "0 (no interference) or 1 (interference)",
                        ));
                    }
                });
            }
        }
        Ok(())
    }

    /// Completes the row. `given` is the interference level of all rows of the file, if the user states one level.
    pub(super) fn row(&self, given: Option<Level>) -> Result<Row, Fault> {
        let missing = |field, expected: &str| Fault::new(field, format!("found none, expected {expected}"));
        let run = self.run.ok_or_else(|| missing("run", "a number"))?;
        let block = self.block.ok_or_else(|| missing("block", "a number"))?;
        let level = match (self.level, given) {
            (Some(level), Some(given)) if level != given => {
                let message = format!(
                    "found {}, expected {}, which was given for the whole file",
                    level.q(),
                    given.q()
                );
                return Err(Fault::new("q", message));
            }
            (Some(level), _) | (None, Some(level)) => level,
            (None, None) => {
                return Err(missing(
                    "q",
                    "0 or 1, or a level that was given for the whole file",
                ));
            }
        };
        let duration = match (self.duration, self.start, self.end) {
            (Some(duration), ..) => duration,
            (None, Some(start), Some(end)) => {
                let duration = end
                    .checked_sub(start)
                    .filter(|duration| (1..=LONGEST.ns()).contains(duration));
                duration.ok_or_else(|| {
                    let found = format!("found {end} ns with a start at {start} ns");
                    Fault::new(
                        "end",
                        format!("{found}, expected an end from 1 ns to 2^40 ns (18 minutes) after the start"),
                    )
                })?
            }
            (None, None, Some(_)) => {
                return Err(missing("start", "a start, because the row has no duration"));
            }
            (None, _, None) => return Err(missing("duration", "a duration or an end")),
        };
        Ok(Row {
            run,
            block,
            start: self.start,
            duration,
            level,
        })
    }
}
