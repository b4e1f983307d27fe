//! Axes: round ticks, ranges and units.

use gpusched::time::Time;
use gpusched_study::plot::axis::{Axis, Wanted};
use gpusched_study::plot::gantt::{TimeAxis, Window};

fn labels(axis: &Axis) -> String {
    let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
    labels.join(" ")
}

const LINEAR: Wanted<'_> = Wanted {
    column: "x",
    title: None,
    logarithmic: false,
    range: None,
    from_zero: false,
};

fn linear(column: &str, values: &[f64]) -> Axis {
    Axis::new(Wanted { column, ..LINEAR }, values)
}

fn logarithmic(values: &[f64]) -> Axis {
    let wanted = Wanted {
        logarithmic: true,
        ..LINEAR
    };
    Axis::new(wanted, values)
}

#[test]
fn linear_ticks_are_round_and_cover_the_values() {
    for (values, expected) in [
        (&[2.0, 68.0][..], "0 10 20 30 40 50 60 70"),
        (&[0.1, 0.45], "0.0 0.1 0.2 0.3 0.4 0.5"),
        (&[1000.0, 1007.0], "1000 1001 1002 1003 1004 1005 1006 1007"),
        (&[-3.0, 4.0], "-3 -2 -1 0 1 2 3 4"),
        (&[50.0], "44 46 48 50 52 54 56"),
        (&[0.0], "-1.0 -0.5 0.0 0.5 1.0"),
        (
            &[1e15],
            "900000000000000 950000000000000 1000000000000000 1050000000000000 1100000000000000",
        ),
    ] {
        let axis = linear("x", values);
        for &value in values {
            assert!((0.01..0.99).contains(&axis.share(value)), "{values:?}");
        }
        assert_eq!(labels(&axis), expected, "{values:?}");
    }
}

#[test]
fn bars_stand_on_zero() {
    let bars = |values: &[f64]| {
        let wanted = Wanted {
            from_zero: true,
            ..LINEAR
        };
        Axis::new(wanted, values)
    };
    for (values, zero) in [
        (&[7.0, 8.0][..], 0.0),
        (&[0.0], 0.0),
        (&[-7.0, -8.0], 1.0),
        (&[0.0, 0.0], 0.0),
    ] {
        assert_eq!(bars(values).share(0.0), zero, "{values:?}");
    }
    assert!((0.2..0.8).contains(&bars(&[-1.0, 1.0]).share(0.0)));
    assert_eq!(labels(&bars(&[7.0, 8.0])), "0 1 2 3 4 5 6 7 8");
}

#[test]
fn a_stated_range_is_the_whole_axis() {
    let wanted = Wanted {
        range: "0.5..2".parse().ok(),
        ..LINEAR
    };
    let axis = Axis::new(wanted, &[100.0]);
    assert_eq!(
        (axis.share(0.5), axis.share(2.0), axis.share(3.5)),
        (0.0, 1.0, 2.0)
    );
    assert_eq!(labels(&axis), "0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0");
}

#[test]
fn a_rate_is_shown_from_0_to_1() {
    assert_eq!(labels(&linear("rate", &[0.4, 0.5])), "0.0 0.2 0.4 0.6 0.8 1.0");
}

#[test]
fn decades() {
    let axis = logarithmic(&[0.004, 120.0]);
    assert_eq!(labels(&axis), "0.001 0.01 0.1 1 10 100 1000");
    assert_eq!(axis.share(10.0), axis.share_of_coordinate(1.0));
    assert_eq!(axis.share(0.0), 0.0);
    assert_eq!(labels(&logarithmic(&[100.0])), "100 200");
    assert_eq!(
        labels(&logarithmic(&[9400.0, 281_000.0])),
        "5000 10000 20000 50000 100000 200000 500000"
    );
    assert_eq!(labels(&logarithmic(&[0.02, 0.3])), "0.02 0.05 0.1 0.2 0.5");
    assert_eq!(
        labels(&logarithmic(&[1e-12, 1e12])),
        "10⁻¹² 10⁻⁹ 10⁻⁶ 0.001 1 1000 10⁶ 10⁹ 10¹²"
    );
}

#[test]
fn times_get_a_readable_unit() {
    let axis = linear("mean_search_ns", &[1.2e6, 5.5e7]);
    assert_eq!(axis.title, "Search time (mean) [ms]");
    assert_eq!(labels(&axis), "0 10 20 30 40 50 60");
    assert_eq!(axis.share(2e7), axis.share_of_coordinate(20.0));
    assert_eq!(
        (axis.text(2.5e6), axis.text(0.0)),
        ("2.5".to_owned(), "0".to_owned())
    );
    assert_eq!(linear("wait_ns", &[10.0]).title, "Wait [ns]");
    assert_eq!(linear("mean_slack", &[10.0]).title, "Mean slack");
}

fn time_labels(from: u64, to: u64, room: usize) -> String {
    let window = Window {
        from: Time::from_ns(from),
        to: Time::from_ns(to),
    };
    let axis = TimeAxis::new(window, room, 2);
    let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
    format!("{} {}", labels.join(" "), axis.unit)
}

#[test]
fn ticks_are_round_exact_and_have_room() {
    for (from, to, room, expected) in [
        (0, 10, 80, "0 1 2 3 4 5 6 7 8 9 10 ns"),
        (0, 1, 80, "0 1 ns"),
        (0, 60_000_000, 80, "0 10 20 30 40 50 60 ms"),
        (0, 60_000_000, 20, "0 20 40 60 ms"),
        (0, 2_500, 80, "0.0 0.5 1.0 1.5 2.0 2.5 µs"),
        (7_300_000, 7_900_000, 80, "7.3 7.4 7.5 7.6 7.7 7.8 7.9 ms"),
        (
            1_000_000_100,
            1_000_000_220,
            80,
            "1.00000010 1.00000012 1.00000014 1.00000016 1.00000018 1.00000020 1.00000022 s",
        ),
        (
            1_000_000_100,
            1_000_000_220,
            30,
            "1.00000010 1.00000015 1.00000020 s",
        ),
        (1_000_000_100, 1_000_000_220, 28, "1.0000001 1.0000002 s"),
        (3, 4, 1, "4 ns"),
        (
            0,
            i64::MAX as u64,
            80,
            "0 2000000000 4000000000 6000000000 8000000000 s",
        ),
    ] {
        assert_eq!(time_labels(from, to, room), expected, "{from} {to} {room}");
    }
    assert!(time_labels(0, u64::MAX, 1).ends_with(" s"));
}
