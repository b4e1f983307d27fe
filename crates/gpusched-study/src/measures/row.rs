//! One measured value.

use std::fmt::Display;

use gpusched_model::time::Time;

/// One row of a table of cases: a value, and what it is the value of.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    keys: Vec<(&'static str, String)>,
    /// What was measured.
    pub quantity: &'static str,
    /// The number, with the digits that are meant.
    pub value: String,
    /// Its unit, such as `ms`; `share` for a number from 0 to 1, empty for a count.
    pub unit: &'static str,
    /// The published value, in the same unit.
    pub published: Option<f64>,
}

impl Row {
    /// The same row beside a published value.
    pub fn beside(mut self, published: Option<f64>) -> Row {
        self.published = published;
        self
    }

    /// The columns of the measure that are filled, with their texts.
    pub fn keys(&self) -> &[(&'static str, String)] {
        &self.keys
    }

    /// The text in a column of the measure; empty if it has none.
    pub fn key(&self, column: &str) -> &str {
        let found = self.keys.iter().find(|(name, _)| *name == column);
        found.map_or("", |(_, text)| text)
    }

    /// value − published, with six decimals; empty without a published value.
    pub fn deviation(&self) -> String {
        let value: Option<f64> = self.value.parse().ok();
        match (value, self.published) {
            (Some(value), Some(published)) => decimal(value - published),
            _ => String::new(),
        }
    }
}

/// What some rows are the values of: texts in columns of the measure.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(&'static str, String)>);

impl Labels {
    /// `text` in `column`.
    pub fn of(column: &'static str, text: impl Display) -> Labels {
        Labels::default().with(column, text)
    }

    /// And `text` in `column`.
    pub fn with(mut self, column: &'static str, text: impl Display) -> Labels {
        self.0.push((column, text.to_string()));
        self
    }

    /// A value of `quantity`.
    pub fn row(&self, quantity: &'static str, value: impl Display, unit: &'static str) -> Row {
        Row {
            keys: self.0.clone(),
            quantity,
            value: value.to_string(),
            unit,
            published: None,
        }
    }

    /// A value of `quantity` with six decimals.
    pub fn decimal(&self, quantity: &'static str, value: f64, unit: &'static str) -> Row {
        self.row(quantity, decimal(value), unit)
    }

    /// A time of `quantity` in milliseconds. Every digit counts, none is made up.
    pub fn milliseconds(&self, quantity: &'static str, time: Time) -> Row {
        let ns = time.ns();
        let value = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
        self.row(quantity, value, "ms")
    }
}

/// With six decimals; no -0.
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
