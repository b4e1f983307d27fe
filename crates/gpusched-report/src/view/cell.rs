//! Cells: a text for the reader, and the exact value.

use gpusched_model::time::Time;
use serde::Serialize;

/// A cell of a table. The template of a page escapes the text.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    pub(crate) text: String,
    /// Exact value for sorting and for CSV; absent if the text is the value.
    pub(crate) value: Option<String>,
    pub(crate) tone: Tone,
    /// Length of a bar behind the text [percent]; absent for a cell without a bar.
    pub(crate) bar: Option<String>,
}

/// Meaning of a text for the reader. The page shows the meaning as a mark and a color.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    #[default]
    /// No meaning.
    Plain,
    /// A positive result.
    Good,
    /// A negative result.
    Bad,
    /// Open: neither confirmed nor refuted.
    Open,
}

impl Cell {
    /// A cell with a meaning.
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

    /// The cell of `value`, or an empty cell with a dash.
    pub fn of<T: Into<Cell>>(value: Option<T>) -> Cell {
        value.map_or_else(Cell::none, Into::into)
    }

    /// The cell of `value`. A missing value has the text `missing`, and is empty in CSV.
    pub fn or<T: Into<Cell>>(value: Option<T>, missing: &str) -> Cell {
        value.map_or_else(|| Cell::valued(missing, ""), Into::into)
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

    /// A cell with a factor in thousandths.
    pub fn factor(permille: u64) -> Cell {
        let exact = format!("{}.{:03}", permille / 1000, permille % 1000);
        Cell::valued(factor(permille), exact)
    }

    /// A cell with `share` in percent, and with a bar of this length. A share below 1 never rounds up to 100 %.
    pub fn share(share: f64) -> Cell {
        let percent = match share < 1.0 {
            true => (100.0 * share).min(99.9),
            false => 100.0 * share,
        };
        Cell {
            bar: Some(format!("{:.1}", 100.0 * share.clamp(0.0, 1.0))),
            ..Cell::valued(format!("{percent:.1} %"), format!("{share:.6}"))
        }
    }

    /// Returns the exact value.
    pub(crate) fn exact(&self) -> &str {
        self.value.as_ref().unwrap_or(&self.text)
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

impl From<&String> for Cell {
    fn from(text: &String) -> Cell {
        text.clone().into()
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

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        Cell::or(value, "")
    }
}

macro_rules! plain {
    ($($value:ty)*) => {$(
        impl From<$value> for Cell {
            fn from(value: $value) -> Cell {
                value.to_string().into()
            }
        }
    )*};
}
plain!(u8 u32 u64 usize bool);

/// Returns a factor in thousandths as text.
pub(crate) fn factor(permille: u64) -> String {
    match permille {
        gpusched_model::plan::LARGEST_SCALING.. => "× 1000 or more".to_owned(),
        _ => format!("× {}.{:03}", permille / 1000, permille % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_below_one_is_below_100_percent() {
        for (share, text) in [
            (0.99999, "99.9 %"),
            (0.9994, "99.9 %"),
            (0.5, "50.0 %"),
            (1.0, "100.0 %"),
            (1.2, "120.0 %"),
        ] {
            assert_eq!(Cell::share(share).text, text);
        }
    }
}
