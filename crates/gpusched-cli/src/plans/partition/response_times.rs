//! Response times of a plan as text.

use crate::arguments::Case;
use crate::report::{Column, Table, clip};
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
    let mut table = Table::new([
        Column::Right("#"),
        Column::Left("task"),
        Column::Right("partition"),
        Column::Right("response"),
        Column::Right("D"),
    ]);
    for &(task, partition, time, deadline) in &rows {
        let name = case.set.tasks().get(task)?.name();
        table.row([
            task.to_string(),
            name.map_or("-".to_owned(), |name| clip(name, 40)),
            partition.to_string(),
            time.to_string(),
            deadline.to_string(),
        ]);
    }
    (!rows.is_empty()).then_some(table)
}
