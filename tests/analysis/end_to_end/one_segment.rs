//! Tasks of one segment on cores with fixed priorities: the bounds are the least solutions of the equations, written plainly.

use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::{System, Task};
use gpusched::verification::verify_system;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::equations::{least, ns, spaced, whole_job};
use super::system;
use crate::support::rounds;

/// Returns a random system of one or two cores. Its numbers are round, equal or extreme in many cases.
fn draw(rng: &mut impl Rng) -> System {
    let count = [1, 2, 3, 6, 20][rng.random_range(0..5)];
    let cores = rng.random_range(1..=2);
    let load = [0.2, 0.5, 0.8, 1.2][rng.random_range(0..4)] * f64::from(cores);
    let levels = [1, 3, 100][rng.random_range(0..3)];
    let tasks = (0..count).map(|index| {
        let round = [10, 20, 100, 1000, 1_000_000_000_000][rng.random_range(0..5)];
        let period = [round, rng.random_range(1..300)][rng.random_range(0..2)];
        let share = 2.0 * rng.random::<f64>() * load / f64::from(count);
        let wcet = ((share * period as f64) as u64).clamp(1, period);
        let jitter = [0, 1, period / 10, period, rng.random_range(0..=period)][rng.random_range(0..5)];
        let bcet = [0, wcet, rng.random_range(0..=wcet)][rng.random_range(0..3)];
        let (priority, core) = (rng.random_range(0..levels), rng.random_range(0..cores));
        format!(
            r#"{{"name":"t{index}","period":{period},"deadline":{period},"jitter":{jitter},"priority":{priority},
                "segments":[{{"on":"c{core}","wcet":{wcet},"bcet":{bcet}}}]}}"#
        )
    });
    let tasks: Vec<String> = tasks.collect();
    system(&format!(
        r#"{{"cores":[{{"name":"c0","policy":"fp"}},{{"name":"c1","policy":"fp"}}],"tasks":[{}]}}"#,
        tasks.join(",")
    ))
}

/// Returns the bound on the response time of each task.
fn reference(system: &System) -> Vec<Option<u128>> {
    let tasks = system.tasks();
    let bound = |own: &Task| {
        let others = tasks.iter().filter(|other| {
            other.name != own.name && other.core == own.core && other.priority <= own.priority
        });
        let others: Vec<&Task> = others.collect();
        let (cost, period) = (ns(own.segments[0].wcet), ns(own.period));
        let window = least(cost, period, |window| {
            let works = others.iter().map(|other| {
                let released = (window + ns(other.jitter)).div_ceil(ns(other.period));
                Some(spaced(Some(released), window, whole_job(other))? * ns(other.segments[0].wcet))
            });
            works.sum::<Option<u128>>().map(|work| cost + work)
        })?;
        Some(window + ns(own.jitter)).filter(|&end| end <= period)
    };
    let bounds: Vec<Option<u128>> = tasks.iter().map(bound).collect();
    // Late jobs queue before each job of equal priority.
    let late = |own: &Task| {
        tasks
            .iter()
            .zip(&bounds)
            .any(|(other, bound)| bound.is_none() && other.core == own.core && other.priority == own.priority)
    };
    { tasks.iter().zip(&bounds) }
        .map(|(own, &bound)| bound.filter(|_| !late(own)))
        .collect()
}

#[test]
fn bounds_are_the_least_solutions() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let (mut bounded, mut late) = (0, 0);
    for _ in 0..rounds(20_000) {
        let system = draw(&mut rng);
        let answer = analyze(&system);
        let ours = answer.response_times_ns.iter().map(|bound| bound.map(ns));
        let theirs = reference(&system);
        assert_eq!(ours.collect::<Vec<_>>(), theirs, "{system:?}");
        assert_eq!(verify_system(&answer, &system).err(), None, "{system:?}");
        bounded += theirs.iter().flatten().count();
        late += theirs.iter().filter(|bound| bound.is_none()).count();
    }
    assert!(
        bounded > rounds(20_000) && late > rounds(20_000),
        "{bounded} bounds, {late} without"
    );
}
