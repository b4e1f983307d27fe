//! Options of a figure.

use std::str::FromStr;

/// Options of a figure. Columns are given by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Column on the horizontal axis.
    pub x: String,
    /// Column on the vertical axis.
    pub y: String,
    /// Column with one line per value.
    pub series: String,
    /// Column with one panel per value [default: `reading`, if the table has it].
    pub panel: Option<String>,
    /// Rows to draw. Several selections of one column select any of their values.
    pub selections: Vec<Selection>,
    /// Title [default: the text of the column `study`].
    pub title: Option<String>,
    /// Title of the horizontal axis [default: the name of its column].
    pub x_title: Option<String>,
    /// Title of the vertical axis [default: the name of its column].
    pub y_title: Option<String>,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

impl Default for Options {
    /// Returns the figure of a schedulability study: the schedulability ratio over the utilization, with a line per algorithm.
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

/// The rows with one value in one column, written `column=value`. Numbers are compared as numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Name of the column.
    pub column: String,
    /// Text of the cell, or an equal number.
    pub value: String,
}

impl Selection {
    /// Returns whether a cell has the value.
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
