//! Options of a figure.

use std::str::FromStr;

/// Options of a figure. All columns are stated by their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Name of the column on the horizontal axis.
    pub x: String,
    /// Name of the column on the vertical axis.
    pub y: String,
    /// Name of the column that distinguishes lines. The figure has one line for each value in this column.
    pub series: String,
    /// Name of the column that distinguishes panels. The figure has one panel for each value in this column [default:
    /// `reading`, if the table has this column].
    pub panel: Option<String>,
    /// Rows to draw. If several selections are about one column, a row needs only one of the values in these
    /// selections.
    pub selections: Vec<Selection>,
    /// Title of the figure [default: the text in the column `study`].
    pub title: Option<String>,
    /// Title of the horizontal axis [default: the name of its column].
    pub x_title: Option<String>,
    /// Title of the vertical axis [default: the name of its column].
    pub y_title: Option<String>,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

impl Default for Options {
    /// Returns the options for a schedulability study: the schedulability ratio over the utilization, with one line per
    /// algorithm.
    fn default() -> Options {
        Options {
            x: "utilization".to_owned(),
            y: "rate".to_owned(),
            series: "algorithm".to_owned(),
            panel: None,
            selections: Vec::new(),
            title: None,
            x_title: None,
            y_title: None,
            log_y: false,
        }
    }
}

/// Selects the rows that have a certain value in a column. Users write `column=value`. Equal
/// numbers match, such as 2 and 2.0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Name of the column.
    pub column: String,
    /// Text of the cell. The selection also accepts a cell whose text differs, but whose number is equal.
    pub value: String,
}

impl Selection {
    /// Returns whether the text `cell` has the value of this selection.
    pub(super) fn accepts(&self, cell: &str) -> bool {
        let number = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
        cell == self.value || number(cell).is_some_and(|value| Some(value) == number(&self.value))
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Selection, String> {
        match text.split_once('=') {
            Some((column, value)) if !column.is_empty() => Ok(Selection {
                column: column.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(format!(
                "found {:?}, expected COLUMN=VALUE, such as reading=literal",
                text.chars().take(40).collect::<String>()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_compare_numbers_as_numbers() {
        let two: Selection = "utilization=2".parse().unwrap();
        assert!(two.accepts("2") && two.accepts("2.0") && !two.accepts("20") && !two.accepts(""));
        let name: Selection = "algorithm=a=b".parse().unwrap();
        assert!(name.accepts("a=b") && !name.accepts("a"));
        assert!("algorithm".parse::<Selection>().is_err());
        assert!("=2".parse::<Selection>().is_err());
    }
}
