//! Memory profiles that a group of kernels names. A memory profile is a published profile, a JSON file, or a CSV file
//! such as a result of `simulate profile`.

use std::path::{Path, PathBuf};

use crate::report::profile_columns::{BLOCK_COLUMN, COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS, ORIGIN_COLUMNS};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::memory_profile::{MeasuredGpu, MemoryPoint, MemoryProfileShape};
use gpusched_model::reader::MemoryProfiles;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Factor, MemoryProfile};
use gpusched_study::Table;

/// Names of the columns that may contain the times, each with its unit.
const TIMES: [(&str, &str); 4] = [
    ("time_ns", "ns"),
    ("time_us", "us"),
    ("time_ms", "ms"),
    ("time_s", "s"),
];

/// Names of the columns that may contain the bandwidths.
pub const BANDWIDTHS: [&str; 2] = ["l2_bytes_per_second", "bandwidth"];

/// Returns the published profile called `name`, or the profile in the file `name`, relative to
/// `folder`. Adds this file to `files`. `refuse` creates the error for a name that is neither a published profile nor a
/// file.
///
/// # Errors
/// Fails for an unknown name, or if the file cannot be read.
pub fn find(
    folder: &Path,
    name: &str,
    files: &mut Vec<PathBuf>,
    refuse: impl Fn(String, String) -> Error,
) -> Result<MemoryProfile> {
    let mut file = || {
        let path = folder.join(name);
        files.push(path.clone());
        path
    };
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    // For an error in the content of a file, the message names the file. For a missing file, the
    // message names the place in the group.
    let read = |profile: Result<MemoryProfile>| match profile {
        Err(Error::Io { path, action, cause }) => {
            let why = format!("cannot {action} {}: {cause}", path.display());
            let expected = format!("a readable profile ({why})");
            Err(refuse(format!("{name:?}"), expected))
        }
        other => other,
    };
    match ending {
        Some("json") => read(MemoryProfiles::only(file(), "profile")),
        Some("csv") => read(read_csv(&file())),
        _ => MemoryProfile::published(name).ok_or_else(|| {
            let known: Vec<String> = MemoryProfile::all_published()
                .map(|profile| profile.name().to_owned())
                .collect();
            let known = known.join(", ");
            let expected = format!("a file that ends in .json or .csv, or one of {known}");
            refuse(format!("{name:?}"), expected)
        }),
    }
}

/// Reads a profile from the CSV file at `path`. The profile has the name of the file.
fn read_csv(path: &Path) -> Result<MemoryProfile> {
    let table = Table::read(path)?;
    let times = TIMES.map(|(name, _)| name);
    let known = |name: &str| {
        name == "sms"
            || times.contains(&name)
            || BANDWIDTHS.contains(&name)
            || COLUMNS.contains(&name)
            || GPU_COLUMNS.contains(&name)
            || ORIGIN_COLUMNS.contains(&name)
            || name == BLOCK_COLUMN
    };
    if table.find(ESTIMATE_COLUMN).is_some() {
        let found = format!("a column `{ESTIMATE_COLUMN}`");
        let expected = "times that were measured or simulated in full (`simulate profile` without --estimate), because a \
                        prediction does not state that it uses an estimate";
        return Err(table.error(None, Refusal::new("", found, expected)));
    }
    if let Some(unknown) = table.columns().iter().find(|name| !known(name)) {
        let found = format!("a column `{unknown}`");
        let expected = "sms, time_ns (or time_us, time_ms, time_s), bandwidth [GB/s] or the columns of `simulate profile`";
        return Err(table.error(None, Refusal::new("", found, expected)));
    }
    let time = only(&table, &times, "times")?;
    let bandwidth = only(&table, &BANDWIDTHS, "bandwidths")?;
    let counted = ["thread_instructions", "l2_accesses"].map(|name| table.find(name).is_some());
    let stem = path.file_stem().unwrap_or_default();
    let mut shape = MemoryProfileShape {
        name: stem.to_string_lossy().into_owned(),
        gpu: gpu_in(&table)?,
        ..MemoryProfileShape::default()
    };
    for row in 0..table.len() {
        let row = Row { table: &table, row };
        shape.points.push(MemoryPoint {
            sms: row.needed("sms", "a number of SMs", |text| text.parse().ok())?,
            time: row.optional(time, "a positive decimal number, in whole nanoseconds", |text| {
                time_in(time, text)
            })?,
            bandwidth: bandwidth_in(&table, row.row, bandwidth)?,
        });
        // Eqs 1 and 3 of [Masola23] use values measured on all SMs. The last row has the most
        // SMs.
        if counted == [true, true] {
            let count = |text: &str| text.parse::<u64>().ok();
            let instructions = row.needed("thread_instructions", "a whole number", count)?;
            let accesses = row.needed("l2_accesses", "a whole number", count)?;
            (shape.instructions, shape.l2_accesses) = match accesses {
                0 => (None, None),
                _ => (Some(instructions), Some(accesses)),
            };
        }
    }
    MemoryProfile::try_from(shape).map_err(|error| table.error(None, error))
}

