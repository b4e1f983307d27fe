//! Checks of a warp run after gpusched has read its file.

use std::collections::BTreeSet;

use super::{IndexSet, KernelSource, RunKernel, WarpRunShape};
use crate::gpu::MAX_CLIENTS;
use gpusched_model::Refusal;
use gpusched_model::warp_scenario::MAX_CYCLES;

pub(super) fn check(shape: &WarpRunShape) -> Result<(), Refusal> {
    if shape.kernels.is_empty() {
        return Refusal::refuse("kernels", "none", "at least one kernel");
    }
    let most = shape.machine.dispatch.kernels;
    if shape.kernels.len() > most as usize {
        let expected = format!("at most {most} kernels, the maximum that the machine can run concurrently");
        return Refusal::refuse("kernels", format!("{} kernels", shape.kernels.len()), expected);
    }
    if let Some(sms) = shape.sms {
        let (all, cluster) = (shape.machine.sms(), shape.machine.sms_per_cluster);
        if !(1..=all).contains(&sms) || !sms.is_multiple_of(cluster) {
            return Refusal::refuse("sms", sms, expected_sms(all, cluster));
        }
    }
    if shape.kernels.iter().all(|kernel| kernel.repeats) {
        return Refusal::refuse(
            "kernels",
            "only kernels that repeat",
            "at least one kernel that runs once",
        );
    }
    let mut names = BTreeSet::new();
    for (index, kernel) in shape.kernels.iter().enumerate() {
        let of = |field: &str| format!("kernels[{index}].{field}");
        if let Some(name) = &kernel.name
            && !names.insert(name)
        {
            return Refusal::refuse(of("name"), format!("{name:?} a second time"), "a unique name");
        }
        check_kernel(shape, kernel, &of)?;
        let (channels, ways) = (shape.machine.memory.channels, shape.machine.memory.l2.ways);
        let parts: [(&str, Part, u32); 2] = [
            ("channels", |kernel| kernel.channels.as_ref(), channels),
            ("l2_ways", |kernel| kernel.l2_ways.as_ref(), ways),
        ];
        for (field, part, count) in parts {
            check_part(&shape.kernels[..index], part(kernel), part, count)
                .map_err(|refusal| refusal.of_field(of(field)))?;
        }
        if let Some(channels) = &kernel.channels {
            shape
                .machine
                .memory
                .part(channels.indices().len() as u32)
                .map_err(|refusal| refusal.of_field(of("channels")))?;
        }
    }
    check_clients(shape)
}

fn check_clients(shape: &WarpRunShape) -> Result<(), Refusal> {
    let count = shape.clients.len();
    if count > MAX_CLIENTS {
        let expected = format!("at most {MAX_CLIENTS} memory clients");
        return Refusal::refuse("clients", format!("{count} memory clients"), expected);
    }
    if count > 0 && shape.restart_clocks {
        let expected = "false, because memory clients keep the GPU busy";
        return Refusal::refuse("restart_clocks", "true", expected);
    }
    let mut names = BTreeSet::new();
    for (index, client) in shape.clients.iter().enumerate() {
        let of = |field: &str| format!("clients[{index}].{field}");
        if !names.insert(&client.name) {
            let found = format!("{:?} a second time", client.name);
            return Refusal::refuse(of("name"), found, "a unique name");
        }
        client.check(&shape.machine, &of)?;
    }
    Ok(())
}

/// Function that returns the channels or the L2 ways that a kernel states.
type Part = fn(&RunKernel) -> Option<&IndexSet>;

/// Checks the channels or L2 ways `own` of a kernel. All numbers must be below `count`. Each kernel of `before` must
/// state the same numbers as `own`, or no common number.
fn check_part(before: &[RunKernel], own: Option<&IndexSet>, part: Part, count: u32) -> Result<(), Refusal> {
    if let Some(&found) = own.and_then(|own| own.indices().last())
        && found >= count
    {
        return Refusal::refuse("", found, format!("numbers from 0 to {}", count - 1));
    }
    let is_all = |set: Option<&IndexSet>| set.is_none_or(|set| set.indices().len() == count as usize);
    let in_conflict = |other: &RunKernel| match (part(other), own) {
        (Some(other), Some(own)) => other != own && other.overlaps(own),
        (other, own) => is_all(other) != is_all(own),
    };
    match before.iter().position(in_conflict) {
        None => Ok(()),
        Some(other) => {
            let expected = format!("the same numbers as `kernels[{other}]`, or no common number");
            let found = own.map_or("all".to_owned(), |own| format!("{:?}", own.indices()));
            Refusal::refuse("", found, expected)
        }
    }
}

/// Returns the description of a valid number of SMs.
fn expected_sms(all: u32, cluster: u32) -> String {
    match cluster {
        1 => format!("1 to {all}"),
        _ => format!("a multiple of {cluster}, the number of SMs of a cluster, up to {all}"),
    }
}

fn check_kernel(
    shape: &WarpRunShape,
    kernel: &RunKernel,
    of: &dyn Fn(&str) -> String,
) -> Result<(), Refusal> {
    if kernel.launch > MAX_CYCLES {
        return Refusal::refuse(of("launch"), kernel.launch, format!("at most cycle {MAX_CYCLES}"));
    }
    let scheduler = shape.scheduler();
    match (scheduler.has_budgets(), kernel.budget) {
        (true, None) => {
            let expected = format!("an issue budget, which scheduler {scheduler} requires");
            return Refusal::refuse(of("budget"), "none", expected);
        }
        (false, Some(found)) => {
            return Refusal::refuse(
                of("budget"),
                found,
                format!("no issue budget, because scheduler {scheduler} has no issue budgets"),
            );
        }
        _ => {}
    }
    if let Some(sms) = &kernel.sms
        && let Some(&found) = sms.indices().last()
        && found >= shape.sms()
    {
        let expected = format!("SM numbers from 0 to {}", shape.sms().saturating_sub(1));
        return Refusal::refuse(of("sms"), found, expected);
    }
    if kernel.resident == Some(0) {
        return Refusal::refuse(of("resident"), 0, "at least 1");
    }
    if matches!(kernel.program, KernelSource::Trace(_)) {
        if kernel.repeats {
            return Refusal::refuse(
                of("repeats"),
                "true",
                "false, because a trace delivers each block once",
            );
        }
        let expected =
            "no value, because a trace states the grid size, block size and parameters of its kernel";
        if let Some(grid) = kernel.grid {
            return Refusal::refuse(of("grid"), grid, expected);
        }
        if let Some(block) = kernel.block {
            return Refusal::refuse(of("block"), block, expected);
        }
        if !kernel.parameters.is_empty() {
            return Refusal::refuse(of("parameters"), "new values", expected);
        }
    }
    Ok(())
}
