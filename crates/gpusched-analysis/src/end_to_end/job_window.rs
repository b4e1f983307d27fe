//! Windows over several segments of a job: each more urgent job counts once for the window, not once for each segment.
//! `docs/explanation/one-window.md` has the equations and their proofs.

use gpusched_model::end_to_end::{CorePolicy, EnginePolicy, Idle, PartitionPolicy, Resource, System};

use super::arithmetic::{INFINITE, least, released};
use super::cores::Load;
use super::streams::State;
use super::time_slices::occupied;

/// A copy engine, a partition, or a time-sliced GPU with all its contexts.
struct Station {
    rule: Rule,
    /// Tasks with segments on the station, and these segments.
    tasks: Vec<(usize, Vec<usize>)>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Rule {
    Fifo,
    Preemptive,
    NonPreemptive,
    /// Contexts that have turns only while they have kernels. The number is the position of the GPU.
    TimeSliced(usize),
}

/// The parts of a system that the windows cover.
pub(super) struct Windows {
    stations: Vec<Station>,
    /// For each task and segment: position of its station; `None` if no window covers the segment on its resource.
    homes: Vec<Vec<Option<usize>>>,
    /// Whether windows bound the segments of the task.
    allowed: Vec<bool>,
    /// For each segment: position of the window that gave the last bound. It is most often the best one again.
    best: Vec<Vec<usize>>,
}

impl Windows {
    /// Returns the windows of `system`. With pipelined tasks, a shared memory, overheads of dispatchers or
    /// enforced releases, no task has windows.
    pub fn of(system: &System, state: &State) -> Windows {
        let sequential = state.tasks.iter().all(|task| !task.pipelined);
        let covered = sequential && state.memory.is_none() && system.overheads().is_none() && !state.enforced;
        let allowed = system.tasks().iter().map(|task| {
            let policy = task.core.and_then(|core| system.cores().get(core));
            covered && policy.is_none_or(|core| core.policy == CorePolicy::Fp)
        });
        let mut stations: Vec<(Option<Resource>, Station)> = Vec::new();
        for (index, gpu) in state.time_sliced.iter().enumerate() {
            if gpu.idle == Idle::Skip {
                let rule = Rule::TimeSliced(index);
                stations.push((
                    None,
                    Station {
                        rule,
                        tasks: Vec::new(),
                    },
                ));
            }
        }
        for resource in system.resources() {
            if let Some(rule) = rule(system, state, resource) {
                stations.push((
                    Some(resource),
                    Station {
                        rule,
                        tasks: Vec::new(),
                    },
                ));
            }
        }
        let mut homes = Vec::new();
        for (task, owner) in state.tasks.iter().enumerate() {
            let home = |on: Resource| {
                stations
                    .iter()
                    .position(|(resource, station)| match station.rule {
                        Rule::TimeSliced(index) => {
                            state.time_sliced[index].resources().any(|found| found == on)
                        }
                        _ => *resource == Some(on),
                    })
            };
            let row: Vec<Option<usize>> = owner.parts.iter().map(|part| home(part.on)).collect();
            for (segment, home) in row.iter().enumerate() {
                let Some((_, station)) = home.and_then(|home| stations.get_mut(home)) else {
                    continue;
                };
                match station.tasks.last_mut().filter(|(last, _)| *last == task) {
                    Some((_, segments)) => segments.push(segment),
                    None => station.tasks.push((task, vec![segment])),
                }
            }
            homes.push(row);
        }
        Windows {
            allowed: allowed.collect(),
            stations: stations.into_iter().map(|(_, station)| station).collect(),
            best: homes.iter().map(|row| vec![usize::MAX; row.len()]).collect(),
            homes,
        }
    }

    /// Returns no windows.
    pub fn none(state: &State) -> Windows {
        Windows {
            stations: Vec::new(),
            homes: Vec::new(),
            allowed: vec![false; state.tasks.len()],
            best: Vec::new(),
        }
    }

    /// Marks the tasks whose bounds the windows of `task` use.
    pub fn mark(&self, state: &State, task: usize, marks: &mut [bool]) {
        if !self.allowed[task] {
            return;
        }
        let mut stations: Vec<usize> = self.homes[task].iter().flatten().copied().collect();
        for other in (0..state.tasks.len()).filter(|&other| more_urgent(state, task, other)) {
            marks[other] = true;
            if state.tasks[other].spins {
                stations.extend(self.homes[other].iter().flatten());
            }
        }
        stations.sort_unstable();
        stations.dedup();
        for &(other, _) in stations.iter().flat_map(|&station| &self.stations[station].tasks) {
            marks[other] = true;
        }
    }

