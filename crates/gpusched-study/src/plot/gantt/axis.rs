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
    pub fn new(window: Window, room: usize, gap: usize) -> TimeAxis {
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
