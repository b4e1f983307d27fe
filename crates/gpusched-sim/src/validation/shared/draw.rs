//! Generator of random systems whose partitions share one memory.
//!
//! System i depends only on the seed and on i. The generator uses all policies and all
//! arbitration rules in turn. In every fourth turn, all times are round, because random times almost never make the two
//! sides of a test equal. All other properties are random.

use rand::Rng;

use crate::shared_runs::Setting;
use gpusched_analysis::partitioning::{Offer, Placed};
use gpusched_model::device::Place;
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{
    Arbitration, Bandwidth, Bytes, Kind, OtherTraffic, Peak, Policy, SharedMemory, Task, TaskSet, TaskShape,
    WcetFunction,
};

/// Possible periods [µs]. The periods have a small least common multiple.
const PERIODS: [u64; 8] = [20, 24, 30, 40, 48, 60, 80, 120];

/// Possible periods of systems with round times [µs]. Each period divides the next.
const HARMONIC: [u64; 3] = [30, 60, 120];

/// Unit of round WCETs, deadlines and jitter [ns].
const UNIT: u64 = 3_000;

/// Common multiple of all possible periods [ns].
pub const HYPERPERIOD: u64 = 240_000;

/// A random system that is analysed and simulated.
#[derive(Clone, Debug)]
pub struct System {
    /// All tasks of the system and all other memory traffic.
    pub set: TaskSet,
    /// Tasks of each partition, as positions in the set.
    pub parts: Vec<Vec<usize>>,
    /// Partition sizes and placements on a real device. If absent, the GPU has one SM for each
    /// partition.
    pub device: Option<OnDevice>,
    /// Memory that the partitions share.
    pub memory: SharedMemory,
    /// Scheduling policy, for the schedulability test and for the simulation.
    pub policy: Policy,
}

/// The partitions of a system on a real device.
#[derive(Clone, Debug)]
pub struct OnDevice {
    /// Supported partition sizes of the device.
    pub offer: Offer,
    /// Placement of each partition.
    pub placed: Vec<Placed>,
}

impl OnDevice {
    /// Returns the bandwidth of the memory slices of each partition. The bandwidth of the whole memory is `bandwidth`.
    /// Returns `None` if all partitions share the memory.
    pub fn slices(&self, bandwidth: Bandwidth) -> Option<Vec<Bandwidth>> {
        let hardware = self.offer.hardware();
        let mig = hardware.device.mig()?;
        let own = |placed: &Placed| match &placed.place {
            Some(Place::Instance(instance)) => {
                Some(bandwidth.share(mig.profile(&instance.profile)?.memory, mig.memory_slices))
            }
            _ => None,
        };
        self.placed.iter().map(own).collect()
    }
}

impl System {
    /// Returns the tasks and the number of SMs of each partition.
    pub fn parts(&self) -> Vec<(&[usize], u32)> {
        let sizes = self.device.iter().flat_map(|device| &device.placed);
        let sizes = sizes.map(|placed| placed.sms).chain(std::iter::repeat(1));
        let tasks = self.parts.iter().map(|part| &part[..]);
        tasks.zip(sizes).collect()
    }

    /// Returns the system in the form that the simulation uses.
    pub fn setting(&self) -> Setting<'_> {
        let bandwidth = self.memory.bandwidth;
        Setting {
            set: &self.set,
            parts: self.parts(),
            memory: self.memory,
            slices: self.device.as_ref().and_then(|device| device.slices(bandwidth)),
            policy: self.policy,
            end: 2 * HYPERPERIOD,
        }
    }
}

/// Returns all policies whose analysis is proven for shared memory, in the order of reports.
pub fn policies() -> Vec<Policy> {
    Policy::all().filter(|policy| policy.shares_memory()).collect()
}

/// Returns the system with number `index`. Returns `None` if the tasks are invalid, which never
/// happens.
pub fn system(seed: u64, index: u64) -> Option<System> {
    let mut rng = stream(seed, Purpose::SharedMemorySystems, index, 0);
    let policies = policies();
    let turn = usize::try_from(index).ok()?;
    let policy = *policies.get(turn % policies.len())?;
    let arbitration = match turn / policies.len() % 2 {
        0 => Arbitration::Any,
        _ => Arbitration::MaxMin,
    };
    let capacity = between(&mut rng, 10, 400) * 1_000_000_000;
    // Largest share of the execution time that a task needs to transfer all its bytes at its peak rate [%]. With a low
    // share, partitions are nearly independent. With a high share, the memory is overloaded.
    let heavy = between(&mut rng, 5, 100);
    let crowded = between(&mut rng, 20, 90);
    let round = turn / (2 * policies.len()) % 4 == 3;
    let mut tasks = Vec::new();
    let mut parts = Vec::new();
    for _ in 0..between(&mut rng, 2, 4) {
        let count = between(&mut rng, 1, 3);
        let first = tasks.len();
        // In a third of the round partitions, the utilization is exactly 1.
        let full = round && below(&mut rng, 3) == 0;
        for _ in 0..count {
            let times = match (round, full) {
                (false, _) => times(&mut rng, crowded.div_ceil(count))?,
                (true, false) => round_times(&mut rng, crowded.div_ceil(count), None)?,
                (true, true) => round_times(&mut rng, 0, Some(count))?,
            };
            let heavy = if full && below(&mut rng, 2) == 0 { 0 } else { heavy };
            tasks.push(task(&mut rng, capacity, times, heavy)?);
        }
        parts.push((first..tasks.len()).collect());
    }
    let mut others = Vec::new();
    if below(&mut rng, 3) == 0 {
        let period = *PERIODS.get(below(&mut rng, PERIODS.len()))? * 1000;
        let rate = capacity / 100 * between(&mut rng, 10, 100);
        let share = u128::from(rate) * u128::from(period) / 1_000_000_000
            * u128::from(between(&mut rng, 1, 40))
            / 100;
        others.push(OtherTraffic {
            name: None,
            traffic: Bytes::new(u64::try_from(share).ok()?)?,
            period: Time::from_ns(period),
            deadline: (below(&mut rng, 2) == 0).then(|| Time::from_ns(period / 2)),
            bandwidth: Bandwidth::new(rate),
            batch: below(&mut rng, 2) == 0,
        });
    }
    Some(System {
        set: TaskSet::new(Some(format!("s{index}")), tasks)
            .ok()?
            .beside(others),
        parts,
        device: None,
        memory: SharedMemory::new(Bandwidth::new(capacity)?, arbitration),
        policy,
    })
}

