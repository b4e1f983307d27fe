//! Runs with given jobs.

use gpusched::Time;
use gpusched::model::end_to_end::System;
use gpusched::simulator::end_to_end::{Arrival, Extent, Observed, Script, Simulator};

/// A job: task, arrival, jitter, and execution times.
pub type Job<'a> = (usize, u64, u64, &'a [u64]);

/// Returns the longest times in a run with `jobs`.
pub fn observed(system: &System, jobs: &[Job<'_>]) -> Observed {
    let ns = Time::from_ns;
    let mut script = Script::new(system);
    for &(task, at, jitter, times) in jobs {
        let arrival = Arrival {
            at: ns(at),
            jitter: ns(jitter),
        };
        let times: Vec<Time> = times.iter().copied().map(ns).collect();
        script.push(task, arrival, &times).unwrap();
    }
    let mut observed = Observed::new(system);
    let mut simulator = Simulator::new(system, None).unwrap();
    simulator
        .run(&mut script.play(), Extent::ALL, &mut observed)
        .unwrap();
    observed
}
