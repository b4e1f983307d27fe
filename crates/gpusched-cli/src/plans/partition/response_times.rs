//! Response times of a plan as text.

use crate::arguments::Case;
use crate::report::{Cell, Table, clip};
use gpusched_model::{Evidence, Plan};

/// Returns a table of tasks and response times; `None` if no verdict contains response times.
pub(super) fn table(case: &Case<'_>, plan: &Plan) -> Option<Table> {
    let mut rows = Vec::new();
    for (index, partition) in plan.partitions.iter().enumerate() {
        let Evidence::ResponseTimes {
            response_times_ns, ..
        } = &partition.verdict.evidence
        else {
            continue;
        };
        for (&task, time) in partition.tasks.iter().zip(response_times_ns) {
            let deadline = case.set.tasks().get(task)?.deadline();
            rows.push((task, index, *time, deadline));
        }
    }
    rows.sort_unstable();
    let table = Table::of(&rows)
        .number("#", |(task, ..)| *task)
        .text("task", |(task, ..)| {
            let name = case.set.tasks().get(*task).and_then(|task| task.name());
            Cell::or(name.map(|name| clip(name, 40)), "-")
        })
        .number("partition", |(_, partition, ..)| *partition)
        .time("response", |(.., time, _)| *time)
        .time("D", |(.., deadline)| *deadline);
    (!rows.is_empty()).then(|| table.done())
}
