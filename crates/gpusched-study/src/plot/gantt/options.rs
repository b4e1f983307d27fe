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
