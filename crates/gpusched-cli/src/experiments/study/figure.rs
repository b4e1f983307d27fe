//! Draws the figures of a study.

use std::collections::BTreeSet;

use gpusched_model::error::Result;
use gpusched_study::plot::{Options, Selection, line_chart};
use gpusched_study::{CaseFigure, FigureTable, Kind, Partitioning, Study, Table};

/// A figure of a study: its part, such as `tasks-50`, if the study has several figures, and its SVG text.
pub type Drawn = (Option<String>, String);

/// Draws the figures that `study` defines into its folder.
pub fn draw(study: &Study) -> Result<()> {
    let drawn = figures(study)?;
    let mut outputs = study.spec.outputs();
    for (part, svg) in drawn {
        outputs.write(study.folder.figure(part.as_deref()), svg)?;
    }
    outputs.commit()
}

/// Returns the figures that `study` defines, from its results.
pub fn figures(study: &Study) -> Result<Vec<Drawn>> {
    match study.spec.kind() {
        Kind::Partitioning(of) => partitioning(study, of),
        Kind::Cases(of) => of.figure().map_or(Ok(Vec::new()), |figure| cases(study, figure)),
    }
}

/// Returns the title of the figures of `study`.
fn title(study: &Study) -> &str {
    match study.spec.title() {
        "" => study.spec.name(),
        title => title,
    }
}

/// Draws a figure from the result rows that `figure` selects.
fn cases(study: &Study, figure: &CaseFigure) -> Result<Vec<Drawn>> {
    let selections = figure.selection.iter();
    let options = Options {
        panel: figure.panel.clone(),
        series: figure.series.clone(),
        x: figure.x.clone(),
        y: figure.y.clone(),
        title: Some(title(study).to_owned()),
        x_title: figure.x_title.clone(),
        y_title: figure.y_title.clone(),
        selections: selections
            .map(|(column, value)| Selection {
                column: column.clone(),
                value: value.clone(),
            })
            .collect(),
        ..Options::default()
    };
    let table = Table::read(study.folder.results())?;
    Ok(vec![(None, line_chart(&[table], &options)?)])
}

/// Draws one figure over the utilization for each number of tasks. If the study has more numbers
/// of tasks than utilizations, draws one figure over the number of tasks for each utilization.
fn partitioning(study: &Study, of: &Partitioning) -> Result<Vec<Drawn>> {
    let folder = &study.folder;
    let path = match of.figure().table {
        FigureTable::Results => folder.results(),
        FigureTable::Timing => folder.timing(),
        FigureTable::Weighted => folder.weighted(),
    };
    let tables = [Table::read(path)?];
    let utilizations: BTreeSet<_> = of.points().iter().map(|point| point.utilization).collect();
    let tasks: BTreeSet<_> = of.points().iter().map(|point| point.tasks).collect();
    let weighted = of.figure().table == FigureTable::Weighted;
    let over_tasks = weighted || tasks.len() > utilizations.len();
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
    let values = match weighted {
        true => vec![String::new()], // one figure for all values
        false => values,
    };
    let title = title(study);
    let (panel, series) = of.figure().panel.and_series();
    let mut drawn = Vec::new();
    for value in &values {
        let mut options = Options {
            panel: Some(panel.to_owned()),
            series: series.to_owned(),
            x: x.to_owned(),
            y: of.figure().y.clone(),
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
        drawn.push((part, line_chart(&tables, &options)?));
    }
    Ok(drawn)
}
