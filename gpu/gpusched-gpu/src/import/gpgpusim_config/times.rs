//! Options `-ptx_opcode_*`: latencies and initiation intervals of instructions.

use super::settings::Settings;
use super::value::Value;
use crate::machine::{FloatTimes, InstructionTimes, IntTimes, Timing};
use gpusched_model::error::Result;

const FIVE: &str = "ADD,MAX,MUL,MAD,DIV";

/// Reads the timing of all instructions. If the files include `trace.config` of Accel-Sim, all
/// instructions of a unit have equal timing.
pub(super) fn times(settings: &mut Settings) -> Result<InstructionTimes> {
    let int = ints(settings)?;
    let single = floats(
        settings,
        "-ptx_opcode_latency_fp",
        "1,1,1,1,30",
        "-ptx_opcode_initiation_fp",
        "1,1,1,1,5",
    )?;
    let double = floats(
        settings,
        "-ptx_opcode_latency_dp",
        "8,8,8,8,335",
        "-ptx_opcode_initiation_dp",
        "8,8,8,8,130",
    )?;
    let special = Timing {
        latency: settings.number("-ptx_opcode_latency_sfu", "8")?,
        initiation: settings.number("-ptx_opcode_initiation_sfu", "8")?,
    };
    let tensor = Timing {
        latency: settings.number("-ptx_opcode_latency_tesnor", "64")?,
        initiation: settings.number("-ptx_opcode_initiation_tensor", "64")?,
    };
    let of_floats = |time: Timing| FloatTimes {
        add: time,
        max: time,
        mul: time,
        mad: time,
        div: time,
    };
    let of_ints = |time: Timing| IntTimes {
        add: time,
        max: time,
        mul: time,
        mad: time,
        div: time,
        shuffle: time,
    };
    Ok(InstructionTimes {
        int: traced(settings, "-trace_opcode_latency_initiation_int")?.map_or(int, of_ints),
        single: traced(settings, "-trace_opcode_latency_initiation_sp")?.map_or(single, of_floats),
        double: traced(settings, "-trace_opcode_latency_initiation_dp")?.map_or(double, of_floats),
        special: traced(settings, "-trace_opcode_latency_initiation_sfu")?.unwrap_or(special),
        tensor: traced(settings, "-trace_opcode_latency_initiation_tensor")?.unwrap_or(tensor),
    })
}

/// Reads the timing that applies to all instructions of a unit.
pub(super) fn traced(settings: &mut Settings, option: &'static str) -> Result<Option<Timing>> {
    let Some(value) = settings.optional(option)? else {
        return Ok(None);
    };
    match value
        .numbers(',', 2..=2, "latency and initiation interval")?
        .as_slice()
    {
        &[latency, initiation] => Ok(Some(Timing { latency, initiation })),
        _ => Err(value.refuse("two numbers")),
    }
}

fn ints(settings: &mut Settings) -> Result<IntTimes> {
    let latencies = settings.value("-ptx_opcode_latency_int", "1,1,19,25,145,32")?;
    let initiations = settings.value("-ptx_opcode_initiation_int", "1,1,4,4,32,4")?;
    let latency = six(settings, &latencies, 32)?;
    let initiation = six(settings, &initiations, 4)?;
    let FloatTimes {
        add,
        max,
        mul,
        mad,
        div,
    } = pairs(latency.0, initiation.0);
    let shuffle = Timing {
        latency: latency.1,
        initiation: initiation.1,
    };
    Ok(IntTimes {
        add,
        max,
        mul,
        mad,
        div,
        shuffle,
    })
}

/// Reads the times of five arithmetic instructions and of a shuffle. If the sixth number is missing, GPGPU-Sim reads
/// uninitialized memory. In this case, gpusched uses the sixth number of the default in GPGPU-Sim.
fn six(settings: &mut Settings, value: &Value, shuffle: u32) -> Result<([u32; 5], u32)> {
    match *value.numbers(',', 5..=6, &format!("{FIVE}[,SHFL]"))?.as_slice() {
        [add, max, mul, mad, div, shuffle] => Ok(([add, max, mul, mad, div], shuffle)),
        [add, max, mul, mad, div] => {
            settings.note_missing(format!("{}, SHFL", value.option), &shuffle.to_string());
            Ok(([add, max, mul, mad, div], shuffle))
        }
        _ => Err(value.refuse("five or six numbers")),
    }
}

fn floats(
    settings: &mut Settings,
    latency: &'static str,
    latencies: &str,
    initiation: &'static str,
    initiations: &str,
) -> Result<FloatTimes> {
    let five = |value: Value| match *value.numbers(',', 5..=5, FIVE)?.as_slice() {
        [add, max, mul, mad, div] => Ok([add, max, mul, mad, div]),
        _ => Err(value.refuse("five numbers")),
    };
    let latencies = five(settings.value(latency, latencies)?)?;
    let initiations = five(settings.value(initiation, initiations)?)?;
    Ok(pairs(latencies, initiations))
}

fn pairs(latencies: [u32; 5], initiations: [u32; 5]) -> FloatTimes {
    let mut times = [Timing::ONE; 5];
    for (time, (latency, initiation)) in times.iter_mut().zip(latencies.into_iter().zip(initiations)) {
        *time = Timing { latency, initiation };
    }
    let [add, max, mul, mad, div] = times;
    FloatTimes {
        add,
        max,
        mul,
        mad,
        div,
    }
}
