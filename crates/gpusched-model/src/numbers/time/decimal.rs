//! Exact conversion of decimal numbers to times.

/// Rounding of a decimal number that is not a whole number of nanoseconds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Rounds down, for start times.
    Down,
    /// Rounds up, for end times and durations, so that no duration becomes shorter than measured.
    Up,
}

/// Maximum length of a number [characters]. Valid numbers in all supported formats are much
/// shorter.
const LONGEST: usize = 64;

/// Converts `text`, a decimal number in units of 10^`unit` ns such as `1.61` or `1.61e-06`, to nanoseconds. Returns
/// `None` if the result is not from 0 to 2^63 − 1.
pub fn nanoseconds(text: &[u8], unit: u32, rounding: Rounding) -> Option<u64> {
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    if unit == 0 && text.len() <= 18 && text.iter().all(u8::is_ascii_digit) {
        return integer(text); // the common case
    }
    let (mantissa, exponent) = match text.iter().position(|&byte| byte == b'e' || byte == b'E') {
        Some(at) => (text.get(..at)?, exponent(text.get(at + 1..)?)?),
        None => (text, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (mantissa.get(..at)?, mantissa.get(at + 1..)?),
        None => (mantissa, &b""[..]),
    };
    if whole.is_empty() || (fraction.is_empty() && whole.len() < mantissa.len()) {
        return None;
    }
    let digits: Vec<u8> = whole.iter().chain(fraction).copied().collect();
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // value = digits · 10^shift ns
    let shift = i64::from(exponent) + i64::from(unit) - i64::try_from(fraction.len()).ok()?;
    let split = i64::try_from(digits.len()).ok()? + shift.min(0);
    let (kept, lost) = digits.split_at(usize::try_from(split.max(0)).ok()?);
    let mut value = integer(kept)?;
    if value > 0 {
        let factor = 10u64.checked_pow(u32::try_from(shift.max(0)).ok()?)?;
        value = value.checked_mul(factor)?;
    }
    if rounding == Rounding::Up && lost.iter().any(|&digit| digit != b'0') {
        value = value.checked_add(1)?;
    }
    i64::try_from(value).ok().map(i64::cast_unsigned)
}

/// Parses `digits` as an integer. The result for an empty text is 0.
pub fn integer(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, &digit| {
        let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
        value.checked_mul(10)?.checked_add(digit.into())
    })
}

/// Parses an exponent from −999 to 999.
fn exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text.split_first()? {
        (b'-', digits) => (-1, digits),
        (b'+', digits) => (1, digits),
        _ => (1, text),
    };
    if digits.is_empty() || digits.len() > 3 {
        return None;
    }
    Some(sign * i32::try_from(integer(digits)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up(text: &str, unit: u32) -> Option<u64> {
        nanoseconds(text.as_bytes(), unit, Rounding::Up)
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(up("1623", 0), Some(1_623));
        assert_eq!(up("1.623", 3), Some(1_623));
        assert_eq!(up("0.3", 3), Some(300));
        assert_eq!(up("10.068959125", 9), Some(10_068_959_125));
        assert_eq!(up("1.61e-06", 9), Some(1_610));
        assert_eq!(up("16E+2", 0), Some(1_600));
        assert_eq!(up("0", 6), Some(0));
        assert_eq!(up("0e999", 9), Some(0));
        assert_eq!(up("9223372036854775807", 0), Some(i64::MAX as u64));
    }

    #[test]
    fn finer_than_a_nanosecond_is_rounded() {
        let down = |text: &str, unit| nanoseconds(text.as_bytes(), unit, Rounding::Down);
        assert_eq!((down("1.6129", 3), up("1.6129", 3)), (Some(1_612), Some(1_613)));
        assert_eq!((down("1.6120", 3), up("1.6120", 3)), (Some(1_612), Some(1_612)));
        assert_eq!((down("1e-10", 9), up("1e-10", 9)), (Some(0), Some(1)));
        assert_eq!((down("1e-999", 9), up("1e-999", 9)), (Some(0), Some(1)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let nines = "9".repeat(65);
        for text in [
            "",
            "-1",
            "+1",
            "nan",
            "NaN",
            "inf",
            "1e",
            "1e1000",
            "1e99",
            ".5",
            "5.",
            "1.2.3",
            "1,5",
            "0x10",
            "1_000",
            " 1",
            "9223372036854775808",
            &nines,
        ] {
            assert_eq!(up(text, 0), None, "{text}");
        }
    }
}
