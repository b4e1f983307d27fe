//! Options of a Gantt chart.

use gpusched_model::time::Time;

/// Maximum number of slices in a figure. Programs that edit figures fail with more slices.
pub const MAX_SLICES: usize = 50_000;

/// Options of a Gantt chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Title.
    pub title: Option<String>,
    /// Start of the window [default: the first event].
    pub from: Option<Time>,
    /// End of the window [default: the last end].
    pub to: Option<Time>,
}

/// Properties of the terminal of a text chart.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// Characters per line, from 40 to 1000. Other numbers are clamped.
    pub columns: usize,
    /// Whether the terminal supports more than ASCII.
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
