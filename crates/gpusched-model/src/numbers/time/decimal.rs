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