/// Returns a random integer from `low` to `high`.
fn between(rng: &mut impl Rng, low: u64, high: u64) -> u64 {
    low + below(rng, usize::try_from(high - low + 1).unwrap_or(1)) as u64
}

/// Times of a task [ns].
struct Times {
    period: u64,
    isolated: u64,
    conflict: u64,
    deadline: u64,
    /// The jitter of a quarter of the tasks; a random part of the deadline if absent. The other tasks have no jitter.
    jitter: Option<u64>,
}

/// Returns random times with a utilization of up to twice `share` percent.
fn times(rng: &mut impl Rng, share: u64) -> Option<Times> {
    let period = *PERIODS.get(below(rng, PERIODS.len()))? * 1000;
    let isolated = (period * between(rng, 1, 2 * share) / 100 + between(rng, 0, 999)).min(period);
    let conflict = isolated + isolated * between(rng, 0, 30) / 100;
    let deadline = match below(rng, 4) {
        0 => period,
        1 => period + period / 2,
        _ => period * between(rng, 60, 100) / 100,
    };
    Some(Times {
        period,
        isolated,
        conflict,
        deadline,
        jitter: None,
    })
}

/// Returns round times with a utilization of up to twice `share` percent, or of exactly 1 / `equal`. Many deadlines equal
/// the WCET or the period.
fn round_times(rng: &mut impl Rng, share: u64, equal: Option<u64>) -> Option<Times> {
    let up = |time: u64| time.div_ceil(UNIT) * UNIT;
    let period = *HARMONIC.get(below(rng, HARMONIC.len()))? * 1000;
    let (isolated, conflict) = match equal {
        Some(equal) => (period / equal, period / equal),
        None => {
            let isolated = up(period * between(rng, 1, 2 * share) / 100).min(period);
            (isolated, isolated + UNIT * between(rng, 0, 1))
        }
    };
    let deadline = match below(rng, 4) {
        0 => period + period / 2,
        1 => conflict,
        _ => period,
    };
    Some(Times {
        period,
        isolated,
        conflict,
        deadline,
        jitter: Some(UNIT.min(deadline)),
    })
}

/// Returns a random task with the times `times`. At its peak rate, the task transfers its bytes in up to `heavy` percent
/// of its execution time.
fn task(rng: &mut impl Rng, capacity: u64, times: Times, heavy: u64) -> Option<Task> {
    let Times {
        period,
        isolated,
        conflict,
        deadline,
        jitter,
    } = times;
    // Peak rate, and number of bytes of a job. At this rate, the transfer takes up to `heavy` percent of the execution
    // time.
    let rate = capacity / 100 * between(rng, 10, 100);
    let bytes =
        u128::from(rate) * u128::from(isolated) / 1_000_000_000 * u128::from(between(rng, 0, heavy)) / 100;
    let stated = below(rng, 8);
    let function = Form::Table(Table::Each {
        isolated: vec![(1, Time::from_ns(isolated))],
        conflict: vec![(1, Time::from_ns(conflict))],
    });
    Task::from_shape(TaskShape {
        name: None,
        period: Time::from_ns(period),
        deadline: Some(Time::from_ns(deadline)),
        jitter: (below(rng, 4) == 0)
            .then(|| Time::from_ns(jitter.unwrap_or_else(|| deadline * between(rng, 1, 20) / 100))),
        block: None,
        launches: None,
        kind: Some(if below(rng, 2) == 0 {
            Kind::Compute
        } else {
            Kind::Memory
        }),
        traffic: if stated == 0 {
            None
        } else {
            Bytes::new(u64::try_from(bytes).ok()?)
        },
        bandwidth: if stated == 1 {
            None
        } else {
            Bandwidth::new(rate).map(Peak::Flat)
        },
        sectors: None,
        wcet_source: None,
        measured_on: None,
        wcet: WcetFunction::new(function).ok()?,
    })
    .ok()
}
