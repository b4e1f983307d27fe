//! Guarantee: sets accepted under `conflict+bandwidth` miss no deadline under any division of the bandwidth. More
//! traffic of other partitions never helps, and zero traffic has no effect. Windows and tests have reference
//! implementations.

mod fewest;
mod hardware;
mod limits;
mod memory_time;
mod monotone;
mod plans;
mod soundness;
mod spread;
mod tests_beside;
mod usage;
mod windows;

use gpusched::interference::bandwidth::{Load, Source};
use gpusched::model::streams::{Purpose, below, stream};
use gpusched::model::{Bandwidth, OtherTraffic, TaskSet};
use gpusched::time::Time;
use rand::Rng;

/// Bytes per second that equal one byte per nanosecond.
const BYTE_PER_NS: u64 = 1_000_000_000;

pub fn rng(set: u64) -> impl Rng {
    stream(17, Purpose::ValidationSystems, 99, set)
}

/// Returns a random number from `low` to `high`.
pub fn between(rng: &mut impl Rng, low: u64, high: u64) -> u64 {
    low + below(rng, usize::try_from(high - low + 1).unwrap()) as u64
}

/// Returns a source of V bytes per period T at `rate` bytes per nanosecond, within D of the requests or of the batch.
fn source(bytes: u64, rate: u64, period: u64, deadline: u64, batch: bool) -> Source {
    let json = format!(
        r#"{{"traffic":{bytes},"period":{period},"deadline":{deadline},"batch":{batch},"bandwidth":{}}}"#,
        rate * BYTE_PER_NS
    );
    let other: OtherTraffic = serde_json::from_str(&json).unwrap();
    Source::of_other(&other, Bandwidth::LIMIT)
}

fn capacity(rate: u64) -> Bandwidth {
    Bandwidth::new(rate * BYTE_PER_NS).unwrap()
}

fn loads(rng: &mut impl Rng, most: u64) -> Vec<Load> {
    let partitions = between(rng, 1, 3);
    let mut loads = Vec::new();
    for _ in 0..partitions {
        let sources: Vec<Source> = (0..between(rng, 1, 3))
            .map(|_| {
                let period = between(rng, 4, 40);
                source(
                    between(rng, 0, most),
                    between(rng, 1, 10),
                    period,
                    between(rng, 1, 2 * period),
                    between(rng, 0, 1) == 0,
                )
            })
            .collect();
        loads.push(Load::new(sources));
    }
    loads
}

fn set(json: &str) -> TaskSet {
    serde_json::from_str(json).unwrap()
}

fn ns(time: u64) -> Time {
    Time::from_ns(time)
}
