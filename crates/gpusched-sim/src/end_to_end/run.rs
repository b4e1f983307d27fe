//! One run of the simulator.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;

use super::plan::{Key, Plan};
use super::regulation::Starting;
use super::thread::{Arrived, Entry, State, job};
use super::time_slices::{Context, Kernel};
use super::{Attack, Channels, Event, Exposed, Extent, FOREVER, Part, Regulation, Source};
use crate::engine::tournament::NEVER;
use gpusched_model::Observer;
use gpusched_model::error::Error;
use gpusched_model::interrupt;
use gpusched_model::policy::Preemption;
use gpusched_model::time::Time;

/// One run. All times are in ns.
pub(super) struct Run<'r, S, O: ?Sized> {
    pub plan: &'r Plan,
    pub memory: Option<&'r Channels>,
    pub regulation: Option<&'r Regulation>,
    pub state: &'r mut State,
    pub source: &'r mut S,
    pub observer: &'r mut O,
    pub extent: Extent,
    pub now: u64,
}

impl<S: Source, O: Observer<Event> + ?Sized> Run<'_, S, O> {
    /// Executes all events in time order.
    pub fn execute(&mut self) -> Result<(), Error> {
        for thread in 0..self.plan.threads.len() {
            if self.plan.threads[thread].segment == 0 {
                self.expect_arrival(thread);
            }
        }
        loop {
            interrupt::check();
            let next = self.next();
            if self.extent.cut && next > self.extent.end.ns() {
                self.now = self.extent.end.ns();
                self.report_overdue();
                return Ok(());
            }
            if next == NEVER {
                return Ok(());
            }
            if next > FOREVER.ns() {
                let expected = "a shorter duration, because a job ends after 2^62 ns";
                return Err(Error::parameter("duration", self.extent.end, expected));
            }
            self.now = next;
            self.instant();
            if !self.observer.goes_on() {
                return Ok(());
            }
        }
    }

    /// Returns the time of the next event; [`NEVER`] if all jobs are complete.
    fn next(&self) -> u64 {
        let next = self.state.agenda.time();
        if next == NEVER && !self.state.threads.iter().any(|thread| thread.busy) {
            return NEVER;
        }
        let turns = self.state.rotations.iter().map(|rotation| rotation.until);
        turns.fold(next.min(self.state.regulated.until), u64::min)
    }

    /// Executes all events of the present instant.
    fn instant(&mut self) {
        let (resources, threads) = (self.plan.rules.len(), self.plan.threads.len());
        if let Some(regulation) = self.regulation {
            self.state.regulated.advance(regulation, self.now);
        }
        loop {
            while self.state.agenda.time() <= self.now {
                let slot = self.state.agenda.winner();
                self.state.agenda.set(slot, NEVER);
                if slot < resources {
                    self.stop(slot);
                } else if slot < resources + threads {
                    self.release(slot - resources);
                } else {
                    self.arrive(slot - resources - threads);
                }
            }
            while let Some(resource) = self.state.dirty.pop() {
                self.state.lanes[resource].dirty = false;
                self.dispatch(resource);
            }
            if self.state.agenda.time() <= self.now {
                continue;
            }
            for gpu in 0..self.state.rotations.len() {
                self.rotate(gpu);
            }
            if self.state.dirty.is_empty() {
                break;
            }
        }
        while let Some(resource) = self.state.touched.pop() {
            self.state.lanes[resource].touched = false;
            self.settle(resource);
        }
        if let Some(memory) = self.memory {
            self.grant(memory);
        }
        if let Some(regulation) = self.regulation {
            self.regulate(regulation);
        }
    }

    /// Decides whether best-effort cores access memory until the next instant.
    fn regulate(&mut self, regulation: &Regulation) {
        let lanes = self.state.lanes.iter().enumerate();
        let executing = lanes.filter_map(|(resource, lane)| {
            let Entry { thread, .. } = lane.running?;
            (lane.armed && !lane.held && self.resource(thread) == resource).then_some(thread)
        });
        self.state.regulated.executing = executing.collect();
        let (threads, constants) = (&self.state.threads, &self.plan.threads);
        let is_target = |thread: usize| {
            let place = (
                constants[thread].task,
                constants[thread].segment + threads[thread].segment,
            );
            matches!(regulation.attack, Attack::On { task, segment } if (task, segment) == place)
        };
        self.state.regulated.decide(regulation, self.now, is_target);
    }

    /// Returns the effect of best-effort accesses on the current segment of `thread`.
    fn exposed(&self, thread: usize) -> Option<Exposed> {
        let constants = &self.plan.threads[thread];
        let segment = constants.segment + self.state.threads[thread].segment;
        self.regulation?
            .segments
            .get(constants.task)?
            .get(segment)
            .copied()
    }

    /// Passes the turn to another context of the time-sliced partition `number`, if its turn has ended.
    fn rotate(&mut self, number: usize) {
        let plan = self.plan;
        let gpu = &plan.time_sliced[number];
        let kernel = |context: &Context| {
            let Entry { thread, .. } = self.state.lanes[context.resource].running?;
            let started = self.state.threads[thread].started;
            Some(Kernel { thread, started })
        };
        let kernels: Vec<Option<Kernel>> = gpu.contexts.iter().map(kernel).collect();
        let mut idle = kernels.clone();
        for (context, kernel) in gpu.contexts.iter().zip(&mut idle) {
            let emptied = self.state.lanes[context.resource].emptied.take();
            *kernel = kernel.filter(|kernel| emptied != Some(kernel.thread));
        }
        let rotation = &mut self.state.rotations[number];
        if idle != kernels {
            rotation.advance(gpu, self.now, &idle);
        }
        rotation.advance(gpu, self.now, &kernels);
        let serves = rotation.serves();
        for (context, found) in gpu.contexts.iter().enumerate() {
            let held = serves != Some(context);
            if self.state.lanes[found.resource].held == held {
                continue;
            }
            if held {
                self.interrupt(found.resource);
            }
            self.state.lanes[found.resource].held = held;
            self.mark(found.resource);
        }
    }

    /// Gives the channels of the memory to the running segments. A segment without a channel that it needs is stalled.
    fn grant(&mut self, memory: &Channels) {
        let mut free = memory.count;
        for &resource in &memory.order {
            let Some(Entry { thread, .. }) = self.state.lanes[resource].running else {
                continue;
            };
            if self.resource(thread) != resource {
                continue; // the task busy-waits
            }
            let (left, state) = (self.left(resource, thread), &mut self.state.threads[thread]);
            let (executed, (from, to)) = (state.total - left, state.needs);
            let needs = (from..to).contains(&executed);
            let lane = &mut self.state.lanes[resource];
            lane.stalled = needs && free == 0;
            free -= usize::from(needs && !lane.stalled);
            state.left = left;
            lane.finish = match lane.stalled {
                true => NEVER,
                false => self.now.saturating_add(left).min(NEVER - 1),
            };
            let change = match executed {
                _ if lane.stalled => NEVER,
                _ if needs => self.now.saturating_add(to - executed),
                _ if executed < from => self.now.saturating_add(from - executed),
                _ => NEVER,
            };
            self.state.agenda.set(resource, lane.finish.min(change));
        }
    }

    /// Returns the remaining execution time of `thread`, which runs on `resource`.
    fn left(&self, resource: usize, thread: usize) -> u64 {
        let lane = &self.state.lanes[resource];
        match lane.armed && !lane.stalled {
            true => lane.finish.saturating_sub(self.now),
            false => self.state.threads[thread].left,
        }
    }

    fn see(&mut self, event: Event) {
        self.observer.see(Time::from_ns(self.now), event);
    }

    /// Returns the current segment of `thread`.
    fn part(&self, thread: usize) -> Part {
        let (constants, state) = (&self.plan.threads[thread], &self.state.threads[thread]);
        Part {
            job: job(constants, state.job),
            segment: constants.segment + state.segment,
        }
    }

    /// Returns the number of the resource that the current segment of `thread` uses.
    fn resource(&self, thread: usize) -> usize {
        self.plan.pieces[self.plan.threads[thread].first + self.state.threads[thread].segment].resource
    }

    /// Returns the number of the resource that the next segment of `thread` uses. After the last segment, the next segment is the
    /// first segment of the next job.
    fn next_resource(&self, thread: usize) -> usize {
        let of = &self.plan.threads[thread];
        let next = (self.state.threads[thread].segment + 1) % of.segments;
        self.plan.pieces[of.first + next].resource
    }

    /// Requests a decision of `resource` at the present instant.
    fn mark(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        if !std::mem::replace(&mut lane.dirty, true) {
            self.state.dirty.push(resource);
        }
        if !std::mem::replace(&mut lane.touched, true) {
            self.state.touched.push(resource);
        }
    }

    /// Asks the source for the next job of the task whose first thread is `thread`.
    fn expect_arrival(&mut self, thread: usize) {
        let task = self.plan.threads[thread].task;
        let state = &mut self.state.threads[thread];
        let number = state.next.number;
        let slot = self.plan.rules.len() + self.plan.threads.len() + thread;
        if number >= self.extent.jobs {
            return;
        }
        if let Some(found) = self.source.arrival(task)
            && found.at < self.extent.end
        {
            // A job never arrives in the past, even if the source is wrong.
            let arrival = found.at.ns().max(self.now);
            state.next = Arrived {
                number,
                arrival,
                release: arrival.saturating_add(found.jitter.ns()),
            };
            self.state.agenda.set(slot, arrival);
        }
    }

    fn arrive(&mut self, thread: usize) {
        let state = &mut self.state.threads[thread];
        let arrived = state.next;
        state.next.number += 1;
        state.waiting.push_back(arrived);
        self.see(Event::Arrival(job(&self.plan.threads[thread], arrived)));
        self.expect_arrival(thread);
        self.begin(thread);
    }

    /// Makes the next job of `thread` its current job, if the thread is idle and a slot for the output of the job is free.
    fn begin(&mut self, thread: usize) {
        // A slot becomes free when the next thread completes a job.
        let full = self.plan.threads[thread].slots.map(|slots| {
            let next = &self.state.threads[thread + 1];
            next.completed.saturating_add(slots)
        });
        let state = &mut self.state.threads[thread];
        let ready = |job: &Arrived| full.is_none_or(|full| job.number < full);
        if !state.busy && state.waiting.front().is_some_and(ready) {
            state.busy = true;
            state.job = state.waiting.pop_front().unwrap_or_default();
            state.segment = 0;
            let release = state.job.release;
            self.release_at(thread, release);
        }
    }

    /// Frees a slot of the buffer before `thread`, which has completed a job.
    fn free(&mut self, thread: usize) {
        let before = thread - 1;
        if let Some(slots) = self.plan.threads[before].slots {
            let freed = self.state.threads[thread].completed - 1;
            let mut waiting = self.state.threads[before].waiting.iter_mut();
            if let Some(job) = waiting.find(|job| job.number - freed == slots) {
                job.release = job.release.max(self.now);
            }
            self.begin(before);
        }
    }

    /// Releases the current segment of `thread` at `time` or at its timer, whichever is later. If this time is in the
    /// past, releases the segment now.
    fn release_at(&mut self, thread: usize, time: u64) {
        let (constants, state) = (&self.plan.threads[thread], &mut self.state.threads[thread]);
        let offset = self.plan.pieces[constants.first + state.segment].offset;
        let time = time.max(state.job.arrival.saturating_add(offset));
        // The releases of a pipelined segment are in the order of the jobs.
        state.released = match constants.pipelined {
            true => time.max(state.released),
            false => time.max(self.now),
        };
        let time = state.released;
        if time > self.now {
            // A time after 2^62 ns is an error, so it must stay below `NEVER`.
            let slot = self.plan.rules.len() + thread;
            self.state.agenda.set(slot, time.min(NEVER - 1));
        } else {
            self.release(thread);
        }
    }

    fn release(&mut self, thread: usize) {
        let constants = &self.plan.threads[thread];
        let state = &mut self.state.threads[thread];
        let (task, segment) = (constants.task, constants.segment + state.segment);
        let time = self.source.execution(task, segment).ns();
        let needs = self.memory.map(|memory| memory.needed((task, segment), time));
        let first = state.segment == 0;
        state.started = false;
        state.total = time;
        state.left = time;
        state.needs = needs.unwrap_or_default(); // without a memory, no channel is needed
        self.see(Event::Release(self.part(thread)));
        let resource = self.resource(thread);
        if let Some(core) = constants.spins_on {
            if first {
                self.queue(thread, core);
            }
            if resource == core {
                return;
            }
        }
        self.queue(thread, resource);
    }

    fn queue(&mut self, thread: usize, resource: usize) {
        let (constants, state) = (&self.plan.threads[thread], &self.state.threads[thread]);
        let rule = self.plan.rules[resource];
        let (released, arrival) = (state.released, state.job.arrival);
        let entry = Entry {
            key: match rule.key {
                Key::Priority if rule.resource.is_core() => constants.priority,
                Key::Priority => constants.gpu_priority,
                Key::Deadline => {
                    let piece = &self.plan.pieces[constants.first + state.segment];
                    arrival.saturating_add(piece.deadline)
                }
                Key::Release => released,
            },
            release: match constants.pipelined && rule.key != Key::Release {
                true => arrival,
                false => released,
            },
            thread,
            completed: state.completed,
        };
        self.state.lanes[resource].waiting.push(Reverse(entry));
        self.mark(resource);
    }

    /// Handles the end of the running segment of `resource`, or the end of a block of this segment.
    fn stop(&mut self, resource: usize) {
        self.mark(resource);
        let lane = &self.state.lanes[resource];
        if lane.finish > self.now {
            return;
        }
        let Some(Entry { thread, .. }) = lane.running else {
            return;
        };
        let owed = self.state.regulated.owed(thread);
        if owed > 0 {
            // The segment also takes the delay by best-effort accesses.
            let finish = self.now.saturating_add(owed).min(NEVER - 1);
            self.state.lanes[resource].finish = finish;
            self.state.threads[thread].total += owed;
            self.state.agenda.set(resource, finish);
            return;
        }
        let state = &mut self.state.threads[thread];
        state.left = 0;
        let released = Time::from_ns(state.released);
        let last = state.segment + 1 == self.plan.threads[thread].segments;
        let part = self.part(thread);
        if !std::mem::replace(&mut self.state.threads[thread].started, true) {
            self.see(Event::Start(part));
        }
        self.interrupt(resource);
        let core = self.plan.threads[thread].spins_on;
        if core != Some(resource) {
            self.state.lanes[resource].running = None;
        }
        let lane = &self.state.lanes[resource];
        let leaves = self.next_resource(thread) != resource;
        self.state.lanes[resource].emptied = (leaves && lane.waiting.is_empty()).then_some(thread);
        if let Some(core) = core
            && core != resource
            && self.state.lanes[core].is_held_by(thread)
        {
            self.interrupt(core);
            self.mark(core);
        }
        self.state.regulated.close(thread, self.now);
        self.see(Event::End { part, released });
        if last {
            self.complete(thread);
        } else {
            self.state.threads[thread].segment += 1;
            self.release_at(thread, self.now);
        }
    }

    /// Handles the end of the last segment of `thread`. The job passes to the next thread of its task, or is complete.
    fn complete(&mut self, thread: usize) {
        let constants = &self.plan.threads[thread];
        let state = &mut self.state.threads[thread];
        state.busy = false;
        state.completed += 1;
        let arrived = state.job;
        if constants.segment > 0 {
            self.free(thread);
        }
        if !constants.is_last {
            let release = self.now;
            self.state.threads[thread + 1]
                .waiting
                .push_back(Arrived { release, ..arrived });
            self.begin(thread + 1);
            self.begin(thread);
            return;
        }
        let job = job(constants, arrived);
        if let Some(core) = self.plan.threads[thread].spins_on
            && self.state.lanes[core].is_held_by(thread)
        {
            self.state.lanes[core].running = None;
            self.mark(core);
        }
        self.see(Event::Complete(job));
        if self.now > job.deadline.ns() {
            self.see(Event::Miss(job));
        }
        self.begin(thread);
    }

    /// Stops the execution on `resource` and stores its progress. The caller decides which job continues.
    fn interrupt(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        let Some(Entry { thread, .. }) = lane.running else {
            return;
        };
        let (announced, since) = (std::mem::take(&mut lane.announced), lane.since);
        let armed = std::mem::take(&mut lane.armed) && !std::mem::take(&mut lane.stalled);
        let finish = lane.finish;
        lane.finish = NEVER;
        self.state.agenda.set(resource, NEVER);
        let spins = self.resource(thread) != resource;
        if armed && !spins {
            self.state.threads[thread].left = finish - self.now;
        }
        if announced && since < self.now {
            let event = Event::Ran {
                part: self.part(thread),
                on: self.plan.rules[resource].resource,
                since: Time::from_ns(since),
                spins,
            };
            self.see(event);
        }
    }

    /// Chooses the job that `resource` executes.
    fn dispatch(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        let mut first = None;
        while let Some(top) = lane.waiting.peek_mut() {
            if self.state.threads[top.0.thread].completed == top.0.completed {
                first = Some(top.0);
                break;
            }
            PeekMut::pop(top); // a job that ended while it waited for its core
        }
        let mut boundary = NEVER;
        match (lane.running, first) {
            (None, None) => return,
            (None, Some(_)) => self.take(resource),
            (Some(running), Some(first)) if self.precedes(first, running) => match self.until_yield(resource)
            {
                Some(0) => {
                    self.interrupt(resource);
                    self.take(resource);
                    self.state.lanes[resource].waiting.push(Reverse(running));
                }
                Some(rest) => boundary = self.now.saturating_add(rest),
                None => {}
            },
            _ => {}
        }
        self.arm(resource, boundary);
    }

    /// Whether `first` can preempt `running`. Among jobs with equal keys, only a job of a pipelined task is preempted, so that the
    /// oldest job of this task can go first.
    fn precedes(&self, first: Entry, running: Entry) -> bool {
        let pipelined = self.plan.threads[running.thread].pipelined;
        first.key < running.key || pipelined && (first.key, first.release) < (running.key, running.release)
    }

    /// Starts the first waiting job of `resource`.
    fn take(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        lane.running = lane.waiting.pop().map(|Reverse(entry)| entry);
        lane.armed = false;
        lane.stalled = false;
        lane.announced = false;
    }

    /// Sets the next event of `resource`: the end of the running segment or `boundary`, whichever is earlier.
    fn arm(&mut self, resource: usize, boundary: u64) {
        let Some(Entry { thread, .. }) = self.state.lanes[resource].running else {
            return;
        };
        let executes = self.resource(thread) == resource;
        let lane = &mut self.state.lanes[resource];
        if lane.held {
            return;
        }
        if !std::mem::replace(&mut lane.armed, true) {
            lane.finish = match executes {
                // A time after 2^62 ns is an error, so it must stay below `NEVER`.
                true => self
                    .now
                    .saturating_add(self.state.threads[thread].left)
                    .min(NEVER - 1),
                false => NEVER,
            };
        }
        self.state.agenda.set(resource, lane.finish.min(boundary));
    }

    /// Returns the time until the running segment of `resource` can be preempted. Returns `None` if the segment runs to
    /// its end.
    fn until_yield(&self, resource: usize) -> Option<u64> {
        let thread = self.state.lanes[resource].running?.thread;
        let (constants, state) = (&self.plan.threads[thread], &self.state.threads[thread]);
        let executed = state.total.saturating_sub(self.left(resource, thread));
        match self.plan.rules[resource].preemption {
            Preemption::Preemptive => Some(0),
            Preemption::NonPreemptive => (!state.started).then_some(0),
            Preemption::Limited => {
                let block = self.plan.pieces[constants.first + state.segment].block;
                Some((block - executed % block) % block)
            }
        }
    }

    /// Tells the observer what `resource` executes after the present instant.
    fn settle(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        let Some(Entry { thread, .. }) = lane.running else {
            return;
        };
        if lane.held || std::mem::replace(&mut lane.announced, true) {
            return;
        }
        lane.since = self.now;
        if self.resource(thread) == resource
            && !std::mem::replace(&mut self.state.threads[thread].started, true)
        {
            if let (Some(regulation), Some(exposed)) = (self.regulation, self.exposed(thread)) {
                let (constants, state) = (&self.plan.threads[thread], &self.state.threads[thread]);
                let starting = Starting {
                    thread,
                    task: constants.task,
                    segment: constants.segment + state.segment,
                    resource,
                    job: state.job.number,
                    arrival: state.job.arrival,
                    release: state.released,
                };
                self.state.regulated.open(regulation, starting, exposed, self.now);
            }
            self.see(Event::Start(self.part(thread)));
        }
    }

    /// Reports all jobs that have missed their deadlines and are not complete.
    fn report_overdue(&mut self) {
        for thread in 0..self.plan.threads.len() {
            let (constants, state) = (&self.plan.threads[thread], &self.state.threads[thread]);
            let current = state.busy.then_some(state.job);
            let jobs = current.into_iter().chain(state.waiting.iter().copied());
            for job in jobs.map(|arrived| job(constants, arrived)) {
                if job.deadline.ns() < self.now {
                    self.observer.see(Time::from_ns(self.now), Event::Miss(job));
                }
            }
        }
    }
}
