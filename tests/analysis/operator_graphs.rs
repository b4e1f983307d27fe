//! Graphs of operators: the published bound, the exact bound, and a simulation by events.

use std::collections::BTreeMap;

use gpusched::Time;
use gpusched::operator_graphs::{OperatorGraph, published, response_time, smallest_period};
use gpusched::simulator::operator_graphs::{Observed, simulate};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use crate::oracle::random_sets::rng;
use crate::support::rounds;

fn graph(wcets: &[u64], connections: &[(usize, usize)]) -> OperatorGraph {
    let wcets = wcets.iter().copied().map(Time::from_ns);
    OperatorGraph::new(wcets, connections.iter().copied()).unwrap()
}

fn ns(time: Option<Time>) -> Option<u64> {
    time.map(Time::ns)
}

const DIAMOND: [(usize, usize); 4] = [(0, 1), (0, 2), (1, 3), (2, 3)];

/// The page of the authors' scripts states 1600 for this graph.
#[test]
fn the_example_of_the_authors() {
    let graph = graph(&[200, 300, 150, 400], &DIAMOND);
    assert_eq!(ns(published(&graph)), Some(1600));
    // Its simulation with a period of 10 converges to 1600, too. Most messages are lost.
    let run = simulate(&graph, Time::from_ns(10), 6, |operator, _| {
        graph.operators()[operator].wcet
    });
    assert_eq!((run.response.ns(), run.lost > 0), (1600, true));
    // With a period of at least 400, nothing is lost, and no message waits.
    assert_eq!(ns(smallest_period(&graph)), Some(400));
    assert_eq!(ns(response_time(&graph, Time::from_ns(400))), Some(900));
    assert_eq!(response_time(&graph, Time::from_ns(399)), None);
}

/// Worked by hand. A chain with 2, 5, 3: candidates 1·2 + 10, 2·5 + 8 and 3·3 + 3. The period must be at least 5.
#[test]
fn a_chain() {
    let graph = graph(&[2, 5, 3], &[(0, 1), (1, 2)]);
    assert_eq!(ns(published(&graph)), Some(18));
    assert_eq!(ns(smallest_period(&graph)), Some(5));
    assert_eq!(ns(response_time(&graph, Time::from_ns(5))), Some(10));
}

/// Worked by hand. 0 → 1 → 3 → 4 and 0 → 2 → 4, with 1, 4, 6, 1, 2. Longest path: 0, 2, 4 with 9. Candidates: 0 with delay 1 + 6 = 7:
/// 7 + 9 = 16. 1: 2·4 + 7 + (9 − 1) = 23. 2: 2·6 + 8 = 20. 3: 3·1 + 3 + (9 − 5) = 10. 4: 3·2 + 2 = 8.
#[test]
fn an_operator_beside_the_longest_path() {
    let graph = graph(&[1, 4, 6, 1, 2], &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)]);
    assert_eq!(ns(published(&graph)), Some(23));
}

/// The script of the authors computes 32 for this graph: 0 has the delay 12, and 4 has 3·8 + 8. Their simulator and this one find 33 with a
/// period of 1. Operator 0 loses messages, so its queue is full as soon as it starts. Message 2 enters it at 3.
#[test]
fn a_run_exceeds_the_published_bound() {
    let graph = graph(&[3, 1, 6, 3, 8], &[(0, 1), (0, 2), (1, 4), (2, 3), (3, 4)]);
    assert_eq!(ns(published(&graph)), Some(32));
    let run = |period, messages| {
        let period = Time::from_ns(period);
        simulate(&graph, period, messages, |operator, _| {
            graph.operators()[operator].wcet
        })
        .response
        .ns()
    };
    assert_eq!([run(1, 1), run(1, 2), run(1, 3), run(1, 40)], [20, 27, 33, 33]);
    // Without lost messages, no message waits.
    assert_eq!(ns(smallest_period(&graph)), Some(8));
    assert_eq!(
        (run(8, 40), ns(response_time(&graph, Time::from_ns(8)))),
        (20, Some(20))
    );
}

