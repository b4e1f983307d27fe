//! Axes of a figure, with ranges, ticks and labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Maximum number of steps between the first and the last tick.
const STEPS: f64 = 8.0;

/// Maximum number of decades on an axis with a tick at every decade.
const DECADES: i32 = 8;

/// Space between the first or last tick and the nearest end of the axis, as a share of the distance between the first
/// and the last tick.
const PADDING: f64 = 0.025;

/// Converts values to coordinates on a linear scale. The ticks of an axis are at round values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    pub title: String,
    /// Smallest coordinate on the axis.
    pub low: f64,
    pub high: f64,
    /// Coordinates of the ticks in ascending order.
    pub ticks: Vec<f64>,
    scale: Scale,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Scale {
    /// Linear axis: the coordinate is value / unit. Labels have `decimals` decimals.
    Linear { unit: f64, decimals: usize },
    /// Logarithmic axis: the coordinate is log10(value / unit).
    Logarithmic { unit: f64 },
}

impl Axis {
    /// Creates a linear axis for the `values` of `column`. There must be at least one value, and all values must be finite.
    pub fn linear(column: &str, values: &[f64]) -> Axis {
        let (title, unit) = words(column, values);
        let (mut min, mut max) = (least(values) / unit, largest(values) / unit);
        if column == "rate" && min >= 0.0 && max <= 1.0 {
            (min, max) = (0.0, 1.0); // The axis of a share is always from 0 to 1.
        } else if min >= 0.0 && min < 0.3 * max {
            min = 0.0;
        }
        if max - min <= 1e-9 * max.abs().max(min.abs()).max(1e-3) {
            let room = (0.1 * max.abs()).max(1.0);
            (min, max) = (min - room, max + room);
        }

        // Chooses the smallest step among 1, 2 and 5 · 10^exponent for which the axis has at most STEPS steps.
        let rough = (max - min) / STEPS;
        let exponent = libm::floor(libm::log10(rough) + 1e-9);
        let power = libm::pow(10.0, exponent);
        let digit = [1.0, 2.0, 5.0]
            .into_iter()
            .find(|digit| digit * power >= rough * (1.0 - 1e-9))
            .unwrap_or(10.0);
        let step = digit * power;
        let (first, last) = (libm::floor(min / step + 1e-9), libm::ceil(max / step - 1e-9));
        let count = (last - first) as usize + 1;
        let ticks = (0..count).map(|index| (first + index as f64) * step).collect();
        let decimals = (-exponent - if digit == 10.0 { 1.0 } else { 0.0 }).max(0.0) as usize;
        Axis::new(title, ticks, Scale::Linear { unit, decimals })
    }

    /// Creates a logarithmic axis for the `values` of `column`. There must be at least one value, and all values must be
    /// positive.
    pub fn logarithmic(column: &str, values: &[f64]) -> Axis {
        let (title, unit) = words(column, values);
        let first = libm::floor(libm::log10(least(values) / unit) + 1e-9) as i32;
        let last = (libm::ceil(libm::log10(largest(values) / unit) - 1e-9) as i32).max(first + 1);
        let every = (last - first + DECADES - 1) / DECADES;
        let count = (last - first + every - 1) / every;
        let ticks = (0..=count)
            .map(|index| f64::from(first + index * every))
            .collect();
        Axis::new(title, ticks, Scale::Logarithmic { unit })
    }

    fn new(title: String, ticks: Vec<f64>, scale: Scale) -> Axis {
        let (first, last) = (least(&ticks), largest(&ticks));
        let room = PADDING * (last - first);
        Axis {
            title,
            low: first - room,
            high: last + room,
            ticks,
            scale,
        }
    }

    /// Returns the coordinate of a value. A value beyond the range has the coordinate of the
    /// nearest end of the range.
    pub fn coordinate(&self, value: f64) -> f64 {
        let coordinate = match self.scale {
            Scale::Linear { unit, .. } => value / unit,
            Scale::Logarithmic { unit } if value > 0.0 => libm::log10(value / unit),
            Scale::Logarithmic { .. } => self.low,
        };
        coordinate.clamp(self.low, self.high)
    }

