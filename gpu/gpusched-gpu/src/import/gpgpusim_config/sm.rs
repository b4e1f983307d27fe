//! Options `-gpgpu_shader_*` and related options: parameters of an SM.

use super::settings::Settings;
use super::times::{times, traced};
use super::unmodelled::SPECIALIZED_UNITS;
use super::value::Value;
use crate::machine::{
    Collectors, PerPipe, PipelineWidths, RegisterFile, Sm, SpecializedCollectors, SpecializedUnit,
    SpecializedUnits, Timing, Units, WARP_SIZE, WarpScheduler,
};
use gpusched_model::error::Result;

pub(super) fn sm(settings: &mut Settings) -> Result<Sm> {
    let pipeline = settings.value("-gpgpu_shader_core_pipeline", "1024:32")?;
    let threads = match pipeline
        .numbers(':', 2..=2, "number of threads and warp size")?
        .as_slice()
    {
        &[threads, WARP_SIZE] => threads,
        _ => return Err(pipeline.refuse("warps of 32 threads, such as 1024:32")),
    };
    let tensor = settings.flag("-gpgpu_tensor_core_avail", false)?;
    Ok(Sm {
        threads,
        blocks: settings.number("-gpgpu_shader_cta", "32")?,
        registers: settings.number("-gpgpu_shader_registers", "8192")?,
        registers_per_block: settings.number("-gpgpu_registers_per_block", "8192")?,
        schedulers: settings.number("-gpgpu_num_sched_per_core", "1")?,
        scheduler: scheduler(settings)?,
        sub_cores: settings.flag("-gpgpu_sub_core_model", false)?,
        issue_per_warp: settings.number("-gpgpu_max_insn_issue_per_warp", "2")?,
        dual_issue_distinct_units: settings.flag("-gpgpu_dual_issue_diff_exec_units", true)?,
        fetch_throughput: settings.number("-gpgpu_inst_fetch_throughput", "1")?,
        perfect_instruction_and_constant_caches: settings.flag("-gpgpu_perfect_inst_const_cache", false)?,
        widths: widths(settings, tensor)?,
        units: Units {
            sp: settings.number("-gpgpu_num_sp_units", "1")?,
            dp: settings.number("-gpgpu_num_dp_units", "0")?,
            int: settings.number("-gpgpu_num_int_units", "0")?,
            sfu: settings.number("-gpgpu_num_sfu_units", "1")?,
            tensor: match settings.number("-gpgpu_num_tensor_core_units", "0")? {
                units if tensor => units,
                _ => 0,
            },
        },
        specialized_units: specialized_units(settings)?,
        register_file: register_file(settings)?,
        times: times(settings)?,
    })
}

/// Reads the warp scheduler. gpusched requires the exact name, although GPGPU-Sim accepts any
/// value that contains the name.
fn scheduler(settings: &mut Settings) -> Result<WarpScheduler> {
    let value = settings.value("-gpgpu_scheduler", "gto")?;
    match value.text.as_str() {
        "lrr" => Ok(WarpScheduler::Lrr),
        "gto" => Ok(WarpScheduler::Gto),
        "old" | "oldest" => Ok(WarpScheduler::Oldest),
        _ => Err(value.refuse("lrr, gto or old")),
    }
}

/// Reads 13 pipeline widths, or 11 widths if the SM has no tensor cores.
fn widths(settings: &mut Settings, tensor: bool) -> Result<PipelineWidths> {
    let value = settings.value("-gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1,1,1")?;
    let of = "ID_OC_SP,DP,INT,SFU,MEM, OC_EX_SP,DP,INT,SFU,MEM, EX_WB, ID_OC_TENSOR_CORE, OC_EX_TENSOR_CORE";
    let least = if tensor { 13 } else { 11 };
    let mut numbers = value.numbers(',', least..=13, of)?;
    if !tensor {
        numbers.truncate(11);
    }
    numbers.resize(13, 0);
    let &[
        sp,
        dp,
        int,
        sfu,
        mem,
        ex_sp,
        ex_dp,
        ex_int,
        ex_sfu,
        ex_mem,
        ex_wb,
        id_tensor,
        ex_tensor,
    ] = numbers.as_slice()
    else {
        return Err(value.refuse("13 numbers"));
    };
    Ok(PipelineWidths {
        id_oc: PerPipe {
            sp,
            dp,
            int,
            sfu,
            mem,
            tensor: id_tensor,
        },
        oc_ex: PerPipe {
            sp: ex_sp,
            dp: ex_dp,
            int: ex_int,
            sfu: ex_sfu,
            mem: ex_mem,
            tensor: ex_tensor,
        },
        ex_wb,
    })
}