    /// Returns the bound on the end of `segment` of `task`: the smaller value of `end` and of the bounds of all windows. If it is at
    /// most the present bound of the segment, the exact value does not matter, because bounds never decrease. `prepared` has the
    /// windows of the last task.
    pub fn smaller(
        &mut self,
        state: &State,
        (task, segment): (usize, usize),
        end: u64,
        prepared: &mut Option<JobWindows>,
    ) -> u64 {
        if !self.allowed[task] || end <= state.bound(task, segment).end {
            return end;
        }
        if prepared.as_ref().is_none_or(|windows| windows.task != task) {
            *prepared = Some(self.prepare(state, task));
        }
        let best = &mut self.best[task][segment];
        prepared
            .as_ref()
            .map_or(end, |windows| windows.end(state, segment, end, best))
    }

    fn prepare(&self, state: &State, task: usize) -> JobWindows {
        let own = &state.tasks[task];
        let mut loads = Vec::new();
        let mut busy = Vec::new();
        for other in (0..state.tasks.len()).filter(|&other| more_urgent(state, task, other)) {
            let first = state.tasks[other].priority < own.priority;
            match state.tasks[other].spins {
                true => busy.push(Busy::new(state, other, first)),
                false => loads.push((Load::of(state, other), first)),
            }
        }
        let mut joints: Vec<(usize, Joint)> = Vec::new();
        let clients = std::iter::once(task).chain(busy.iter().map(|busy| busy.task));
        for home in clients.flat_map(|client| self.homes[client].iter().flatten().copied()) {
            let station = &self.stations[home];
            // Without other tasks, the delay of a segment is its WCET, except for the turns of a time-sliced GPU.
            let shared = station.tasks.len() > 1 || matches!(station.rule, Rule::TimeSliced(_));
            if shared
                && joints.iter().all(|(found, _)| *found != home)
                && let Some(joint) = Joint::new(state, station, task, &busy)
            {
                joints.push((home, joint));
            }
        }
        let place = |segment: &Option<usize>| joints.iter().position(|(home, _)| Some(*home) == *segment);
        for busy in &mut busy {
            busy.joints = self.homes[busy.task].iter().map(place).collect();
        }
        JobWindows {
            task,
            places: self.homes[task].iter().map(place).collect(),
            joints: joints.into_iter().map(|(_, joint)| joint).collect(),
            loads,
            busy,
        }
    }
}

/// Whether `other` is another task on the core of `task`, and at least as urgent there.
fn more_urgent(state: &State, task: usize, other: usize) -> bool {
    let core = |task: usize| {
        let owner = &state.tasks[task];
        owner.on_core.map(|(first, _)| owner.parts[first].on)
    };
    other != task
        && core(task).is_some_and(|own| core(other) == Some(own))
        && state.tasks[other].priority <= state.tasks[task].priority
}

fn rule(system: &System, state: &State, resource: Resource) -> Option<Rule> {
    let mut contexts = state.time_sliced.iter().flat_map(|gpu| gpu.resources());
    match resource {
        Resource::Core(_) => None,
        Resource::Engine(index) => match system.engines().get(index)?.policy {
            EnginePolicy::Fifo => Some(Rule::Fifo),
            EnginePolicy::NpFp => Some(Rule::NonPreemptive),
        },
        Resource::Partition(_) if contexts.any(|context| context == resource) => None,
        Resource::Partition(index) => match system.partitions().get(index)?.policy {
            PartitionPolicy::NpFifo => Some(Rule::Fifo),
            PartitionPolicy::NpFp => Some(Rule::NonPreemptive),
            PartitionPolicy::Fp => Some(Rule::Preemptive),
            _ => None,
        },
    }
}

/// A more urgent task on the core that occupies the core while it waits.
struct Busy {
    task: usize,
    /// Whether its priority on the core is higher than the priority of the analyzed task.
    first: bool,
    /// Time from an arrival to the release of the job, and to its end.
    jitter: u64,
    response: u64,
    period: u64,
    /// Sum of all WCETs.
    least: u64,
    /// WCET and delay of each segment. On a core, both are the WCET.
    segments: Vec<(u64, u64)>,
    /// For each segment: position among the resources that may be joint.
    joints: Vec<Option<usize>>,
}

impl Busy {
    fn new(state: &State, task: usize, first: bool) -> Busy {
        let owner = &state.tasks[task];
        let parts = owner.parts.iter().zip(&state.bounds[task]);
        Busy {
            task,
            first,
            jitter: owner.jitter,
            response: state.response(task),
            period: owner.period,
            least: owner
                .parts
                .iter()
                .map(|part| part.cost)
                .fold(0, u64::saturating_add),
            segments: parts
                .map(|(part, bound)| match part.on.is_core() {
                    true => (part.cost, part.cost),
                    false => (part.cost, bound.delay),
                })
                .collect(),
            joints: Vec::new(),
        }
    }

