//! The four clock domains.
//!
//! The time of a clock edge is a sum of clock periods in double precision, as in GPGPU-Sim. If the exact times of two
//! edges are equal, rounding errors determine their order. These sums are equal on every host machine (IEEE 754).

use crate::machine::Clocks;

/// A clock domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    Core,
    Interconnect,
    L2,
    Dram,
}

/// Next edge of every clock domain.
#[derive(Debug, Clone)]
pub struct Edges {
    /// Period of each clock [s].
    period: [f64; 4],
    /// Times of the next edges [s].
    next: [f64; 4],
    count: [u64; 4],
    /// Whether all clocks except the DRAM clock have equal frequencies. If true, the edges of these clocks coincide, so
    /// gpusched computes only one sum for these clocks.
    joined: bool,
}

impl Edges {
    pub fn new(clocks: &Clocks) -> Self {
        let khz = [
            clocks.core_khz,
            clocks.interconnect_khz,
            clocks.l2_khz,
            clocks.dram_khz,
        ];
        Self {
            period: khz.map(|khz| 1.0 / (f64::from(khz) * 1000.0)),
            next: [0.0; 4],
            count: [0; 4],
            joined: khz[..3].iter().all(|&khz| khz == clocks.core_khz),
        }
    }

    /// Advances to the next time with a clock edge. Returns for each domain whether the domain
    /// has an edge at this time.
    pub fn advance(&mut self) -> [bool; 4] {
        match self.joined {
            true => self.advance_joined(),
            false => self.advance_each(),
        }
    }

    fn advance_joined(&mut self) -> [bool; 4] {
        let [core, .., dram] = self.next;
        let (others, memory) = (core <= dram, dram <= core);
        if others {
            self.next_of_others(core + self.period[Domain::Core as usize]);
        }
        if memory {
            self.next[Domain::Dram as usize] = dram + self.period[Domain::Dram as usize];
            self.count[Domain::Dram as usize] += 1;
        }
        [others, others, others, memory]
    }

    /// Counts one edge of every clock except the DRAM clock. `next` is the time of the next edges of these clocks.
    fn next_of_others(&mut self, next: f64) {
        for domain in [Domain::Core, Domain::Interconnect, Domain::L2] {
            self.next[domain as usize] = next;
            self.count[domain as usize] += 1;
        }
    }

    fn advance_each(&mut self) -> [bool; 4] {
        let mut now = self.next[Domain::Core as usize];
        for domain in [Domain::Interconnect, Domain::Dram] {
            let next = self.next[domain as usize];
            now = if next < now { next } else { now };
        }
        let mut ticks = [false; 4];
        for domain in [Domain::L2, Domain::Interconnect, Domain::Dram, Domain::Core] {
            let index = domain as usize;
            if self.next[index] <= now {
                if domain == Domain::L2 {
                    now = self.next[index];
                }
                ticks[index] = true;
                self.next[index] += self.period[index];
                self.count[index] += 1;
            }
        }
        ticks
    }

    /// Skips DRAM edges that precede the next edge of every other clock. The number of DRAM edges
    /// stays below `until`.
    pub fn pass_dram(&mut self, until: u64) {
        let [core, interconnect, l2, mut dram] = self.next;
        let dram_index = Domain::Dram as usize;
        while dram < core && dram < interconnect && dram < l2 && self.count[dram_index] + 1 < until {
            dram += self.period[dram_index];
            self.count[dram_index] += 1;
        }
        self.next[dram_index] = dram;
    }

    /// Skips all edges up to the edge of core cycle `cycle - 1`, inclusive.
    pub fn skip_to(&mut self, cycle: u64) {
        while self.count(Domain::Core) < cycle {
            if self.joined {
                self.pass_dram(u64::MAX);
            }
            self.advance();
        }
    }

    /// Restarts all clocks: the next edges of all clocks coincide, as at the start of a run. The counts of edges are
    /// not reset.
    pub fn restart(&mut self) {
        self.next = [0.0; 4];
    }

