//! Quantities in models: ticks, frequencies and times, rounded to the safe side, and lists of ignored parts.

use gpusched::recording::amalthea::{Frequency, Ignored, rounded_down, rounded_up};
use gpusched::time::Time;

fn duration(ticks: u128, value: &str, unit: &str) -> Option<u64> {
    Frequency::parse(value, unit)?.duration(ticks).map(Time::ns)
}

#[test]
fn ticks_are_rounded_up_to_nanoseconds() {
    // WATERS 2019: the maximum of the four GPU tasks at 1.5 GHz.
    assert_eq!(duration(11_850_000, "1.5", "GHz"), Some(7_900_000));
    assert_eq!(duration(186_000_000, "1.5", "GHz"), Some(124_000_000));
    assert_eq!(duration(41_000_000, "1.5", "GHz"), Some(27_333_334));
    assert_eq!(duration(174_000_000, "1.5", "GHz"), Some(116_000_000));
    assert_eq!(duration(0, "1.5", "GHz"), Some(0));
    assert_eq!(duration(1, "1.5", "GHz"), Some(1));
    assert_eq!(duration(3, "1.5E9", "Hz"), Some(2));
    assert_eq!(duration(3, "1500.0", "MHz"), Some(2));
    assert_eq!(duration(1, "0.001", "Hz"), Some(1_000_000_000_000));
    assert_eq!(duration(3, "3", "kHz"), Some(1_000_000));
}

#[test]
fn frequencies_are_rounded_down() {
    // A third of 10 GHz: 3 ns would be too short for 10 ticks of exactly 3.333… GHz.
    assert_eq!(duration(10, "3.3333333333333335", "GHz"), Some(4));
    assert_eq!(duration(7, "0.0019", "Hz"), duration(7, "0.001", "Hz"));
    assert_eq!(Frequency::parse("0.0009", "Hz"), None);
}

#[test]
fn minimum_durations_are_rounded_down() {
    let shortest = |ticks, value| Frequency::parse(value, "GHz").unwrap().shortest(ticks).ns();
    assert_eq!(shortest(41_000_000, "1.5"), 27_333_333);
    assert_eq!(shortest(4, "2.0"), 2);
    assert_eq!(
        (shortest(5, "2.0"), shortest(1, "1.5"), shortest(0, "1.5")),
        (2, 0, 0)
    );
    assert_eq!(shortest(u128::MAX, "1"), 0);
}

#[test]
fn times_that_are_too_long_are_no_times() {
    assert_eq!(duration(i64::MAX as u128, "1", "GHz"), Some(i64::MAX as u64));
    assert_eq!(duration(i64::MAX as u128 + 1, "1", "GHz"), None);
    assert_eq!(duration(u128::MAX, "1", "GHz"), None);
    assert_eq!(duration(i64::MAX as u128, "0.001", "Hz"), None);
    for bad in ["", "-1", "nan", "0", "0.0", "1e30", "inf"] {
        assert_eq!(Frequency::parse(bad, "GHz"), None, "{bad}");
    }
    assert_eq!(Frequency::parse("1.5", "THz"), None);
}

#[test]
fn periods_are_rounded_down_and_jitter_up() {
    assert_eq!(rounded_down(1_999), Some(Time::from_ns(1)));
    assert_eq!(rounded_up(1_001), Some(Time::from_ns(2)));
    assert_eq!((rounded_down(999), rounded_down(-1)), (None, None));
    assert_eq!((rounded_up(0), rounded_up(-1)), (Some(Time::ZERO), None));
    assert_eq!(rounded_down(i128::MAX), None);
}

#[test]
fn frequencies_are_displayed_exactly() {
    let shown = |value, unit| Frequency::parse(value, unit).unwrap().to_string();
    assert_eq!(shown("1.5", "GHz"), "1.5 GHz");
    assert_eq!(shown("1300.5", "MHz"), "1.3005 GHz");
    assert_eq!(shown("0.25", "Hz"), "0.25 Hz");
    assert_eq!(shown("200", "MHz"), "200 MHz");
}

#[test]
fn entries_are_displayed_with_counts_and_names() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
    let shown = Ignored::named("CPU task", names(&["a"])).to_string();
    assert_eq!(shown, "1 CPU task (a)");
    let shown = Ignored::named("priority", names(&["1", "1"])).to_string();
    assert_eq!(shown, "2 priorities (1)");
    let shown = Ignored::new("item of GPU tasks", 2, []).to_string();
    assert_eq!(shown, "2 items of GPU tasks");
    let many: Vec<String> = (0..13).map(|number| number.to_string()).collect();
    let shown = Ignored::named("label", many).to_string();
    assert_eq!(shown, "13 labels (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)");
}
