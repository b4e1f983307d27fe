//! Times in texts: with a unit, as JSON, and as decimal numbers of other tools.

use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};

fn ns(text: &str) -> Option<u64> {
    text.parse().ok().map(Time::ns)
}

#[test]
fn units_and_fractions_are_exact() {
    assert_eq!(ns("2.5us"), Some(2_500));
    assert_eq!(ns("0.3 µs"), Some(300));
    assert_eq!(ns("1s"), Some(1_000_000_000));
    assert_eq!(ns("1.000000001s"), Some(1_000_000_001));
    assert_eq!(ns("50ms"), Some(50_000_000));
    assert_eq!(ns("7ns"), Some(7));
    assert_eq!(ns("7.50ms"), Some(7_500_000));
}

#[test]
fn what_is_no_time_is_refused() {
    for bad in [
        "",
        "ms",
        "-1ms",
        "1.5",
        "1.5ns",
        "1.2.3ms",
        ".5ms",
        "5.ms",
        "1e3ns",
        "1 min",
        "NaN",
        "7",
        "9223372036854775808ns",
        "99999999999999999999s",
        "inf",
    ] {
        assert_eq!(ns(bad), None, "{bad:?}");
    }
    assert_eq!(ns("9223372036854775807ns"), Some(Time::LIMIT.ns()));
}

#[test]
fn text_form_round_trips() {
    for value in [
        0,
        1,
        999,
        1_000,
        1_001,
        2_500,
        1_000_000,
        37_500_000,
        4_000_000_000,
        123_456_789_012,
    ] {
        let time = Time::from_ns(value);
        assert_eq!(time.to_string().parse(), Ok(time), "{time}");
    }
    assert_eq!(Time::from_ns(37_500_000).to_string(), "37.5ms");
    assert_eq!(format!("{:>8}", Time::from_ns(2_500)), "   2.5us");
}

#[test]
fn times_in_json_are_integers_or_strings() {
    assert_eq!(
        serde_json::from_str::<Time>("2500").ok(),
        Some(Time::from_ns(2500))
    );
    assert_eq!(
        serde_json::from_str::<Time>("\"2.5us\"").ok(),
        Some(Time::from_ns(2500))
    );
    for bad in [
        "-5",
        "2.5",
        "1e308",
        "9223372036854775808",
        "\"7\"",
        "\"x\"",
        "null",
        "[1]",
    ] {
        let message = serde_json::from_str::<Time>(bad).unwrap_err().to_string();
        assert!(message.contains("expected a time"), "{bad}: {message}");
    }
}

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
