//! Tables of memory bandwidth budgets: the chosen budgets, and the WCET of each segment under its budget.

use gpusched_model::end_to_end::{Answer, BudgetEvidence, ChosenBudgets, ChosenGroup, System};

use crate::view::{Cell, Table};

/// Returns the groups of segments with their chosen budgets.
pub(super) fn groups(chosen: &ChosenBudgets, answer: &Answer) -> Table {
    Table::of(&chosen.groups)
        .text("Segments", |group| group.name.as_str())
        .number("Budget Q", |group| group.q.to_string())
        .time("Memory time b per regulation period", |group| {
            group.memory_time_ns
        })
        .number("Share of execution time", |group| {
            Cell::share(group.weight_ppb as f64 / 1e9)
        })
        .text("Not proven with b + 1 ns", |group| Cell::of(late(group, answer)))
        .done()
        .on_page(
            "groups",
            "Budgets of best-effort cores while the segments are in progress",
        )
}

/// Returns the names of the tasks and chains that fail with the next larger budget of `group`.
fn late(group: &ChosenGroup, answer: &Answer) -> Option<String> {
    let next = group.next.as_ref()?;
    let tasks = next
        .late_tasks
        .iter()
        .filter_map(|&task| Some(answer.tasks.get(task)?.name.as_str()));
    let chains =
        { next.late_chains.iter() }.filter_map(|&chain| Some(answer.chains.get(chain)?.name.as_str()));
    let names: Vec<&str> = tasks.chain(chains).collect();
    Some(match names.is_empty() {
        true => "the WCETs are invalid".to_owned(),
        false => names.join(", "),
    })
}

/// Returns the WCET of each segment under its budget. Wake-ups of dispatchers are no segments.
pub(super) fn segments(system: &System, budgets: &BudgetEvidence) -> Table {
    let tasks = system.tasks().iter().zip(&budgets.segments);
    Table::of(tasks.flat_map(|(task, found)| {
        let segments = task
            .segments
            .iter()
            .filter(|segment| !system.is_wake_up(segment.on));
        { segments.zip(found).enumerate() }
            .map(move |(position, (segment, found))| (task, position, segment, found))
    }))
    .text("Task", |(task, ..)| task.name.as_str())
    .number("Segment", |(_, position, ..)| *position)
    .text("Resource", |(_, _, segment, _)| system.resource_name(segment.on))
    .time("Memory time b", |(.., found)| found.memory_time_ns)
    .time("WCET G under the budget", |(.., found)| found.wcet_ns)
    .time("Interval ω that contains the segment", |(.., found)| {
        Cell::of(found.window_ns)
    })
    .done()
    .on_page(
        "budgets",
        "Segments with their budgets and WCETs, without overheads of dispatchers",
    )
}
