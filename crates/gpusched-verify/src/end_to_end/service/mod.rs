//! The time that a resource needs for a demand. A resource executes nothing while it loses time to the memory traffic of
//! other resources, or while other contexts of its GPU have their turns.
//!
//! * `memory`: the time that a resource loses to memory traffic;
//! * `turns`: the time that a context of a time-sliced partition waits for its turns;
//! * `occupation`: the turns and the time that another context uses in a window.

mod memory;
mod occupation;
mod turns;

pub(super) use memory::{Lost, Memory};
pub(super) use turns::{TimeSliced, Turns, starts_idle};

use crate::conditions::Fraction;

/// End of a window. The resource has work during the whole window.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// The start of a non-preemptive segment.
    Start,
    /// The end of a segment.
    End,
    /// The end of a segment. The resource is idle just before the window.
    EndFromIdle,
}

/// The service that a resource gives to its segments. By default, the resource always executes its segments.
#[derive(Copy, Clone, Default)]
pub(super) struct Service<'a> {
    pub lost: Lost<'a>,
    /// `None` if the resource is no context of a time-sliced partition.
    pub turns: Option<Turns<'a>>,
}

impl Service<'_> {
    /// Returns the longest time until the resource has executed `demand`, in a window of length `window`. Returns `None` if
    /// no bound follows.
    pub fn time(&self, demand: u128, window: u128, until: Until) -> Option<u128> {
        let waiting = match &self.turns {
            Some(turns) => turns.waiting(demand, window, until)?,
            None => 0,
        };
        let executing = demand.saturating_add(self.lost.within(window));
        Some(executing.saturating_add(waiting))
    }

    /// Returns whether the resource executes its segments all the time.
    pub fn is_immediate(&self) -> bool {
        self.lost.is_zero() && self.turns.is_none()
    }

    /// Returns whether every demand waits for a turn.
    pub fn always_waits(&self) -> bool {
        let turns = self.turns.as_ref();
        turns.is_some_and(|turns| turns.waiting(1, 1, Until::End) != Some(0))
    }

    /// Returns the minimum share of a long window that the resource loses to memory traffic.
    pub fn share(&self) -> Fraction {
        self.lost.share()
    }
}
