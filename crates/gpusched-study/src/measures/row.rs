//! One measured value.

use std::fmt::Display;

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
    /// A value of `quantity`.
    pub fn new(quantity: &'static str, value: impl Display, unit: &'static str) -> Row {
        Row {
            keys: Vec::new(),
            quantity,
            value: value.to_string(),
            unit,
            published: None,
        }
    }

    /// The same row with `text` in a column of the measure.
    pub fn with(mut self, column: &'static str, text: impl Display) -> Row {
        self.keys.push((column, text.to_string()));
        self
    }

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
            (Some(value), Some(published)) => {
                let text = format!("{:.6}", value - published);
                match text.strip_prefix('-') {
                    Some(zero) if zero.trim_matches(['0', '.']).is_empty() => zero.to_owned(),
                    _ => text,
                }
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_signed_and_zero_is_not() {
        let deviation = |value: &str, published| Row::new("q", value, "").beside(published).deviation();
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
