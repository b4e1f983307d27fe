//! Reads measured points from CSV with the columns `sms`, `time_UNIT` and optionally `contention`.
//! A result of `simulate profile` has further columns: bandwidths, traffic, the GPU, the longest thread block, and a
//! column that marks estimates. The columns `gpu` and `tool` state where the points were measured.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;

use super::origin;
use crate::predict::{BANDWIDTHS, bandwidth_column, bandwidth_in, gpu_in};
use crate::report::profile_columns::{
    BLOCK_COLUMN, COLUMNS, ESTIMATE_COLUMN, GPU_COLUMNS, ORIGIN_COLUMNS, STATE_COLUMNS, TRAFFIC_COLUMNS,
    UNCERTAINTY_COLUMN, VARIATION_COLUMNS,
};
use gpusched_analysis::kernel_wcet::fit::classification::{Reason, utilization};
use gpusched_analysis::kernel_wcet::fit::envelope::Measured;
use gpusched_analysis::kernel_wcet::fit::points::{Points, check};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::traffic::Drain;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Bandwidth, Bytes, Estimated, Sectors, Times};
use gpusched_study::Table;

/// Names of the columns that may contain the times, each with its unit.
const TIMES: [(&str, &str); 4] = [
    ("time_ns", "ns"),
    ("time_us", "us"),
    ("time_ms", "ms"),
    ("time_s", "s"),
];

/// Columns about single jobs. The WCET is the longest time of all jobs, whatever these columns contain. They are the time on the GPU
/// alone, the state of the caches, the kernel in another partition, the number of the job, and the other kernel in the partition.
const JOB_COLUMNS: [&str; 5] = ["gpu_ns", "cache", "beside", "sample", "other"];

/// Names of the columns with the kernel, and with what the times include.
const STATED_COLUMNS: [&str; 2] = ["kernel", "times"];

/// Statements of a file about all its measurements.
pub struct Stated {
    /// Name of the kernel.
    pub kernel: Option<String>,
    /// Whether the times include the overheads of a dispatcher.
    pub times: Option<Times>,
    /// Numbers of SMs with isolated times of jobs with warm caches, but without times of jobs with cold caches.
    pub only_warm: Vec<u32>,
}

/// Returns the numbers of SMs with isolated jobs with warm caches only.
fn only_warm(table: &Table) -> Result<Vec<u32>> {
    let Some(cache) = table.find("cache") else {
        return Ok(Vec::new());
    };
    let (sms, contention) = (table.column("sms")?, table.find("contention"));
    let mut found: BTreeMap<u32, [bool; 2]> = BTreeMap::new();
    for row in 0..table.len() {
        let isolated = contention.is_none_or(|column| column.text(row).trim() == "isolated");
        if let (true, Ok(sms)) = (isolated, sms.text(row).trim().parse()) {
            let states = found.entry(sms).or_default();
            for (state, name) in states.iter_mut().zip(["warm", "cold"]) {
                *state |= cache.text(row).trim() == name;
            }
        }
    }
    let found = found.into_iter().filter(|(_, states)| *states == [true, false]);
    Ok(found.map(|(sms, _)| sms).collect())
}

/// Name of the column with the maximum memory traffic of the kernel [bytes].
const TRAFFIC_COLUMN: &str = "traffic_bytes";

