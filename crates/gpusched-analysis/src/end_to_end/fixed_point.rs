//! Computes the least solution of all equations. The iteration starts from the bounds without waiting.

use gpusched_model::end_to_end::{CorePolicy, EnginePolicy, PartitionPolicy, Resource, System};
use gpusched_model::time::Time;

use crate::interference::bandwidth::Delay;

use super::arithmetic::INFINITE;
use super::cores;
use super::deadlines::{Deadlines, Stream};
use super::job_window::Windows;
use super::memory::Omitted;
use super::one_segment;
use super::pipelines;
use super::queues::{self, Preemption};
use super::streams::{Bound, State};
use super::time_slices::Turns;

/// Scheduling rule of a resource, in the form that the equations use.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Rule {
    Core,
    /// A core with fixed priorities and tasks of one segment each. One evaluation solves its equations, which use no other bounds.
    CoreOfSegments,
    CoreDeadlines,
    Fifo,
    Priorities(Preemption),
    Deadlines(Preemption),
}

/// One resource with its segments.
struct Place {
    resource: Resource,
    rule: Rule,
    /// Segments on the resource, as pairs of a task and a segment, sorted by task.
    here: Vec<(usize, usize)>,
    /// Tasks with a segment on the resource.
    tasks: Vec<usize>,
    /// Counts the changes of the bounds on which the segments of the resource depend.
    version: u64,
    /// Value of `version` at the last evaluation.
    evaluated: u64,
}

/// Solves all equations of `system`. `offsets` contains the time from the arrival of a job to the release of each
/// segment by a timer.
///
/// With `windows`, each segment must end before the release of its successor.
pub(super) fn solve(system: &System, offsets: Option<&[Vec<Time>]>, windows: bool) -> State {
    let mut state = State::new(system, offsets);
    state.windows = windows;
    let several = Windows::of(system, &state);
    iterate(system, state, several)
}

/// Solves all equations of `system`, except the windows over several segments.
pub(super) fn single_windows(system: &System) -> State {
    let state = State::new(system, None);
    let several = Windows::none(&state);
    iterate(system, state, several)
}

fn iterate(system: &System, mut state: State, mut several: Windows) -> State {
    let mut places: Vec<Place> = system
        .resources()
        .map(|resource| place(system, &state, resource))
        .collect();
    // For each task, the places that its bounds influence.
    let mut influenced = vec![Vec::new(); state.tasks.len()];
    for (index, place) in places.iter().enumerate() {
        // Through a shared memory, each task influences each resource.
        let shared = state.memory.is_some() && !place.here.is_empty();
        let mut marks = vec![false; state.tasks.len()];
        for &task in &place.tasks {
            marks[task] |= place.rule != Rule::CoreOfSegments;
            several.mark(&state, task, &mut marks);
            if state.tasks[task].pipelined {
                // A window over several stages uses the bounds of all tasks on their resources.
                let parts = state.tasks[task].parts.iter();
                for other in parts.flat_map(|part| system.on(part.on)) {
                    marks[other.0] = true;
                }
            }
        }
        for (task, places) in influenced.iter_mut().enumerate() {
            let turns = state
                .time_sliced
                .iter()
                .any(|gpu| gpu.depends(place.resource, task));
            if shared || turns || marks[task] {
                places.push(index);
            }
        }
    }
    // Whether the places whose equations use bounds of others are evaluated again, to confirm that no equation changes a value.
    let mut confirms = false;
    loop {
        let mut settled = true;
        for index in 0..places.len() {
            let place = &mut places[index];
            if place.evaluated == place.version {
                continue;
            }
            place.evaluated = place.version;
            settled = false;
            let changed = evaluate(&mut state, &places[index], &mut several);
            confirms &= changed.is_empty();
            for task in changed {
                for &place in &influenced[task] {
                    places[place].version += 1;
                }
            }
        }
        if settled && confirms {
            return state;
        }
        if settled {
            confirms = true;
            let again = places
                .iter_mut()
                .filter(|place| place.rule != Rule::CoreOfSegments);
            again.for_each(|place| place.version += 1);
        }
    }
}

