//! Sensitivity of a plan as text.

use super::margin::times;
use crate::arguments::Case;
use crate::report::{Column, Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::plan::Sensitivity;

/// Returns a table with the spare SMs of each partition and the WCET margin of each task. Each
/// entry assumes that all other values stay the same.
pub(super) fn edge(case: &Case<'_>, sensitivity: &Sensitivity, palette: &Palette) -> String {
    let mut table = Table::new(vec![
        Column::Right("partition"),
        Column::Right("spare SMs"),
        Column::Left("task"),
        Column::Right("WCET may grow to"),
    ]);
    for (index, partition) in sensitivity.partitions.iter().enumerate() {
        for (position, slack) in partition.tasks.iter().enumerate() {
            let first = |text: String| if position == 0 { text } else { String::new() };
            table.row(vec![
                first(index.to_string()),
                first(partition.spare_sms.to_string()),
                clip(&case.set.label(slack.task), 40),
                times(slack.wcet_scaling_permille),
            ]);
        }
    }
    let free = sensitivity.free_sms;
    format!(
        "\n{}\nall WCETs may grow together to {}\n{} of the GPU {} free\n",
        table.render(palette.header).trim_end(),
        times(sensitivity.wcet_scaling_permille),
        counted(free, "SM"),
        if free == 1 { "is" } else { "are" }
    )
}