#[test]
fn one_operator_and_several_leaves() {
    let one = graph(&[7], &[]);
    assert_eq!(
        (ns(published(&one)), ns(smallest_period(&one))),
        (Some(14), Some(7))
    );
    assert_eq!(ns(response_time(&one, Time::from_ns(7))), Some(7));
    let leaves = graph(&[1, 4, 9], &[(0, 1), (0, 2)]);
    assert_eq!(published(&leaves), None);
    assert_eq!(ns(response_time(&leaves, Time::from_ns(10))), Some(10));
    let large = graph(&[u64::MAX, u64::MAX], &[(0, 1)]);
    assert_eq!(
        (published(&large), response_time(&large, Time::from_ns(u64::MAX))),
        (None, None)
    );
    assert!(OperatorGraph::new([], []).is_err());
    assert!(OperatorGraph::new([Time::ZERO; 2], []).is_err());
    assert!(OperatorGraph::new([Time::ZERO; 2], [(1, 0)]).is_err());
    assert!(OperatorGraph::new([Time::ZERO; 2], [(0, 2)]).is_err());
}

/// Returns a random graph, often with equal or zero WCETs, and its connections.
fn random(rng: &mut impl Rng, leaves: bool) -> OperatorGraph {
    let count = rng.random_range(1..=8usize);
    let density = [0.0, 0.1, 0.3, 0.6][rng.random_range(0..4)];
    let most = [1, 3, 10, 100][rng.random_range(0..4)];
    let least = rng.random_range(0..=1);
    let mut connections: Vec<(usize, usize)> = (1..count)
        .map(|operator| (rng.random_range(0..operator), operator))
        .collect();
    for from in 0..count {
        for to in from + 1..count {
            if rng.random_bool(density) {
                connections.push((from, to));
            }
        }
    }
    for operator in 0..count - 1 {
        if !leaves && connections.iter().all(|&(from, _)| from != operator) {
            connections.push((operator, count - 1));
        }
    }
    let wcets: Vec<u64> = (0..count).map(|_| rng.random_range(least..=most)).collect();
    graph(&wcets, &connections)
}

/// The rules of the model, event by event: queues with one place, and operators that look at them at each instant.
fn by_events(graph: &OperatorGraph, period: u64, messages: usize, times: &[Vec<u64>]) -> Observed {
    let operators = graph.operators();
    let mut arrivals = Vec::new();
    let mut queues: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    let mut source = false;
    let mut working: Vec<Option<u64>> = vec![None; operators.len()];
    let mut done = vec![0usize; operators.len()];
    let mut started = vec![0usize; operators.len()];
    let mut ends = vec![0u64; messages];
    let (mut lost, mut now) = (0, 0u64);
    while done.iter().any(|&done| done < messages) {
        for (operator, end) in working.iter_mut().enumerate() {
            if *end == Some(now) {
                *end = None;
                ends[done[operator]] = ends[done[operator]].max(now);
                done[operator] += 1;
                for &output in &operators[operator].outputs {
                    queues.insert((operator, output), true);
                }
            }
        }
        // A start may empty a queue for an earlier operator, and an execution may take no time.
        let mut arrived = now % period > 0 || arrivals.len() == messages;
        let mut again = true;
        while again {
            again = false;
            for (operator, found) in operators.iter().enumerate() {
                let filled = match operator {
                    0 => source,
                    _ => found
                        .inputs
                        .iter()
                        .all(|&input| queues.get(&(input, operator)) == Some(&true)),
                };
                let free = found
                    .outputs
                    .iter()
                    .all(|&output| queues.get(&(operator, output)) != Some(&true));
                if !filled || !free || working[operator].is_some() {
                    continue;
                }
                again = true;
                source &= operator != 0;
                for &input in &found.inputs {
                    queues.insert((input, operator), false);
                }
                let time = times[operator][started[operator]];
                started[operator] += 1;
                if time > 0 {
                    working[operator] = Some(now + time);
                    continue;
                }
                ends[done[operator]] = ends[done[operator]].max(now);
                done[operator] += 1;
                for &output in &found.outputs {
                    queues.insert((operator, output), true);
                }
            }
            // All operators that can start at this instant have started before a message is lost.
            if !again && !arrived {
                arrived = true;
                match source {
                    true => lost += 1,
                    false => {
                        arrivals.push(now);
                        (source, again) = (true, true);
                    }
                }
            }
        }
        now += 1;
    }
    let responses = ends.iter().zip(&arrivals).map(|(end, arrival)| end - arrival);
    Observed {
        response: Time::from_ns(responses.max().unwrap_or(0)),
        lost,
    }
}

