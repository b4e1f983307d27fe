//! Bounds that a run attains: on cores with fixed priorities, and on engines under first in, first out.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::System;
use gpusched::model::streams::{Purpose, below, stream};
use gpusched::simulator::end_to_end::{Drawn, Extent, Jitter, Observed, Pattern, Simulator};

use super::system;

use crate::support::rounds;

/// Returns the longest response times over all first arrivals from 0 to `latest` ns.
fn search(system: &System, latest: u64) -> Vec<Time> {
    let mut simulator = Simulator::new(system, None).unwrap();
    let mut observed = Observed::new(system);
    let pattern = Pattern {
        phases: false,
        jitter: Jitter::Late,
        ..Pattern::default()
    };
    let count = system.tasks().len();
    for number in 0..(latest + 1).pow(u32::try_from(count).unwrap()) {
        let mut runs = pattern.runs(system, (0, 0));
        for (task, run) in runs.iter_mut().enumerate() {
            let delay = number / (latest + 1).pow(u32::try_from(task).unwrap()) % (latest + 1);
            run.first = Time::from_ns(run.first.ns() + delay);
            run.earliest = Time::from_ns(run.earliest.ns() + delay);
        }
        let mut source = Drawn::new(system, &runs, (0, 0)).unwrap();
        simulator
            .run(&mut source, Extent::before(Time::from_ns(500)), &mut observed)
            .unwrap();
    }
    observed.tasks.iter().map(|task| task.response).collect()
}

/// Without suspension, the common first release with late jobs attains every bound on an `fp` core.
#[test]
fn fixed_priorities_on_a_core() {
    let mut bounds = 0;
    for seed in 0..rounds(1000) {
        let rng = &mut stream(seed, Purpose::ValidationSystems, 2, 0);
        let tasks = (0..2 + below(rng, 3)).map(|task| {
            let (period, wcet) = (8 + below(rng, 40), 1 + below(rng, 10));
            let jitter = below(rng, 4);
            format!(
                r#"{{"name":"{task}","period":{period},"jitter":{jitter},"priority":{task},"segments":[{{"on":"cpu","wcet":{wcet}}}]}}"#
            )
        });
        let tasks: Vec<String> = tasks.collect();
        let system = system(&format!(
            r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"tasks":[{}]}}"#,
            tasks.join(",")
        ));
        let found = search(&system, 0);
        for (bound, response) in analyze(&system).response_times_ns.into_iter().zip(found) {
            assert!(bound.is_none_or(|bound| bound == response), "seed {seed}");
            bounds += usize::from(bound.is_some());
        }
    }
    assert!(bounds > rounds(1000), "{bounds}");
}

/// On a `fifo` engine, a search over the first arrivals attains the bound of the task that loses every tie.
#[test]
fn first_in_first_out_on_an_engine() {
    for seed in 0..rounds(200) {
        let rng = &mut stream(seed, Purpose::ValidationSystems, 3, 0);
        let tasks = (0..2 + below(rng, 2)).map(|task| {
            let wcet = 1 + below(rng, 10);
            format!(r#"{{"name":"{task}","period":100,"segments":[{{"on":"copy","wcet":{wcet}}}]}}"#)
        });
        let tasks: Vec<String> = tasks.collect();
        let system = system(&format!(
            r#"{{"copy_engines":[{{"name":"copy","policy":"fifo"}}],"tasks":[{}]}}"#,
            tasks.join(",")
        ));
        let bounds = analyze(&system).response_times_ns;
        let found = search(&system, 2);
        assert_eq!(
            bounds.last().copied().flatten(),
            found.last().copied(),
            "seed {seed}"
        );
        for (bound, response) in bounds.iter().zip(found) {
            // Any other task loses 1 ns, because it must arrive after all others.
            assert!(
                bound.is_some_and(|bound| bound.ns() <= response.ns() + 1),
                "seed {seed}"
            );
        }
    }
}
