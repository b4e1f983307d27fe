//! With and without interference.

use std::fmt;

/// The share of time in which best-effort cores used the memory while a block was measured.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// q = 0: nobody else uses the memory.
    Isolated,
    /// q = 1: best-effort cores use it all the time, unregulated.
    Interference,
}

impl Level {
    /// Both, in the order of q.
    pub const ALL: [Level; 2] = [Level::Isolated, Level::Interference];

    /// q: 0 or 1.
    pub fn q(self) -> u8 {
        match self {
            Level::Isolated => 0,
            Level::Interference => 1,
        }
    }
}

impl fmt::Display for Level {
    /// `q = 0` or `q = 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q = {}", self.q())
    }
}
