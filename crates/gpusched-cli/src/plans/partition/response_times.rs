//! Table of the tasks of a plan: their limits and their response times, as text.

use crate::report::{Cell, Table, clip};
use gpusched_analysis::interference::{CoLocated, model_of};
use gpusched_model::plan::Partition;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Plan, TaskSet, Times};

/// A task of a plan.
struct Row {
    task: usize,
    partition: usize,
    wcet: Option<Time>,
    response: Option<Time>,
}

/// Returns a table of tasks with their deadlines. Tasks from measurements have their periods and their WCETs, too, because an option of the
/// measurement states them. `None` if no verdict contains response times and no task is from a measurement.
pub fn table(set: &TaskSet, plan: &Plan) -> Option<Table> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, partition) in plan.partitions.iter().enumerate() {
        let times = match &partition.verdict.evidence {
            Evidence::ResponseTimes {
                response_times_ns, ..
            } => &response_times_ns[..],
            _ => &[],
        };
        rows.extend(
            { partition.tasks.iter().enumerate() }.map(|(position, &task)| Row {
                task,
                partition: index,
                wcet: wcet(set, (plan, partition), task),
                response: times.get(position).copied(),
            }),
        );
    }
    let measured = set.times() == Some(Times::Gpu);
    let responds = rows.iter().any(|row| row.response.is_some());
    rows.retain(|row| measured || row.response.is_some());
    rows.sort_unstable_by_key(|row| row.task);
    let of = |row: &Row| set.tasks().get(row.task);
    let table = Table::of(&rows)
        .number("#", |row| row.task)
        .text("task", |row| {
            let name = of(row).and_then(|task| task.name());
            Cell::or(name.map(|name| clip(name, 40)), "-")
        })
        .number("partition", |row| row.partition)
        .time("period", |row| of(row).map(|task| task.period()))
        .shown(measured)
        .time("C(m)", |row| Cell::or(row.wcet, "-"))
        .shown(measured)
        .time("response", |row| Cell::or(row.response, "-"))
        .shown(responds)
        .time("D", |row| of(row).map(|task| task.deadline()));
    (!rows.is_empty()).then(|| table.done())
}

/// Returns the WCET of `task` on the SMs of its partition, under the interference model of the plan, without interference through memory.
fn wcet(set: &TaskSet, (plan, partition): (&Plan, &Partition), task: usize) -> Option<Time> {
    let co_located = partition.tasks.iter().filter_map(|&other| set.tasks().get(other));
    let model = model_of(plan.interference?);
    model.wcet(set.tasks().get(task)?, partition.sms, &CoLocated::of(co_located))
}
