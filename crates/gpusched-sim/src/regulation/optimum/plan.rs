//! Planned budgets of all regulation periods, computed with a fluid model of the blocks.

use super::knapsack::{Item, fill};
use crate::regulation::{Block, Governor};
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_model::time::Time;

/// Consecutive blocks of one cluster, modelled as a fluid. The M blocks that can run at once always share the total
/// work equally.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Segment {
    /// Duration of the segment if best-effort cores access no memory, Σe⁰/M [ns].
    pub alone: f64,
    /// Rate of progress while best-effort cores access memory, Σe⁰/Σe¹.
    pub speed: f64,
}

/// Returns the segments of `blocks` in order, if at most `active` blocks run at once.
pub fn segments(blocks: &[Block], table: &RemainingTable, active: usize) -> Vec<Segment> {
    let mut segments: Vec<(Option<usize>, f64, f64)> = Vec::new();
    for (number, block) in (0u64..).zip(blocks) {
        let cluster = table.cluster_of(number);
        let contended = block.alone / block.speed;
        match segments.last_mut() {
            Some((last, alone, both)) if *last == cluster => {
                *alone += block.alone;
                *both += contended;
            }
            _ => segments.push((cluster, block.alone, contended)),
        }
    }
    let places = active.max(1) as f64;
    let fluid = segments.into_iter().map(|(_, alone, contended)| Segment {
        alone: alone / places,
        speed: alone / contended,
    });
    fluid.collect()
}

/// Returns the duration of each segment, and the memory time of best-effort cores during the segment [ns]. All segments
/// together end within `deadline` [ns], and the total memory time is maximal. In each segment, the share of memory time
/// is at most `demand` (0 to 1).
///
/// Let a be the duration of a segment in isolation, s its rate of progress in memory time, and y its memory time. The
/// segment takes a + (1 − s)y. The share of memory time is at most the demand d, so y ≤ d(a + (1 − s)y).
pub fn flow(segments: &[Segment], deadline: f64, demand: f64) -> Vec<(f64, f64)> {
    let items: Vec<Item> = segments
        .iter()
        .map(|segment| {
            let cost = 1.0 - segment.speed;
            Item {
                gain: demand * segment.alone / (1.0 - demand * cost),
                cost,
            }
        })
        .collect();
    let alone: f64 = segments.iter().map(|segment| segment.alone).sum();
    let taken = fill(&items, deadline - alone);
    let pairs = segments.iter().zip(&items).zip(taken);
    pairs
        .map(|((segment, item), memory)| (segment.alone + item.cost * memory, memory))
        .collect()
}

/// Rule for the memory time of best-effort cores in a period that contains the start or the end of the kernel. The
/// best rule depends on the access pattern, so gpusched tries all rules.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Memory time of the fluid, counted only while the kernel runs in this period.
    Part,
    /// Memory time of the fluid, extended at the same rate to the whole period.
    Whole,
}

impl Cut {
    /// All values of [`Cut`].
    pub const ALL: [Cut; 2] = [Cut::Part, Cut::Whole];
}

/// Returns the memory time of best-effort cores in each regulation period [ns], rounded down. The segments in `flow`
/// start `offset` after the start of a period.
pub fn by_period(flow: &[(f64, f64)], offset: Time, period: Time, cut: Cut) -> Vec<u64> {
    let length = period.ns() as f64;
    let mut periods = Vec::new();
    let (mut begin, mut now, mut sum) = (offset.ns() as f64, offset.ns() as f64, 0.0);
    let get = |sum: f64, flowed: f64| match cut {
        Cut::Part => sum as u64,
        Cut::Whole => (sum * (length / flowed)).min(length) as u64,
    };
    for &(time, memory) in flow {
        let density = if time > 0.0 { memory / time } else { 0.0 };
        let mut left = time;
        while left >= length - now {
            let room = length - now;
            periods.push(get(sum + room * density, length - begin));
            (left, begin, now, sum) = (left - room, 0.0, 0.0, 0.0);
        }
        sum += left * density;
        now += left;
    }
    if now > begin {
        periods.push(get(sum, now - begin));
    }
    periods
}

/// Budgets of all periods, computed before the run.
#[derive(Clone, Debug)]
pub struct Plan {
    deadline: Time,
    budgets: Vec<u64>,
    /// Number of the next period for which a budget is requested.
    next: usize,
}

impl Plan {
    /// Creates a plan. `budgets` contains the budget Q·T of each period [ns]. Periods after the
    /// end of the list have the last budget in the list.
    pub fn new(budgets: Vec<u64>, deadline: Time) -> Plan {
        Plan {
            deadline,
            budgets,
            next: 1,
        }
    }

    fn budget(&self, period: usize) -> Time {
        let budget = self.budgets.get(period).or(self.budgets.last());
        Time::from_ns(budget.copied().unwrap_or(0))
    }
}

impl Governor for Plan {
    fn deadline(&self) -> Time {
        self.deadline
    }

    fn nominal(&self) -> Time {
        self.budget(0)
    }

    fn restart(&mut self) {
        self.next = 1;
    }

    fn decide(&mut self, _: Time, _: &[u64]) -> Time {
        self.next += 1;
        self.budget(self.next - 1)
    }

    fn memory(&self, _: u64, _: &[u64]) -> Option<u64> {
        None
    }
}
