//! Budgets that use slack: runs against a slow simulation with one step per nanosecond, and systems where slack must not pass on.

use gpusched::bandwidth::BudgetPolicy;
use gpusched::end_to_end::{Budgeted, analyze_draft};
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::{Interference, Observer};
use gpusched::simulator::end_to_end::{
    Arrival, Attack, Carry, Event, Extent, Nominal, Regulation, Script, Simulator, Slack, isolated,
};
use gpusched::time::Time;

use super::super::draft;
use super::{Numbers, PERIOD};
use crate::support::rounds;

/// A run: for each task, the arrivals with the execution times of the segments.
type Jobs = Vec<Vec<(u64, Vec<u64>)>>;

/// A system with budgets, its plain system in isolation, and its regulation.
struct Case {
    budgeted: Budgeted,
    isolated: System,
    regulation: Regulation,
}

impl Case {
    fn new(draft: &Draft, policy: BudgetPolicy, phase: u64) -> Case {
        let budgeted = analyze_draft(draft, Interference::None.into()).unwrap();
        let slack = Slack::new(policy, draft, &budgeted);
        let (isolated, segments) = isolated(draft, &budgeted).unwrap();
        let regulation = Regulation {
            period: draft.budgets.as_ref().unwrap().regulation_period,
            phase: Time::from_ns(phase),
            segments,
            attack: Attack::Always,
            slack: Some(slack),
        };
        Case {
            isolated,
            budgeted,
            regulation,
        }
    }

    /// Gives all segments of `task` another carry.
    fn carry(&mut self, task: usize, carry: Carry) {
        let slack = self.regulation.slack.as_mut().unwrap();
        for nominal in slack.segments[task].iter_mut().flatten() {
            nominal.carry = carry;
        }
    }

    fn nominal(&self, task: usize, segment: usize) -> Nominal {
        self.regulation.slack.as_ref().unwrap().segments[task][segment].unwrap()
    }

    fn run(&self, jobs: &Jobs) -> Found {
        let mut script = Script::new(&self.isolated);
        for (task, jobs) in jobs.iter().enumerate() {
            for (at, times) in jobs {
                let times: Vec<Time> = times.iter().copied().map(Time::from_ns).collect();
                let arrival = Arrival {
                    at: Time::from_ns(*at),
                    jitter: Time::ZERO,
                };
                script.push(task, arrival, &times).unwrap();
            }
        }
        let mut simulator = Simulator::new(&self.isolated, None).unwrap();
        simulator
            .regulate(&self.isolated, self.regulation.clone())
            .unwrap();
        let mut found = Found::default();
        simulator
            .run(&mut script.play(), Extent::ALL, &mut found)
            .unwrap();
        found.ends.sort_unstable();
        let last = found.ends.iter().map(|end| end.3).max().unwrap();
        found.memory = simulator.memory_time(Time::from_ns(last)).ns();
        found.late = simulator.late_segments();
        found
    }
}

/// Task, job, segment and end of each segment, and the memory time of the run.
#[derive(Default, PartialEq, Eq, Debug)]
struct Found {
    ends: Vec<(usize, u64, usize, u64)>,
    memory: u64,
    late: u64,
}

impl Observer<Event> for Found {
    fn see(&mut self, time: Time, event: Event) {
        if let Event::End { part, .. } = event {
            self.ends
                .push((part.job.task, part.job.number, part.segment, time.ns()));
        }
    }
}

impl Found {
    /// Returns the end of a job counted from its arrival.
    fn response(&self, task: usize, arrival: u64) -> u64 {
        let ends = self.ends.iter().filter(|end| end.0 == task);
        ends.map(|end| end.3).max().unwrap() - arrival
    }
}

/// The current job of a task in the slow simulation.
struct Live {
    job: usize,
    segment: usize,
    release: u64,
    progress: Option<Progress>,
}

