//! The time axis of a Gantt chart, with ticks at round times. The axis uses integers, so labels are exact even for a late
//! window of a long run.

use super::scene::Window;
use gpusched_model::time::Time;

/// Maximum number of steps between the first and the last tick.
const STEPS: u64 = 10;

/// A time axis with ticks at round times.
#[derive(Debug)]
pub struct TimeAxis {
    /// Symbol of the time unit.
    pub unit: &'static str,
    /// Times with a label, in ascending order. The list is empty only if the window is too narrow for a label.
    pub ticks: Vec<Time>,
    /// Length of the time unit [ns].
    length: u64,
    decimals: usize,
}

impl TimeAxis {
    /// Creates an axis from 0 to `end`, which is positive. The axis is `room` characters wide, with at least two characters
    /// between two labels.
    pub fn from_zero(end: Time, room: usize) -> TimeAxis {
        let from = Time::ZERO;
        TimeAxis::new(Window { from, to: end }, room, 2)
    }

    /// Creates the axis of a window. The axis is `room` characters wide, with at least `gap` characters between two
    /// labels.
    pub(super) fn new(window: Window, room: usize, gap: usize) -> TimeAxis {
        let (unit, length) = match window.to.ns() {
            1_000_000_000.. => ("s", 1_000_000_000),
            1_000_000.. => ("ms", 1_000_000),
            1_000.. => ("µs", 1_000),
            _ => ("ns", 1),
        };
        let mut axis = TimeAxis {
            unit,
            ticks: Vec::new(),
            length,
            decimals: 0,
        };
        for step in (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power))) {
            if window.length() / step > STEPS {
                continue;
            }
            let (first, last) = (window.from.ns().div_ceil(step), window.to.ns() / step);
            if first > last {
                break; // Larger steps would have no tick, or no tick at a rounder time.
            }
            axis.ticks = (first..=last).map(|tick| Time::from_ns(tick * step)).collect();
            axis.decimals = decimals(step, length);
            let widths = axis.ticks.iter().map(|&tick| axis.label(tick).chars().count());
            let widest = widths.max().unwrap_or_default();
            let per_step = room as u128 * u128::from(step) / u128::from(window.length());
            if axis.ticks.len() == 1 || (widest + gap) as u128 <= per_step {
                break;
            }
        }
        axis
    }

    /// Formats a time in the unit of the axis.
    pub fn label(&self, at: Time) -> String {
        let (whole, rest) = (at.ns() / self.length, at.ns() % self.length);
        match self.decimals {
            0 => whole.to_string(),
            decimals => {
                let digits = self.length.ilog10() as usize;
                let rest: String = format!("{rest:0digits$}").chars().take(decimals).collect();
                format!("{whole}.{rest}")
            }
        }
    }
}

/// Returns the number of decimals of the labels. The labels are multiples of `step`, in a unit of
/// `length` nanoseconds.
fn decimals(step: u64, length: u64) -> usize {
    let (mut decimals, mut unit) = (0, length);
    while unit > 1 && !step.is_multiple_of(unit) {
        unit /= 10;
        decimals += 1;
    }
    decimals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: u64, to: u64, room: usize) -> String {
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
            assert_eq!(labels(from, to, room), expected, "{from} {to} {room}");
        }
        assert!(labels(0, u64::MAX, 1).ends_with(" s"));
    }
}