/// Reads the file at `path`; `-` is standard input. Also returns what the file states about all its measurements.
///
/// # Errors
/// Fails with [`Error::Refused`] for a missing or unknown column, for a file without isolated measurements, or for an
/// invalid cell. The error states the line and the column of the cell.
pub fn read(path: &Path) -> Result<(Measured, Stated)> {
    let file = path.display().to_string();
    let bytes = bytes(path)?;
    let table = Table::from_reader(&file, bytes.as_slice()).map_err(as_csv)?;
    let whole = |found: &str, expected: &str| table.error(None, Refusal::new("", found, expected));
    let known = |name: &str| {
        ["sms", "contention"].contains(&name)
            || TIMES.iter().any(|(time, _)| *time == name)
            || [ESTIMATE_COLUMN, UNCERTAINTY_COLUMN].contains(&name)
            || COLUMNS.contains(&name)
            || GPU_COLUMNS.contains(&name)
            || ORIGIN_COLUMNS.contains(&name)
            || STATE_COLUMNS.contains(&name)
            || name == BLOCK_COLUMN
            || STATED_COLUMNS.contains(&name)
            || JOB_COLUMNS.contains(&name)
            || VARIATION_COLUMNS.contains(&name)
            || TRAFFIC_COLUMNS.contains(&name)
            || BANDWIDTHS.contains(&name)
    };
    if let Some(unknown) = table.columns().iter().find(|name| !known(name)) {
        let expected = "sms, time_ns (or time_us, time_ms, time_s), contention, bandwidth, and the columns of `simulate profile`";
        let unit = "name the unit of the times, as in `time_us`; for a profile, use `simulate profile … --format csv`";
        let error = whole(&format!("a column `{unknown}`"), expected);
        return Err(error.map_refusal(|refusal| refusal.hint(unit)));
    }
    // A truncated file may have lost the last digits of its last number.
    if !bytes.ends_with(b"\n") && table.columns().last().is_some_and(|name| name != "contention") {
        let line = 1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
        let refusal = Refusal::new(
            "",
            "no line break at the end",
            "a line break, because the last number may be cut off",
        );
        return Err(refusal.at(&file, line).into());
    }
    let times: Vec<_> = TIMES
        .iter()
        .filter_map(|(name, unit)| Some((table.find(name)?, *unit)))
        .collect();
    let [(time, unit)] = *times.as_slice() else {
        let found = format!("{} columns with times", times.len());
        return Err(whole(
            &found,
            "exactly one of the columns time_ns, time_us, time_ms, time_s",
        ));
    };
    let (sms, contention) = (table.column("sms")?, table.find("contention"));
    let rounds = table.find(ESTIMATE_COLUMN);
    let bandwidth = bandwidth_column(&table)?;
    // A measurement without bandwidths may state the SMs of the GPU alone.
    let [_, rate] = GPU_COLUMNS;
    let gpu = match bandwidth.is_some() || table.find(rate).is_some() {
        true => gpu_in(&table)?,
        false => None,
    };
    let bytes_moved = table.find(TRAFFIC_COLUMN);

    let (mut isolated, mut conflict, mut estimate) = (Vec::new(), Vec::new(), None);
    let (mut on_all, mut traffic) = (None, bytes_moved.map(|_| Bytes::default()));
    for row in 0..table.len() {
        let fail = |refusal: Refusal| table.error(Some(row), refusal);
        let found = sms.text(row).trim();
        let expected = || {
            let expected = format!("a number of SMs from 1 to {MAX_SMS}");
            fail(Refusal::new("sms", format!("{found:?}"), expected))
        };
        let m: u32 = found.parse().map_err(|_| expected())?;
        let found = time.text(row).trim();
        let expected = || {
            let expected =
                format!("a positive decimal number of {unit} that gives whole nanoseconds, fewer than 2^63");
            fail(Refusal::new(time.name(), format!("{found:?}"), expected))
        };
        let parsed: Time = format!("{found}{unit}").parse().map_err(|_| expected())?;
        check(m, parsed).map_err(|error| match (1..=MAX_SMS).contains(&m) {
            true => expected(),
            false => fail(Refusal::told("sms", error)),
        })?;
        if let Some(column) = bytes_moved {
            let found = column.text(row).trim();
            // If one row has no value, the traffic is unknown.
            traffic = match found {
                "" => None,
                _ => {
                    let moved = found.parse().ok().and_then(Bytes::new).ok_or_else(|| {
                        let expected = format!("a number of bytes up to {}", Bytes::LIMIT.bytes());
                        fail(Refusal::new(TRAFFIC_COLUMN, format!("{found:?}"), expected))
                    })?;
                    traffic.map(|before| before.max(moved))
                }
            };
        }
        let found = rounds.map_or(Ok(None), |column| estimated(column.text(row).trim()));
        let found = found.map_err(|message| fail(Refusal::told(ESTIMATE_COLUMN, message)))?;
        estimate = [estimate, found].into_iter().flatten().min();
        match contention.map_or("isolated", |column| column.text(row).trim()) {
            "isolated" => {
                isolated.push((m, parsed));
                if let (Some(name), Some(gpu)) = (bandwidth, gpu)
                    && gpu.sms == m
                {
                    on_all = on_all.max(bandwidth_in(&table, row, name)?);
                }
            }
            "conflict" => conflict.push((m, parsed)),
            found => {
                let refusal = Refusal::new("contention", format!("{found:?}"), "isolated or conflict");
                return Err(fail(refusal));
            }
        }
    }
    let (found, expected) = match conflict.is_empty() {
        true => ("no measurements", "at least one row"),
        false => (
            "measurements in conflict only",
            "also measurements with contention isolated",
        ),
    };
    let isolated = Points::new(isolated).map_err(|_| whole(found, expected))?;
    let conflict = match conflict.is_empty() {
        true => None,
        false => Some(Points::new(conflict).map_err(|error| Refusal::told("", error))?),
    };
    let utilization = match (bandwidth, gpu, on_all) {
        (None, _, _) => Err(Reason::NoBandwidth),
        _ if estimate.is_some() => Err(Reason::Estimated),
        (Some(_), None, _) => Err(Reason::UnknownGpu),
        (Some(_), Some(_), None) => Err(Reason::NotOnAllSms),
        (Some(_), Some(gpu), Some(on_all)) => Ok(utilization(on_all, gpu)),
    };
    let measured = Measured {
        isolated,
        conflict,
        estimate,
        utilization,
        // Omit the traffic of an estimate, because an estimate is not an upper bound.
        traffic: traffic.filter(|_| estimate.is_none()),
        sectors: sectors(&table)?,
        // A part of the blocks does not bound the longest block.
        block: origin::block(&table)?.filter(|_| estimate.is_none()),
        measured_on: origin::measured_on(&table)?,
    };
    let [kernel, times] = STATED_COLUMNS;
    let stated = Stated {
        kernel: origin::only(&table, kernel)?,
        times: times_of(&table, times)?,
        only_warm: only_warm(&table)?,
    };
    Ok((measured, stated))
}

