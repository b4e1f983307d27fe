//! Simulation of end-to-end systems: small systems with known response times, a reference implementation, refusals and
//! charts.

mod golden;
mod interface;
mod overheads;
mod pipelines;
mod random;
mod reference;

use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::simulator::end_to_end::*;
use gpusched::time::Time;

/// Reads a system from JSON.
fn system(text: &str) -> System {
    let draft: Draft = serde_json::from_str(text).unwrap();
    System::new(&draft, Interference::None).unwrap()
}

fn ns(times: &[Time]) -> Vec<u64> {
    times.iter().map(|time| time.ns()).collect()
}

/// Observes runs of `system` with random phases and execution times, and one synchronous run.
fn search(system: &System, runs: u64, periods: u64) -> Observed {
    let mut simulator = Simulator::new(system, None).unwrap();
    let mut observed = Observed::new(system);
    let longest = system.tasks().iter().map(|task| task.period.ns()).max().unwrap();
    let extent = Extent::before(Time::from_ns(periods * longest));
    for run in 0..runs {
        let pattern = Pattern {
            offsets: if run == 0 {
                Offsets::Synchronous
            } else {
                Offsets::Random
            },
            phases: false,
            execution: [Execution::Wcet, Execution::Extremes][run as usize % 2],
            ..Pattern::default()
        };
        let mut source = Drawn::new(system, &pattern.runs(system, (1, run)), (1, run)).unwrap();
        simulator.run(&mut source, extent, &mut observed).unwrap();
    }
    observed
}
