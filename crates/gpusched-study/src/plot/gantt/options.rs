//! Options of a Gantt chart.

use gpusched_model::time::Time;

/// Maximum number of slices in a figure. Programs for editing figures cannot open figures with more slices.
pub const MAX_SLICES: usize = 50_000;

/// Options of a Gantt chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Title of the chart.
    pub title: Option<String>,
    /// Start of the window [default: the time of the first event].
    pub from: Option<Time>,
    /// End of the window [default: the end of the last event].
    pub to: Option<Time>,
}

/// Properties of the terminal on which a text chart is printed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// Number of characters per line, from 40 to 1000. A number outside this range is replaced by the nearest allowed
    /// number.
    pub columns: usize,
    /// Whether the terminal can print characters outside ASCII.
    pub unicode: bool,
}

impl Default for Terminal {
    fn default() -> Terminal {
        Terminal {
            columns: 100,
            unicode: true,
        }
    }
}