    /// Returns the label of the tick at `coordinate`.
    pub fn label(&self, coordinate: f64) -> String {
        match self.scale {
            Scale::Linear { decimals, .. } => {
                let label = format!("{coordinate:.decimals$}");
                // Prevents the label "-0.0".
                match label.strip_prefix('-') {
                    Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
                    _ => label,
                }
            }
            Scale::Logarithmic { .. } => {
                let exponent = libm::round(coordinate) as i32;
                match exponent {
                    0..=5 => format!("{}", 10_u64.pow(exponent.unsigned_abs())),
                    -4..0 => format!(
                        "{:.*}",
                        exponent.unsigned_abs() as usize,
                        libm::pow(10.0, exponent.into())
                    ),
                    _ => format!("10{}", superscript(exponent)),
                }
            }
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, coordinate: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (coordinate - self.low) / (self.high - self.low);
        start + libm::round(share * f64::from(end - start)) as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, coordinate: &f64) -> String {
        self.label(*coordinate)
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn superscript(exponent: i32) -> String {
    let raise = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit
            .to_digit(10)
            .and_then(|digit| char::from_u32('⁰' as u32 + digit))
            .unwrap_or(digit),
    };
    exponent.to_string().chars().map(raise).collect()
}

/// Returns the title of an axis and the divisor of its values. If the name of `column` ends in `_ns`, the unit depends on
/// the largest value.
fn words(column: &str, values: &[f64]) -> (String, f64) {
    let (name, time) = match column.strip_suffix("_ns") {
        Some(name) => (name, true),
        None => (column, false),
    };
    let title = match name {
        "utilization" => "Utilization U".to_owned(),
        "rate" => "Share of sets schedulable".to_owned(),
        "tasks" => "Number of tasks".to_owned(),
        "sms" => "SMs".to_owned(),
        "speed_up" => "Speed-up".to_owned(),
        "wcet" => "C(m)".to_owned(),
        "weighted" => "Weighted schedulability".to_owned(),
        "mean_sms" => "SMs used (mean)".to_owned(),
        "mean_merges" => "Merges tested (mean)".to_owned(),
        "mean_prefill_merges" => "Merges in the pre-fill (mean)".to_owned(),
        "mean_search" => "Search time (mean)".to_owned(),
        "mean_prefill" => "Pre-fill time (mean)".to_owned(),
        name => {
            let mut letters = name.chars();
            let first = letters
                .next()
                .map(|c| c.to_uppercase().to_string())
                .unwrap_or_default();
            format!("{first}{}", letters.as_str().replace('_', " "))
        }
    };
    if !time {
        return (title, 1.0);
    }
    let (symbol, unit) = match largest(values) {
        value if value >= 1e9 => ("s", 1e9),
        value if value >= 1e6 => ("ms", 1e6),
        value if value >= 1e3 => ("µs", 1e3),
        _ => ("ns", 1.0),
    };
    (format!("{title} [{symbol}]"), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> String {
        let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
        labels.join(" ")
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
            let axis = Axis::linear("x", values);
            for &value in values {
                assert!(axis.low < value && value < axis.high, "{values:?}");
            }
            assert_eq!(labels(&axis), expected, "{values:?}");
        }
    }

    #[test]
    fn a_rate_is_shown_from_0_to_1() {
        assert_eq!(
            labels(&Axis::linear("rate", &[0.4, 0.5])),
            "0.0 0.2 0.4 0.6 0.8 1.0"
        );
    }

    #[test]
    fn decades() {
        let axis = Axis::logarithmic("x", &[0.004, 120.0]);
        assert_eq!(labels(&axis), "0.001 0.01 0.1 1 10 100 1000");
        assert_eq!(axis.coordinate(10.0), 1.0);
        assert_eq!(axis.coordinate(0.0), axis.low);
        assert_eq!(labels(&Axis::logarithmic("x", &[100.0])), "100 1000");
        assert_eq!(
            labels(&Axis::logarithmic("x", &[1e-12, 1e12])),
            "10⁻¹² 10⁻⁹ 10⁻⁶ 0.001 1 1000 10⁶ 10⁹ 10¹²"
        );
    }

    #[test]
    fn times_get_a_readable_unit() {
        let axis = Axis::linear("mean_search_ns", &[1.2e6, 5.5e7]);
        assert_eq!(axis.title, "Search time (mean) [ms]");
        assert_eq!(labels(&axis), "0 10 20 30 40 50 60");
        assert_eq!(axis.coordinate(2e7), 20.0);
        assert_eq!(Axis::linear("wait_ns", &[10.0]).title, "Wait [ns]");
        assert_eq!(Axis::linear("mean_slack", &[10.0]).title, "Mean slack");
    }
}