    /// Returns the number of edges of `domain` so far.
    pub fn count(&self, domain: Domain) -> u64 {
        self.count[domain as usize]
    }
}

/// Consider two clocks with the frequencies `from_khz` and `to_khz`. Returns a lower bound on the number of edges of
/// the second clock until the `cycles`-th next edge of the first clock. The bound is valid even if the next edge is
/// imminent, and despite the rounding of sums of periods.
pub fn edges_before(cycles: u64, from_khz: u32, to_khz: u32) -> u64 {
    let whole = cycles.saturating_sub(1).saturating_mul(u64::from(to_khz)) / u64::from(from_khz.max(1));
    whole.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_edges_are_those_of_each_clock() {
        for (khz, dram_khz) in [
            (1_365_000, 3_500_500),
            (1_200_000, 850_000),
            (1_000_000, 1_000_000),
        ] {
            let mut joined = Edges::new(&Clocks {
                core_khz: khz,
                interconnect_khz: khz,
                l2_khz: khz,
                dram_khz,
            });
            assert!(joined.joined);
            let mut each = joined.clone();
            each.joined = false;
            for round in 1..20_000 {
                if round % 7 == 0 {
                    let cycle = joined.count(Domain::Core) + round % 11;
                    joined.skip_to(cycle);
                    each.skip_to(cycle);
                }
                assert_eq!(joined.advance(), each.advance());
                assert_eq!((joined.count, joined.next), (each.count, each.next));
            }
        }
    }

    #[test]
    fn no_edge_comes_before_it_is_expected() {
        let clocks = Clocks {
            core_khz: 1_365_000,
            interconnect_khz: 1_000_000,
            l2_khz: 700_000,
            dram_khz: 3_500_500,
        };
        let khz = [
            clocks.core_khz,
            clocks.interconnect_khz,
            clocks.l2_khz,
            clocks.dram_khz,
        ];
        let mut edges = Edges::new(&clocks);
        // Number of edges of each clock up to each instant.
        let mut history = Vec::new();
        for _ in 0..5_000 {
            edges.advance();
            history.push(edges.count);
        }
        let mut close = 0;
        for start in (0..2_000).step_by(7) {
            for later in (start + 1..start + 2_000).step_by(13) {
                let ahead = |domain: usize| history[later][domain] - history[start][domain];
                for (from, to) in [(0, 3), (3, 0), (0, 2), (2, 0), (1, 3)] {
                    // At the last instant, the history may contain an edge of `from` but not yet
                    // a simultaneous edge of `to`.
                    let least = edges_before(ahead(from), khz[from], khz[to]);
                    assert!(least <= ahead(to), "{from} {to} {start} {later}");
                    close += u64::from(least + 3 + u64::from(khz[to] / khz[from]) >= ahead(to));
                }
            }
        }
        assert!(close > 1_000, "{close}");
    }

    #[test]
    fn passed_edges_are_those_of_dram_alone() {
        let clocks = Clocks {
            core_khz: 1_365_000,
            interconnect_khz: 1_365_000,
            l2_khz: 700_000,
            dram_khz: 3_500_500,
        };
        let (mut fast, mut slow) = (Edges::new(&clocks), Edges::new(&clocks));
        let mut passed = 0;
        for round in 0..20_000 {
            let until = fast.count(Domain::Dram) + round % 5;
            let before = fast.count;
            fast.pass_dram(until);
            assert!(fast.count(Domain::Dram) < until.max(before[Domain::Dram as usize] + 1));
            for _ in before[Domain::Dram as usize]..fast.count(Domain::Dram) {
                let ticks = slow.advance();
                assert_eq!(
                    ticks,
                    [Domain::Core, Domain::Interconnect, Domain::L2, Domain::Dram]
                        .map(|domain| domain == Domain::Dram)
                );
                passed += 1;
            }
            assert_eq!(fast.count, slow.count);
            assert_eq!(fast.advance(), slow.advance());
            assert_eq!(fast.next, slow.next);
        }
        assert!(passed > 5_000, "{passed}");
    }
}
