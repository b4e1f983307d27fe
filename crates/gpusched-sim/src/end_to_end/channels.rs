//! The memory that all resources of a simulated system share.
//!
//! The memory has channels of equal bandwidth. Each execution of a segment uses one channel for a part of its time. The
//! resources take free channels in a fixed order. If no channel is free, a segment that needs a channel makes no
//! progress. So the memory is work-conserving, and all times are whole nanoseconds.

use gpusched_model::error::Error;
use gpusched_model::policy::Preemption;

use super::plan::Plan;

/// Use of the memory by the executions of one segment.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Burst {
    /// Part of the execution time that needs a channel [ns]. If the value is larger than the execution time, the whole
    /// execution needs a channel.
    pub time: u64,
    /// Whether the burst is the last part of the execution. If false, the burst is the first part.
    pub last: bool,
}

/// The memory of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channels {
    /// Number of channels; > 0.
    pub count: usize,
    /// Numbers of the resources (cores, then copy engines, then partitions). Earlier resources take channels first.
    pub order: Vec<usize>,
    /// For each task and segment: the use of the memory.
    pub bursts: Vec<Vec<Burst>>,
}

impl Channels {
    /// Returns the interval of executed time during which `segment` of `task` needs a channel [ns]. `total` is the
    /// execution time of the segment.
    pub(super) fn needed(&self, (task, segment): (usize, usize), total: u64) -> (u64, u64) {
        let burst = self.bursts[task][segment];
        let time = burst.time.min(total);
        match burst.last {
            true => (total - time, total),
            false => (0, time),
        }
    }

    /// Checks the memory against a system.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), Error> {
        let mut order = self.order.clone();
        order.sort_unstable();
        if !order.into_iter().eq(0..plan.rules.len()) {
            let found = format!("{:?}", self.order);
            return Err(Error::parameter("order", found, "each resource once"));
        }
        if plan.threads.iter().any(|thread| thread.pipelined) {
            return Err(Error::parameter(
                "jobs",
                "pipelined",
                "sequential tasks with a shared memory",
            ));
        }
        let lengths = self.bursts.iter().map(Vec::len);
        if !lengths.eq(plan.threads.iter().map(|thread| thread.segments)) {
            return Err(Error::parameter(
                "bursts",
                "other lengths",
                "one burst for each segment",
            ));
        }
        if self.count == 0 {
            return Err(Error::parameter("count", 0, "at least one channel"));
        }
        match plan
            .rules
            .iter()
            .any(|rule| rule.preemption == Preemption::Limited)
        {
            true => Err(Error::parameter(
                "policy",
                "preemption at block boundaries",
                "another policy for partitions that share a memory",
            )),
            false => Ok(()),
        }
    }
}
