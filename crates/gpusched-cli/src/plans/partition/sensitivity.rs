//! Sensitivity of a plan as text.

use super::margin::times;
use crate::arguments::Case;
use crate::report::{Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::plan::Sensitivity;

/// Returns a table with the spare SMs of each partition and the WCET margin of each task. Each
/// entry assumes that all other values stay the same.
pub(super) fn edge(case: &Case<'_>, sensitivity: &Sensitivity, palette: &Palette) -> String {
    let tasks = sensitivity
        .partitions
        .iter()
        .enumerate()
        .flat_map(|(index, partition)| {
            let tasks = partition.tasks.iter().enumerate();
            tasks.map(move |(position, slack)| {
                ((position == 0).then_some((index, partition.spare_sms)), slack)
            })
        });
    let table = Table::of(tasks)
        .number("partition", |(first, _)| first.map(|(index, _)| index))
        .number("spare SMs", |(first, _)| first.map(|(_, spare)| spare))
        .text("task", |(_, slack)| clip(&case.set.label(slack.task), 40))
        .number("WCET may grow to", |(_, slack)| {
            times(slack.wcet_scaling_permille)
        });
    let free = sensitivity.free_sms;
    format!(
        "\n{}\nall WCETs may grow together to {}\n{} of the GPU {} free\n",
        table.done().render(palette.header).trim_end(),
        times(sensitivity.wcet_scaling_permille),
        counted(free, "SM"),
        if free == 1 { "is" } else { "are" }
    )
}
