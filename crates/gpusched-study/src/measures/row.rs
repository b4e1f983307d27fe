//! Rows of results, each with one measured value.

use std::fmt::Display;

use gpusched_model::time::Time;

/// One row of a table of cases: a measured value, and the columns that identify it.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    keys: Vec<(&'static str, String)>,
    /// Name of the measured quantity.
    pub quantity: &'static str,
    /// Measured value as text, with all significant digits.
    pub value: String,
    /// Unit of the value, such as `ms`. A number from 0 to 1 has the unit `share`. A count has no unit.
    pub unit: &'static str,
    /// Published value of the quantity, in the same unit.
    pub published: Option<f64>,
}

impl Row {
    /// Returns this row with `published` as the published value.
    pub fn beside(mut self, published: Option<f64>) -> Row {
        self.published = published;
        self
    }

    /// Returns the columns of the metric that this row fills, with their texts.
    pub fn keys(&self) -> &[(&'static str, String)] {
        &self.keys
    }

    /// Returns the text in `column`, a column of the metric. The text is empty if the row does not fill this column.
    pub fn key(&self, column: &str) -> &str {
        let found = self.keys.iter().find(|(name, _)| *name == column);
        found.map_or("", |(_, text)| text)
    }

    /// Returns the measured value minus the published value, with six decimals. The text is empty if there is no published
    /// value.
    pub fn deviation(&self) -> String {
        let value: Option<f64> = self.value.parse().ok();
        match (value, self.published) {
            (Some(value), Some(published)) => decimal(value - published),
            _ => String::new(),
        }
    }
}

/// Texts in the columns of a metric. The labels identify a row.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(&'static str, String)>);

impl Labels {
    /// Creates labels that have `text` in `column`.
    pub fn of(column: &'static str, text: impl Display) -> Labels {
        Labels::default().with(column, text)
    }

    /// Adds the label `text` in `column`.
    pub fn with(mut self, column: &'static str, text: impl Display) -> Labels {
        self.0.push((column, text.to_string()));
        self
    }

    /// Returns a row with these labels and with `value` as the value of `quantity`.
    pub fn row(&self, quantity: &'static str, value: impl Display, unit: &'static str) -> Row {
        Row {
            keys: self.0.clone(),
            quantity,
            value: value.to_string(),
            unit,
            published: None,
        }
    }

    /// Returns a row with these labels. The value of `quantity` has six decimals.
    pub fn decimal(&self, quantity: &'static str, value: f64, unit: &'static str) -> Row {
        self.row(quantity, decimal(value), unit)
    }

    /// Returns a row with these labels. The value of `quantity` is a time in milliseconds, without rounding.
    pub fn milliseconds(&self, quantity: &'static str, time: Time) -> Row {
        let ns = time.ns();
        let value = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
        self.row(quantity, value, "ms")
    }
}

/// Formats a number with six decimals. The text is never -0.
pub(super) fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
    match text.strip_prefix('-') {
        Some(zero) if zero.trim_matches(['0', '.']).is_empty() => zero.to_owned(),
        _ => text,
    }
}
