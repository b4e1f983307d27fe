//! Overheads of the dispatcher, and their part in the schedulability test.
//!
//! The analysis counts the *occupancy* of a job: the time from one decision to the next. The bound o covers all parts of
//! the occupancy except the work on the GPU. The bound w covers the time from an arrival in an idle partition to the
//! decision. Then a run is a schedule of the tasks with C' = C + o and J' = J + w.
//!
//! In a busy partition, a decision sees every arrival up to its time, so w counts only after idle time.

use serde::{Deserialize, Serialize};

use gpusched_analysis::schedulability::Demand;
use gpusched_model::reader::{Document, Fault, from_json};
use gpusched_model::time::Time;

/// Bounds on the overheads of the dispatcher. Both are 0 if the WCETs include the overheads. Measure them with all dispatchers running.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overheads {
    /// o: bound on the occupancy of a job minus its time on the GPU [ns].
    pub occupancy_ns: Time,
    /// w: bound on the time from an arrival in an idle partition to the decision [ns].
    pub wake_ns: Time,
    /// GPU of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Driver of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// How the dispatcher waited for completions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// Number of dispatchers that ran during the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatchers: Option<u32>,
    /// Number of measured jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Longest measured overhead [ns], without the margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<Time>,
    /// Percentage that the bounds add to the longest measured overhead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<u32>,
}

impl Document for Overheads {
    const EXPECTED: &str = "overheads: an object such as {\"occupancy_ns\":\"30us\",\"wake_ns\":\"10us\"}";

    fn from_json(text: &str) -> Result<Overheads, Fault> {
        from_json::<Overheads, _>(text)
    }
}

impl Overheads {
    /// Adds the overheads to a demand: C' = C + n·o for n = ⌈C/b⌉ chunks, b' = b + o, J' = J + w. Returns `None` if a time exceeds the largest time.
    pub fn added(&self, demand: Demand) -> Option<Demand> {
        let within = |time: Time| (time <= Time::LIMIT).then_some(time);
        // A job has ⌈C/b⌉ chunks, and each chunk has the overhead o. Without preemption points, the longest block is the whole job.
        let chunks = demand.wcet.ns().div_ceil(demand.block.ns().max(1)).max(1);
        let overhead = Time::from_ns(self.occupancy_ns.ns().checked_mul(chunks)?);
        let wcet = within(demand.wcet.checked_add(overhead)?)?;
        Some(Demand {
            wcet,
            block: demand.block.checked_add(self.occupancy_ns)?.min(wcet),
            jitter: within(demand.jitter.checked_add(self.wake_ns)?)?,
            ..demand
        })
    }
}
