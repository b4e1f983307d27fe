//! Checks of the machine features. gpusched rejects every unsupported value and never silently
//! ignores a field.

use super::super::memory::Crossbar;
use super::super::sm::{FEW_SCHEDULERS, MAX_SCHEDULERS};
use super::{Failure, Launch};
use crate::machine::{
    Cache, L1, MachineShape, Memory, MshrKind, SharedMemory, Sm, WriteAllocation, WritePolicy,
};
use crate::memory::request::Request;

/// Maximum number of register banks of an SM. The same limit applies to its operand collectors.
const MAX_BANKS: u32 = 64;

/// Checks that the simulator supports all features of the machine.
pub fn machine(machine: &MachineShape) -> Result<(), Failure> {
    parts(machine).map_err(|refusal| refusal.of(machine))
}

/// Field of a machine that the simulator rejects.
struct Refusal {
    field: &'static str,
    found: String,
    expected: &'static str,
}

impl Refusal {
    fn of(self, machine: &MachineShape) -> Failure {
        Failure::Unsupported {
            machine: machine.name.clone(),
            field: self.field,
            found: self.found,
            expected: self.expected,
        }
    }
}

fn parts(machine: &MachineShape) -> Result<(), Refusal> {
    sm(&machine.sm)?;
    l1(&machine.l1)?;
    shared_memory(&machine.shared_memory)?;
    let ports = Crossbar::<Request>::MAX_PORTS;
    let within = |field, count: u32| demand(count as usize <= ports, field, count, "at most 128");
    within("clusters", machine.clusters)?;
    let net = &machine.interconnect;
    demand(net.subnets == 2, "interconnect.subnets", net.subnets, "2")?;
    demand(
        net.grant_cycles == 1,
        "interconnect.grant_cycles",
        net.grant_cycles,
        "1",
    )?;
    within(
        "memory.channels times slices_per_channel",
        machine.memory.slices(),
    )?;
    memory(&machine.memory)
}

/// Maximum number of kernels of a run. Requests contain the number of their kernel in 8 bits.
const MOST_KERNELS: usize = 256;

/// Checks whether each kernel fits on the machine.
pub fn kernels(machine: &MachineShape, kernels: &[Launch]) -> Result<(), Failure> {
    let places = machine.dispatch.kernels;
    if kernels.len() > places as usize {
        let expected = "at least the number of kernels in the scenario";
        return demand(false, "dispatch.kernels", places, expected).map_err(|refusal| refusal.of(machine));
    }
    if kernels.len() > MOST_KERNELS {
        let expected = "at most 256 kernels in the scenario";
        return demand(false, "dispatch.kernels", kernels.len(), expected)
            .map_err(|refusal| refusal.of(machine));
    }
    for kernel in kernels {
        let need = &kernel.need;
        let fits = need.threads > 0
            && machine.blocks_per_sm(need) > 0
            && need.block_registers() <= u64::from(machine.sm.registers_per_block)
            && need.shared_bytes <= machine.shared_memory.bytes_per_block;
        if !fits {
            return Err(Failure::TooLarge {
                kernel: kernel.name.clone(),
                threads: need.threads,
                registers: need.registers,
                shared_bytes: need.shared_bytes,
            });
        }
    }
    Ok(())
}

