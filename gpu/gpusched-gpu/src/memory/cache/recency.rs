//! Order of the lines of each set by their last use.

/// Lines of each set, in order from the least recently used to the most recently used. Lines are numbered in the order
/// of the calls of [`Recency::add`]. GPGPU-Sim fills the last empty line of a set first. The highest number therefore
/// corresponds to the first line of the set in GPGPU-Sim.
#[derive(Debug, Clone)]
pub struct Recency {
    lines: Vec<Use>,
    sets: Vec<Ends>,
}

/// Last use of a line, and its neighbors in the list of its set.
#[derive(Debug, Clone, Copy)]
struct Use {
    /// Time of the last use; [`NEVER`] if the line is not in a list.
    at: u64,
    older: u32,
    newer: u32,
}

/// First and last line in the list of a set.
#[derive(Debug, Clone, Copy)]
struct Ends {
    oldest: u32,
    newest: u32,
}

const NEVER: u64 = u64::MAX;
const NONE: u32 = u32::MAX;

const UNUSED: Use = Use {
    at: NEVER,
    older: NONE,
    newer: NONE,
};

const EMPTY: Ends = Ends {
    oldest: NONE,
    newest: NONE,
};

impl Recency {
    /// Creates an empty order, and reserves memory for `lines` lines.
    pub fn new(sets: usize, lines: usize) -> Self {
        Self {
            lines: Vec::with_capacity(lines),
            sets: vec![EMPTY; sets],
        }
    }

    /// Adds a line that has never been used.
    pub fn add(&mut self) {
        self.lines.push(UNUSED);
    }

    /// Records a use of `line` at time `now`. The line belongs to the set `set`.
    pub fn touch(&mut self, line: usize, set: u32, now: u64) {
        let set = set as usize;
        let Use { at, older, newer } = self.lines[line];
        if self.sets[set].newest == line as u32 && at <= now {
            self.lines[line].at = now;
            return;
        }
        if at != NEVER {
            self.link(set, older, newer);
        }
        // In rare cases, `now` is before the newest use. The search therefore finds the position that keeps the list
        // sorted.
        let (mut before, mut after) = (self.sets[set].newest, NONE);
        while let Some(last) = self.lines.get(before as usize).filter(|last| last.at > now) {
            (before, after) = (last.older, before);
        }
        self.lines[line].at = now;
        self.link(set, before, line as u32);
        self.link(set, line as u32, after);
    }

    /// Makes `newer` the successor of `older` in the list of `set`.
    fn link(&mut self, set: usize, older: u32, newer: u32) {
        match older {
            NONE => self.sets[set].oldest = newer,
            line => self.lines[line as usize].newer = newer,
        }
        match newer {
            NONE => self.sets[set].newest = older,
            line => self.lines[line as usize].older = older,
        }
    }

    /// Returns the least recently used line among the lines of `set` that satisfy `may_go`. Among
    /// lines with equal times, returns the line with the highest number.
    pub fn oldest(&self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let mut found: Option<(usize, u64)> = None;
        let mut next = self.sets[set].oldest as usize;
        while let Some(&Use { at, newer, .. }) = self.lines.get(next) {
            if found.is_some_and(|(_, first)| at > first) {
                break;
            }
            if may_go(next) {
                found = Some(found.map_or((next, at), |(line, at)| (line.max(next), at)));
            }
            next = newer as usize;
        }
        found.map(|(line, _)| line)
    }

    /// Removes all lines.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.sets.fill(EMPTY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_search_of_all_lines() {
        let mut state = 3_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let (sets, most) = (1 + random(3), 1 + random(20) as usize);
            let mut fast = Recency::new(sets as usize, most);
            // Set and time of the last use, for each line.
            let mut used: Vec<(u64, u64)> = Vec::new();
            let mut now = 5;
            for _ in 0..100 {
                now += random(3);
                let at = now - random(2) * random(5);
                let line = random(most as u64).min(used.len() as u64) as usize;
                if line == used.len() {
                    fast.add();
                    used.push((random(sets), at));
                }
                used[line].1 = at;
                fast.touch(line, used[line].0 as u32, at);
                let pinned = random(1 << most);
                let may_go = |line: usize| pinned >> line & 1 == 0;
                for set in 0..sets {
                    let lines = (0..used.len()).rev();
                    let lines = lines.filter(|&line| used[line].0 == set && may_go(line));
                    let oldest = lines.min_by_key(|&line| used[line].1);
                    assert_eq!(fast.oldest(set as usize, may_go), oldest);
                }
                if random(40) == 0 {
                    fast.clear();
                    used.clear();
                }
            }
        }
    }
}
