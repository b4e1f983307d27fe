//! Words of a line.

/// Error: an invalid value in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Name of the column or header field in the file format.
    pub field: &'static str,
    /// Message that states the found value and the expected value.
    pub message: String,
}

impl Fault {
    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Fault {
        Fault {
            field,
            message: message.into(),
        }
    }

    /// Returns an error which states that `found` is invalid for `field`.
    pub(super) fn found(field: &'static str, found: Option<&[u8]>, expected: &str) -> Fault {
        let found = found.map_or("the end of the line".to_owned(), show);
        Fault::new(field, format!("found {found}, expected {expected}"))
    }
}

/// Returns `text` in quotes, for a message. Long text is shortened.
pub(super) fn show(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(text.get(..4 * LONGEST).unwrap_or(text));
    let short: String = text.chars().take(LONGEST).collect();
    match short.len() < text.len() {
        true => format!("{:?}", short + "…"),
        false => format!("{short:?}"),
    }
}

/// Remaining words of a line.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a>(&'a [u8]);

impl<'a> Tokens<'a> {
    pub(super) fn new(line: &'a [u8]) -> Tokens<'a> {
        Tokens(line)
    }

    /// Returns the remaining text of the line, without leading blanks.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0.trim_ascii_start()
    }

    /// Reads the next word as a value of `field`.
    pub(super) fn read<T>(
        &mut self,
        field: &'static str,
        value: impl FnOnce(&[u8]) -> Option<T>,
        expected: &str,
    ) -> Result<T, Fault> {
        let word = self.next();
        word.and_then(value)
            .ok_or_else(|| Fault::found(field, word, expected))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest();
        let end = text
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// Parses an unsigned integer.
pub(super) fn decimal(word: &[u8]) -> Option<u64> {
    let digits = word.iter().try_fold(0u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    });
    digits.filter(|_| !word.is_empty())
}

/// Parses an integer with an optional minus sign.
pub(super) fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some(digits) => 0i64.checked_sub_unsigned(decimal(digits)?),
        None => i64::try_from(decimal(word)?).ok(),
    }
}

/// Parses a hexadecimal number, with or without `0x`.
pub(super) fn hexadecimal(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        (value >> 60 == 0).then_some(value << 4 | u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        for bad in ["", "18446744073709551616", "+1", "-1", "1 ", "0x1", "١"] {
            assert_eq!(decimal(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(signed(b"9223372036854775807"), Some(i64::MAX));
        for bad in ["-", "--1", "9223372036854775808", "-9223372036854775809"] {
            assert_eq!(signed(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(hexadecimal(b"0x00007fEd"), Some(0x7fed));
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some(u64::MAX));
        for bad in ["", "0x", "0x0x1", "g", "1ffffffffffffffff", "-1"] {
            assert_eq!(hexadecimal(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn words() {
        let mut words = Tokens::new(b"  a\tbc ");
        assert_eq!(words.next(), Some(b"a".as_slice()));
        assert_eq!(words.rest(), b"bc ");
        assert_eq!(words.next(), Some(b"bc".as_slice()));
        assert_eq!((words.next(), words.next()), (None, None));
    }

    #[test]
    fn messages_stay_short() {
        assert_eq!(show(b"a\x1b\"\xff"), "\"a\\u{1b}\\\"\u{fffd}\"");
        assert!(show(&[b'x'; 1 << 16]).chars().count() < 50);
        assert_eq!(show("é".repeat(40).as_bytes()).chars().count(), 42);
    }
}
