//! Where measured points come from, according to the columns of their file.

use crate::report::profile_columns::{
    BLOCK_COLUMN, GPU_COLUMNS, NO_REASONS, ORIGIN_COLUMNS, REASON_MARK, STATE_COLUMNS,
};
use gpusched_model::MeasuredOn;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::provenance::{Locked, MeasuredClocks, MeasuredOnShape};
use gpusched_model::time::Time;
use gpusched_study::Table;

/// Returns the GPU and the tool of the measurements. Returns `None` if the file states neither of them.
///
/// # Errors
/// Fails for an invalid cell, and for rows from different GPUs or tools.
pub fn measured_on(table: &Table) -> Result<Option<MeasuredOn>> {
    let [gpu, tool, core, dram] = ORIGIN_COLUMNS;
    let [sms, _] = GPU_COLUMNS;
    let (gpu, tool) = (only(table, gpu)?, only(table, tool)?);
    if gpu.is_none() && tool.is_none() {
        return Ok(None);
    }
    let [
        uuid,
        driver,
        split,
        wait,
        date,
        locked,
        throttling,
        core_least,
        core_most,
        dram_least,
        dram_most,
        celsius_least,
        celsius_most,
    ] = STATE_COLUMNS;
    let clocks = MeasuredClocks {
        core_khz: number(table, core)?,
        dram_khz: number(table, dram)?,
        core_range_khz: range(table, [core_least, core_most])?,
        dram_range_khz: range(table, [dram_least, dram_most])?,
    };
    let shape = MeasuredOnShape {
        gpu,
        sms: number(table, sms)?,
        // The times of two GPUs belong to two WCETs, although the GPUs have one name.
        uuid: only(table, uuid)?,
        driver: common(table, driver),
        split: common(table, split),
        wait: common(table, wait),
        clocks: Some(clocks).filter(|clocks| *clocks != MeasuredClocks::default()),
        locked: is_locked(table, locked)?,
        throttling: reasons(table, throttling),
        celsius: range(table, [celsius_least, celsius_most])?,
        tool,
        date: common(table, date),
        samples: Some(samples(table)),
        ..MeasuredOnShape::default()
    };
    let measured = MeasuredOn::new(shape).map_err(|error| table.error(None, Refusal::told("", error)))?;
    Ok(Some(measured))
}

/// Returns the longest thread block of all rows. Returns `None` if a row does not state it.
///
/// # Errors
/// Fails for a cell that is not a positive number of nanoseconds.
pub fn block(table: &Table) -> Result<Option<Time>> {
    let Some(column) = table.find(BLOCK_COLUMN) else {
        return Ok(None);
    };
    let mut longest = Some(Time::ZERO);
    for row in 0..table.len() {
        let text = column.text(row).trim();
        let time = match text {
            "" => None,
            _ => {
                let ns = text.parse().ok().map(Time::from_ns);
                let time = ns.filter(|time| (Time::from_ns(1)..=Time::LIMIT).contains(time));
                let expected = "a positive number of nanoseconds, fewer than 2^63";
                let fault = || Refusal::new(BLOCK_COLUMN, format!("{text:?}"), expected);
                Some(time.ok_or_else(|| table.error(Some(row), fault()))?)
            }
        };
        longest = longest.zip(time).map(|(longest, time)| longest.max(time));
    }
    Ok(longest)
}

/// Returns the text that the column `name` has in all rows; `None` without this column, or if two cells differ.
fn common(table: &Table, name: &str) -> Option<String> {
    only(table, name).ok().flatten()
}

/// Returns whether the clocks could not change: yes if all rows say so, and unknown if any row says so.
fn is_locked(table: &Table, name: &str) -> Result<Option<Locked>> {
    let Some(column) = table.find(name) else {
        return Ok(None);
    };
    let mut found = None;
    for row in 0..table.len() {
        let text = column.text(row).trim();
        let one = match text {
            "" => Locked::Unknown,
            text => text.parse().map_err(|_| {
                let fault = Refusal::new(name, format!("{text:?}"), "yes or unknown");
                table.error(Some(row), fault)
            })?,
        };
        found = match found {
            Some(Locked::Unknown) => found,
            _ => Some(one),
        };
    }
    Ok(found)
}

/// Returns the reasons of all rows; `None` without the column `name`, or if a row states no reasons.
fn reasons(table: &Table, name: &str) -> Option<Vec<String>> {
    let column = table.find(name)?;
    let mut reasons: Vec<String> = Vec::new();
    for row in 0..table.len() {
        let text = column.text(row).trim();
        if text.is_empty() {
            return None;
        }
        for reason in text.split(REASON_MARK).filter(|reason| *reason != NO_REASONS) {
            if !reasons.iter().any(|known| known == reason) {
                reasons.push(reason.to_owned());
            }
        }
    }
    Some(reasons)
}

/// Returns the smallest and the largest value of two columns; `None` without the columns, or if a cell is empty.
///
/// # Errors
/// Fails for a cell that is no number.
fn range(table: &Table, names: [&str; 2]) -> Result<Option<[u32; 2]>> {
    let [Some(least), Some(most)] = names.map(|name| table.find(name)) else {
        return Ok(None);
    };
    let mut range: Option<[u32; 2]> = None;
    for row in 0..table.len() {
        let mut values = [0; 2];
        for (value, column) in values.iter_mut().zip([&least, &most]) {
            let text = column.text(row).trim();
            if text.is_empty() {
                return Ok(None);
            }
            *value = text.parse().map_err(|_| {
                let expected = "a whole number below 2^32";
                table.error(
                    Some(row),
                    Refusal::new(column.name(), format!("{text:?}"), expected),
                )
            })?;
        }
        let [low, high] = values;
        range = Some(range.map_or(values, |[least, most]| [least.min(low), most.max(high)]));
    }
    Ok(range)
}

/// Returns the number of measured runs. A row of a profile with variants states how many runs it covers.
fn samples(table: &Table) -> u64 {
    let runs = table.find("runs");
    let of_row = |row| runs.and_then(|column| column.text(row).trim().parse().ok());
    let rows = (0..table.len()).map(|row| of_row(row).unwrap_or(1));
    rows.fold(0, u64::saturating_add)
}

/// Returns the text that the column `name` has in all rows. Returns `None` without this column, or if its cells are empty.
///
/// # Errors
/// Fails if two cells differ.
pub fn only(table: &Table, name: &str) -> Result<Option<String>> {
    let Some(column) = table.find(name) else {
        return Ok(None);
    };
    let mut first: Option<&str> = None;
    for row in 0..table.len() {
        let text = column.text(row).trim();
        let expected = *first.get_or_insert(text);
        if text != expected {
            let expected = format!("{expected:?}, as in the first row");
            let fault = Refusal::new(name, format!("{text:?}"), expected);
            return Err(table.error(Some(row), fault));
        }
    }
    Ok(first.filter(|text| !text.is_empty()).map(str::to_owned))
}

/// Returns the number that the column `name` has in all rows, as [`only`] returns the text.
fn number(table: &Table, name: &str) -> Result<Option<u32>> {
    let text = only(table, name)?;
    let parsed = text.as_ref().map(|text| {
        text.parse().map_err(|_| {
            let fault = Refusal::new(name, format!("{text:?}"), "a whole number below 2^32");
            table.error(Some(0), fault)
        })
    });
    parsed.transpose()
}
