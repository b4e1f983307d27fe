//! The records of a trace, and the columns with their values: names and units.

use std::num::NonZeroU64;

use gpusched_analysis::kernel_wcet::trace::{Level, Row};
use gpusched_model::kernel::LONGEST;
use gpusched_model::time::decimal::{Rounding, integer, nanoseconds};
use gpusched_model::wcet::MAX_SMS;

/// Content of a column. For a time, the value is the exponent e of its unit: the unit is 10^e ns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Column {
    Run,
    Block,
    Start(u32),
    End(u32),
    Duration(u32),
    Q,
    Sm,
}

/// Units of times, as suffixes of column names.
const UNITS: [(&str, u32); 4] = [("_ns", 0), ("_us", 3), ("_ms", 6), ("_s", 9)];

pub(super) const EXPECTED: &str =
    "run, block, duration_ns or end_ns, and possibly start_ns, q and sm (times also in _us, _ms, _s)";

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
            "sm" => Some(Column::Sm),
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
            Column::Sm => "sm",
        }
    }
}

/// One execution of a thread block. All formats of a trace contain such records. A record may lack values.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Number of the execution of the kernel, within one file.
    pub run: Option<u64>,
    /// Number of the block, from 0.
    pub block: Option<u64>,
    /// Number of the SM where the block ran, below [`MAX_SMS`].
    pub sm: Option<u32>,
    /// Start [ns].
    pub start: Option<u64>,
    /// End [ns].
    pub end: Option<u64>,
    /// Duration [ns].
    pub duration: Option<u64>,
    /// Duration [cycles of the clock of the SM].
    pub cycles: Option<u64>,
    /// Interference level of the run.
    pub level: Option<Level>,
}

/// An error in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Column of the invalid value. Empty if the error does not concern a single column.
    pub field: &'static str,
    /// Value found and value expected.
    pub message: String,
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

impl Record {
    /// Creates a record with the numbers of its run and its block.
    pub(super) fn of(run: u64, block: u64) -> Record {
        Record {
            run: Some(run),
            block: Some(block),
            ..Record::default()
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
            Column::Start(_) | Column::Sm if text.is_empty() => {}
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
            Column::Sm => self.sm = Some(self::sm(identity()?)?),
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
    /// `clock` is the smallest clock frequency of the SMs [Hz], which makes times of cycles.
    pub(super) fn row(&self, given: Option<Level>, clock: Option<NonZeroU64>) -> Result<Row, Fault> {
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
            (None, _, None) => match self.cycles {
                Some(cycles) => self.longest(cycles, clock)?,
                None => return Err(missing("duration", "a duration or an end")),
            },
        };
        Ok(Row {
            run,
            block,
            start: self.start,
            duration,
            level,
        })
    }
    /// Returns the longest time of `cycles` at `clock` or more [ns].
    fn longest(&self, cycles: u64, clock: Option<NonZeroU64>) -> Result<u64, Fault> {
        let Some(clock) = clock else {
            let message = "found times in cycles of the SMs, expected the clock frequency of the SMs, too";
            return Err(Fault::new("sm_clock", message));
        };
        let ns = (u128::from(cycles) * 1_000_000_000).div_ceil(u128::from(clock.get()));
        let ns = u64::try_from(ns).ok();
        ns.filter(|ns| (1..=LONGEST.ns()).contains(ns)).ok_or_else(|| {
            let found = format!("found {cycles} cycles at {clock} Hz");
            let expected = "expected a positive time up to 2^40 ns (18 minutes)";
            Fault::new("duration", format!("{found}, {expected}"))
        })
    }
}

/// Checks the number of an SM. The limit bounds the memory of a reader that keeps the SMs.
pub(super) fn sm(number: u64) -> Result<u32, Fault> {
    let known = u32::try_from(number).ok().filter(|&sm| sm < MAX_SMS);
    known.ok_or_else(|| {
        Fault::new(
            "sm",
            format!("found {number}, expected an SM number below {MAX_SMS}"),
        )
    })
}
