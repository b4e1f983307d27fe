//! Four clock domains.
//!
//! Time is a sum of periods in double precision, as in the reference: where edges of two clocks should fall together, the
//! rounding of these sums decides which comes first. The sums are the same on every machine (IEEE 754).

use crate::model::machine::Clocks;

/// A clock domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    Core,
    Interconnect,
    L2,
    Dram,
}

/// The next edge of every domain.
#[derive(Debug, Clone)]
pub struct Edges {
    /// Seconds.
    period: [f64; 4],
    /// Seconds.
    next: [f64; 4],
    count: [u64; 4],
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
        }
    }

    /// The domains that have an edge at the next instant; they advance.
    pub fn advance(&mut self) -> [bool; 4] {
        let mut now = self.next[Domain::Core as usize]
            .min(self.next[Domain::Interconnect as usize])
            .min(self.next[Domain::Dram as usize]);
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

    /// Leaves out all edges up to and with that of core cycle `cycle - 1`.
    pub fn skip_to(&mut self, cycle: u64) {
        while self.count(Domain::Core) < cycle {
            self.advance();
        }
    }

    /// Edges of `domain` so far.
    pub fn count(&self, domain: Domain) -> u64 {
        self.count[domain as usize]
    }
}
