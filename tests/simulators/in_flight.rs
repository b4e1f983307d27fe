//! Dispatchers that launch up to N commands of a queue before the first one ends, such as XSched with the policies HPF and K-EDF.
//! The longest in-flight commands of all less urgent tasks count as jitter (`docs/how-to/other-policies.md`), and no run exceeds a
//! bound.

use std::collections::VecDeque;

use gpusched::model::policy::{Preemption, Priorities};
use gpusched::schedulability::{self, Demand};
use gpusched::{Policy, Time};
use rand::{Rng, RngExt as _};

use crate::oracle::random_sets::rng;
use crate::support::rounds;

/// Task with one queue. Its jobs launch `commands` in this order. Tasks are listed by priority.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Queue {
    commands: Vec<u64>,
    period: u64,
    deadline: u64,
    /// Largest number of launched commands that have not ended.
    most: usize,
}

impl Queue {
    fn wcet(&self) -> u64 {
        self.commands.iter().sum()
    }

    /// Longest execution of `most` consecutive commands.
    fn in_flight(&self, most: usize) -> u64 {
        let windows = self.commands.windows(most.clamp(1, self.commands.len()));
        windows.map(|window| window.iter().sum()).max().unwrap()
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Rule {
    /// Highest priority first.
    Hpf,
    /// One queue at a time, with the earliest deadline.
    Edf,
}

/// Order of the in-flight commands on the GPU, which no document states.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Hardware {
    /// The order of the launches.
    Launches,
    /// The least urgent queue first.
    LeastUrgent,
    Random,
}

/// State of a queue in a run.
#[derive(Clone, Default, Debug)]
struct State {
    /// Arrivals of unfinished jobs, and numbers of commands that have not ended.
    jobs: VecDeque<(u64, usize)>,
    /// Commands of these jobs that are not launched.
    waiting: VecDeque<u64>,
    /// Launched commands: time of the launch, and length.
    launched: VecDeque<(u64, u64)>,
}

/// Returns the longest response time of each task if jobs arrive at `arrivals`.
fn run(
    queues: &[Queue],
    arrivals: &[Vec<u64>],
    rule: Rule,
    hardware: Hardware,
    rng: &mut impl Rng,
) -> Vec<u64> {
    let mut states = vec![State::default(); queues.len()];
    let mut next = vec![0; queues.len()];
    let mut longest = vec![0; queues.len()];
    // The queue of the running command, and the end of this command.
    let mut running: Option<(usize, u64)> = None;
    let (mut now, mut launches) = (0, 0);
    loop {
        if let Some((queue, end)) = running
            && end == now
        {
            running = None;
            let state = &mut states[queue];
            let (arrival, left) = state.jobs.front_mut().unwrap();
            *left -= 1;
            if *left == 0 {
                longest[queue] = longest[queue].max(now - *arrival);
                state.jobs.pop_front();
            }
        }
        // At the instant of an arrival, the dispatcher may still launch commands of the queue that was the first before.
        for arrived in [rng.random_bool(0.5), true] {
            if arrived {
                for (queue, state) in states.iter_mut().enumerate() {
                    while arrivals[queue]
                        .get(next[queue])
                        .is_some_and(|&arrival| arrival <= now)
                    {
                        state
                            .jobs
                            .push_back((arrivals[queue][next[queue]], queues[queue].commands.len()));
                        state.waiting.extend(&queues[queue].commands);
                        next[queue] += 1;
                    }
                }
            }
            let ready = (0..queues.len()).filter(|&queue| !states[queue].jobs.is_empty());
            let first = ready.min_by_key(|&queue| match rule {
                Rule::Hpf => 0,
                Rule::Edf => states[queue].jobs[0].0 + queues[queue].deadline,
            });
            if let Some(first) = first {
                let state = &mut states[first];
                let busy = usize::from(running.is_some_and(|(queue, _)| queue == first));
                while state.launched.len() + busy < queues[first].most
                    && let Some(command) = state.waiting.pop_front()
                {
                    launches += 1;
                    state.launched.push_back((launches, command));
                }
            }
            let launched = (0..queues.len()).filter(|&queue| !states[queue].launched.is_empty());
            let chosen = match hardware {
                Hardware::Launches => launched.min_by_key(|&queue| states[queue].launched[0].0),
                Hardware::LeastUrgent => launched.max(),
                Hardware::Random => launched.max_by_key(|_| rng.random::<u32>()),
            };
            if let (None, Some(queue)) = (running, chosen) {
                let (_, command) = states[queue].launched.pop_front().unwrap();
                running = Some((queue, now + command));
            }
        }
        let arrival = (0..queues.len()).filter_map(|queue| arrivals[queue].get(next[queue]).copied());
        match arrival.chain(running.map(|(_, end)| end)).min() {
            Some(time) => now = time,
            None => return longest,
        }
    }
}

/// Demands with the in-flight commands of all less urgent tasks as jitter. `in_flight` returns the commands of a queue.
fn demands(queues: &[Queue], rule: Rule, in_flight: impl Fn(&Queue) -> u64) -> Vec<Demand> {
    let demand = |(index, queue): (usize, &Queue)| {
        let others = queues.iter().enumerate();
        let others = others.filter(|&(other, found)| match rule {
            Rule::Hpf => other > index,
            Rule::Edf => found.deadline > queue.deadline,
        });
        let mut demand = Demand::new(
            Time::from_ns(queue.wcet()),
            Time::from_ns(queue.period),
            Time::from_ns(queue.deadline),
        );
        demand.jitter = Time::from_ns(others.map(|(_, other)| in_flight(other)).sum());
        demand
    };
    queues.iter().enumerate().map(demand).collect()
}

fn draw(rng: &mut impl Rng) -> Vec<Queue> {
    let count = rng.random_range(1..=4);
    let queue = |_| {
        let commands = (0..rng.random_range(1..=6))
            .map(|_| rng.random_range(1..=6))
            .collect();
        let period = rng.random_range(15..120);
        Queue {
            commands,
            period,
            deadline: rng.random_range(period / 2..=period),
            most: rng.random_range(1..=4),
        }
    };
    (0..count).map(queue).collect()
}

/// Arrivals in the order of increasing urgency, shortly one after the other, and then with minimum or longer distances.
fn arrivals(rng: &mut impl Rng, queues: &[Queue]) -> Vec<Vec<u64>> {
    let sporadic = rng.random_bool(0.3);
    let mut times = Vec::new();
    for (index, queue) in queues.iter().enumerate() {
        let offset = match rng.random_range(0..3) {
            0 => rng.random_range(0..queue.period),
            _ => (queues.len() - index) as u64 * rng.random_range(0..3),
        };
        let mut arrivals = vec![offset];
        while arrivals.last().is_some_and(|&last| last < 600) {
            let further = if sporadic { rng.random_range(0..5) } else { 0 };
            arrivals.push(arrivals[arrivals.len() - 1] + queue.period + further);
        }
        times.push(arrivals);
    }
    times
}

/// Runs random systems against the bounds that count `in_flight`. Returns the numbers of bounds, of attained bounds, and of
/// exceeded bounds.
fn campaign(rule: Rule, systems: u64, in_flight: impl Fn(&Queue) -> u64) -> (u64, u64, u64) {
    let (mut bounds, mut attained, mut exceeded) = (0, 0, 0);
    for seed in 0..systems {
        let mut rng = rng(seed);
        let queues = draw(&mut rng);
        let demands = demands(&queues, rule, &in_flight);
        let policy = match rule {
            Rule::Hpf => Policy::FixedPriority(Preemption::Preemptive, Priorities::Given),
            Rule::Edf => Policy::Edf,
        };
        if !schedulability::test(policy, &demands, 1).schedulable {
            continue;
        }
        let limits: Vec<u64> = match rule {
            Rule::Hpf => {
                let times = schedulability::response_times(policy, &demands).unwrap();
                times.into_iter().map(|time| time.unwrap().ns()).collect()
            }
            Rule::Edf => queues.iter().map(|queue| queue.deadline).collect(),
        };
        let mut observed = vec![0; queues.len()];
        for hardware in [Hardware::Launches, Hardware::LeastUrgent, Hardware::Random] {
            for _ in 0..4 {
                let arrivals = arrivals(&mut rng, &queues);
                let times = run(&queues, &arrivals, rule, hardware, &mut rng);
                observed = observed
                    .into_iter()
                    .zip(times)
                    .map(|(one, other)| one.max(other))
                    .collect();
            }
        }
        for (limit, observed) in limits.into_iter().zip(observed) {
            bounds += 1;
            attained += u64::from(observed == limit);
            exceeded += u64::from(observed > limit);
        }
    }
    (bounds, attained, exceeded)
}

#[test]
fn no_run_exceeds_a_bound_with_commands_in_flight() {
    for rule in [Rule::Hpf, Rule::Edf] {
        let systems = rounds(6_000);
        let (bounds, attained, exceeded) = campaign(rule, systems, |queue| queue.in_flight(queue.most));
        assert_eq!(exceeded, 0, "{rule:?}");
        assert!(
            bounds > systems / 10 && attained > 0,
            "{rule:?}: {attained} of {bounds}"
        );
    }
}

/// One command fewer is too few, under both policies.
#[test]
fn every_command_in_flight_counts() {
    for rule in [Rule::Hpf, Rule::Edf] {
        let fewer = |queue: &Queue| match queue.most {
            1 => 0,
            most => queue.in_flight(most - 1),
        };
        let (.., exceeded) = campaign(rule, rounds(6_000), fewer);
        assert!(exceeded > 0, "{rule:?}");
    }
}

/// A trap: each of several less urgent queues may have commands in flight. So blocking by the longest of them is unsafe.
#[test]
fn commands_of_all_less_urgent_queues_block() {
    let queue = |period, commands: &[u64]| Queue {
        commands: commands.to_vec(),
        period,
        deadline: period,
        most: 2,
    };
    let queues = [queue(30, &[3]), queue(100, &[4, 4, 4]), queue(200, &[4, 4, 4])];
    // The least urgent queue launches two commands, then the next one, and then the job of 3 arrives.
    let arrivals = [vec![2], vec![1], vec![0]];
    let seen = run(&queues, &arrivals, Rule::Hpf, Hardware::Launches, &mut rng(1))[0];
    let policy = Policy::FixedPriority(Preemption::Preemptive, Priorities::Given);
    let bound = |demands: &[Demand]| {
        schedulability::response_times(policy, demands).unwrap()[0]
            .unwrap()
            .ns()
    };
    let safe = bound(&demands(&queues, Rule::Hpf, |queue| queue.in_flight(queue.most)));
    assert_eq!((safe, seen), (19, 17));
    let mut unsafe_demands = demands(&queues, Rule::Hpf, |_| 0);
    unsafe_demands[0].jitter = Time::from_ns(8);
    assert!(seen > bound(&unsafe_demands));
}
