//! Rows of measured values.

use std::fmt::Display;

use gpusched_model::time::Time;

/// One row of a table of cases: a value, and the columns that identify it.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    keys: Vec<(&'static str, String)>,
    /// Measured quantity.
    pub quantity: &'static str,
    /// Measured value, with its significant digits.
    pub value: String,
    /// Unit, such as `ms`; `share` for a number from 0 to 1, empty for a count.
    pub unit: &'static str,
    /// Published value, in the same unit.
    pub published: Option<f64>,
}

impl Row {
    /// Adds a published value to the row.
    pub fn beside(mut self, published: Option<f64>) -> Row {
        self.published = published;
        self
    }

    /// Returns the filled columns of the metric, with their texts.
    pub fn keys(&self) -> &[(&'static str, String)] {
        &self.keys
    }

    /// Returns the text in a column of the metric; empty if the column is not filled.
    pub fn key(&self, column: &str) -> &str {
        let found = self.keys.iter().find(|(name, _)| *name == column);
        found.map_or("", |(_, text)| text)
    }

    /// Returns value − published, with six decimals. Empty without a published value.
    pub fn deviation(&self) -> String {
        let value: Option<f64> = self.value.parse().ok();
        match (value, self.published) {
            (Some(value), Some(published)) => decimal(value - published),
            _ => String::new(),
        }
    }
}

/// Texts in columns of the metric, which identify rows.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(&'static str, String)>);

impl Labels {
    /// Creates labels with `text` in `column`.
    pub fn of(column: &'static str, text: impl Display) -> Labels {
        Labels::default().with(column, text)
    }

    /// Adds `text` in `column`.
    pub fn with(mut self, column: &'static str, text: impl Display) -> Labels {
        self.0.push((column, text.to_string()));
        self
    }

    /// Returns a row with a value of `quantity`.
    pub fn row(&self, quantity: &'static str, value: impl Display, unit: &'static str) -> Row {
        Row {
            keys: self.0.clone(),
            quantity,
            value: value.to_string(),
            unit,
            published: None,
        }
    }

    /// Returns a row with a value of `quantity`, with six decimals.
    pub fn decimal(&self, quantity: &'static str, value: f64, unit: &'static str) -> Row {
        self.row(quantity, decimal(value), unit)
    }

    /// Returns a row with a time of `quantity` in milliseconds, without rounding.
    pub fn milliseconds(&self, quantity: &'static str, time: Time) -> Row {
        let ns = time.ns();
        let value = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
        self.row(quantity, value, "ms")
    }
}

/// Formats a number with six decimals, and never as -0.
pub(super) fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
    match text.strip_prefix('-') {
        Some(zero) if zero.trim_matches(['0', '.']).is_empty() => zero.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_signed_and_zero_is_not() {
        let deviation = |value: &str, published| {
            Labels::default()
                .row("q", value, "")
                .beside(published)
                .deviation()
        };
        assert_eq!(deviation("0.13", Some(0.14)), "-0.010000");
        assert_eq!(deviation("0.1300000001", Some(0.13)), "0.000000");
        assert_eq!(deviation("0.1299999999", Some(0.13)), "0.000000");
        assert_eq!(deviation("14", Some(13.0)), "1.000000");
        assert_eq!(
            (deviation("0.13", None), deviation("", Some(1.0))),
            Default::default()
        );
    }
}