    /// E: time for which a job counts, if the resources `joint` execute its segments without delay.
    /// [`INFINITE`] if the task has no bound, because its jobs queue.
    fn occupied(&self, joint: &[usize]) -> u64 {
        if self.response == INFINITE {
            return INFINITE;
        }
        let each = self
            .segments
            .iter()
            .zip(&self.joints)
            .map(|(&(cost, delay), place)| {
                let joined = place.is_some_and(|place| joint.contains(&place));
                if joined { cost } else { delay }
            });
        each.fold(0, u64::saturating_add).min(self.response)
    }

    /// Number of jobs with a request in the window.
    fn count(&self, window: u64, closed: bool) -> u64 {
        let early = if closed && self.first {
            self.jitter
        } else {
            self.response
        };
        window.saturating_add(early).div_ceil(self.period)
    }

    /// Work on the core, if each job counts for `occupied`.
    fn work(&self, window: u64, closed: bool, occupied: u64) -> u64 {
        let early = self.response.saturating_sub(self.least);
        let any = released(window, (early, self.period, occupied));
        match closed && self.first {
            true => any.min(released(window, (self.jitter, self.period, occupied))),
            false => any,
        }
    }
}

/// Work of another task on a resource.
struct Other {
    /// Whether the task is one of the busy-waiting tasks. Then it counts only in windows without a segment on the core.
    waits: bool,
    priority: u32,
    /// Whether no segment of the analyzed task delays this work.
    first: bool,
    longest: u64,
    /// Streams of segments that are released in the window, and of segments that execute in any window.
    releases: Vec<(u64, u64, u64)>,
    carried: Vec<(u64, u64, u64)>,
    /// Stream of whole jobs that execute in any window.
    whole: (u64, u64, u64),
}

impl Other {
    fn always(&self, window: u64) -> u64 {
        sum(window, &self.carried).min(released(window, self.whole))
    }

    fn work(&self, window: u64, closed: bool) -> u64 {
        match closed && self.first {
            true => sum(window, &self.releases).min(self.always(window)),
            false => self.always(window),
        }
    }
}

fn sum(window: u64, streams: &[(u64, u64, u64)]) -> u64 {
    let each = streams.iter().map(|&stream| released(window, stream));
    each.fold(0, u64::saturating_add)
}

/// A busy-waiting task with segments on a resource.
struct Waiting {
    /// Position among the busy-waiting tasks.
    busy: usize,
    priority: u32,
    /// Segments of a job on the resource.
    requests: u64,
    /// Longest time for which less urgent work blocks a request.
    block: u64,
    turns: Option<ClientTurns>,
}

/// Turns of a job on a time-sliced GPU.
struct ClientTurns {
    /// For each segment on the GPU: its position, its context, the slice of the context, and the WCET.
    segments: Vec<(usize, usize, u64, u64)>,
    /// Longest overrun.
    overrun: u64,
    /// Largest number of turns of each context between two own turns.
    gaps: Vec<u64>,
    /// Positions of the own contexts.
    contexts: Vec<usize>,
}

impl ClientTurns {
    fn new(state: &State, gpu: usize, task: usize, segments: &[usize]) -> ClientTurns {
        let gpu = &state.time_sliced[gpu];
        let mut turns = ClientTurns {
            segments: Vec::new(),
            overrun: 0,
            gaps: vec![0; gpu.contexts.len()],
            contexts: Vec::new(),
        };
        for &segment in segments {
            let part = state.part(task, segment);
            let Some(context) = gpu.resources().position(|found| found == part.on) else {
                continue;
            };
            let found = &gpu.contexts[context];
            turns.segments.push((segment, context, found.slice, part.cost));
            if turns.contexts.contains(&context) {
                continue;
            }
            turns.contexts.push(context);
            turns.overrun = turns.overrun.max(found.overrun);
            for one in gpu.turns(context, 1) {
                for (most, count) in turns.gaps.iter_mut().zip(one) {
                    *most = count.max(*most);
                }
            }
        }
        for &context in &turns.contexts {
            turns.gaps[context] = 0;
        }
        turns
    }

