//! Dates of times since the start of 1970.

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

/// Returns the date `YYYY-MM-DD` of the time `ns` in UTC, in nanoseconds since the start of 1970. Returns `None` for
/// earlier times, which are no times of a recording.
pub fn of_epoch_ns(ns: i64) -> Option<String> {
    let mut days = ns.checked_div(DAY).filter(|_| ns > 0)?;
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + i64::from(is_leap(year)) {
        days -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + i64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    Some(format!("{year:04}-{month:02}-{:02}", days + 1))
}
