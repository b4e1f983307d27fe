mod golden;
mod interface;
mod random;
mod reference;

use super::*;
use gpusched_model::Interference;
use gpusched_model::end_to_end::{Draft, System};
use gpusched_model::time::Time;

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
