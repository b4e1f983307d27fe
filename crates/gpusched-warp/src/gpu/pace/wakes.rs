//! When each of several parts of the GPU has something to do.

use crate::memory::Ports;

/// Per part, the cycle (of whatever clock) from which on it has something to do; at most 128 parts.
///
/// Parts that have something to do in this cycle are a set, so that nobody looks at the others.
#[derive(Debug)]
pub struct Wakes {
    at: Vec<u64>,
    /// Those that were due when they were set, or when the sleepers were looked through.
    due: Ports,
    /// No other part wakes before.
    next: u64,
}

/// A part that sleeps until something comes.
pub const NEVER: u64 = u64::MAX;

impl Wakes {
    /// `count` parts with nothing to do.
    pub fn new(count: usize) -> Self {
        Self {
            at: vec![NEVER; count],
            due: Ports::default(),
            next: NEVER,
        }
    }

    /// `part` has something to do from `at` on, and not before; `now` is this cycle, or the next one.
    pub fn set(&mut self, part: usize, at: u64, now: u64) {
        self.at[part] = at;
        self.due.set(part, at <= now);
        if at > now {
            self.next = self.next.min(at);
        }
    }

    /// `part` has something to do from `at` on, or earlier.
    pub fn set_earlier(&mut self, part: usize, at: u64, now: u64) {
        if at < self.at[part] {
            self.set(part, at, now);
        }
    }

    /// Those that have something to do in cycle `now`, and those that were set in it for the next one.
    pub fn due(&mut self, now: u64) -> Ports {
        if self.next <= now {
            self.look_through(now);
        }
        self.due
    }

    /// Sleepers that wake by `now` are due.
    fn look_through(&mut self, now: u64) {
        self.next = NEVER;
        for (parts, word) in self.at.chunks(64).zip(self.due.words()) {
            let mut due = 0;
            for (part, &at) in parts.iter().enumerate() {
                due |= u64::from(at <= now) << part;
                self.next = self.next.min(if at <= now { NEVER } else { at });
            }
            *word |= due;
        }
    }

    /// Whether `part` has something to do in cycle `now`.
    pub fn is_due(&self, part: usize, now: u64) -> bool {
        self.at[part] <= now
    }

    /// No part has something to do before this cycle.
    pub fn earliest(&self) -> u64 {
        if self.due.is_empty() { self.next } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_look_at_all_parts() {
        let mut state = 11_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..100 {
            let count = 1 + random(128) as usize;
            let mut wakes = Wakes::new(count);
            let mut twin = vec![NEVER; count];
            let mut now = 0;
            for _ in 0..200 {
                now += random(3);
                let part = random(count as u64) as usize;
                let at = now + random(20);
                let now = now + random(2);
                if random(2) == 0 {
                    wakes.set(part, at, now);
                    twin[part] = at;
                } else {
                    wakes.set_earlier(part, at, now);
                    twin[part] = twin[part].min(at);
                }
                let first = twin.iter().copied().min().unwrap();
                assert!(wakes.earliest() <= first);
                let due: Vec<usize> = wakes
                    .due(now)
                    .iter()
                    .filter(|&part| wakes.is_due(part, now))
                    .collect();
                let slow: Vec<usize> = (0..count).filter(|&part| twin[part] <= now).collect();
                assert_eq!(due, slow);
            }
        }
    }
}