    /// Number of own turns for the segments from `first` to `last`.
    fn count(&self, first: usize, last: usize) -> u64 {
        let within = self
            .segments
            .iter()
            .filter(|(segment, ..)| (first..=last).contains(segment));
        let turns = within.map(|&(_, _, slice, cost)| cost.div_ceil(slice));
        turns.fold(0, u64::saturating_add)
    }

    /// Sum of the WCETs of the segments of `span` on a context.
    fn executed(&self, span: &Span<'_>, on: usize) -> u64 {
        let within = self
            .segments
            .iter()
            .filter(|&&(segment, context, ..)| context == on && (span.first..=span.last).contains(&segment));
        within.map(|&(.., cost)| cost).fold(0, u64::saturating_add)
    }
}

/// A resource that may be joint.
struct Joint {
    rule: Rule,
    /// Segments of the analyzed task on the resource.
    own: Vec<usize>,
    priority: u32,
    longest: u64,
    block: u64,
    turns: Option<ClientTurns>,
    waiting: Vec<Waiting>,
    others: Vec<Other>,
    /// Whether an earlier segment of the analyzed task may delay a busy-waiting task with a higher priority on the core.
    opens: bool,
}

impl Joint {
    /// Returns the resource `station` for windows of `task`; `None` if these windows cannot cover it.
    fn new(state: &State, station: &Station, task: usize, busy: &[Busy]) -> Option<Joint> {
        let none = Vec::new();
        let own = station.tasks.iter().find(|(found, _)| *found == task);
        let own = own.map_or(&none, |(_, segments)| segments);
        let level = state.tasks[task].gpu_priority;
        let clients = |found: usize| found == task || busy.iter().any(|busy| busy.task == found);
        if let Rule::TimeSliced(gpu) = station.rule {
            let gpu = &state.time_sliced[gpu];
            let mut used = station.tasks.iter().filter(|(found, _)| clients(*found));
            let alone =
                |segment: &usize, found: usize| gpu.serves_only(state.part(found, *segment).on, found);
            if !used.all(|(found, segments)| segments.iter().all(|segment| alone(segment, *found))) {
                return None;
            }
        }
        let cost = |found: usize, segments: &[usize]| {
            let costs = segments.iter().map(|&segment| state.part(found, segment).cost);
            costs.max().unwrap_or(0) // no segment: no time
        };
        let block = |found: usize| {
            let level = state.tasks[found].gpu_priority;
            let less = station
                .tasks
                .iter()
                .filter(|(other, _)| *other != found && state.tasks[*other].gpu_priority > level);
            let longest = less.map(|(other, segments)| cost(*other, segments)).max();
            longest.unwrap_or(0).saturating_sub(1) // no less urgent task: no blocking
        };
        let turns = |found: usize, segments: &[usize]| match station.rule {
            Rule::TimeSliced(gpu) => Some(ClientTurns::new(state, gpu, found, segments)),
            _ => None,
        };
        let (mut waiting, mut others, mut opens) = (Vec::new(), Vec::new(), false);
        for &(found, ref segments) in station.tasks.iter().filter(|(found, _)| *found != task) {
            let priority = state.tasks[found].gpu_priority;
            if let Some(position) = busy.iter().position(|busy| busy.task == found) {
                let ordered = matches!(station.rule, Rule::Preemptive | Rule::NonPreemptive);
                opens |= ordered && !own.is_empty() && busy[position].first && priority >= level;
                waiting.push(Waiting {
                    busy: position,
                    priority,
                    requests: segments.len() as u64,
                    block: block(found),
                    turns: turns(found, segments),
                });
            }
            let stream = |jitter: &dyn Fn(usize) -> u64, segment: usize| {
                let (_, period, cost) = state.stream(found, segment);
                (jitter(segment), period, cost)
            };
            let first = station.rule == Rule::Preemptive && (own.is_empty() || priority < level);
            others.push(Other {
                waits: clients(found),
                priority,
                first,
                longest: cost(found, segments),
                releases: segments
                    .iter()
                    .map(|&segment| state.stream(found, segment))
                    .collect(),
                carried: segments
                    .iter()
                    .map(|&segment| stream(&|segment| state.carried(found, segment), segment))
                    .collect(),
                whole: state.whole(found, segments),
            });
        }
        Some(Joint {
            rule: station.rule,
            own: own.clone(),
            priority: level,
            longest: cost(task, own),
            block: block(task),
            turns: turns(task, own),
            waiting,
            others,
            opens,
        })
    }
}

/// The windows of one task, for given bounds of the other tasks.
pub(super) struct JobWindows {
    task: usize,
    /// Tasks that leave the core, and whether their priority is higher.
    loads: Vec<(Load, bool)>,
    busy: Vec<Busy>,
    joints: Vec<Joint>,
    /// For each own segment: position in `joints`.
    places: Vec<Option<usize>>,
}

/// A window from the release of one segment to the end of another one.
struct Span<'a> {
    first: usize,
    last: usize,
    joint: &'a [usize],
}

