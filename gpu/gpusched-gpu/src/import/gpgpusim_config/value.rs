//! Value of one option.

use gpusched_model::error::{Error, Refusal, Result};

/// Value of one option, with file and line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub option: &'static str,
    pub text: String,
    pub file: String,
    /// Line number of the value; `None` for a default value.
    pub line: Option<usize>,
}

impl Value {
    /// Returns an error that states this value and the expectation `expected`.
    pub fn refuse(&self, expected: &str) -> Error {
        self.refuse_part(&self.text, expected)
    }

    /// Returns an error that states `part` of this value and the expectation `expected`.
    pub fn refuse_part(&self, part: &str, expected: &str) -> Error {
        let of = match part == self.text {
            true => String::new(),
            false => format!(" in {}", quoted(&self.text)),
        };
        self.fault(&format!("{}{of}", quoted(part)), expected)
    }

    /// Returns an error about this value that states `found` and the expectation `expected`.
    pub fn fault(&self, found: &str, expected: &str) -> Error {
        let refusal = Refusal::new(self.option, found, expected);
        refusal.at(&self.file, self.line).into()
    }

    /// Parses a number as GPGPU-Sim does: decimal, hexadecimal after `0x`, or octal after `0`.
    pub fn number(&self) -> Result<u32> {
        let text = self.text.as_str();
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if text.len() > 1 && text.starts_with('0') => (text, 8),
            None => (text, 10),
        };
        let number = unsigned(digits, radix);
        number.ok_or_else(|| self.refuse("a number from 0 to 4294967295"))
    }

    /// Parses decimal numbers that are separated by `separator`. `count` is the range of permitted counts.
    pub fn numbers(
        &self,
        separator: char,
        count: std::ops::RangeInclusive<usize>,
        of: &str,
    ) -> Result<Vec<u32>> {
        let parts: Vec<&str> = self.text.split(separator).collect();
        if !count.contains(&parts.len()) {
            let many = match count.start() == count.end() {
                true => count.start().to_string(),
                false => format!("{} to {}", count.start(), count.end()),
            };
            return Err(self.refuse(&format!("{many} numbers with {separator:?} between them: {of}")));
        }
        let number = |part: &&str| {
            let number = unsigned(part.trim(), 10);
            number.ok_or_else(|| self.refuse_part(part, "a number from 0 to 4294967295"))
        };
        parts.iter().map(number).collect()
    }

    /// Parses a number that selects one of `choices`, and returns the selected value.
    pub fn choice<T: Copy>(&self, choices: &[(u32, T)], expected: &str) -> Result<T> {
        let number = unsigned(&self.text, 10);
        let found = choices.iter().find(|(key, _)| Some(*key) == number);
        found
            .map(|(_, choice)| *choice)
            .ok_or_else(|| self.refuse(expected))
    }
}

/// Returns the first 60 characters of `text`, on one line.
pub(super) fn clip(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(60).map(clean).collect()
}

/// Returns the first 60 characters of `text`, in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", clip(text))
}

/// Parses an unsigned number in base `radix`.
pub(super) fn unsigned(digits: &str, radix: u32) -> Option<u32> {
    let all = digits.chars().all(|digit| digit.is_digit(radix));
    u32::from_str_radix(digits, radix).ok().filter(|_| all)
}