fn place(system: &System, state: &State, resource: Resource) -> Place {
    let rule = match resource {
        Resource::Core(index) => match system.cores().get(index).map(|core| core.policy) {
            Some(CorePolicy::Fp) | None => Rule::Core,
            Some(CorePolicy::Edf) => Rule::CoreDeadlines,
        },
        Resource::Engine(index) => match system.engines().get(index).map(|engine| engine.policy) {
            Some(EnginePolicy::Fifo) | None => Rule::Fifo,
            Some(EnginePolicy::NpFp) => Rule::Priorities(Preemption::Never),
        },
        Resource::Partition(index) => {
            match system.partitions().get(index).map(|partition| partition.policy) {
                Some(PartitionPolicy::NpFifo) | None => Rule::Fifo,
                Some(PartitionPolicy::NpFp) => Rule::Priorities(Preemption::Never),
                Some(PartitionPolicy::Fp) => Rule::Priorities(Preemption::Immediate),
                Some(PartitionPolicy::LpFp) => Rule::Priorities(Preemption::Blocks),
                Some(PartitionPolicy::Edf) => Rule::Deadlines(Preemption::Immediate),
                Some(PartitionPolicy::NpEdf) => Rule::Deadlines(Preemption::Never),
                Some(PartitionPolicy::LpEdf) => Rule::Deadlines(Preemption::Blocks),
            }
        }
    };
    let here: Vec<(usize, usize)> = system.on(resource).collect();
    let mut tasks: Vec<usize> = here.iter().map(|&(task, _)| task).collect();
    tasks.dedup();
    let of_segments = rule == Rule::Core && one_segment::applies(state, &tasks);
    Place {
        resource,
        rule: if of_segments { Rule::CoreOfSegments } else { rule },
        here,
        tasks,
        version: 1,
        evaluated: 0,
    }
}

/// Evaluates the equations of one resource. Returns the tasks whose bounds changed.
fn evaluate(state: &mut State, place: &Place, several: &mut Windows) -> Vec<usize> {
    let mut changed = Vec::new();
    // If one thread executes all segments of a resource, all orders are equal.
    let one_thread = match (&place.tasks[..], place.rule) {
        (_, Rule::Core | Rule::CoreOfSegments | Rule::CoreDeadlines) => false,
        (&[task], _) if !state.tasks[task].pipelined => true,
        (_, Rule::Deadlines(_)) => place.here.len() == 1,
        _ => false,
    };
    let rule = match one_thread && !state.enforced && state.memory.is_none() {
        true => Rule::Fifo,
        false => place.rule,
    };
    let deadlines = match rule {
        Rule::CoreDeadlines if !state.enforced => {
            let ends = cores::by_deadline(state, place.resource, &place.here, &|| lost(state, place));
            return raise_ends(state, place, &ends);
        }
        Rule::CoreOfSegments => {
            let ends = one_segment::ends(state, &place.tasks);
            return raise_ends(state, place, &ends);
        }
        Rule::CoreDeadlines => Some(deadline_bounds(state, place, Preemption::Immediate)),
        Rule::Deadlines(preemption) => Some(deadline_bounds(state, place, preemption)),
        _ => None,
    };
    let mut loads = None;
    let mut prepared = None;
    for (index, &(task, segment)) in place.here.iter().enumerate() {
        if state.tasks[task].pipelined {
            let end = match (&deadlines, rule) {
                (Some(bounds), _) => state.part(task, segment).earliest.saturating_add(bounds[index]),
                (None, Rule::Fifo) => pipelines::end(state, (task, segment), &place.here, None),
                (None, Rule::Priorities(preemption)) => {
                    pipelines::end(state, (task, segment), &place.here, Some(preemption))
                }
                (None, _) => {
                    let preemption = Some(Preemption::Immediate);
                    pipelines::end(state, (task, segment), &place.here, preemption)
                }
            };
            let bound = Bound {
                end,
                ..state.bound(task, segment)
            };
            if raise(state, (task, segment), bound) {
                changed.push(task);
            }
            continue;
        }
        let delay = match (&deadlines, rule) {
            (Some(bounds), _) => bounds[index],
            (None, Rule::Fifo) => {
                let requests = queues::fifo(state, (task, segment), &place.here);
                match place.tasks.iter().any(|&other| state.tasks[other].pipelined) {
                    true => requests.min(pipelines::busy_window(state, (task, segment), &place.here)),
                    false => requests,
                }
            }
            (None, Rule::Priorities(preemption)) => {
                queues::priorities(state, (task, segment), &place.here, preemption)
            }
            (None, _) if state.enforced => cores::enforced_delay(state, (task, segment), &place.here),
            (None, _) => {
                if loads.as_ref().is_none_or(|&(of, _)| of != task) {
                    loads = Some((task, cores::loads(state, task, place.resource, &place.tasks)));
                }
                let loads = loads.as_ref().map_or(&[][..], |(_, loads)| loads);
                let end = cores::end(state, (task, segment), loads, place.tasks.len() == 1);
                let end = several.smaller(state, (task, segment), end, &mut prepared);
                let bound = Bound {
                    end,
                    ..state.bound(task, segment)
                };
                if raise(state, (task, segment), bound) {
                    changed.push(task);
                }
                continue;
            }
        };
        let part = state.part(task, segment);
        let from_arrival = part.earliest.saturating_add(delay);
        let end = match (state.enforced, deadlines.is_some()) {
            (true, true) => from_arrival,
            (true, false) => from_arrival.saturating_add(state.jitter(task, segment)),
            (false, by_deadline) => {
                let before = match segment.checked_sub(1) {
                    None => state.tasks[task].jitter,
                    Some(before) => state.bound(task, before).end,
                };
                let end = before.saturating_add(delay);
                let end = if by_deadline { end.min(from_arrival) } else { end };
                several.smaller(state, (task, segment), end, &mut prepared)
            }
        };
        let late = state.windows && delay_to_timer(state, (task, segment), end);
        let end = if late { INFINITE } else { end };
        if raise(state, (task, segment), Bound { end, delay }) {
            changed.push(task);
        }
        if late {
            // If a segment may end after the timer of its successor, the later segments have no bounds either.
            for segment in segment..state.tasks[task].parts.len() {
                let delay = state.bound(task, segment).delay;
                if raise(state, (task, segment), Bound { end: INFINITE, delay }) {
                    changed.push(task);
                }
            }
        }
    }
    changed.dedup(); // `here` is sorted by task
    changed
}

