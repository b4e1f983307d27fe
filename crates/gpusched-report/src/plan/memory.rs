//! Memory traffic of the tasks and of other sources.

use gpusched_model::device::Granularity;
use gpusched_model::{Bandwidth, Bytes, Partition, Plan, TaskSet};
use serde::Serialize;

use crate::table::{Cell, Table};

/// Memory traffic, with a remark about its effect on the verdict.
#[derive(Serialize)]
pub struct Section {
    table: Option<Table>,
    note: String,
}

/// Returns the guaranteed bandwidth of the MIG instance of `partition`; `None` if the partitions share the memory.
pub fn of_instance(plan: &Plan, partition: &Partition) -> Option<Bandwidth> {
    let (memory, hardware) = (plan.memory?, plan.hardware.as_ref()?);
    let mig = hardware
        .device
        .mig()
        .filter(|_| hardware.granularity == Granularity::Mig)?;
    let whole = u128::from(memory.bandwidth.bytes_per_second());
    let share = whole * u128::from(mig.memory_of(partition.sms)?) / u128::from(mig.memory_slices.max(1));
    Bandwidth::new(u64::try_from(share).ok()?)
}

/// Whether each partition has its own memory slices.
pub fn is_divided(plan: &Plan) -> bool {
    let mut partitions = plan.partitions.iter();
    partitions.any(|partition| of_instance(plan, partition).is_some())
}

/// Returns the traffic of all tasks of `set`.
pub fn section(plan: &Plan, set: &TaskSet) -> Section {
    let divided = is_divided(plan);
    let time = plan.memory.and_then(|memory| memory.time);
    let note = match plan.memory {
        _ if time.is_some() => "The verdicts count the memory times of the jobs in other partitions, from the `sectors` of the tasks.".to_owned(),
        Some(memory) if divided => format!(
            "The memory has a guaranteed bandwidth of {}. Each MIG instance has the bandwidth of its memory slices for itself, so other instances never delay its kernels.",
            memory.bandwidth
        ),
        Some(memory) => format!(
            "All partitions share a memory with a guaranteed bandwidth of {}. The verdicts count the delay by the traffic of other partitions.",
            memory.bandwidth
        ),
        None => "The verdicts neglect the memory traffic of other partitions. The interference models with `bandwidth` count it.".to_owned(),
    };
    let known = set.tasks().iter().any(|task| task.traffic().is_some());
    if plan.memory.is_none() && !known && set.other_traffic().is_empty() {
        return Section { table: None, note };
    }
    let whole = plan
        .memory
        .filter(|_| time.is_none())
        .map(|memory| memory.bandwidth);
    let mut table = Table::new("memory", "Memory traffic of each source")
        .text("Source")
        .number("Partition")
        .valued("Traffic per job", "bytes")
        .time("Period T")
        .valued("Mean rate", "B/s");
    if whole.is_some() {
        table = table.number(match divided {
            true => "Share of the instance bandwidth",
            false => "Share of the bandwidth",
        });
    }
    for (index, task) in set.tasks().iter().enumerate() {
        let mut partitions = plan.partitions.iter();
        let partition = partitions.position(|partition| partition.tasks.contains(&index));
        let mut row = vec![set.label(index).into(), Cell::of(partition)];
        let found = partition.and_then(|partition| plan.partitions.get(partition));
        let instance = found.and_then(|partition| of_instance(plan, partition));
        row.extend(cells(
            task.traffic(),
            task.period().into(),
            task.period().ns(),
            instance.or(whole),
        ));
        table.rows.push(row);
    }
    for (index, other) in set.other_traffic().iter().enumerate() {
        let name = other
            .name
            .clone()
            .unwrap_or_else(|| format!("other traffic #{index}"));
        let mut row = vec![name.into(), Cell::none()];
        row.extend(cells(
            Some(other.traffic),
            other.period.into(),
            other.period.ns(),
            whole,
        ));
        table.rows.push(row);
    }
    Section {
        table: Some(table),
        note,
    }
}

/// Cells of one source: traffic, period, mean rate (rounded up), and share of `bandwidth`.
fn cells(traffic: Option<Bytes>, period: Cell, ns: u64, bandwidth: Option<Bandwidth>) -> Vec<Cell> {
    let rate = traffic.map(|traffic| traffic.nano().div_ceil(ns.max(1).into()));
    let rate = rate.and_then(|rate| Bandwidth::new(u64::try_from(rate).ok()?));
    let mut cells = vec![
        traffic.map_or_else(
            || "unknown".into(),
            |traffic| Cell::valued(traffic, traffic.bytes()),
        ),
        period,
        rate.map_or_else(Cell::none, |rate| Cell::valued(rate, rate.bytes_per_second())),
    ];
    if let Some(bandwidth) = bandwidth {
        let share =
            |rate: Bandwidth| rate.bytes_per_second() as f64 / bandwidth.bytes_per_second().max(1) as f64;
        cells.push(rate.map_or_else(Cell::none, |rate| Cell::share(share(rate))));
    }
    cells
}