impl JobWindows {
    /// Returns the smaller value of `end` and of the bounds of all windows of `segment`. `position` is the window that is tried first,
    /// and becomes the best window.
    fn end(&self, state: &State, segment: usize, end: u64, position: &mut usize) -> u64 {
        let owner = &state.tasks[self.task];
        let on_core = owner.parts[segment].on.is_core();
        let known = state.bound(self.task, segment).end;
        let mut best = end;
        let mut pool: Vec<usize> = Vec::new();
        let mut spans = Vec::new();
        let mut core = false;
        for first in (0..=segment).rev() {
            if owner.parts[first].on.is_core() && !core {
                core = true;
                for waiting in self.busy.iter().flat_map(|busy| busy.joints.iter().flatten()) {
                    if !pool.contains(waiting) {
                        pool.push(*waiting);
                    }
                }
            }
            if let Some(place) = self.places[first].filter(|place| !pool.contains(place)) {
                pool.push(place);
            }
            if first == segment && !on_core {
                continue;
            }
            spans.push((first, Vec::new()));
            spans.extend(pool.iter().map(|&place| (first, vec![place])));
            if pool.len() > 1 {
                spans.push((first, pool.clone()));
            }
        }
        // Without a known window, the largest window with the most joint resources is most often the best one.
        let tried = *position;
        let order = std::iter::once(tried).chain((0..spans.len()).rev().filter(|&other| other != tried));
        for index in order {
            if best <= known {
                break;
            }
            let Some((first, joint)) = spans.get(index) else {
                continue;
            };
            let before = match first.checked_sub(1) {
                None => owner.jitter,
                Some(before) => state.bound(self.task, before).end,
            };
            if before >= best {
                continue;
            }
            let limit = owner.period.min(best.saturating_sub(before));
            let span = Span {
                first: *first,
                last: segment,
                joint,
            };
            // The present bound is at most the result, so it is a start for the iteration.
            let window = self.window(state, &span, known.saturating_sub(before), limit);
            let found = before.saturating_add(window);
            if found < best {
                (best, *position) = (found, index);
            }
        }
        best
    }