/// Whether a segment may end after the timer releases its successor.
fn delay_to_timer(state: &State, (task, segment): (usize, usize), end: u64) -> bool {
    let parts = &state.tasks[task].parts;
    parts.get(segment + 1).is_some_and(|next| end > next.earliest)
}

/// Raises the bounds of a segment. A value above the limit of the task is not a bound: jobs of a sequential task can then
/// overlap.
fn raise(state: &mut State, (task, segment): (usize, usize), bound: Bound) -> bool {
    let limit = state.tasks[task].limit;
    let capped = |ns: u64| if ns > limit { INFINITE } else { ns };
    let old = &mut state.bounds[task][segment];
    let new = Bound {
        end: capped(bound.end).max(old.end),
        delay: capped(bound.delay).max(old.delay),
    };
    let raised = new != *old;
    *old = new;
    raised
}

/// For every segment under earliest deadline first: bound on the time from its arrival at the resource to its end.
fn deadline_bounds(state: &State, place: &Place, preemption: Preemption) -> Vec<u64> {
    let mut streams: Vec<Stream> = place
        .here
        .iter()
        .map(|&(task, segment)| {
            let part = state.part(task, segment);
            // Without timers, the stream starts φ after the arrival of the job.
            let deadline = match state.enforced {
                true => i128::from(part.deadline),
                false => i128::from(state.tasks[task].deadline) - i128::from(part.earliest),
            };
            Stream {
                period: state.tasks[task].period,
                deadline,
                jitter: state.jitter(task, segment),
                cost: part.cost,
                block: match preemption {
                    Preemption::Immediate => 0,
                    Preemption::Blocks => state.blocking(part.block),
                    Preemption::Never => state.blocking(part.cost),
                },
                task: (!state.enforced).then_some(task),
                pipelined: state.tasks[task].pipelined,
            }
        })
        .collect();
    if preemption == Preemption::Blocks {
        // A job may preempt one kernel with a later deadline, of another task or of a younger job of a pipelined task. This makes
        // the kernel up to one block longer. A kernel of one block is never preempted.
        let longer = |index: usize| {
            let (own, task) = (streams[index], place.here[index].0);
            let others = streams.iter().zip(&place.here).filter(|(other, here)| {
                let part = state.part(here.0, here.1);
                (here.0 != task || state.tasks[task].pipelined && place.here[index].1 != here.1)
                    && other.deadline + i128::from(own.jitter) > own.deadline
                    && part.block < part.cost
            });
            let blocks = others.map(|(_, here)| state.part(here.0, here.1).block);
            blocks.max().unwrap_or(0)
        };
        let longer: Vec<u64> = (0..streams.len()).map(longer).collect();
        for (stream, longer) in streams.iter_mut().zip(longer) {
            stream.cost = stream.cost.saturating_add(longer);
        }
    }
    match Deadlines::new(
        &streams,
        lost(state, place),
        Turns::of(state, place.resource, false),
    ) {
        Some(analysis) => place
            .here
            .iter()
            .enumerate()
            .map(|(own, &(task, segment))| {
                // The table states no delays of pipelined tasks.
                let known = match state.tasks[task].pipelined {
                    true => 0,
                    false => state.bound(task, segment).delay,
                };
                analysis.response(own, streams[own].cost, (known, state.tasks[task].limit))
            })
            .collect(),
        None => vec![INFINITE; streams.len()],
    }
}

/// Returns the time that a resource under earliest deadline first loses. If only one task uses the resource, the
/// traffic of this task does not count.
fn lost(state: &State, place: &Place) -> Delay {
    let only = match place.tasks.as_slice() {
        &[task] => Omitted::Task(task),
        _ => Omitted::Nothing,
    };
    state.lost(place.resource, only)
}

/// Raises the ends of the segments of a core. Returns the tasks whose bounds changed.
fn raise_ends(state: &mut State, place: &Place, ends: &[u64]) -> Vec<usize> {
    let mut changed = Vec::new();
    for (&(task, segment), &end) in place.here.iter().zip(ends) {
        let bound = Bound {
            end,
            ..state.bound(task, segment)
        };
        if raise(state, (task, segment), bound) {
            changed.push(task);
        }
    }
    changed.dedup(); // `here` is sorted by task
    changed
}
