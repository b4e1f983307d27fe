//! What a figure shows.

use std::str::FromStr;

/// What a figure shows; columns by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The column along the horizontal axis.
    pub x: String,
    /// The column along the vertical axis.
    pub y: String,
    /// The column with one line per value.
    pub series: String,
    /// The column with one panel per value [default: `reading`, where there is one].
    pub panel: Option<String>,
    /// The rows to draw: several selections of one column mean any of them.
    pub selections: Vec<Selection>,
    /// The headline [default: what the column `study` says].
    pub title: Option<String>,
    /// What stands along the horizontal axis [default: what its column is called].
    pub x_title: Option<String>,
    /// What stands along the vertical axis [default: what its column is called].
    pub y_title: Option<String>,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

impl Default for Options {
    /// The figure of a schedulability study: the share of schedulable sets over the utilization, a line per algorithm.
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
    /// The name of the column.
    pub column: String,
    /// The text of the cell, or the same number.
    pub value: String,
}

impl Selection {
    /// Whether a cell has the value.
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
