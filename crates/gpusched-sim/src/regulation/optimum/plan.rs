//! Budgets for all periods in advance, from a fluid that flows like the blocks.

use super::knapsack::{Item, fill};
use crate::regulation::{Block, Governor};
use gpusched_analysis::bandwidth::RemainingTable;
use gpusched_model::time::Time;

/// Consecutive blocks of one cluster as a fluid: all places work on it at once.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Segment {
    /// How long they take without memory time, Σe⁰/M [ns].
    pub alone: f64,
    /// Σe⁰/Σe¹: how fast they flow in memory time.
    pub speed: f64,
}

/// The segments of `blocks` in their order, on `active` places.
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

/// What the fluid does: of each segment, how long it flows and how much of that is memory time [ns], so that all ends within
/// `deadline` [ns] with most memory time, if it is never denser than `demand` (0 to 1).
///
/// A segment that takes a alone and has memory time y flows for a + (1 − s)y, so y ≤ d(a + (1 − s)y).
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

/// What a period gets that start or end of the kernel cut: where in it the memory time is depends on the pattern.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// What the fluid has in it.
    Part,
    /// What it would have if the period were whole.
    Whole,
}

impl Cut {
    /// Both.
    pub const ALL: [Cut; 2] = [Cut::Part, Cut::Whole];
}

/// The memory time of each period [ns], rounded down, if what `flow` says begins `offset` after the beginning of one.
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

/// Budgets that have been settled before the run.
#[derive(Clone, Debug)]
pub struct Plan {
    deadline: Time,
    budgets: Vec<u64>,
    /// The period that is decided on next.
    next: usize,
}

impl Plan {
    /// Q·T of one period after the other in `budgets` [ns]; those after the last one get the same as it.
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
