//! Bounds of an independent implementation in Python: no bound of gpusched is above them.
//!
//! Each line of `independent.jsonl` has a random system, and a bound on the end of each segment; `null` without a bound. There are 30
//! systems of each kind: sequential tasks, time slices, pipelined tasks, and all of them. One half of the systems are the first ones with
//! a bound. For the other half, former versions of gpusched had larger bounds. The implementation follows the equations of
//! `docs/explanation/pipelines.md`, and its queues count minimum distances, as (13) requires. It was run by `analyse(System.load(system))`.

use gpusched::end_to_end::analyze;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::verification::verify_system;
use serde::Deserialize;

#[derive(Deserialize)]
struct Example {
    system: Draft,
    /// For each task, a bound on the end of each segment [ns].
    ends: Vec<Vec<Option<u64>>>,
}

#[test]
fn no_bound_is_above_the_bound_of_an_independent_implementation() {
    let examples = include_str!("independent.jsonl").lines().enumerate();
    let (mut all, mut smaller) = (0, 0);
    for (line, example) in examples {
        let Example { system, ends } = serde_json::from_str(example).unwrap();
        let system = System::new(&system, Interference::Conflict).unwrap();
        let answer = analyze(&system);
        assert_eq!(verify_system(&answer, &system).err(), None, "{example}");
        for (task, row) in ends.iter().enumerate() {
            for (segment, &theirs) in row.iter().enumerate() {
                let ours = answer.evidence.bounds.end(task, segment).map(|end| end.ns());
                let Some(theirs) = theirs else { continue };
                assert!(
                    ours.is_some_and(|ours| ours <= theirs),
                    "line {}, task {task}, segment {segment}: {ours:?} above {theirs}",
                    line + 1
                );
                all += 1;
                smaller += usize::from(ours < Some(theirs));
            }
        }
    }
    assert!(all > 400 && smaller < all / 5, "{smaller} of {all}");
}
