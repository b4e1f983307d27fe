//! Memory traffic of the tasks and of other sources.

use gpusched_model::device::Granularity;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Bytes, Partition, Plan, TaskSet};
use serde::Serialize;

use crate::view::{Cell, Table};

/// Memory traffic, with a remark about its effect on the verdict.
#[derive(Serialize)]
pub struct Section {
    table: Option<Table>,
    note: String,
}

impl Section {
    /// Returns the table of the memory traffic.
    pub fn table(&self) -> &Option<Table> {
        &self.table
    }
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
    let tasks = set.tasks().iter().enumerate().map(|(index, task)| {
        let mut partitions = plan.partitions.iter();
        let partition = partitions.position(|partition| partition.tasks.contains(&index));
        let found = partition.and_then(|partition| plan.partitions.get(partition));
        let instance = found.and_then(|partition| of_instance(plan, partition));
        Source {
            name: set.label(index),
            partition,
            traffic: task.traffic(),
            period: task.period(),
            bandwidth: instance.or(whole),
        }
    });
    let others = set
        .other_traffic()
        .iter()
        .enumerate()
        .map(|(index, other)| Source {
            name: other
                .name
                .clone()
                .unwrap_or_else(|| format!("other traffic #{index}")),
            partition: None,
            traffic: Some(other.traffic),
            period: other.period,
            bandwidth: whole,
        });
    let table = Table::of(tasks.chain(others))
        .text("Source", |source| source.name.clone())
        .number("Partition", |source| Cell::of(source.partition))
        .valued("Traffic per job", "bytes", |source| {
            let cell = |traffic: Bytes| Cell::valued(traffic, traffic.bytes());
            source.traffic.map_or_else(|| "unknown".into(), cell)
        })
        .time("Period T", |source| source.period)
        .valued("Mean rate", "B/s", |source| {
            Cell::of(
                source
                    .rate()
                    .map(|rate| Cell::valued(rate, rate.bytes_per_second())),
            )
        })
        .when(whole.is_some(), |table| {
            let title = match divided {
                true => "Share of the instance bandwidth",
                false => "Share of the bandwidth",
            };
            table.number(title, |source| Cell::of(source.share().map(Cell::share)))
        });
    Section {
        table: Some(table.done().on_page("memory", "Memory traffic of each source")),
        note,
    }
}

/// A source of memory traffic.
struct Source {
    name: String,
    partition: Option<usize>,
    traffic: Option<Bytes>,
    period: Time,
    /// Bandwidth that the source shares.
    bandwidth: Option<Bandwidth>,
}

impl Source {
    /// Returns the mean rate, rounded up.
    fn rate(&self) -> Option<Bandwidth> {
        let rate = self.traffic?.nano().div_ceil(self.period.ns().max(1).into());
        Bandwidth::new(u64::try_from(rate).ok()?)
    }

    /// Returns the share of the bandwidth.
    fn share(&self) -> Option<f64> {
        let (rate, bandwidth) = (self.rate()?, self.bandwidth?);
        Some(rate.bytes_per_second() as f64 / bandwidth.bytes_per_second().max(1) as f64)
    }
}