/// A segment in progress.
struct Progress {
    executed: u64,
    seen: u64,
    account: u64,
    /// Memory time that the nominal schedule still permits; `None` without a limit.
    left: Option<u64>,
    until: u64,
    previous: u64,
}

/// The parts of regulation periods in a window. The first boundary is `first` away.
fn parts(window: u64, first: u64) -> Vec<u64> {
    let mut parts = vec![first.min(window)];
    let mut rest = window.saturating_sub(first);
    while rest > 0 {
        parts.push(rest.min(PERIOD));
        rest = rest.saturating_sub(PERIOD);
    }
    parts
}

/// The largest memory time up to T that `fits`; otherwise 0.
fn largest(fits: impl Fn(u64) -> bool) -> u64 {
    (0..=PERIOD).rev().find(|&memory| fits(memory)).unwrap_or(0)
}

impl Progress {
    fn renew(&mut self, policy: BudgetPolicy, nominal: u64, now: u64, first: u64) {
        let choice = |left: u64| {
            let parts = parts(self.until - now, first);
            let greedy =
                largest(|most| most + parts[1..].iter().map(|part| nominal.min(*part)).sum::<u64>() <= left);
            let fair = match first == PERIOD {
                true => largest(|most| parts.iter().map(|part| most.min(*part)).sum::<u64>() <= left),
                false => (left / parts.len() as u64).min(PERIOD),
            };
            match policy {
                BudgetPolicy::Nominal => nominal,
                BudgetPolicy::Fair => fair,
                BudgetPolicy::Greedy => greedy,
                BudgetPolicy::Smooth => greedy.min((3 * greedy + 7 * self.previous) / 10).max(fair),
            }
        };
        self.account = match self.left {
            _ if policy == BudgetPolicy::Nominal || self.until <= now => nominal,
            None => PERIOD,
            Some(left) => choice(left).max(nominal),
        };
        if self.until > now {
            self.previous = self.account;
        }
    }
}