#[test]
fn the_simulator_follows_the_rules_of_the_queues() {
    (0..rounds(2000u64)).into_par_iter().for_each(|seed| {
        let mut rng = rng(seed);
        let graph = random(&mut rng, seed % 2 == 0);
        let period = rng.random_range(1..=40);
        let messages = rng.random_range(1..=12usize);
        let times: Vec<Vec<u64>> = graph
            .operators()
            .iter()
            .map(|operator| {
                let draw = |_| {
                    [operator.wcet.ns(), rng.random_range(0..=operator.wcet.ns())][rng.random_range(0..2)]
                };
                (0..messages).map(draw).collect()
            })
            .collect();
        let found = simulate(
            &graph,
            Time::from_ns(period),
            messages as u64,
            |operator, message| Time::from_ns(times[operator][usize::try_from(message).unwrap()]),
        );
        assert_eq!(
            found,
            by_events(&graph, period, messages, &times),
            "{seed}: {graph:?}"
        );
    });
}

/// No run exceeds the bound for a period, and a run with WCETs attains it. A smaller period than the smallest one loses messages.
#[test]
fn bounds_hold_and_the_bound_for_a_period_is_exact() {
    let sustained: usize = (0..rounds(5000u64))
        .into_par_iter()
        .map(|seed| {
            let mut rng = rng(seed);
            let graph = random(&mut rng, seed % 4 == 0);
            let operators = graph.operators();
            let messages = 6 * operators.len() as u64;
            let least = smallest_period(&graph).unwrap();
            let sum: u64 = operators.iter().map(|operator| operator.wcet.ns()).sum();
            let mut sustained = 0;
            for period in [
                1,
                least.ns().saturating_sub(1),
                least.ns(),
                least.ns() + 1,
                sum,
                rng.random_range(1..=100),
            ] {
                let period = Time::from_ns(period.max(1));
                let bound = response_time(&graph, period);
                assert_eq!(bound.is_some(), period >= least, "{seed}: {graph:?}");
                let longest = simulate(&graph, period, messages, |operator, _| operators[operator].wcet);
                match bound {
                    Some(bound) => {
                        assert_eq!((longest.response, longest.lost), (bound, 0), "{seed}: {graph:?}")
                    }
                    None => {
                        // Each cycle adds 1 ns or more to the time of the first operator in its queue.
                        let many = messages + operators.len() as u64 * (period.ns() + 1);
                        let long = simulate(&graph, period, many, |operator, _| operators[operator].wcet);
                        assert!(long.lost > 0, "{seed}, {period}: {graph:?}");
                    }
                }
                sustained += usize::from(bound.is_some());
                for extremes in [true, false] {
                    let run = simulate(&graph, period, messages, |operator, _| match extremes {
                        true => [Time::ZERO, operators[operator].wcet][rng.random_range(0..2)],
                        false => Time::from_ns(rng.random_range(0..=operators[operator].wcet.ns())),
                    });
                    assert!(
                        bound.is_none_or(|bound| run.response <= bound),
                        "{seed}: {graph:?}"
                    );
                }
            }
            sustained
        })
        .sum();
    assert!(sustained > rounds(10_000), "{sustained}");
}
