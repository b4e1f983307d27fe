//! What a chart shows.

use gpusched_model::time::Time;

/// The most slices that a figure may show: with more of them, programs that edit figures give up.
pub const MAX_SLICES: usize = 50_000;

/// What a chart shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The headline.
    pub title: Option<String>,
    /// The beginning of the window [default: the first event].
    pub from: Option<Time>,
    /// The end of the window [default: the last end].
    pub to: Option<Time>,
}

/// What a text is written for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// Characters per line, taken as 40 if fewer, and as 1000 if more.
    pub columns: usize,
    /// Whether it can show more than ASCII.
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