/// Simulates a system whose resources are all first in, first out.
fn slow(case: &Case, jobs: &Jobs) -> Found {
    let (system, regulation) = (&case.isolated, &case.regulation);
    let policy = regulation.slack.as_ref().unwrap().policy;
    let mut live: Vec<Option<Live>> = jobs.iter().map(|_| None).collect();
    let mut started = vec![0; jobs.len()];
    let mut chain: Vec<Option<u64>> = vec![None; jobs.len()];
    let mut queues = vec![0; system.resources().count()];
    let mut found = Found::default();
    let total: usize = jobs.iter().map(Vec::len).sum();
    let mut done = 0;
    for now in 0.. {
        for task in 0..jobs.len() {
            let next = jobs[task].get(started[task]);
            if live[task].is_none() && next.is_some_and(|job| job.0 <= now) {
                live[task] = Some(Live {
                    job: started[task],
                    segment: 0,
                    release: now,
                    progress: None,
                });
                chain[task] = None;
                started[task] += 1;
            }
        }
        let phase = regulation.phase.ns();
        let first = match now < phase {
            true => phase - now,
            false => PERIOD - (now - phase) % PERIOD,
        };
        for (task, live) in live.iter_mut().enumerate() {
            let Some(Live {
                segment,
                progress: Some(progress),
                ..
            }) = live
            else {
                continue;
            };
            if first == PERIOD && now >= phase {
                progress.renew(policy, regulation.segments[task][*segment].burst, now, first);
            }
        }
        for (index, resource) in system.resources().enumerate() {
            let here = |task: usize, live: &Option<Live>| {
                live.as_ref()
                    .is_some_and(|live| system.tasks()[task].segments[live.segment].on == resource)
            };
            let on: Vec<usize> = (0..live.len()).filter(|&task| here(task, &live[task])).collect();
            if on
                .iter()
                .any(|&task| live[task].as_ref().unwrap().progress.is_some())
            {
                continue;
            }
            let Some(&task) = on
                .iter()
                .min_by_key(|&&task| (live[task].as_ref().unwrap().release, task))
            else {
                continue;
            };
            let of = live[task].as_mut().unwrap();
            let (nominal, exposed) = (
                case.nominal(task, of.segment),
                regulation.segments[task][of.segment],
            );
            let from = match nominal.carry {
                Carry::Job => chain[task].unwrap_or(now),
                Carry::Queue => of.release.max(queues[index]),
                _ => now,
            };
            let until = from + nominal.wcet.ns();
            chain[task] = (nominal.carry == Carry::Job).then_some(until);
            if nominal.carry == Carry::Queue {
                queues[index] = until;
            }
            let extra = until - now - nominal.isolated.ns();
            let (numerator, denominator) = exposed.rate.ratio();
            let delay = |memory: u64| exposed.delay.min((memory * numerator).div_ceil(denominator));
            let mut progress = Progress {
                executed: 0,
                seen: 0,
                account: 0,
                left: (extra < exposed.delay)
                    .then(|| (0..).take_while(|&memory| delay(memory) <= extra).last().unwrap()),
                until,
                previous: exposed.burst,
            };
            progress.renew(policy, exposed.burst, now, first);
            of.progress = Some(progress);
        }
        let accounts = live.iter().flatten().filter_map(|live| live.progress.as_ref());
        let accesses = accounts.clone().all(|progress| progress.account > 0);
        found.memory += u64::from(accesses);
        for task in 0..jobs.len() {
            let Some(of) = &mut live[task] else { continue };
            let Some(progress) = &mut of.progress else {
                continue;
            };
            progress.executed += 1;
            if accesses {
                progress.seen += 1;
                progress.account -= 1;
                progress.left = progress.left.map(|left| left.saturating_sub(1));
            }
            let exposed = regulation.segments[task][of.segment];
            let (numerator, denominator) = exposed.rate.ratio();
            let delay = exposed.delay.min(progress.seen * numerator / denominator);
            let times = &jobs[task][of.job].1;
            if progress.executed == times[of.segment] + delay {
                found.ends.push((task, of.job as u64, of.segment, now + 1));
                found.late += u64::from(now + 1 > progress.until);
                of.segment += 1;
                (of.release, of.progress) = (now + 1, None);
                if of.segment == times.len() {
                    live[task] = None;
                    done += 1;
                }
            }
        }
        if done == total {
            break;
        }
    }
    found.ends.sort_unstable();
    found
}

