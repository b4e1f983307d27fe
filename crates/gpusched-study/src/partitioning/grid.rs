//! The axes of a study. The axes `utilization` and `tasks` define the points within a setting. All other axes replace
//! fields of the study. Each combination of values on these other axes is one grid cell.

use toml::Table;
use toml::map::Entry;

use super::shape::{FIELDS, PartitioningShape as Shape};
use crate::definition::axis::MAX_VALUES;
use crate::definition::document::Document;
use crate::definition::levels::{Level, Levels};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Tree;
use serde::Deserialize as _;

/// The part of a study that contains a field.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    /// The study itself.
    Study,
    /// The table `[generator]`.
    Generator,
    /// Each `[[variant]]`.
    Variant,
}

fn place(field: &str) -> Place {
    match field {
        "population" | "platform" | "device" | "sms" => Place::Study,
        "wcet" | "policy" | "interference" | "arbitration" | "granularity" => Place::Variant,
        _ => Place::Generator,
    }
}

/// Value on each axis other than `utilization` and `tasks`.
pub(super) type Combination = Vec<(&'static str, Level)>;

/// One combination of values on these axes.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub levels: Combination,
    /// The study with these values.
    pub shape: Shape,
}

/// Returns the values of all `results`, one for each combination of values on the axes.
///
/// # Errors
/// Fails with the first error. An error that all combinations have is an error of the study. The message of every other error
/// states the combination.
pub(super) fn all<T>(document: &Document, results: Vec<(Combination, Result<T>)>) -> Result<Vec<T>> {
    let message = |result: &Result<T>| result.as_ref().err().map(ToString::to_string);
    let first = results.first().and_then(|(_, result)| message(result));
    let is_common = first.is_some() && results.iter().all(|(_, result)| message(result) == first);
    let values = results.into_iter().map(|(levels, result)| match is_common {
        true => result,
        false => result.map_err(|error| in_cell(error, document, &levels)),
    });
    values.collect()
}

/// Returns the grid cells of the study in `document`; at least one.
pub(super) fn cells(document: &Document) -> Result<Vec<Cell>> {
    let table: Table = document.parse()?;
    let axes = axes(document, &table)?;
    if axes.is_empty() {
        return Ok(vec![Cell {
            levels: Vec::new(),
            shape: document.parse()?,
        }]);
    }
    let count = axes
        .iter()
        .fold(1, |count: usize, (_, levels)| count.saturating_mul(levels.len()));
    if count > MAX_VALUES {
        let found = format!("{count} combinations of values");
        return Err(document.error(Refusal::new("axis", found, format!("at most {MAX_VALUES}"))));
    }
    let mut combinations = vec![Vec::new()];
    for (field, levels) in &axes {
        let with = |level: &Level, combination: &Vec<_>| {
            [combination.as_slice(), &[(*field, level.clone())]].concat()
        };
        combinations = combinations
            .iter()
            .flat_map(|combination| levels.iter().map(|level| with(level, combination)))
            .collect();
    }
    let read = |levels: &Combination| {
        let mut table = table.clone();
        for (field, level) in levels {
            replace(&mut table, field, level).map_err(|refusal| document.error(refusal))?;
        }
        let tree = Tree::deserialize(table).map_err(|error| Error::Internal(error.to_string()))?;
        tree.read().map_err(|refusal| document.error(refusal))
    };
    let shapes = combinations.iter().map(|levels| (levels.clone(), read(levels)));
    let shapes: Vec<Shape> = all(document, shapes.collect())?;
    let cells = combinations.into_iter().zip(shapes);
    Ok(cells.map(|(levels, shape)| Cell { levels, shape }).collect())
}

/// Returns those axes of the study in `table` that replace fields, with the values on these axes.
fn axes(document: &Document, table: &Table) -> Result<Vec<(&'static str, Vec<Level>)>> {
    let axis = table.get("axis").and_then(toml::Value::as_table);
    let stated = FIELDS
        .into_iter()
        .filter_map(|field| Some((field, axis?.get(field)?)));
    let axes = stated.map(|(field, value)| {
        let levels = Levels::new(value).map_err(|message| Refusal::told(format!("axis.{field}"), message));
        let levels = levels.map_err(|refusal| document.error(refusal))?;
        Ok((field, levels.as_slice().to_vec()))
    });
    axes.collect()
}

/// Sets `field` of the study in `table` to the value `level`.
fn replace(table: &mut Table, field: &str, level: &Level) -> Result<(), Refusal> {
    let set = |table: &mut Table, place: &str| match table.entry(field) {
        Entry::Vacant(entry) => {
            entry.insert(level.value().clone());
            Ok(())
        }
        Entry::Occupied(_) => {
            let expected = format!("`{field}` only there or only in [axis]");
            let name = match place.is_empty() {
                true => field.to_owned(),
                false => format!("{place}.{field}"),
            };
            Err(Refusal::new(name, format!("`{field}` also in [axis]"), expected))
        }
    };
    match place(field) {
        Place::Study => set(table, ""),
        Place::Generator => {
            let generator = table.entry("generator").or_insert_with(|| Table::new().into());
            generator
                .as_table_mut()
                .map_or(Ok(()), |generator| set(generator, "generator"))
        }
        Place::Variant => {
            let key = if table.contains_key("variant") {
                "variant"
            } else {
                "reading"
            };
            let variants = table.get_mut(key).and_then(toml::Value::as_array_mut);
            let mut variants = variants.into_iter().flatten().enumerate();
            variants.try_for_each(|(index, variant)| {
                let variant = variant.as_table_mut();
                variant.map_or(Ok(()), |variant| set(variant, &format!("variant[{index}]")))
            })
        }
    }
}

/// Adds the values on the axes to `error`, which is an error of one grid cell.
pub(super) fn in_cell(error: Error, document: &Document, levels: &[(&'static str, Level)]) -> Error {
    match error {
        Error::Refused(refusal) if !levels.is_empty() => {
            let levels: Vec<String> = levels
                .iter()
                .map(|(field, level)| format!("{field} = {level}"))
                .collect();
            let message = format!(
                "with {}: {}: {}",
                levels.join(", "),
                refusal.field(),
                refusal.message()
            );
            document.error(Refusal::told("axis", message))
        }
        other => other,
    }
}
