//! Bounds against runs of a slow simulation: one step per nanosecond, with regulated best-effort cores.

use gpusched::end_to_end::analyze_draft;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{CorePolicy, Draft, PartitionPolicy, Resource, System};
use rayon::prelude::*;

use super::{Numbers, PERIOD, random};
use crate::support::rounds;

/// A job of a task.
struct Job {
    task: usize,
    arrival: u64,
    segment: usize,
    /// Order of the release of its segment.
    ticket: u64,
    /// Remaining execution, remaining delay, and account of the segment; `None` before its start.
    progress: Option<(u64, u64, u64)>,
}

/// Simulates the system, and returns the longest response times. `bursts` has the memory time of each task.
fn run(draft: &Draft, system: &System, bursts: &[u64], numbers: &mut Numbers) -> Vec<u64> {
    let tasks = system.tasks();
    let mut next: Vec<u64> = tasks.iter().map(|task| numbers.below(task.period.ns())).collect();
    let mut waiting: Vec<Vec<u64>> = vec![Vec::new(); tasks.len()];
    let mut jobs: Vec<Job> = Vec::new();
    let mut longest = vec![0; tasks.len()];
    let (greed, late, mut tickets) = (1 + numbers.below(4), numbers.below(3), 0);
    let mut running: Vec<(Resource, usize)> = Vec::new();
    for now in 0..600 {
        for (task, found) in tasks.iter().enumerate() {
            if next[task] == now {
                waiting[task].push(now);
                next[task] += found.period.ns() + numbers.below(late * 5 + 1);
            }
            if jobs.iter().all(|job| job.task != task) && !waiting[task].is_empty() {
                let arrival = waiting[task].remove(0);
                tickets += 1;
                jobs.push(Job {
                    task,
                    arrival,
                    segment: 0,
                    ticket: tickets,
                    progress: None,
                });
            }
        }
        // The running segment of each resource.
        let before = std::mem::take(&mut running);
        for resource in system.resources() {
            let on = |job: &&Job| tasks[job.task].segments[job.segment].on == resource;
            let policy = match resource {
                Resource::Partition(index) => Some(system.partitions()[index].policy),
                _ => None,
            };
            let kept = before
                .iter()
                .find(|(found, _)| *found == resource)
                .map(|found| found.1);
            let never = matches!(resource, Resource::Engine(_))
                || matches!(policy, Some(PartitionPolicy::NpFifo | PartitionPolicy::NpFp));
            let key = |job: &Job| {
                let (task, deadline) = (&tasks[job.task], job.arrival + tasks[job.task].deadline.ns());
                match (resource, policy) {
                    (Resource::Core(index), _) if system.cores()[index].policy == CorePolicy::Edf => deadline,
                    (Resource::Core(_), _) => task.priority.into(),
                    (_, Some(PartitionPolicy::Edf)) => deadline,
                    (_, Some(PartitionPolicy::Fp | PartitionPolicy::NpFp)) => task.gpu_priority.into(),
                    _ => job.ticket,
                }
            };
            let spins = |job: &&Job| {
                let task = &tasks[job.task];
                task.spins() && task.core.map(Resource::Core) == Some(resource)
            };
            let ready = jobs.iter().filter(|job| on(job) || spins(job));
            let chosen = match kept.and_then(|task| jobs.iter().find(|job| job.task == task && on(job))) {
                Some(job) if never && job.progress.is_some() => Some(job),
                _ => ready.min_by_key(|job| (key(job), job.ticket)),
            };
            if let Some(job) = chosen.filter(on) {
                running.push((resource, job.task));
            }
        }
        for job in &mut jobs {
            let segment = &draft.tasks[job.task].segments[job.segment];
            let runs = running.iter().any(|&(_, task)| task == job.task);
            let (isolated, most) = (
                tasks[job.task].segments[job.segment].wcet.ns(),
                segment.e1.unwrap().ns(),
            );
            let burst = bursts[job.task];
            match &mut job.progress {
                None if runs => job.progress = Some((isolated, most - isolated, burst)),
                Some(progress) if now % PERIOD == 0 => progress.2 = burst,
                _ => {}
            }
        }
        let open = jobs
            .iter()
            .all(|job| job.progress.is_none_or(|(.., account)| account > 0));
        let accesses = open && numbers.below(greed) == 0;
        for job in &mut jobs {
            let runs = running.iter().any(|&(_, task)| task == job.task);
            let Some((left, delay, account)) = &mut job.progress else {
                continue;
            };
            *account -= u64::from(accesses);
            match runs {
                true if accesses && *delay > 0 => *delay -= 1,
                true => *left -= 1,
                false => {}
            }
            if *left == 0 {
                job.segment += 1;
                tickets += 1;
                (job.progress, job.ticket) = (None, tickets);
            }
        }
        jobs.retain(|job| {
            let ended = job.segment == tasks[job.task].segments.len();
            if ended {
                longest[job.task] = longest[job.task].max(now + 1 - job.arrival);
            }
            !ended
        });
    }
    longest
}

#[test]
fn no_run_exceeds_a_bound() {
    let counts: Vec<(u64, u64)> = (0..rounds(4000u64))
        .into_par_iter()
        .map(|index| {
            let mut draft = random(index + 1, true);
            let plain = System::new(&draft.with_wcets(&[]), Interference::None).unwrap();
            let mut numbers = Numbers::new(index + 77);
            let bursts: Vec<u64> = draft.tasks.iter().map(|_| numbers.below(PERIOD + 1)).collect();
            let grouping = gpusched::model::end_to_end::Grouping::Task;
            let budgets = draft.budgets.take().unwrap();
            draft.budgets = Some(budgets.with_bursts(grouping, &grouping.groups(&plain), &bursts));
            let answer = analyze_draft(&draft, Interference::None.into()).unwrap().answer;
            let (mut bounds, mut attained) = (0, 0);
            for _ in 0..4 {
                let longest = run(&draft, &plain, &bursts, &mut numbers);
                for (task, (&bound, longest)) in answer.response_times_ns.iter().zip(longest).enumerate() {
                    if let Some(bound) = bound {
                        assert!(
                            longest <= bound.ns(),
                            "system {index}, task {task}: {longest} > {bound}"
                        );
                        (bounds, attained) = (bounds + 1, attained + u64::from(longest == bound.ns()));
                    }
                }
            }
            (bounds, attained)
        })
        .collect();
    let (bounds, attained) = counts
        .iter()
        .fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    assert!(
        bounds > rounds(4000) && attained > rounds(400),
        "{bounds} {attained}"
    );
}