/// Returns what the times include, if the column `name` states it in all rows.
fn times_of(table: &Table, name: &str) -> Result<Option<Times>> {
    let Some(text) = origin::only(table, name)? else {
        return Ok(None);
    };
    let times = [Times::Gpu, Times::Occupancy];
    let found = times.into_iter().find(|times| times.to_string() == text);
    let wrong = || {
        let refusal = Refusal::new(name, format!("{text:?}"), "gpu or occupancy");
        table.error(Some(0), refusal)
    };
    found.ok_or_else(wrong).map(Some)
}

/// Returns the maximum over all rows of the numbers of L2 sectors. Also returns the rates of the kernel in isolation, and
/// for how long its replies hold ports. Returns `None` if columns or values are absent.
fn sectors(table: &Table) -> Result<Option<Sectors>> {
    let columns = [
        "l2_reads",
        "l2_writes",
        "drain_l2_bytes_per_second",
        "drain_dram_bytes_per_second",
        "camping_percent",
        "l2_ways",
        "dram_reads",
        "dram_writes",
        "left_dirty",
        "hold",
        "blocks",
    ];
    let mut found = [None; 11];
    for (name, extreme) in columns.into_iter().zip(&mut found) {
        let Some(column) = table.find(name) else { continue };
        let numbers = (0..table.len()).map(|row| {
            let text = column.text(row).trim();
            let number = match text {
                "" => Some(None),
                _ => text.parse::<u64>().ok().map(Some),
            };
            number.ok_or_else(|| {
                table.error(
                    Some(row),
                    Refusal::new(name, format!("{text:?}"), "a whole number"),
                )
            })
        });
        let numbers = numbers.collect::<Result<Option<Vec<u64>>>>();
        let numbers = numbers?.unwrap_or_default().into_iter();
        // The safe extreme is the largest number of sectors, and the lowest rate. The ways of all rows must be equal.
        *extreme = match name {
            "l2_ways" => numbers
                .clone()
                .min()
                .filter(|least| numbers.max() == Some(*least)),
            _ if name.starts_with("drain") => numbers.min(),
            _ => numbers.max(),
        };
    }
    let [
        Some(reads),
        Some(writes),
        l2,
        dram,
        camping_percent,
        ways,
        dram_reads,
        dram_writes,
        left,
        hold,
        blocks,
    ] = found
    else {
        return Ok(None);
    };
    // The sectors at DRAM depend on the ways of L2, so they count only for a stated number of ways.
    let all = [ways, dram_reads, dram_writes, left];
    let own_dram = all.into_iter().collect::<Option<Vec<u64>>>();
    let own_dram = own_dram.map(|all| {
        all.iter()
            .skip(1)
            .fold(0, |sum: u64, next| sum.saturating_add(*next))
    });
    let rate = |rate: Option<u64>| rate.filter(|rate| *rate > 0).and_then(Bandwidth::new);
    let drain = rate(l2).zip(rate(dram)).map(|(l2, dram)| Drain { l2, dram });
    let accepting = accepting(table)?;
    let sectors = Sectors::new(reads, writes, drain);
    Ok(sectors.map(|sectors| Sectors {
        dram: own_dram.filter(|dram| *dram <= Sectors::LIMIT),
        camping_percent,
        hold: hold.filter(|hold| *hold <= Sectors::LIMIT),
        accepting,
        blocks: blocks.filter(|blocks| *blocks <= Sectors::LIMIT),
        ..sectors
    }))
}