/// Draws a system with a shared engine of single segments, a job with own resources, and an engine that two tasks share.
fn random(numbers: &mut Numbers) -> Draft {
    let mut times = |below: u64| {
        let alone = 1 + numbers.below(8);
        let delay = numbers.below(below);
        let least = (delay * 10).div_ceil(alone + delay).max(1);
        let rate = least + numbers.below(11 - least);
        format!(
            r#""wcet":{alone},"e1":{},"delay_rate":{}.{}"#,
            alone + delay,
            rate / 10,
            rate % 10
        )
    };
    let own = ["core", "engine", "gpu"].map(|on| format!(r#"{{"on":"{on}",{}}}"#, times(20)));
    let mut tasks = vec![format!(
        r#"{{"name":"chain","wait":"suspend","period":{},"segments":[{},{},{},{},{{"on":"bus",{}}}]}}"#,
        80 + numbers.below(80),
        own[0],
        own[1],
        own[2],
        own[0],
        "TIMES"
    )];
    let mut times = |below: u64| {
        let alone = 1 + numbers.below(8);
        format!(r#""wcet":{alone},"e1":{}"#, alone + numbers.below(below))
    };
    tasks[0] = tasks[0].replace("TIMES", &times(6));
    tasks.push(format!(
        r#"{{"name":"other","period":40,"segments":[{{"on":"bus",{}}}]}}"#,
        times(6)
    ));
    for task in 0..3 {
        let times = times(20);
        tasks.push(format!(
            r#"{{"name":"t{task}","period":{},"segments":[{{"on":"dma",{times}}}]}}"#,
            60 + 7 * task
        ));
    }
    let budget = numbers.below(PERIOD + 1) as f64 / PERIOD as f64;
    draft(&format!(
        r#"{{"cores":[{{"name":"core","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"np-fp"}}],
        "copy_engines":[{{"name":"engine","policy":"fifo"}},{{"name":"bus","policy":"fifo"}},{{"name":"dma","policy":"fifo"}}],
        "budgets":{{"regulation_period":{PERIOD},"q":{budget}}},"tasks":[{}]}}"#,
        tasks.join(",")
    ))
}

/// The ends, the memory time and the slack of all runs equal the slow simulation. No segment ends later than in the nominal schedule,
/// and no bound is exceeded.
#[test]
fn runs_keep_the_nominal_schedule() {
    let (mut carried, mut gained, mut queued) = (0, 0, 0);
    for index in 0..rounds(4000u64) {
        let numbers = &mut Numbers::new(index + 1);
        let draft = random(numbers);
        let mut jobs: Jobs = Vec::new();
        for task in &draft.tasks {
            let mut at = numbers.below(30);
            let mut of_task = Vec::new();
            for _ in 0..4 {
                let alone = task.segments.iter().map(|segment| {
                    let most = segment
                        .wcet
                        .as_ref()
                        .unwrap()
                        .at(1, gpusched::model::Contention::Isolated)
                        .unwrap();
                    most.ns()
                });
                let times =
                    alone.map(|most| [1 + numbers.below(most), most][usize::from(numbers.below(4) == 0)]);
                of_task.push((at, times.collect()));
                at += task.period.ns() + numbers.below(2) * numbers.below(9);
            }
            jobs.push(of_task);
        }
        let policy = BudgetPolicy::ALL[usize::try_from(index % 4).unwrap()];
        let case = Case::new(&draft, policy, numbers.below(PERIOD));
        let found = case.run(&jobs);
        assert_eq!(found, slow(&case, &jobs), "system {index}, {policy}");
        assert_eq!(found.late, 0, "system {index}");
        let bounds = &case.budgeted.answer.evidence.bounds;
        for &(task, job, segment, end) in &found.ends {
            let arrival = jobs[task][usize::try_from(job).unwrap()].0;
            if let Some(bound) = bounds.end(task, segment) {
                assert!(
                    end - arrival <= bound.ns(),
                    "system {index}, task {task}, segment {segment}"
                );
            }
        }
        // The nominal schedule of the queue: every job takes its WCET under its budget.
        if case.nominal(2, 0).carry == Carry::Queue {
            let mut all: Vec<(u64, usize, u64)> = Vec::new();
            for (task, jobs) in jobs.iter().enumerate().skip(2) {
                all.extend(
                    (0u64..)
                        .zip(jobs)
                        .map(|(job, &(arrival, _))| (arrival, task, job)),
                );
            }
            all.sort_unstable();
            let mut nominal = 0;
            for (arrival, task, job) in all {
                nominal = arrival.max(nominal) + case.nominal(task, 0).wcet.ns();
                let end = found
                    .ends
                    .iter()
                    .find(|end| (end.0, end.1) == (task, job))
                    .unwrap()
                    .3;
                assert!(
                    end <= nominal,
                    "system {index}, task {task}, job {job}: {end} > {nominal}"
                );
            }
            queued += 1;
        }
        // The nominal schedule of the job on own resources.
        for (job, (arrival, _)) in (0u64..).zip(&jobs[0]) {
            let ends: Vec<u64> = { found.ends.iter() }
                .filter(|end| (end.0, end.1) == (0, job))
                .map(|end| end.3)
                .collect();
            let before = job.checked_sub(1).and_then(|before| {
                found
                    .ends
                    .iter()
                    .filter(|end| (end.0, end.1) == (0, before))
                    .map(|end| end.3)
                    .max()
            });
            let mut nominal = before.unwrap_or(0).max(*arrival);
            for segment in 0..4 {
                let own = case.nominal(0, segment);
                assert_eq!(own.carry, Carry::Job);
                let start = if segment == 0 { nominal } else { ends[segment - 1] };
                carried += u64::from(ends[segment] - start > own.wcet.ns());
                nominal += own.wcet.ns();
                assert!(
                    ends[segment] <= nominal,
                    "system {index}, job {job}, segment {segment}"
                );
            }
        }
        let constant = Case::new(&draft, BudgetPolicy::Nominal, case.regulation.phase.ns()).run(&jobs);
        gained += u64::from(found.memory > constant.memory);
    }
    // Some segments of own resources take longer than their WCETs, because earlier segments took less.
    assert!(
        carried > rounds(500) && gained > rounds(1000) && queued > rounds(1000),
        "{carried} {gained} {queued}"
    );
}

/// A segment that gets the slack of another one takes longer than its WCET. On resources that others use, they then exceed their
/// bounds, so slack remains within the segment there.
#[test]
fn slack_does_not_pass_to_segments_that_delay_others() {
    // `late` may be delayed by 200 ns, and takes 40 ns under its budget. The segment before it takes 1 ns of 100 ns.
    let slack = r#""wcet":100,"e1":100"#;
    let late = r#""wcet":20,"e1":220"#;
    let urgent =
        r#"{"name":"urgent","period":1000,"segments":[{"on":"shared","wcet":5,"e1":5}],"gpu_priority":1}"#;
    let system = |policy: &str, tasks: &str| {
        draft(&format!(
            r#"{{"cores":[],"copy_engines":[{{"name":"own","policy":"fifo"}}],"partitions":[{{"name":"shared","sms":1,"policy":"{policy}"}}],
            "budgets":{{"regulation_period":100,"q":0.1}},"tasks":[{urgent},{tasks}]}}"#
        ))
    };
    let job = |first: &str| {
        format!(
            r#"{{"name":"job","period":1000,"gpu_priority":2,"segments":[{{"on":"{first}",{slack}}},{{"on":"shared",{late}}}]}}"#
        )
    };
    let two = format!(
        r#"{{"name":"late","period":1000,"gpu_priority":2,"segments":[{{"on":"shared",{late}}}]}},
        {{"name":"slack","period":1000,"gpu_priority":3,"segments":[{{"on":"shared",{slack}}}]}}"#
    );
    // Priorities: slack of a job lengthens the blocking by the next one.
    let priorities = (
        system("np-fp", &two),
        Carry::Queue,
        vec![vec![(2, vec![5])], vec![(1, vec![20])], vec![(0, vec![1])]],
    );
    // First in, first out, but the release of the second segment depends on the end of the first one.
    let dependent = (
        system("np-fifo", &job("shared")),
        Carry::Queue,
        vec![vec![(2, vec![5])], vec![(0, vec![1, 20])]],
    );
    // Slack of an own resource reaches a shared one.
    let shared = (
        system("np-fifo", &job("own")),
        Carry::Job,
        vec![vec![(2, vec![5])], vec![(0, vec![1, 20])]],
    );
    for (index, (draft, carry, jobs)) in [priorities, dependent, shared].into_iter().enumerate() {
        let mut case = Case::new(&draft, BudgetPolicy::Greedy, 0);
        let bound = case.budgeted.answer.response_times_ns[0].unwrap().ns();
        let found = case.run(&jobs);
        assert!(
            found.response(0, 2) <= bound && found.late == 0,
            "system {index}: {found:?}"
        );
        for task in 1..jobs.len() {
            case.carry(task, carry);
        }
        let found = case.run(&jobs);
        assert!(found.response(0, 2) > bound, "system {index}: {found:?} {bound}");
    }
}
