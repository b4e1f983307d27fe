//! The memory that all resources share: the time that a resource loses because of the memory traffic of other
//! resources.
//!
//! Each job of segment (j,k) moves all its bytes between a + φ and a + R(j,k), where a is the arrival of the job. So
//! the segment is a source with period T and span R(j,k) − φ. A resource executes one segment at a time, so it moves at
//! most I(t) = min(max d·t, Σ W(t)) bytes in a window of length t. In this window, a resource loses at most
//! min(t, ⌈Σ I(t)/B⌉) ns, where the sum is over all other resources.

use std::collections::HashMap;

use gpusched_model::end_to_end::{Resource, System};

use super::super::stream::Stream;
use crate::conditions::Fraction;
use crate::memory::Source;

/// The memory that all resources share. All amounts are in nano-bytes, and all rates in nano-bytes per ns. 1 nano-byte
/// per ns is 1 byte per second.
pub(in super::super) struct Memory {
    /// B: guaranteed memory bandwidth.
    bandwidth: u128,
    /// Segments with traffic, by resource.
    loads: Vec<(Resource, Vec<Moving>)>,
    /// Whether the memory has enough bandwidth for all resources at the same time. If it has, no resource loses time.
    suffices: bool,
}

/// A segment that moves bytes.
#[derive(Copy, Clone)]
struct Moving {
    task: usize,
    /// d: maximum bandwidth of the segment.
    rate: u128,
    /// `None` if R(j,k) or the response time of the task has no bound. Such a segment may use the bandwidth d at any
    /// time.
    source: Option<Source>,
}

impl Moving {
    /// Returns W(t), the nano-bytes that the segment moves in a window of length t = `window`. Returns `None` if the
    /// result exceeds 128 bits.
    fn moved(&self, window: u128) -> Option<u128> {
        match &self.source {
            Some(source) => source.moved(window),
            None => self.rate.checked_mul(window),
        }
    }
}

impl Memory {
    /// Creates the memory of `system`, whose segments release jobs as `streams` states. Returns `None` if the system
    /// counts no memory traffic.
    pub fn new(system: &System, streams: &HashMap<Resource, Vec<Stream>>) -> Option<Memory> {
        let bandwidth = u128::from(system.memory()?.bytes_per_second());
        let moving = |resource| -> Vec<Moving> {
            let streams = streams.get(&resource).into_iter().flatten();
            let moving = streams.filter_map(|stream| {
                let segment = system.tasks().get(stream.task)?.segments.get(stream.segment)?;
                let peak = segment.bandwidth.map(|rate| u128::from(rate.bytes_per_second()));
                let rate = peak.map_or(bandwidth, |rate| rate.min(bandwidth)); // unknown: all of B
                let drawn = rate.saturating_mul(stream.cost);
                let bytes = segment.traffic.map_or(drawn, |bytes| bytes.nano().min(drawn));
                let source = stream.end.map(|end| {
                    // R is above φ in a valid table. In an invalid table, the check of R fails.
                    let span = end.saturating_sub(stream.earliest);
                    let most = rate.saturating_mul(span.min(stream.period));
                    Source {
                        bytes: bytes.min(most),
                        rate,
                        period: stream.period,
                        span,
                    }
                });
                (bytes > 0).then_some(Moving {
                    task: stream.task,
                    rate,
                    source,
                })
            });
            moving.collect()
        };
        let loads: Vec<(Resource, Vec<Moving>)> = system
            .resources()
            .map(|resource| (resource, moving(resource)))
            .collect();
        let peaks = loads.iter().map(|(_, moving)| peak(moving));
        let suffices = peaks.fold(0, u128::saturating_add) <= bandwidth;
        Some(Memory {
            bandwidth,
            loads,
            suffices,
        })
    }

    /// Returns the time that `resource` loses to the segments on other resources. The segments of the task `omitted` do
    /// not count.
    pub fn lost(&self, resource: Resource, omitted: Option<usize>) -> Lost<'_> {
        Lost {
            memory: (!self.suffices).then_some(self),
            resource: Some(resource),
            omitted,
        }
    }
}

/// Returns the largest d among the segments `load` of a resource.
fn peak<'a>(load: impl IntoIterator<Item = &'a Moving>) -> u128 {
    let rates = load.into_iter().map(|moving| moving.rate);
    rates.max().unwrap_or(0) // no traffic
}

/// Time that a resource loses. By default, the resource loses no time.
#[derive(Copy, Clone, Default)]
pub(in super::super) struct Lost<'a> {
    /// `None` if the resource loses no time.
    memory: Option<&'a Memory>,
    /// The resource that loses time.
    resource: Option<Resource>,
    /// Task whose traffic does not delay the resource.
    omitted: Option<usize>,
}

impl<'a> Lost<'a> {
    /// Returns whether the resource loses no time in any window.
    pub fn is_zero(&self) -> bool {
        self.memory.is_none()
    }

    /// Returns lost(t) for the window of length t = `window`.
    pub fn within(&self, window: u128) -> u128 {
        let Some(memory) = self.memory else { return 0 };
        let bytes = self.loads(memory).try_fold(0u128, |bytes, load| {
            let sum = load
                .clone()
                .try_fold(0u128, |sum, moving| sum.checked_add(moving.moved(window)?))?;
            bytes.checked_add(sum.min(peak(load).checked_mul(window)?))
        });
        // A sum above 128 bits counts as the whole window, which is safe.
        bytes.map_or(window, |bytes| bytes.div_ceil(memory.bandwidth).min(window))
    }

    /// Returns the minimum share of a long window that the bound counts as lost: Σ min(max d, Σ V/T)/B. For a segment
    /// whose R has no bound, d replaces V/T.
    pub fn share(&self) -> Fraction {
        let Some(memory) = self.memory else {
            return Fraction::new(0, 1);
        };
        let shares = self.loads(memory).map(|load| {
            let peak = Fraction::new(peak(load.clone()), memory.bandwidth);
            let sum = Fraction::sum(load.map(|moving| {
                match &moving.source {
                    Some(source) => Fraction::new(source.bytes, 1)
                        .times(Fraction::new(1, source.period))
                        .times(Fraction::new(1, memory.bandwidth)),
                    None => Fraction::new(moving.rate, memory.bandwidth),
                }
            }));
            if sum.at_most(&peak) { sum } else { peak }
        });
        Fraction::sum(shares)
    }

    /// Returns the segments that delay the resource, one list for each other resource.
    fn loads(&self, memory: &'a Memory) -> impl Iterator<Item = impl Iterator<Item = &'a Moving> + Clone> {
        let (resource, omitted) = (self.resource, self.omitted);
        let others = memory
            .loads
            .iter()
            .filter(move |(other, _)| Some(*other) != resource);
        others.map(move |(_, load)| load.iter().filter(move |moving| Some(moving.task) != omitted))
    }
}
