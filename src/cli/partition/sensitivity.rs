//! How far a plan is from the edge, for people.

use crate::cli::arguments::Case;
use crate::cli::report::{Column, Palette, Table, clip};
use crate::model::plan::Sensitivity;
use crate::model::words::counted;
use crate::partitioning::sensitivity::LARGEST_SCALING;

/// What may still change, one thing at a time.
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
            let permille = slack.wcet_scaling_permille;
            table.row(vec![
                first(index.to_string()),
                first(partition.spare_sms.to_string()),
                clip(&case.set.label(slack.task), 40),
                match permille {
                    LARGEST_SCALING.. => format!("{} times or more", LARGEST_SCALING / 1000),
                    _ => format!("{}.{:03} times", permille / 1000, permille % 1000),
                },
            ]);
        }
    }
    let free = sensitivity.free_sms;
    format!(
        "\n{}\n{} of the GPU {} free\n",
        table.render(palette.header).trim_end(),
        counted(free, "SM"),
        if free == 1 { "is" } else { "are" }
    )
}