fn sm(sm: &Sm) -> Result<(), Refusal> {
    demand(sm.sub_cores, "sm.sub_cores", sm.sub_cores, "true")?;
    demand(
        sm.schedulers as usize <= MAX_SCHEDULERS && sm.warps().is_multiple_of(sm.schedulers),
        "sm.schedulers",
        sm.schedulers,
        "at most 8 schedulers, and a divisor of the number of warps",
    )?;
    demand(
        sm.issue_per_warp == 1,
        "sm.issue_per_warp",
        sm.issue_per_warp,
        "1",
    )?;
    demand(
        sm.perfect_instruction_and_constant_caches,
        "sm.perfect_instruction_and_constant_caches",
        false,
        "true",
    )?;
    let each = |count: u32, optional: bool| count == sm.schedulers || optional && count == 0;
    let units = &sm.units;
    demand(
        each(units.sp, false)
            && each(units.sfu, false)
            && [units.dp, units.int, units.tensor]
                .iter()
                .all(|&units| each(units, true)),
        "sm.units",
        json(units),
        "one unit of each kind per scheduler; dp, int and tensor may be 0",
    )?;
    for (field, widths) in [
        ("sm.widths.id_oc", &sm.widths.id_oc),
        ("sm.widths.oc_ex", &sm.widths.oc_ex),
    ] {
        demand(
            each(widths.sp, false)
                && each(widths.sfu, false)
                && each(widths.mem, false)
                && each(widths.dp, units.dp == 0)
                && each(widths.int, units.int == 0)
                && each(widths.tensor, units.tensor == 0),
            field,
            json(widths),
            "one pipeline register per scheduler for each kind of unit",
        )?;
    }
    demand(
        sm.specialized_units.is_empty() || sm.schedulers as usize <= FEW_SCHEDULERS,
        "sm.schedulers",
        sm.schedulers,
        "at most 4 schedulers on an SM with specialized units",
    )?;
    for (name, unit) in sm.specialized_units.named() {
        let Some(unit) = unit else { continue };
        demand(
            [unit.units, unit.id_oc, unit.oc_ex] == [sm.schedulers; 3],
            match name {
                "branch" => "sm.specialized_units.branch",
                "texture" => "sm.specialized_units.texture",
                "tensor" => "sm.specialized_units.tensor",
                _ => "sm.specialized_units.uniform",
            },
            json(&unit),
            "one unit and one pipeline register per scheduler",
        )?;
    }
    let file = &sm.register_file;
    demand(
        (file.banks / sm.schedulers).is_power_of_two() && file.banks <= MAX_BANKS,
        "sm.register_file.banks",
        file.banks,
        "at most 64 banks, with a power of two of banks per scheduler",
    )?;
    let specialized = if file.specialized.is_some() {
        "given"
    } else {
        "none"
    };
    demand(
        file.specialized.is_none(),
        "sm.register_file.specialized",
        specialized,
        "none",
    )?;
    let shifted = file.banks_by_warp;
    demand(!shifted, "sm.register_file.banks_by_warp", shifted, "false")?;
    let collectors = &file.generic;
    demand(
        collectors.units <= MAX_BANKS && collectors.units.is_multiple_of(sm.schedulers),
        "sm.register_file.generic.units",
        collectors.units,
        "at most 64 units, and a multiple of the number of schedulers",
    )
}

fn l1(l1: &L1) -> Result<(), Refusal> {
    let sectors = "at least 40 (memory accesses in sectors of 32 bytes)";
    demand(l1.coalescing >= 40, "l1.coalescing", l1.coalescing, sectors)?;
    demand(l1.ports == 1, "l1.ports", l1.ports, "1")?;
    match &l1.cache {
        Some(l1) => cache(l1, WritePolicy::WriteThrough, "l1.cache"),
        None => Ok(()),
    }
}

fn shared_memory(shared: &SharedMemory) -> Result<(), Refusal> {
    let limited = shared.limited_broadcast;
    demand(!limited, "shared_memory.limited_broadcast", limited, "false")?;
    let parts = shared.warp_parts;
    demand(parts == 1, "shared_memory.warp_parts", parts, "1")
}

fn memory(memory: &Memory) -> Result<(), Refusal> {
    let places = memory.queues.icnt_to_l2;
    demand(
        places >= 4,
        "memory.queues.icnt_to_l2",
        places,
        "at least 4, because a slice accepts requests only if its queue has 4 free places",
    )?;
    let flush = memory.flush_l2;
    demand(!flush, "memory.flush_l2", flush, "false")?;
    cache(&memory.l2, WritePolicy::WriteBack, "memory.l2")
}

fn cache(cache: &Cache, policy: WritePolicy, field: &'static str) -> Result<(), Refusal> {
    let simulated = cache.sectored
        && cache.line_bytes == 128
        && cache.write_policy == policy
        && cache.write_allocation == WriteAllocation::LazyFetchOnRead
        && cache.mshr_kind == MshrKind::Associative
        && cache.miss_queue >= 2;
    demand(
        simulated,
        field,
        json(cache),
        "a sectored cache with lines of 128 bytes, write-through (L1) or write-back (L2), lazy fetch on read, \
         associative MSHRs, and a miss queue of at least 2 entries",
    )
}

/// Formats a part of the machine as JSON, as in a machine file.
fn json(part: &impl serde::Serialize) -> String {
    serde_json::to_string(part).unwrap_or_default()
}

fn demand(
    holds: bool,
    field: &'static str,
    found: impl std::fmt::Display,
    expected: &'static str,
) -> Result<(), Refusal> {
    if holds {
        return Ok(());
    }
    Err(Refusal {
        field,
        found: found.to_string(),
        expected,
    })
}
