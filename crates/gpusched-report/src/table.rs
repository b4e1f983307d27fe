//! Tables of a page. The script of the page adds sorting, search and a CSV download to each table.

use gpusched_model::time::Time;
use serde::Serialize;

/// A table. The template escapes all texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Id of the table on the page, and the name of its CSV file.
    pub id: String,
    pub caption: String,
    pub columns: Vec<Column>,
    /// Position of the column that names the row.
    pub head: usize,
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub name: String,
    /// Whether the column contains numbers. The page aligns numbers to the right and sorts them by value.
    pub numeric: bool,
    /// Unit of the values in the CSV file; empty if the CSV file contains the text of each cell.
    pub unit: &'static str,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    pub text: String,
    /// Exact value for sorting and for the CSV file; absent if the text is the value.
    pub value: Option<String>,
    pub tone: Tone,
    /// Length of a bar behind the text [percent]; absent for a cell without a bar.
    pub bar: Option<String>,
}

/// Meaning of a text for the reader. The page shows the meaning as a mark and a color.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    /// Open: neither confirmed nor refuted.
    Open,
}

impl Table {
    pub fn new(id: impl Into<String>, caption: impl Into<String>) -> Table {
        Table {
            id: id.into(),
            caption: caption.into(),
            ..Table::default()
        }
    }

    /// Adds a column of texts.
    pub fn text(mut self, name: &str) -> Table {
        self.columns.push(Column {
            name: name.to_owned(),
            numeric: false,
            unit: "",
        });
        self
    }

    /// Adds a column of numbers.
    pub fn number(self, name: &str) -> Table {
        self.valued(name, "")
    }

    /// Adds a column of times. The CSV file contains whole nanoseconds.
    pub fn time(self, name: &str) -> Table {
        self.valued(name, "ns")
    }

    /// Adds a column of numbers. The CSV file contains each value in `unit`.
    pub fn valued(mut self, name: &str, unit: &'static str) -> Table {
        self.columns.push(Column {
            name: name.to_owned(),
            numeric: true,
            unit,
        });
        self
    }
}

impl Cell {
    pub fn toned(text: impl Into<String>, tone: Tone) -> Cell {
        Cell {
            text: text.into(),
            tone,
            ..Cell::default()
        }
    }

    /// A cell with a text for the reader. It also has an exact value for sorting and for CSV.
    pub fn valued(text: impl ToString, value: impl ToString) -> Cell {
        Cell {
            text: text.to_string(),
            value: Some(value.to_string()),
            ..Cell::default()
        }
    }

    /// A cell without a value.
    pub fn none() -> Cell {
        Cell::valued("–", "")
    }

    /// The cell of `value`, or an empty cell.
    pub fn of<T: Into<Cell>>(value: Option<T>) -> Cell {
        value.map_or_else(Cell::none, Into::into)
    }

    /// A cell with `limit` − `bound`, which is negative if the bound exceeds the limit.
    pub fn margin(limit: Time, bound: Time) -> Cell {
        match limit.checked_sub(bound) {
            Some(margin) => Cell {
                tone: Tone::Good,
                ..Cell::from(margin)
            },
            None => {
                let excess = bound.checked_sub(limit).unwrap_or_default();
                Cell {
                    tone: Tone::Bad,
                    ..Cell::valued(format!("−{excess}"), format!("-{}", excess.ns()))
                }
            }
        }
    }

    /// A cell with `share` in percent, and with a bar of this length.
    pub fn share(share: f64) -> Cell {
        Cell {
            bar: Some(format!("{:.1}", 100.0 * share.clamp(0.0, 1.0))),
            ..Cell::valued(format!("{:.1} %", 100.0 * share), format!("{share:.6}"))
        }
    }
}

/// Returns a factor in thousandths as text.
pub fn factor(permille: u64) -> String {
    match permille {
        gpusched_model::plan::LARGEST_SCALING.. => "× 1000 or more".to_owned(),
        _ => format!("× {}.{:03}", permille / 1000, permille % 1000),
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell {
            text,
            ..Cell::default()
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_owned().into()
    }
}

impl From<Time> for Cell {
    fn from(time: Time) -> Cell {
        Cell::valued(time, time.ns())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Cell {
            fn from(number: $number) -> Cell {
                number.to_string().into()
            }
        }
    )*};
}
numbers!(u32 u64 usize);
