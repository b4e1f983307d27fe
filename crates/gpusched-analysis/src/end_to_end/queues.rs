//! Delays on copy engines and partitions whose queues are first in, first out, or use fixed priorities.

use crate::interference::bandwidth::Delay;

use super::arithmetic::{INFINITE, least};
use super::contexts::by_task;
use super::memory::Omitted;
use super::streams::State;
use super::time_slices::Turns;
use super::work::Work;

/// Preemption of a segment that is running.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Preemption {
    /// The segment can be preempted at any point.
    Immediate,
    /// The segment can be preempted at the boundaries of its thread blocks.
    Blocks,
    /// The segment is never preempted.
    Never,
}

/// Bound on the delay under first in, first out. Each other task has at most one outstanding request, because a task is
/// one thread. Several jobs of a pipelined task may have outstanding requests.
pub(super) fn fifo(state: &State, (task, segment): (usize, usize), here: &[(usize, usize)]) -> u64 {
    let mut delay = state.part(task, segment).cost;
    let mut others = here.iter().filter(|&&(other, _)| other != task).peekable();
    // Segments of one task follow each other in `here`.
    while let Some(&(other, part)) = others.next() {
        if state.tasks[other].pipelined {
            delay = delay.saturating_add(state.outstanding(other, part));
            continue;
        }
        let mut longest = state.part(other, part).cost;
        while let Some(&&(_, part)) = others.peek().filter(|next| next.0 == other) {
            longest = longest.max(state.part(other, part).cost);
            others.next();
        }
        delay = delay.saturating_add(longest);
    }
    let lost = state.lost(state.part(task, segment).on, Omitted::Task(task));
    let turns = Turns::from_release(state, (task, segment));
    least(delay, state.tasks[task].period, |window| {
        turns.served(delay, window).saturating_add(lost.within(window))
    })
}

/// Bound on the delay under fixed priorities: the minimum of two windows, each with at most one blocking segment. The
/// first window starts at the last moment without pending work of equal or higher priority. The second window starts at
/// the release of the segment.
pub(super) fn priorities(
    state: &State,
    (task, segment): (usize, usize),
    here: &[(usize, usize)],
    preemption: Preemption,
) -> u64 {
    let own = &state.tasks[task];
    let (cost, limit) = (state.part(task, segment).cost, own.period);
    let urgent = |other: usize| state.tasks[other].gpu_priority <= own.gpu_priority;
    let more: Vec<(usize, usize)> = here
        .iter()
        .copied()
        .filter(|&(other, _)| other != task && urgent(other))
        .collect();
    if more
        .iter()
        .any(|&(other, _)| state.queues(other, state.tasks[other].gpu_priority == own.gpu_priority))
    {
        return INFINITE;
    }
    // Several jobs of a pipelined task of equal priority may be pending at the start of each window.
    let pending = |other: usize| {
        let other = &state.tasks[other];
        other.pipelined && other.gpu_priority == own.gpu_priority
    };
    let on = state.part(task, segment).on;
    let others: Vec<Work> = by_task(more.iter().copied())
        .iter()
        .map(|&(other, ref segments)| Work::of_segments(state, other, segments, !pending(other)))
        .collect();
    let within = |base: u64, window: u64| sum(base, &others, |work| work.within(window));
    let any = |base: u64, window: u64| sum(base, &others, |work| work.any(window));
    let alone = here.iter().all(|&(other, _)| other == task);
    // The first window starts at or before the release of the segment. The second window starts at the release of the
    // segment.
    let immediate = preemption == Preemption::Immediate;
    let lost = state.lost(
        on,
        Omitted::only_if(alone || (immediate && more.is_empty()), task),
    );
    let own_lost = state.lost(on, Omitted::Task(task));
    let window = |from: u64, lost: &Delay, work: &dyn Fn(u64) -> u64| {
        least(from, limit, |window| {
            work(window).saturating_add(lost.within(window))
        })
    };
    if immediate {
        let turns = Turns::from_release(state, (task, segment));
        return window(cost, &lost, &|window| turns.served(within(cost, window), window));
    }
    let blocker = |with_own: bool| {
        let less = here.iter().filter(|&&(other, _)| match other == task {
            true => with_own,
            false => !urgent(other),
        });
        let longest = less.map(|&(other, part)| match preemption {
            Preemption::Never => state.part(other, part).cost,
            _ => state.part(other, part).block,
        });
        state.blocking(longest.max().unwrap_or(0)) // no other kernel: no blocking
    };
    let (first, second) = (blocker(true), blocker(false));
    let any_pending = more.iter().any(|&(other, _)| pending(other));
    match preemption {
        // After its start, the segment runs to its end. So no work that is released after the start counts.
        Preemption::Never => {
            let turns = Turns::of(state, on, false);
            let to_end = |work: &dyn Fn(u64, u64) -> u64, blocker: u64, lost: &Delay| {
                // The window includes the instant of the start.
                let before = |start: u64| work(blocker, start.saturating_add(1));
                let start = window(blocker, lost, &|start| turns.started(before(start), start));
                if start == INFINITE {
                    return INFINITE;
                }
                let work = before(start).saturating_add(cost);
                window(work.max(start), lost, &|window| turns.served(work, window))
            };
            to_end(&within, first, &lost).min(to_end(&any, second, &own_lost))
        }
        _ => {
            // Each more urgent job may preempt one kernel, which makes this kernel up to one block longer. A kernel of one
            // block is never preempted.
            let own = std::iter::once((task, segment));
            let preempted = more
                .iter()
                .copied()
                .chain(own)
                .map(|(other, part)| state.part(other, part));
            let preempted = preempted
                .filter(|part| part.block < part.cost)
                .map(|part| part.block);
            let longer = preempted.max().filter(|_| !more.is_empty()).unwrap_or(0);
            if longer > 0 && any_pending {
                return INFINITE; // these jobs may have been preempted before the window
            }
            let (first, second) = (cost.saturating_add(first), cost.saturating_add(second));
            match longer {
                0 => {
                    let longest = window(first, &lost, &|window| within(first, window));
                    longest.min(window(second, &own_lost, &|window| {
                        any(second, window.saturating_add(1))
                    }))
                }
                _ => {
                    // The second window counts no preemptions before its start.
                    let others: Vec<Work> = others.into_iter().map(|work| work.longer(longer)).collect();
                    window(first, &lost, &|window| {
                        sum(first, &others, |work| work.within(window))
                    })
                }
            }
        }
    }
}

fn sum(base: u64, others: &[Work], work: impl Fn(&Work) -> u64) -> u64 {
    let mut total = base;
    for other in others {
        total = total.saturating_add(work(other));
        if total == INFINITE {
            break;
        }
    }
    total
}
