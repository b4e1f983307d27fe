//! Figures of a study, as its file defines them.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::document::Document;
use super::tables::Tables;
use crate::plot::{self, FigureTable, Names, Options};
use crate::table::{TIMING_COLUMNS, Table};
use gpusched_model::error::{Error, Refusal, Result};

/// Maximum length of the name of a figure [characters].
const LONGEST: usize = 50;

/// The figures of a study: a table `[figure]`, or a list of tables `[[figure]]` with different names.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    figures: Vec<Options>,
    /// Whether the file states a list of figures.
    is_list: bool,
}

impl Default for Figures {
    /// Returns one figure with default options.
    fn default() -> Figures {
        Figures {
            figures: vec![Options::default()],
            is_list: false,
        }
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figures, D::Error> {
        struct FiguresVisitor;
        impl<'de> Visitor<'de> for FiguresVisitor {
            type Value = Figures;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table [figure] or tables [[figure]]")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Figures, A::Error> {
                Ok(Figures {
                    figures: vec![Options::deserialize(MapAccessDeserializer::new(map))?],
                    is_list: false,
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Figures, A::Error> {
                let mut figures = Vec::new();
                while let Some(figure) = items.next_element()? {
                    figures.push(figure);
                }
                Ok(Figures {
                    figures,
                    is_list: true,
                })
            }
        }
        deserializer.deserialize_any(FiguresVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Figures {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Figures".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let figure = generator.subschema_for::<Options>();
        schemars::json_schema!({
            "description": "A figure, or a list of figures with different names.",
            "anyOf": [figure, { "type": "array", "items": figure }]
        })
    }
}

impl Figures {
    /// Returns the options of the figures, in the order of the file.
    pub fn as_slice(&self) -> &[Options] {
        &self.figures
    }

    /// Checks that the figures have different names. Also checks that the columns, rows and series of each figure exist
    /// in a table that the study writes. `tables` contains the tables with arbitrary numbers. `complete` returns the
    /// options of each part of a figure. A series must have at most one value at each place of a part.
    pub(crate) fn check(
        &self,
        document: &Document,
        tables: &Tables,
        complete: impl Fn(&Options, &Table) -> Vec<Options>,
    ) -> Result<()> {
        for (index, figure) in self.figures.iter().enumerate() {
            let path = match self.is_list {
                true => format!("figure[{index}]"),
                false => "figure".to_owned(),
            };
            let refuse = |refusal: Refusal| document.error(refusal.within(&path));
            let before = self.figures.iter().take(index);
            let names: Vec<_> = before.map(|other| other.name.as_deref()).collect();
            check_name(figure.name.as_deref(), &names).map_err(refuse)?;
            let places = |table: &Table| {
                let parts = complete(figure, table);
                let table = std::slice::from_ref(table);
                parts.iter().try_for_each(|part| plot::check_places(table, part))
            };
            let table = check_figure(figure, tables).and_then(|table| places(&table));
            table.map_err(|error| match error {
                Error::Refused(refusal) => refuse(refusal),
                other => other,
            })?;
        }
        Ok(())
    }
}

fn check_name(name: Option<&str>, others: &[Option<&str>]) -> Result<(), Refusal> {
    let Some(name) = name else {
        return match others.contains(&None) {
            true => Err(Refusal::new(
                "name",
                "no name",
                "a name, because another figure has no name either",
            )),
            false => Ok(()),
        };
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(allowed) {
        let expected = format!("1 to {LONGEST} letters, digits, `.`, `-` or `_`");
        return Err(Refusal::new(
            "name",
            format!("\"{}\"", name.escape_debug()),
            expected,
        ));
    }
    match others.contains(&Some(name)) {
        true => Err(Refusal::new(
            "name",
            format!("\"{name}\" twice"),
            "different names",
        )),
        false => Ok(()),
    }
}

/// Checks a figure against the table that it shows, and returns the table.
fn check_figure(figure: &Options, tables: &Tables) -> Result<Table> {
    let table = table_of(figure, tables)?;
    let column = |field: &str, name: &str| {
        table.find(name).ok_or_else(|| {
            let expected = format!("one of {}", table.columns().join(", "));
            Refusal::new(field, format!("\"{name}\""), expected)
        })
    };
    let lists = |names: &Option<Names>| names.clone().unwrap_or_default().0;
    for (field, names) in [
        ("x", figure.x.iter().cloned().collect()),
        ("y", figure.y.iter().cloned().collect()),
        ("series", lists(&figure.series)),
        ("panel", lists(&figure.panel)),
    ] {
        for name in &names {
            column(field, name)?;
        }
    }
    for (name, Names(values)) in &figure.selection {
        let column = column("where", name)?;
        let field = format!("where.{name}");
        if values.is_empty() {
            return Err(Refusal::new(field, "an empty list", "at least one value").into());
        }
        for value in values {
            if !column.distinct().iter().any(|cell| plot::accepts(value, cell)) {
                let expected = format!("one of {}", column.examples());
                return Err(Refusal::new(field, format!("\"{value}\""), expected).into());
            }
        }
    }
    plot::check(std::slice::from_ref(&table), figure)?;
    Ok(table)
}

/// Returns the table that a figure shows.
///
/// # Errors
/// Fails with [`Error::Refused`] if the study does not write this table.
pub(crate) fn table_of(figure: &Options, tables: &Tables) -> Result<Table> {
    let y = figure.y.as_deref().unwrap_or_default();
    let which = figure.table.unwrap_or(match y {
        "weighted" => FigureTable::Weighted,
        y if TIMING_COLUMNS.contains(&y) && y.starts_with("mean_") => FigureTable::Timing,
        _ => FigureTable::Results,
    });
    let (name, bytes) = match which {
        FigureTable::Results => ("results", Some(&tables.results)),
        FigureTable::Timing => ("timing", tables.timing.as_ref()),
        FigureTable::Weighted => ("weighted", tables.weighted.as_ref()),
    };
    let bytes = bytes.ok_or_else(|| {
        let expected = match which {
            FigureTable::Weighted => "`weighted = true` in a study of partitioning, which creates this table",
            _ => "a table that this kind of study writes: results",
        };
        Refusal::new("table", name, expected)
    })?;
    Table::from_reader(name, bytes.as_slice())
}