/// Reads the three options of one kind of operand collector. Each option has a default value.
macro_rules! collectors {
    ($settings:expr, $kind:literal, $units:literal, $ports:literal) => {
        Collectors {
            units: $settings.number(concat!("-gpgpu_operand_collector_num_units_", $kind), $units)?,
            in_ports: $settings.number(concat!("-gpgpu_operand_collector_num_in_ports_", $kind), $ports)?,
            out_ports: $settings.number(concat!("-gpgpu_operand_collector_num_out_ports_", $kind), $ports)?,
        }
    };
}

fn register_file(settings: &mut Settings) -> Result<RegisterFile> {
    let specialized = settings.flag("-gpgpu_enable_specialized_operand_collector", true)?;
    Ok(RegisterFile {
        banks: settings.number("-gpgpu_num_reg_banks", "8")?,
        banks_by_warp: settings.flag("-gpgpu_reg_bank_use_warp_id", false)?,
        reads_per_bank: settings.number("-gpgpu_reg_file_port_throughput", "1")?,
        generic: collectors!(settings, "gen", "0", "0"),
        specialized: match specialized {
            false => None,
            true => Some(SpecializedCollectors {
                sp: collectors!(settings, "sp", "4", "1"),
                dp: collectors!(settings, "dp", "0", "0"),
                int: collectors!(settings, "int", "0", "0"),
                sfu: collectors!(settings, "sfu", "4", "1"),
                mem: collectors!(settings, "mem", "2", "1"),
                tensor: collectors!(settings, "tensor_core", "4", "1"),
            }),
        },
    })
}

/// Options with the times of the specialized units.
const SPECIALIZED_TIMES: [&str; 4] = [
    "-trace_opcode_latency_initiation_spec_op_1",
    "-trace_opcode_latency_initiation_spec_op_2",
    "-trace_opcode_latency_initiation_spec_op_3",
    "-trace_opcode_latency_initiation_spec_op_4",
];

/// Reads the specialized units. In the opcode tables of Accel-Sim, the number of a unit determines its instructions.
fn specialized_units(settings: &mut Settings) -> Result<SpecializedUnits> {
    let mut units = [None; 4];
    for (unit, (option, time)) in units
        .iter_mut()
        .zip(SPECIALIZED_UNITS.into_iter().zip(SPECIALIZED_TIMES))
    {
        let default = Timing {
            latency: 4,
            initiation: 4,
        };
        let time = traced(settings, time)?.unwrap_or(default);
        let Some(value) = settings.optional(option)? else {
            continue;
        };
        let numbers = match value.text.rsplit_once(',') {
            Some((numbers, _name)) => Value {
                text: numbers.to_owned(),
                ..value
            },
            None => value,
        };
        let of = "enabled, units, largest latency, ID_OC, OC_EX, before the name";
        *unit = match *numbers.numbers(',', 5..=5, of)?.as_slice() {
            [0, ..] => None,
            [_, units, _, id_oc, oc_ex] => Some(SpecializedUnit {
                units,
                id_oc,
                oc_ex,
                time,
            }),
            _ => return Err(numbers.refuse("five numbers and a name")),
        };
    }
    let [branch, texture, tensor, uniform] = units;
    Ok(SpecializedUnits {
        branch,
        texture,
        tensor,
        uniform,
    })
}