/// Returns the column with a bandwidth, if there is one.
///
/// # Errors
/// Fails for more than one such column.
pub fn bandwidth_column(table: &Table) -> Result<Option<&'static str>> {
    match BANDWIDTHS.iter().any(|name| table.find(name).is_some()) {
        true => only(table, &BANDWIDTHS, "bandwidths").map(Some),
        false => Ok(None),
    }
}

/// Returns the bandwidth in the column `name`, which is one of [`BANDWIDTHS`]. Returns `None` for
/// an empty cell.
///
/// # Errors
/// Fails if the cell contains anything except a bandwidth.
pub fn bandwidth_in(table: &Table, row: usize, name: &str) -> Result<Option<Factor>> {
    let expected = "a bandwidth up to 1000000 GB/s with at most nine decimals of GB/s";
    Row { table, row }.optional(name, expected, |text| match name {
        "bandwidth" => text.parse().ok().and_then(Factor::from_f64),
        _ => text.parse().ok().and_then(Factor::from_billionths),
    })
}

/// Returns the GPU on which all measurements were made; `None` if the table has no columns about the GPU.
///
/// # Errors
/// Fails if only one of [`GPU_COLUMNS`] is present, for an invalid cell, or for rows of different GPUs.
pub fn gpu_in(table: &Table) -> Result<Option<MeasuredGpu>> {
    let [sms, rate] = GPU_COLUMNS;
    if GPU_COLUMNS.iter().all(|name| table.find(name).is_none()) {
        return Ok(None);
    }
    let mut gpu = None;
    for row in 0..table.len() {
        let cells = Row { table, row };
        let of_row = MeasuredGpu {
            sms: cells.needed(sms, "the total number of SMs of the GPU", |text| {
                text.parse().ok().filter(|sms| (1..=MAX_SMS).contains(sms))
            })?,
            bandwidth: cells.needed(
                rate,
                "the nominal bandwidth of the GPU in bytes per second, at least 10^9",
                |text| {
                    let rate = text.parse().ok().and_then(Factor::from_billionths);
                    rate.filter(|&rate| rate >= Factor::ONE) // a smaller number probably has another unit
                },
            )?,
        };
        if *gpu.get_or_insert(of_row) != of_row {
            let refusal = Refusal::new(
                sms,
                "a GPU that differs from the GPU of previous rows",
                "the same GPU in all rows",
            );
            return Err(table.error(Some(row), refusal));
        }
    }
    Ok(gpu)
}

/// Returns the name in `names` that is a column of `table`. Fails unless there is exactly one
/// such column. In the error, `what` describes the content of this column.
fn only<'n>(table: &Table, names: &[&'n str], what: &str) -> Result<&'n str> {
    let found: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| table.find(name).is_some())
        .collect();
    match found.as_slice() {
        [name] => Ok(name),
        _ => {
            let names = names.join(", ");
            let found = format!("{} columns with {what}", found.len());
            let refusal = Refusal::new("", found, format!("one of {names}"));
            Err(table.error(None, refusal))
        }
    }
}

/// Parses the time `text`. `name` is the name of the column, which determines the unit.
fn time_in(name: &str, text: &str) -> Option<Time> {
    let (_, unit) = TIMES.iter().find(|(known, _)| *known == name)?;
    let time: Option<Time> = format!("{text}{unit}").parse().ok();
    time.filter(|&time| time > Time::ZERO)
}

/// A row of a table.
struct Row<'t> {
    table: &'t Table,
    row: usize,
}

impl Row<'_> {
    /// Returns the value of the cell in column `name`, as parsed by `read`.
    fn needed<T>(&self, name: &str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        let text = self.table.column(name)?.text(self.row).trim();
        read(text).ok_or_else(|| {
            let refusal = Refusal::new(name, format!("{text:?}"), expected);
            self.table.error(Some(self.row), refusal)
        })
    }

    /// Returns the value of the cell in column `name`, as parsed by `read`. Returns `None` for an
    /// empty cell.
    fn optional<T>(&self, name: &str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        match self.table.column(name)?.text(self.row).trim() {
            "" => Ok(None),
            _ => self.needed(name, expected, read).map(Some),
        }
    }
}
