//! In which order the lines of a set were used.

/// Per set, its lines from the one used longest ago to the one used last.
#[derive(Debug, Clone)]
pub struct Recency {
    ways: usize,
    /// Per line, when it was used; [`NEVER`] if it is in no list.
    used: Vec<u64>,
    /// Per line, its neighbours.
    older: Vec<u32>,
    newer: Vec<u32>,
    /// Per set, its ends.
    oldest: Vec<u32>,
    newest: Vec<u32>,
}

const NEVER: u64 = u64::MAX;
const NONE: u32 = u32::MAX;

impl Recency {
    /// Of lines that were never used.
    pub fn new(sets: usize, ways: usize) -> Self {
        Self {
            ways,
            used: vec![NEVER; sets * ways],
            older: vec![NONE; sets * ways],
            newer: vec![NONE; sets * ways],
            oldest: vec![NONE; sets],
            newest: vec![NONE; sets],
        }
    }

    /// `line` is used at `now`.
    pub fn touch(&mut self, line: usize, now: u64) {
        let set = line / self.ways;
        if self.newest[set] == line as u32 && self.used[line] <= now {
            self.used[line] = now;
            return;
        }
        if self.used[line] != NEVER {
            let (older, newer) = (self.older[line], self.newer[line]);
            self.link(set, older, newer);
        }
        // Time hardly ever goes back; where it does, the list stays sorted.
        let (mut before, mut after) = (self.newest[set], NONE);
        while before != NONE && self.used[before as usize] > now {
            (before, after) = (self.older[before as usize], before);
        }
        self.used[line] = now;
        self.link(set, before, line as u32);
        self.link(set, line as u32, after);
    }

    /// `newer` follows `older` in the list of `set`.
    fn link(&mut self, set: usize, older: u32, newer: u32) {
        match older {
            NONE => self.oldest[set] = newer,
            line => self.newer[line as usize] = newer,
        }
        match newer {
            NONE => self.newest[set] = older,
            line => self.older[line as usize] = older,
        }
    }

    /// Of the lines of `set` that `may_go`, the one used longest ago; of several, the first.
    pub fn oldest(&self, set: usize, may_go: impl Fn(usize) -> bool) -> Option<usize> {
        let mut found: Option<usize> = None;
        let mut next = self.oldest[set];
        while next != NONE {
            let line = next as usize;
            if found.is_some_and(|found| self.used[line] > self.used[found]) {
                break;
            }
            if may_go(line) {
                found = Some(found.map_or(line, |found| found.min(line)));
            }
            next = self.newer[line];
        }
        found
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.used.fill(NEVER);
        self.oldest.fill(NONE);
        self.newest.fill(NONE);
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
            let (sets, ways) = (1 + random(3) as usize, 1 + random(6) as usize);
            let mut fast = Recency::new(sets, ways);
            let mut used = vec![None; sets * ways];
            let mut now = 5;
            for _ in 0..100 {
                now += random(3);
                let at = now - random(2) * random(5);
                let line = random((sets * ways) as u64) as usize;
                fast.touch(line, at);
                used[line] = Some(at);
                let pinned = random(1 << (sets * ways));
                let may_go = |line: usize| pinned >> line & 1 == 0;
                for set in 0..sets {
                    let lines =
                        (set * ways..(set + 1) * ways).filter(|&line| used[line].is_some() && may_go(line));
                    assert_eq!(fast.oldest(set, may_go), lines.min_by_key(|&line| used[line]));
                }
                if random(40) == 0 {
                    fast.clear();
                    used.fill(None);
                }
            }
        }
    }
}
