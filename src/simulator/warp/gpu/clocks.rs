//! Four clock domains in exact time.

use crate::model::machine::Clocks;

/// A clock domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    Core,
    Interconnect,
    L2,
    Dram,
}

/// The next edge of every domain, in a unit of which all periods are multiples.
#[derive(Debug, Clone)]
pub struct Edges {
    period: [u128; 4],
    next: [u128; 4],
}

impl Edges {
    pub fn new(clocks: &Clocks) -> Self {
        let khz = [clocks.core_khz, clocks.interconnect_khz, clocks.l2_khz, clocks.dram_khz].map(u128::from);
        let common = khz.iter().fold(1, |all, &khz| all / gcd(all, khz) * khz);
        Self { period: khz.map(|khz| common / khz), next: [0; 4] }
    }

    /// The domains that have an edge at the next instant; they advance.
    pub fn advance(&mut self) -> [bool; 4] {
        let now = self.next.iter().copied().min().unwrap_or(0);
        let mut ticks = [false; 4];
        for (index, tick) in ticks.iter_mut().enumerate() {
            if self.next[index] == now {
                *tick = true;
                self.next[index] += self.period[index];
            }
        }
        ticks
    }

    /// Goes on to core edge number `cycle`, which has not been yet; edges before it are left out.
    pub fn skip_to(&mut self, cycle: u64) {
        let now = u128::from(cycle) * self.period[Domain::Core as usize];
        for (next, period) in self.next.iter_mut().zip(self.period) {
            *next = now.div_ceil(period) * period;
        }
    }

    /// Edges of `domain` so far.
    pub fn count(&self, domain: Domain) -> u64 {
        (self.next[domain as usize] / self.period[domain as usize]) as u64
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
