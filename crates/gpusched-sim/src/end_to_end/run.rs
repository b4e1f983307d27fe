//! One run of the simulator.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;

use super::plan::{Key, Plan};
use super::thread::{Arrived, Entry, State, job};
use super::time_slices::{Context, Kernel};
use super::{Channels, Event, Extent, FOREVER, Part, Source};
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
    pub state: &'r mut State,
    pub source: &'r mut S,
    pub observer: &'r mut O,
    pub extent: Extent,
    pub now: u64,
}

impl<S: Source, O: Observer<Event> + ?Sized> Run<'_, S, O> {
    /// Executes all events in time order.
    pub fn execute(&mut self) -> Result<(), Error> {
        for task in 0..self.plan.tasks.len() {
            self.expect_arrival(task);
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
        turns.fold(next, u64::min)
    }

    /// Executes all events of the present instant.
    fn instant(&mut self) {
        let (resources, tasks) = (self.plan.rules.len(), self.plan.tasks.len());
        loop {
            while self.state.agenda.time() <= self.now {
                let slot = self.state.agenda.winner();
                self.state.agenda.set(slot, NEVER);
                if slot < resources {
                    self.stop(slot);
                } else if slot < resources + tasks {
                    self.release(slot - resources);
                } else {
                    self.arrive(slot - resources - tasks);
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
    }

    /// Passes the turn to another context of the time-sliced partition `number`, if its turn has ended.
    fn rotate(&mut self, number: usize) {
        let plan = self.plan;
        let gpu = &plan.time_sliced[number];
        let kernel = |context: &Context| {
            let Entry { task, .. } = self.state.lanes[context.resource].running?;
            let started = self.state.threads[task].started;
            Some(Kernel { task, started })
        };
        let kernels: Vec<Option<Kernel>> = gpu.contexts.iter().map(kernel).collect();
        let mut idle = kernels.clone();
        for (context, kernel) in gpu.contexts.iter().zip(&mut idle) {
            let emptied = self.state.lanes[context.resource].emptied.take();
            *kernel = kernel.filter(|kernel| emptied != Some(kernel.task));
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
            let Some(Entry { task, .. }) = self.state.lanes[resource].running else {
                continue;
            };
            if self.resource(task) != resource {
                continue; // the task busy-waits
            }
            let (left, thread) = (self.left(resource, task), &mut self.state.threads[task]);
            let (executed, (from, to)) = (thread.total - left, thread.needs);
            let needs = (from..to).contains(&executed);
            let lane = &mut self.state.lanes[resource];
            lane.stalled = needs && free == 0;
            free -= usize::from(needs && !lane.stalled);
            thread.left = left;
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

    /// Returns the remaining execution time of `task`, which runs on `resource`.
    fn left(&self, resource: usize, task: usize) -> u64 {
        let lane = &self.state.lanes[resource];
        match lane.armed && !lane.stalled {
            true => lane.finish.saturating_sub(self.now),
            false => self.state.threads[task].left,
        }
    }

    fn see(&mut self, event: Event) {
        self.observer.see(Time::from_ns(self.now), event);
    }

    /// Returns the current segment of `task`.
    fn part(&self, task: usize) -> Part {
        let thread = &self.state.threads[task];
        Part {
            job: job(task, &self.plan.tasks[task], thread.job),
            segment: thread.segment,
        }
    }

    /// Returns the number of the resource that the current segment of `task` uses.
    fn resource(&self, task: usize) -> usize {
        self.plan.pieces[self.plan.tasks[task].first + self.state.threads[task].segment].resource
    }

    /// Returns the number of the resource that the next segment of `task` uses. After the last segment, the next segment is the
    /// first segment of the next job.
    fn next_resource(&self, task: usize) -> usize {
        let of = &self.plan.tasks[task];
        let next = (self.state.threads[task].segment + 1) % of.segments;
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

    /// Asks the source for the next job of `task`.
    fn expect_arrival(&mut self, task: usize) {
        let thread = &mut self.state.threads[task];
        let number = thread.next.number;
        let slot = self.plan.rules.len() + self.plan.tasks.len() + task;
        if number >= self.extent.jobs {
            return;
        }
        if let Some(found) = self.source.arrival(task)
            && found.at < self.extent.end
        {
            // A job never arrives in the past, even if the source is wrong.
            let arrival = found.at.ns().max(self.now);
            thread.next = Arrived {
                number,
                arrival,
                release: arrival.saturating_add(found.jitter.ns()),
            };
            self.state.agenda.set(slot, arrival);
        }
    }

    fn arrive(&mut self, task: usize) {
        let thread = &mut self.state.threads[task];
        let arrived = thread.next;
        thread.next.number += 1;
        thread.waiting.push_back(arrived);
        let idle = !thread.busy;
        self.see(Event::Arrival(job(task, &self.plan.tasks[task], arrived)));
        self.expect_arrival(task);
        if idle {
            self.begin(task);
        }
    }

    /// Makes the next job of `task` its current job.
    fn begin(&mut self, task: usize) {
        let thread = &mut self.state.threads[task];
        if let Some(arrived) = thread.waiting.pop_front() {
            thread.busy = true;
            thread.job = arrived;
            thread.segment = 0;
            self.release_at(task, arrived.release);
        }
    }

    /// Releases the current segment of `task` at `time` or at its timer, whichever is later. If this time is in the
    /// past, releases the segment now.
    fn release_at(&mut self, task: usize, time: u64) {
        let thread = &self.state.threads[task];
        let offset = self.plan.pieces[self.plan.tasks[task].first + thread.segment].offset;
        let time = time.max(thread.job.arrival.saturating_add(offset));
        if time > self.now {
            // A time after 2^62 ns is an error, so it must stay below `NEVER`.
            let slot = self.plan.rules.len() + task;
            self.state.agenda.set(slot, time.min(NEVER - 1));
        } else {
            self.release(task);
        }
    }

    fn release(&mut self, task: usize) {
        let constants = &self.plan.tasks[task];
        let segment = self.state.threads[task].segment;
        let time = self.source.execution(task, segment).ns();
        let needs = self.memory.map(|memory| memory.needed((task, segment), time));
        let thread = &mut self.state.threads[task];
        thread.released = self.now;
        thread.started = false;
        thread.total = time;
        thread.left = time;
        thread.needs = needs.unwrap_or_default(); // without a memory, no channel is needed
        self.see(Event::Release(self.part(task)));
        let resource = self.resource(task);
        if let Some(core) = constants.spins_on {
            if segment == 0 {
                self.queue(task, core);
            }
            if resource == core {
                return;
            }
        }
        self.queue(task, resource);
    }

    fn queue(&mut self, task: usize, resource: usize) {
        let (constants, thread) = (&self.plan.tasks[task], &self.state.threads[task]);
        let rule = self.plan.rules[resource];
        let entry = Entry {
            key: match rule.key {
                Key::Priority if rule.resource.is_core() => constants.priority,
                Key::Priority => constants.gpu_priority,
                Key::Deadline => {
                    let piece = &self.plan.pieces[constants.first + thread.segment];
                    thread.job.arrival.saturating_add(piece.deadline)
                }
                Key::Release => self.now,
            },
            release: self.now,
            task,
            completed: thread.completed,
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
        let Some(Entry { task, .. }) = lane.running else {
            return;
        };
        let thread = &mut self.state.threads[task];
        thread.left = 0;
        let released = Time::from_ns(thread.released);
        let last = thread.segment + 1 == self.plan.tasks[task].segments;
        let part = self.part(task);
        if !std::mem::replace(&mut self.state.threads[task].started, true) {
            self.see(Event::Start(part));
        }
        self.interrupt(resource);
        let core = self.plan.tasks[task].spins_on;
        if core != Some(resource) {
            self.state.lanes[resource].running = None;
        }
        let lane = &self.state.lanes[resource];
        let leaves = self.next_resource(task) != resource;
        self.state.lanes[resource].emptied = (leaves && lane.waiting.is_empty()).then_some(task);
        if let Some(core) = core
            && core != resource
            && self.state.lanes[core].is_held_by(task)
        {
            self.interrupt(core);
            self.mark(core);
        }
        self.see(Event::End { part, released });
        if last {
            self.complete(task);
        } else {
            self.state.threads[task].segment += 1;
            self.release_at(task, self.now);
        }
    }

    fn complete(&mut self, task: usize) {
        let thread = &mut self.state.threads[task];
        thread.busy = false;
        thread.completed += 1;
        let job = job(task, &self.plan.tasks[task], thread.job);
        if let Some(core) = self.plan.tasks[task].spins_on
            && self.state.lanes[core].is_held_by(task)
        {
            self.state.lanes[core].running = None;
            self.mark(core);
        }
        self.see(Event::Complete(job));
        if self.now > job.deadline.ns() {
            self.see(Event::Miss(job));
        }
        self.begin(task);
    }

    /// Stops the execution on `resource` and stores its progress. The caller decides which job continues.
    fn interrupt(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        let Some(Entry { task, .. }) = lane.running else {
            return;
        };
        let (announced, since) = (std::mem::take(&mut lane.announced), lane.since);
        let armed = std::mem::take(&mut lane.armed) && !std::mem::take(&mut lane.stalled);
        let finish = lane.finish;
        lane.finish = NEVER;
        self.state.agenda.set(resource, NEVER);
        let spins = self.resource(task) != resource;
        if armed && !spins {
            self.state.threads[task].left = finish - self.now;
        }
        if announced && since < self.now {
            let event = Event::Ran {
                part: self.part(task),
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
            if self.state.threads[top.0.task].completed == top.0.completed {
                first = Some(top.0);
                break;
            }
            PeekMut::pop(top); // a job that ended while it waited for its core
        }
        let mut boundary = NEVER;
        match (lane.running, first) {
            (None, None) => return,
            (None, Some(_)) => self.take(resource),
            (Some(running), Some(first)) if first.key < running.key => match self.until_yield(resource) {
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
        let Some(Entry { task, .. }) = self.state.lanes[resource].running else {
            return;
        };
        let executes = self.resource(task) == resource;
        let lane = &mut self.state.lanes[resource];
        if lane.held {
            return;
        }
        if !std::mem::replace(&mut lane.armed, true) {
            lane.finish = match executes {
                // A time after 2^62 ns is an error, so it must stay below `NEVER`.
                true => self
                    .now
                    .saturating_add(self.state.threads[task].left)
                    .min(NEVER - 1),
                false => NEVER,
            };
        }
        self.state.agenda.set(resource, lane.finish.min(boundary));
    }

    /// Returns the time until the running segment of `resource` can be preempted. Returns `None` if the segment runs to
    /// its end.
    fn until_yield(&self, resource: usize) -> Option<u64> {
        let task = self.state.lanes[resource].running?.task;
        let (constants, thread) = (&self.plan.tasks[task], &self.state.threads[task]);
        let executed = thread.total.saturating_sub(self.left(resource, task));
        match self.plan.rules[resource].preemption {
            Preemption::Preemptive => Some(0),
            Preemption::NonPreemptive => (!thread.started).then_some(0),
            Preemption::Limited => {
                let block = self.plan.pieces[constants.first + thread.segment].block;
                Some((block - executed % block) % block)
            }
        }
    }

    /// Tells the observer what `resource` executes after the present instant.
    fn settle(&mut self, resource: usize) {
        let lane = &mut self.state.lanes[resource];
        let Some(Entry { task, .. }) = lane.running else {
            return;
        };
        if lane.held || std::mem::replace(&mut lane.announced, true) {
            return;
        }
        lane.since = self.now;
        if self.resource(task) == resource && !std::mem::replace(&mut self.state.threads[task].started, true)
        {
            self.see(Event::Start(self.part(task)));
        }
    }

    /// Reports all jobs that have missed their deadlines and are not complete.
    fn report_overdue(&mut self) {
        for task in 0..self.plan.tasks.len() {
            let (constants, thread) = (&self.plan.tasks[task], &self.state.threads[task]);
            let current = thread.busy.then_some(thread.job);
            let jobs = current.into_iter().chain(thread.waiting.iter().copied());
            for job in jobs.map(|arrived| job(task, constants, arrived)) {
                if job.deadline.ns() < self.now {
                    self.observer.see(Time::from_ns(self.now), Event::Miss(job));
                }
            }
        }
    }
}
