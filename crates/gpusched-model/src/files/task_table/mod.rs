//! Task sets as CSV tables, with one row per task.
//!
//! A column is a field of a task. A column whose name ends in `_ns` contains whole numbers of nanoseconds, and other
//! columns of times contain times with units. `wcet_M` and `conflict_M` are the WCETs on M SMs, in isolation and in
//! conflict. They form a WCET function of the form `table`. The rows of a set have equal cells in the column `set`.

mod reading;
mod writing;

pub(super) use reading::documents;
pub use reading::is_header;
pub use writing::csv;

use crate::wcet::{Contention, MAX_SMS};

/// Largest number of cells of a written table. Such a table needs about 2 GB of memory.
pub const MOST_CELLS: usize = 16_000_000;

/// Fields of a set, equal in all rows of the set, with their columns.
const OF_SET: [(&str, &str); 2] = [("set_name", "name"), ("times", "times")];

/// Fields of a task that are texts.
const TEXTS: [&str; 3] = ["name", "kind", "wcet_source"];

/// Fields of a task that are times.
const TIMES: [&str; 4] = ["period", "deadline", "jitter", "block"];

/// Fields of a task that are numbers, or lists and objects in JSON.
const VALUES: [&str; 5] = ["launches", "traffic", "bandwidth", "sectors", "measured_on"];

/// Forms of WCET functions whose parameters have columns.
const SCALING: [&str; 2] = ["amdahl", "proportional"];

/// Meaning of a column.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Column {
    /// The cells of all tasks of a set are equal.
    Set,
    /// The field of a set with this name.
    OfSet(&'static str),
    /// The field of a task with this name, which is a text.
    Text(&'static str),
    /// The field of a task with this name, which is a time.
    Time(&'static str),
    /// The field of a task with this name, which is a number, a list or an object.
    Value(&'static str),
    /// A form of WCET functions, a time, or an object.
    Wcet,
    /// The same time for every number of SMs.
    Constant,
    /// Work a on one SM.
    Work,
    /// Serial share β, or conflict factor k.
    Parameter(&'static str),
    /// WCET on a number of SMs.
    Point(bool, u32),
}

/// Prefixes of the columns with WCETs on a number of SMs.
const POINTS: [(&str, Contention); 2] = [
    ("wcet_", Contention::Isolated),
    ("conflict_", Contention::Conflict),
];

/// Returns the column called `name`, and whether its cells are numbers of nanoseconds. Returns `None` for an unknown
/// name.
fn column(name: &str) -> Option<(Column, bool)> {
    let of = |names: &[&'static str], name: &str| names.iter().copied().find(|known| *known == name);
    if let Some((_, field)) = OF_SET.iter().find(|(column, _)| *column == name) {
        return Some((Column::OfSet(field), false));
    }
    let plain = match name {
        "set" => Some(Column::Set),
        "wcet" => Some(Column::Wcet),
        _ => of(&TEXTS, name)
            .map(Column::Text)
            .or_else(|| of(&VALUES, name).map(Column::Value))
            .or_else(|| of(&["serial", "conflict"], name).map(Column::Parameter)),
    };
    if let Some(column) = plain {
        return Some((column, false));
    }
    let (time, is_ns) = match name.strip_suffix("_ns") {
        Some(time) => (time, true),
        None => (name, false),
    };
    let column = match time {
        "wcet" => Column::Constant,
        "work" => Column::Work,
        time => match of(&TIMES, time) {
            Some(field) => Column::Time(field),
            None => point(time)?,
        },
    };
    Some((column, is_ns))
}

/// Returns the column of WCETs called `name`, such as `wcet_8`.
fn point(name: &str) -> Option<Column> {
    let of = |&(prefix, contention): &(&str, Contention)| {
        let sms = name.strip_prefix(prefix)?;
        let sms: u32 = sms
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(sms)?
            .parse()
            .ok()?;
        let in_range = (1..=MAX_SMS).contains(&sms);
        in_range.then_some(Column::Point(contention == Contention::Conflict, sms))
    };
    POINTS.iter().find_map(of)
}