/// Returns whether all rows of `table` state that SMs accept each reply at once.
fn accepting(table: &Table) -> Result<bool> {
    let Some(column) = table.find("accepting") else {
        return Ok(false);
    };
    let mut all = !table.is_empty();
    for row in 0..table.len() {
        all &= match column.text(row).trim() {
            "true" => true,
            "false" | "" => false,
            found => {
                let refusal = Refusal::new("accepting", format!("{found:?}"), "true or false");
                return Err(table.error(Some(row), refusal));
            }
        };
    }
    Ok(all)
}

/// Adds a hint to `error` if it is about a file that is not CSV.
fn as_csv(error: Error) -> Error {
    error.map_refusal(|refusal| {
        refusal.hint("`wcet fit` reads CSV; for a profile, use `simulate profile … --format csv`")
    })
}

/// Returns the mark of an estimated time in the cell `found`. Returns `None` for an empty cell, which means that the
/// time is not an estimate.
fn estimated(found: &str) -> Result<Option<Estimated>, String> {
    if found.is_empty() {
        return Ok(None);
    }
    let (least, most) = Estimated::ROUNDS.into_inner();
    let estimated = found.parse().ok().and_then(Estimated::new);
    estimated.map(Some).ok_or_else(|| {
        format!(
            "found {found:?}, expected {least} to {most} rounds, or an empty cell for a time that is not an estimate"
        )
    })
}

/// Longest file of measurements [bytes].
const LONGEST: u64 = 1 << 28;

/// Reads the file at `path`; `-` is standard input.
fn bytes(path: &Path) -> Result<Vec<u8>> {
    let source: Box<dyn io::Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(std::fs::File::open(path).map_err(|cause| Error::io(path, "open", cause))?),
    };
    let mut bytes = Vec::new();
    let read = source.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|cause| Error::io(path, "read", cause))?;
    match bytes.len() as u64 > LONGEST {
        true => Err(Error::file(path, "more than 2^28 bytes", "at most 2^28 bytes")),
        false => Ok(bytes),
    }
}
