//! Writer of CSV tables with task sets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Column, MOST_CELLS, OF_SET, SCALING, TEXTS, TIMES, VALUES};
use crate::error::Refusal;
use crate::{TaskSet, TaskShape};

/// Returns `sets` as a CSV table with one row per task. Reading the table returns equal sets, with these exceptions: an
/// empty name becomes an absent name, and equal lists of points in isolation and in conflict become one list.
///
/// # Errors
/// Fails with [`Refusal`] for a set with other memory traffic than the traffic of its tasks, for which the table has no
/// column, and for a table with more than [`MOST_CELLS`] cells.
pub fn csv(sets: &[TaskSet]) -> Result<String, Refusal> {
    let mut rows = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        let count = set.other_traffic().len();
        if count > 0 {
            let expected = "a task set without other traffic, because a CSV table has one row for each task";
            return Refusal::refuse("other_traffic", format!("{count} sources"), expected);
        }
        for task in set.tasks() {
            let mut shape = TaskShape::from(task.clone());
            shape.measured_on = set.measured_on(task).cloned().map(Box::new);
            let mut row = cells(&shape)?;
            if sets.len() > 1 {
                row.insert(Column::Set, index.to_string());
            }
            let times = set.times().map(|times| times.to_string());
            let of_set = [set.name().map(str::to_owned), times];
            for ((_, field), cell) in OF_SET.into_iter().zip(of_set) {
                row.extend(cell.map(|cell| (Column::OfSet(field), cell)));
            }
            rows.push(row);
        }
    }
    let used: BTreeSet<Column> = rows.iter().flat_map(BTreeMap::keys).copied().collect();
    let columns: Vec<Column> = in_order(&used);
    if rows.len().saturating_mul(columns.len()) > MOST_CELLS {
        let found = format!("{} rows and {} columns", rows.len(), columns.len());
        return Refusal::refuse("", found, format!("at most {MOST_CELLS} cells of a table"));
    }
    let unwritten = |error| Refusal::told("", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = columns.iter().map(|&column| name(column));
    writer.write_record(header).map_err(unwritten)?;
    for row in &rows {
        let cells = columns
            .iter()
            .map(|column| row.get(column).map_or("", String::as_str));
        writer.write_record(cells).map_err(unwritten)?;
    }
    let bytes = writer.into_inner().map_err(|error| Refusal::told("", error))?;
    String::from_utf8(bytes).map_err(|error| Refusal::told("", error))
}

/// Returns the columns of `used` in the order of the table: points last, ascending by the number of SMs.
fn in_order(used: &BTreeSet<Column>) -> Vec<Column> {
    let [name, kind, source] = TEXTS;
    let first = [Column::Set]
        .into_iter()
        .chain(OF_SET.map(|(_, field)| Column::OfSet(field)));
    let first = first.chain([Column::Text(name)]).chain(TIMES.map(Column::Time));
    let first = first
        .chain([kind, source].map(Column::Text))
        .chain(VALUES.map(Column::Value));
    let wcet = [Column::Wcet, Column::Constant, Column::Work].into_iter();
    let wcet = wcet.chain(["serial", "conflict"].map(Column::Parameter));
    let points = used.iter().filter(|column| matches!(column, Column::Point(..)));
    let all = first.chain(wcet).chain(points.copied());
    all.filter(|column| used.contains(column)).collect()
}

/// Returns the name of a column.
fn name(column: Column) -> String {
    match column {
        Column::Set => "set".to_owned(),
        Column::OfSet(field) => {
            let of = OF_SET.into_iter().find(|(_, known)| *known == field);
            of.map_or(field, |(column, _)| column).to_owned()
        }
        Column::Text(field) | Column::Value(field) | Column::Parameter(field) => field.to_owned(),
        Column::Time(field) => format!("{field}_ns"),
        Column::Wcet => "wcet".to_owned(),
        Column::Constant => "wcet_ns".to_owned(),
        Column::Work => "work_ns".to_owned(),
        Column::Point(false, sms) => format!("wcet_{sms}_ns"),
        Column::Point(true, sms) => format!("conflict_{sms}_ns"),
    }
}

/// Returns the cells of a task. The fields come from its JSON form, so that the table has each of them.
fn cells(task: &TaskShape) -> Result<BTreeMap<Column, String>, Refusal> {
    let mut row = BTreeMap::new();
    let fields = serde_json::to_value(task).map_err(|error| Refusal::told("", error))?;
    let Value::Object(fields) = fields else {
        return Ok(row);
    };
    for (field, value) in fields {
        if field == "wcet" {
            wcet(&value, &mut row);
            continue;
        }
        let times = TIMES.map(Column::Time).into_iter().zip(TIMES);
        let texts = TEXTS.map(Column::Text).into_iter().zip(TEXTS);
        let values = VALUES.map(Column::Value).into_iter().zip(VALUES);
        let column = times
            .chain(texts)
            .chain(values)
            .find(|(_, known)| *known == field);
        let Some((column, _)) = column else {
            return Refusal::refuse(field, "a value", "a field with a column in CSV tables");
        };
        row.insert(column, cell(&value));
    }
    Ok(row)
}

/// Returns the cell with `value`: a text without quotes, and anything else in JSON.
fn cell(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Adds the cells of the WCET function `value`.
fn wcet(value: &Value, row: &mut BTreeMap<Column, String>) {
    let scaling = SCALING
        .into_iter()
        .find_map(|form| Some((form, value.get(form)?.as_object()?)));
    if let Some((form, parameters)) = scaling {
        row.insert(Column::Wcet, form.to_owned());
        for (field, value) in parameters {
            let column = match field.as_str() {
                "serial" => Column::Parameter("serial"),
                "conflict" => Column::Parameter("conflict"),
                _ => Column::Work,
            };
            row.insert(column, cell(value));
        }
        return;
    }
    let affine = |parameter: &str| value.get("affine")?.get("isolated")?.get(parameter);
    if let (Some(a), Some(b)) = (affine("a"), affine("b"))
        && a.as_u64() == Some(0)
        && value
            .get("affine")
            .and_then(|affine| affine.get("conflict"))
            .is_none_or(Value::is_null)
    {
        row.insert(Column::Constant, cell(b));
        return;
    }
    let Some(table) = value.get("table") else {
        row.insert(Column::Wcet, value.to_string());
        return;
    };
    let lists = match table.is_array() {
        true => [Some(table), Some(table)],
        false => [table.get("isolated"), table.get("conflict")],
    };
    for (in_conflict, list) in [false, true].into_iter().zip(lists) {
        for point in list.and_then(Value::as_array).into_iter().flatten() {
            let sms = point
                .get(0)
                .and_then(Value::as_u64)
                .and_then(|sms| u32::try_from(sms).ok());
            if let (Some(sms), Some(time)) = (sms, point.get(1)) {
                row.insert(Column::Point(in_conflict, sms), cell(time));
            }
        }
    }
}
