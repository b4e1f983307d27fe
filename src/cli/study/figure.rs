//! The figures of a study.

use std::collections::BTreeSet;

use crate::artifact::Artifact;
use crate::error::Result;
use crate::plot::{Options, Selection, line_chart};
use crate::study::{FigureTable, Study, Table};

/// Draws the figure of `study` from its results: over the utilization, or over the number of tasks where the study has
/// more of these. What varies beside that gets one figure for each value.
pub fn draw(study: &Study) -> Result<()> {
    let (spec, folder) = (&study.spec, &study.folder);
    let path = match spec.figure().table {
        FigureTable::Results => folder.results(),
        FigureTable::Timing => folder.timing(),
    };
    let tables = [Table::read(path)?];
    let utilizations: BTreeSet<_> = spec.points().iter().map(|point| point.utilization).collect();
    let tasks: BTreeSet<_> = spec.points().iter().map(|point| point.tasks).collect();
    let over_tasks = tasks.len() > utilizations.len();
    let (x, column, values): (_, _, Vec<String>) = match over_tasks {
        true => (
            "tasks",
            "utilization",
            utilizations.iter().map(ToString::to_string).collect(),
        ),
        false => (
            "utilization",
            "tasks",
            tasks.iter().map(ToString::to_string).collect(),
        ),
    };
    let title = match spec.title() {
        "" => spec.name(),
        title => title,
    };
    let (panel, series) = spec.figure().panel.and_series();
    for value in &values {
        let mut options = Options {
            panel: Some(panel.to_owned()),
            series: series.to_owned(),
            x: x.to_owned(),
            y: spec.figure().y.clone(),
            title: Some(title.to_owned()),
            ..Options::default()
        };
        let mut part = None;
        if values.len() > 1 {
            options.title = Some(format!("{title}: {column} = {value}"));
            options.selections.push(Selection {
                column: column.to_owned(),
                value: value.clone(),
            });
            part = Some(format!("{column}-{value}"));
        }
        Artifact::write(folder.figure(part.as_deref()), line_chart(&tables, &options)?)?;
    }
    Ok(())
}
