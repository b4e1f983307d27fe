//! Interference level of a measurement.

use std::fmt;

/// Fraction q of the time during which best-effort CPU cores access memory while a block
/// executes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// q = 0: best-effort cores never access memory.
    Isolated,
    /// q = 1: best-effort cores always access memory, without regulation.
    Interference,
}

impl Level {
    /// All levels, in ascending order of q.
    pub const ALL: [Level; 2] = [Level::Isolated, Level::Interference];

    /// Returns q: 0 or 1.
    pub fn q(self) -> u8 {
        match self {
            Level::Isolated => 0,
            Level::Interference => 1,
        }
    }
}

impl fmt::Display for Level {
    /// Writes `q = 0` or `q = 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q = {}", self.q())
    }
}
