//! Budgets of a sequence over time, as CSV and as a figure.

use super::report::LONGEST;
use crate::budget::regulation;
use crate::report::{Rows, clip};
use gpusched_model::System;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::regulation::sequence::SequenceRun;

/// CSV columns.
pub const COLUMNS: &str =
    "policy,run,time_ms,length_ms,kernel,job,q,remaining,remaining_by_cluster,be_requests,slack_ns";

/// Returns CSV with one row per time span of `run` during which the budget Q and the running kernel
/// stay the same.
pub fn csv(run: &SequenceRun, system: &System) -> Result<String> {
    let mut rows = Rows::default();
    for stretch in &run.stretches {
        let name = |(kernel, _): (usize, u64)| {
            let task = system.kernels().get(kernel);
            let name = task.and_then(|task| task.kernel().name());
            name.map_or_else(|| kernel.to_string(), str::to_owned)
        };
        let remaining: Vec<String> = stretch.remaining.iter().map(u64::to_string).collect();
        rows.add((
            (run.policy.to_string(), run.run),
            decimal(stretch.begin),
            decimal(Time::from_ns(stretch.end.ns().saturating_sub(stretch.begin.ns()))),
            (stretch.job.map(name), stretch.job.map(|(_, job)| job)),
            format!("{:.6}", stretch.q),
            stretch.job.map(|_| stretch.remaining.iter().sum::<u64>()),
            remaining.join(":"),
            format!("{:.1}", stretch.requests),
            stretch.slack,
        ))?;
    }
    rows.finish()
}

/// Returns `time` in milliseconds, with a resolution of one nanosecond.
fn decimal(time: Time) -> String {
    format!("{}.{:06}", time.ns() / 1_000_000, time.ns() % 1_000_000)
}

/// CSV data for a figure of the budget Q over time, with one line per policy.
#[derive(Debug)]
pub struct Figure(String);

impl Default for Figure {
    fn default() -> Figure {
        Figure("policy,time_ms,q\n".to_owned())
    }
}

impl Figure {
    /// Adds the points of `run`. For consecutive time spans with the same Q, adds one point at the first nanosecond and
    /// one at the last nanosecond.
    pub fn add(&mut self, run: &SequenceRun) {
        for level in run.stretches.chunk_by(|one, next| one.q == next.q) {
            let (Some(first), Some(last)) = (level.first(), level.last()) else {
                continue;
            };
            let end = Time::from_ns(last.end.ns().saturating_sub(1));
            let points = [Some(first.begin), Some(end).filter(|&end| end > first.begin)];
            for time in points.into_iter().flatten() {
                self.0 += &format!("{},{},{:.6}\n", run.policy, decimal(time), first.q);
            }
        }
    }

    /// Draws the figure for the system called `system`.
    pub fn svg(&self, system: Option<&str>) -> Result<String> {
        let name = clip(system.unwrap_or("kernels"), LONGEST);
        regulation::figure(&self.0, &name, "time")
    }
}
