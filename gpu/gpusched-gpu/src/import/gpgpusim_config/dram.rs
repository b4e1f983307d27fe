//! Options `-gpgpu_dram_*` and `-dram_*`: parameters of a DRAM channel.

use super::settings::Settings;
use super::value::{Value, unsigned};
use crate::machine::{BankGroupIndex, Dram, DramScheduler, DramTiming, Hash, WriteQueue};
use gpusched_model::error::Result;

const TIMING: &str = "-gpgpu_dram_timing_opt";

/// Names of the timing parameters, in the order of a value list without names. The last three parameters are optional.
const NAMES: [&str; 14] = [
    "nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL", "CDLR", "WR", "nbkgrp", "CCDL", "RTPL",
];

/// Default values of the last three parameters, which concern bank groups.
const NO_GROUPS: [u32; 3] = [1, 0, 0];

pub(super) fn dram(settings: &mut Settings) -> Result<Dram> {
    let queues = settings.flag("-dram_seperate_write_queue_enable", false)?;
    Ok(Dram {
        scheduler: settings.value("-gpgpu_dram_scheduler", "1")?.choice(
            &[(0, DramScheduler::Fifo), (1, DramScheduler::FrFcfs)],
            "0 (FIFO) or 1 (FR-FCFS)",
        )?,
        queue: settings.number("-gpgpu_frfcfs_dram_sched_queue_size", "0")?,
        return_queue: settings.number("-gpgpu_dram_return_queue_size", "0")?,
        write_queue: match queues {
            true => Some(write_queue(settings)?),
            false => {
                settings.optional("-dram_write_queue_size")?;
                None
            }
        },
        bus_bytes: settings.number("-gpgpu_dram_buswidth", "4")?,
        chips: settings.number("-gpgpu_n_mem_per_ctrlr", "1")?,
        burst_length: settings.number("-gpgpu_dram_burst_length", "4")?,
        data_command_ratio: settings.number("-dram_data_command_freq_ratio", "2")?,
        dual_bus: settings.flag("-dram_dual_bus_interface", false)?,
        no_turnaround: settings.flag("-dram_elimnate_rw_turnaround", false)?,
        bank_index: settings.value("-dram_bnk_indexing_policy", "0")?.choice(
            &[(0, Hash::Linear), (1, Hash::Xor), (2, Hash::Ipoly)],
            "0 (no hash function), 1 (XOR) or 2 (IPOLY)",
        )?,
        bank_group_index: settings.value("-dram_bnkgrp_indexing_policy", "0")?.choice(
            &[(0, BankGroupIndex::HighBits), (1, BankGroupIndex::LowBits)],
            "0 (high bits) or 1 (low bits)",
        )?,
        timing: timing(settings)?,
    })
}

fn write_queue(settings: &mut Settings) -> Result<WriteQueue> {
    let value = settings.value("-dram_write_queue_size", "32:28:16")?;
    match value
        .numbers(':', 3..=3, "queue size, high watermark and low watermark")?
        .as_slice()
    {
        &[size, high, low] => Ok(WriteQueue { size, high, low }),
        _ => Err(value.refuse("three numbers")),
    }
}

/// Reads the timing parameters: either `nbk=16:CCD=4:…` in any order, or numbers in the order of [`NAMES`].
fn timing(settings: &mut Settings) -> Result<DramTiming> {
    let value = settings.value(TIMING, "4:2:8:12:21:13:34:9:4:5:13:1:0:0")?;
    let given = match value.text.contains('=') {
        true => named(&value)?,
        false => {
            let numbers = value.numbers(':', 11..=14, &NAMES.join(":"))?;
            numbers.into_iter().map(Some).collect()
        }
    };
    let mut times = [0; NAMES.len()];
    for (place, time) in times.iter_mut().enumerate() {
        let name = NAMES.get(place).copied().unwrap_or_default();
        let optional = place.checked_sub(NAMES.len() - NO_GROUPS.len());
        let default = optional.and_then(|place| NO_GROUPS.get(place));
        *time = match (given.get(place).copied().flatten(), default) {
            (Some(time), _) => time,
            (None, Some(default)) => {
                settings.note_missing(format!("{TIMING}, {name}"), &default.to_string());
                *default
            }
            (None, None) => return Err(value.refuse(&format!("a parameter `{name}=…` in the value"))),
        };
    }
    let [
        banks,
        ccd,
        rrd,
        rcd,
        ras,
        rp,
        rc,
        cl,
        wl,
        cdlr,
        wr,
        bank_groups,
        ccdl,
        rtpl,
    ] = times;
    Ok(DramTiming {
        banks,
        bank_groups,
        ccd,
        rrd,
        rcd,
        ras,
        rp,
        rc,
        cl,
        wl,
        cdlr,
        wr,
        ccdl,
        rtpl,
    })
}

/// Reads the parameters from `name=number` pairs. Returns the values in the order of [`NAMES`]. If a parameter is
/// repeated, the last value applies.
fn named(value: &Value) -> Result<Vec<Option<u32>>> {
    let mut given = vec![None; NAMES.len()];
    let pairs = value.text.split([':', ';', ' ']).filter(|pair| !pair.is_empty());
    for pair in pairs {
        let Some((name, number)) = pair.split_once('=') else {
            return Err(value.refuse_part(pair, "a parameter such as CCD=4"));
        };
        let place = NAMES
            .iter()
            .position(|known| *known == name)
            .and_then(|place| given.get_mut(place));
        let Some(place) = place else {
            return Err(value.refuse_part(name, &format!("one of {}", NAMES.join(", "))));
        };
        let number =
            unsigned(number, 10).ok_or_else(|| value.refuse_part(pair, "a number of cycles after `=`"))?;
        *place = Some(number);
    }
    Ok(given)
}
