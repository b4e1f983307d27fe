//! Memory bandwidth budgets in results of `test` for end-to-end systems.

use crate::report::{Table, clip};
use gpusched_model::end_to_end::{BudgetEvidence, System, share};
use gpusched_model::error::{Error, Result};

/// Refuses `parameter`, which has no analysis for a system with budgets.
pub(super) fn refuse(parameter: &str, given: bool) -> Result<()> {
    match given {
        true => Err(Error::parameter(
            parameter,
            "a system with `budgets`",
            "a system without budgets, because no analysis counts both",
        )),
        false => Ok(()),
    }
}

/// Returns the segments of a system with budgets, with their WCETs.
pub(super) fn segments(system: &System, budgets: &BudgetEvidence) -> Table {
    let period = budgets.regulation_period_ns;
    let tasks = system.tasks().iter().zip(&budgets.segments);
    let rows = tasks.flat_map(|(task, found)| {
        let segments = task
            .segments
            .iter()
            .filter(|segment| !system.is_wake_up(segment.on));
        let segments = segments.zip(found).enumerate();
        segments.map(move |(position, (segment, found))| (task, position, segment.on, found))
    });
    let table = Table::of(rows)
        .text("task with budgets", |(task, position, ..)| match position {
            0 => clip(&task.name, 30),
            _ => String::new(),
        })
        .number("segment", |(_, position, ..)| *position)
        .text("on", |(_, _, on, _)| clip(system.resource_name(*on), 30))
        .text("Q", |(.., found)| {
            share(found.memory_time_ns.ns(), period).to_string()
        })
        .text("memory time", |(.., found)| {
            format!("{} of {period}", found.memory_time_ns)
        })
        .time("WCET", |(.., found)| found.wcet_ns);
    table.done()
}
