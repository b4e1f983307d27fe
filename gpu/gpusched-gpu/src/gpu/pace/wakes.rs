//! Wake-up times: the next cycle when each part of the GPU has work.

use crate::memory::Ports;

/// Wake-up times of at most 128 parts of the GPU, in cycles of one clock.
///
/// A set contains the parts that have work now, so the simulation skips all other parts quickly.
#[derive(Debug)]
pub struct Wakes {
    at: Vec<u64>,
    /// Parts that had work when their wake-up time was last set, or at the last scan of all parts.
    due: Ports,
    /// Lower bound on the wake-up times of all parts outside `due`.
    next: u64,
}

/// Wake-up time of a part that has no future work.
pub const NEVER: u64 = u64::MAX;

impl Wakes {
    /// Creates wake-up times for `count` parts without work.
    pub fn new(count: usize) -> Self {
        Self {
            at: vec![NEVER; count],
            due: Ports::default(),
            next: NEVER,
        }
    }

    /// Sets the wake-up time of `part` to `at`. `now` is the current cycle or the next cycle.
    pub fn set(&mut self, part: usize, at: u64, now: u64) {
        self.at[part] = at;
        self.due.set(part, at <= now);
        if at > now {
            self.next = self.next.min(at);
        }
    }

    /// Sets the wake-up time of `part` to `at` if `at` is earlier than the present wake-up time.
    pub fn set_earlier(&mut self, part: usize, at: u64, now: u64) {
        if at < self.at[part] {
            self.set(part, at, now);
        }
    }

    /// Returns the parts that have work in cycle `now`. The result may also contain parts whose work starts in the
    /// next cycle.
    pub fn due(&mut self, now: u64) -> Ports {
        if self.next <= now {
            self.look_through(now);
        }
        self.due
    }

    /// Scans all parts, and marks each part as due if its wake-up time is at most `now`.
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

    /// Returns whether `part` has work in cycle `now`.
    pub fn is_due(&self, part: usize, now: u64) -> bool {
        self.at[part] <= now
    }

    /// Returns a lower bound on all wake-up times.
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
