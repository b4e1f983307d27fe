//! Simulated request patterns for a source of other memory traffic.

use rand::Rng;

use crate::shared::{Client, Stage, Task};
use crate::tasks::{Discipline, Order};
use gpusched_model::policy::Preemption;
use gpusched_model::streams::below;
use gpusched_model::{Bandwidth, OtherTraffic};

/// Number of pieces of [`Requests::Pieces`] in one period.
const PIECES: u64 = 4;

/// Maximum number of periods after which a request pattern repeats.
const MAX_CYCLE: u64 = 8;

/// A request pattern of a source. Every pattern conforms to the traffic bound of the source. A
/// request that the simulator drops at its deadline counts as a request that the source never
/// made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Requests {
    /// The source requests all bytes of a period at the start of the period.
    Whole,
    /// The source requests the bytes of the first period as late as allowed. The source requests
    /// the bytes of the next periods as early as allowed, directly after each other.
    Piled,
    /// The source requests the bytes of a period in several pieces, at random times within the
    /// allowed interval.
    Pieces,
}

impl Requests {
    /// Returns the client for `other` with the memory bandwidth `capacity`. The first request of
    /// the client is at `start` [ns] or later. Returns `None` if a number is out of range.
    ///
    /// The memory may transfer a byte as late as R after the start of the period of the byte. For a batch, R is D. For
    /// all other traffic, R is T + D. T is the period, and D is the deadline ([`OtherTraffic`]).
    pub fn client(
        self,
        other: &OtherTraffic,
        capacity: Bandwidth,
        start: u64,
        rng: &mut impl Rng,
    ) -> Option<Client> {
        let rate = other
            .bandwidth
            .unwrap_or(capacity)
            .min(capacity)
            .bytes_per_second();
        let (period, deadline) = (other.period.ns(), other.deadline.unwrap_or(other.period).ns());
        let span = if other.batch {
            deadline
        } else {
            period.checked_add(deadline)?
        };
        let whole = u64::try_from(other.traffic.nano().checked_div(rate.into())?).ok()?;
        let busy = whole.min(span);
        let cycle = match self {
            Requests::Whole => 1,
            Requests::Piled => span.checked_div(period)?.saturating_add(2).min(MAX_CYCLE),
            Requests::Pieces => 2,
        };
        // A request that takes `time` [ns] at full rate. The release `from` and the deadline
        // `due` count from `start`.
        let task = |time: u64, from: u64, due: u64| {
            Some(Task {
                stages: vec![Stage { time, rate }],
                first: start.checked_add(from)?,
                jitter: 0,
                period: period.checked_mul(cycle)?,
                deadline: due.checked_sub(from)?,
            })
        };
        let mut tasks = Vec::new();
        for place in 0..cycle {
            let begin = period.checked_mul(place)?;
            let end = begin.checked_add(span)?;
            match self {
                Requests::Whole => tasks.push(task(busy, begin, begin.checked_add(deadline)?)?),
                Requests::Piled => {
                    // Times count from the latest request time of the first period.
                    let latest = span - busy;
                    tasks.push(task(busy, begin.saturating_sub(latest), end - latest)?);
                }
                Requests::Pieces => {
                    let time = busy / PIECES;
                    for _ in 0..PIECES {
                        let late = below(rng, usize::try_from(span - time).ok()?.saturating_add(1)) as u64;
                        tasks.push(task(time, begin.checked_add(late)?, end)?);
                    }
                }
            }
        }
        Some(Client {
            tasks,
            discipline: Discipline {
                order: Order::Deadlines,
                preemption: Preemption::Preemptive,
            },
            drops: true,
        })
    }
}