    /// Returns the least window of `span` that is at least `start`; [`INFINITE`] above `limit`.
    fn window(&self, state: &State, span: &Span<'_>, start: u64, limit: u64) -> u64 {
        let parts = &state.tasks[self.task].parts;
        let segments = span.first..=span.last;
        let on_core = segments.clone().any(|segment| parts[segment].on.is_core());
        let busy = if on_core { &self.busy[..] } else { &[] };
        let loads = if on_core { &self.loads[..] } else { &[] };
        let closed = !on_core || !span.joint.iter().any(|&joint| self.joints[joint].opens);
        let own = segments.map(|segment| {
            let joined = self.places[segment].is_some_and(|place| span.joint.contains(&place));
            match joined || parts[segment].on.is_core() {
                true => parts[segment].cost,
                false => state.bound(self.task, segment).delay,
            }
        });
        let own = own.fold(0, u64::saturating_add);
        let occupied: Vec<u64> = busy.iter().map(|busy| busy.occupied(span.joint)).collect();
        if own > limit || occupied.contains(&INFINITE) {
            return INFINITE;
        }
        least(start.max(own), limit, |window| {
            let mut work = own;
            for (load, first) in loads {
                work = work.saturating_add(match closed && *first {
                    true => load.in_window(window),
                    false => load.carried(window),
                });
            }
            for (busy, &occupied) in busy.iter().zip(&occupied) {
                work = work.saturating_add(busy.work(window, closed, occupied));
            }
            for &joint in span.joint {
                if work > limit {
                    return INFINITE;
                }
                let joint = &self.joints[joint];
                work = work.saturating_add(self.on_joint(state, span, joint, busy, closed, window));
            }
            work
        })
    }

    /// Returns the time for which a joint resource delays the window.
    fn on_joint(
        &self,
        state: &State,
        span: &Span<'_>,
        joint: &Joint,
        busy: &[Busy],
        closed: bool,
        window: u64,
    ) -> u64 {
        let within = |segment: &&usize| (span.first..=span.last).contains(*segment);
        let own = joint.own.iter().filter(within).count() as u64;
        let waiting = if busy.is_empty() { &[] } else { &joint.waiting[..] };
        let others = joint
            .others
            .iter()
            .filter(|other| !other.waits || busy.is_empty());
        let requests = |waiting: &Waiting| {
            let jobs = busy[waiting.busy].count(window, closed);
            jobs.saturating_mul(waiting.requests)
        };
        match joint.rule {
            Rule::Fifo => {
                let delayed = waiting.iter().map(requests).fold(0, u64::saturating_add);
                let all = own.saturating_add(delayed);
                let others = others.map(|other| all.saturating_mul(other.longest).min(other.always(window)));
                let before = match closed {
                    true => delayed.saturating_mul(joint.longest),
                    false => 0,
                };
                others.fold(before, u64::saturating_add)
            }
            Rule::Preemptive | Rule::NonPreemptive => {
                let levels = waiting.iter().map(|waiting| waiting.priority);
                let Some(level) = levels.chain((own > 0).then_some(joint.priority)).max() else {
                    return 0;
                };
                let urgent = others.filter(|other| other.priority <= level);
                let work = urgent.map(|other| other.work(window, closed));
                let work = work.fold(0, u64::saturating_add);
                if joint.rule == Rule::Preemptive {
                    return work;
                }
                let blocked = waiting
                    .iter()
                    .map(|waiting| waiting.block.saturating_mul(requests(waiting)));
                let blocked = blocked.fold(own.saturating_mul(joint.block), u64::saturating_add);
                work.saturating_add(blocked)
            }
            Rule::TimeSliced(gpu) => {
                let gpu = &state.time_sliced[gpu];
                let mut most = vec![0u64; gpu.contexts.len()];
                let mut total = 0u64;
                let own = joint
                    .turns
                    .as_ref()
                    .map(|turns| (turns.count(span.first, span.last), turns));
                let others = waiting.iter().filter_map(|waiting| {
                    let turns = waiting.turns.as_ref()?;
                    let jobs = busy[waiting.busy].count(window, closed);
                    Some((turns.count(0, usize::MAX).saturating_mul(jobs), turns))
                });
                for (count, turns) in own.into_iter().chain(others) {
                    let each = gpu.switch.saturating_add(turns.overrun);
                    total = total.saturating_add(count.saturating_mul(each));
                    for (most, gap) in most.iter_mut().zip(&turns.gaps) {
                        *most = count.saturating_mul(*gap).saturating_add(*most);
                    }
                }
                // The jobs of the busy-waiting tasks contain the execution of their kernels.
                for context in waiting.iter().filter_map(|waiting| waiting.turns.as_ref()) {
                    for &context in &context.contexts {
                        most[context] = 0;
                    }
                }
                let contexts = gpu.contexts.iter().zip(&most).enumerate();
                contexts.fold(total, |total, (position, (context, &most))| {
                    let counted = joint
                        .turns
                        .as_ref()
                        .map_or(0, |turns| turns.executed(span, position));
                    total.saturating_add(occupied(state, gpu, context, most, window, counted))
                })
            }
        }
    }
}
