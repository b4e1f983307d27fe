//! The event loop of the simulation.

mod applications;
mod memory;
mod starts;

use std::collections::{BTreeMap, VecDeque};

use super::budgets::Budgets;
use super::commands::{Command, Commands};
use super::durations::Durations;
use super::launches::{IndexSet, Launches, Running};
use super::progress::Progress;
use super::rates::Groups;
use super::turns::Turns;
use super::{Event, Placement};
use crate::engine::EventQueue;
use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;
use gpusched_model::scenario::{Need, ScenarioShape, StreamPriority};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Observer, Scenario};

/// An event that is scheduled for a later time.
#[derive(Copy, Clone, Debug)]
enum Scheduled {
    /// A command is submitted.
    Launch(usize),
    /// The block at index `place` of `running` ends. The event is ignored if `generation` is
    /// outdated.
    BlockEnd { place: u32, generation: u32 },
    /// The copy at index `place` of `running_copies` ends. The event is ignored if `generation`
    /// is outdated.
    CopyEnd { place: u32, generation: u32 },
    /// A timeslice ends. The number identifies the timeslice.
    SliceEnd(u64),
    /// A regulation period starts.
    Period,
    /// CPU cores have used the whole budget of the period.
    Spent,
}

/// The state of a kernel during the simulation.
#[derive(Clone, Debug)]
struct KernelState {
    command: usize,
    application: usize,
    priority: StreamPriority,
    need: Need,
    sms: IndexSet,
    cache: Option<usize>,
    memory_share: Factor,
    bandwidth: u64,
    durations: Durations,
    blocks: u32,
    started: u32,
    ended: u32,
}

/// A copy that is being executed.
#[derive(Copy, Clone, Debug)]
struct RunningCopy {
    copy: usize,
    start: Time,
    progress: Progress,
    generation: u32,
    live: bool,
}

struct Simulation<'a, O: ?Sized> {
    scenario: &'a ScenarioShape,
    observer: &'a mut O,
    now: Time,
    events: EventQueue<Scheduled>,
    commands: Commands,
    kernels: Vec<KernelState>,
    /// For each copy: index of its command.
    copies: Vec<usize>,
    applications: Vec<Launches>,
    turns: Turns,
    placement: Placement,
    running: Vec<Running>,
    /// Indices of the free places in `running`.
    free: Vec<u32>,
    waiting_copies: VecDeque<usize>,
    running_copies: Vec<RunningCopy>,
    /// Whether contention can change rates in the scenario.
    interference: bool,
    /// Slowdown of blocks by other kernels on their SM.
    groups: Option<Groups<'a>>,
    /// Computes the memory bandwidth budgets of the CPU cores.
    budgets: Option<Budgets>,
    /// Budget of the current period. `None` before the budget is known.
    budget: Option<Time>,
    /// Whether a regulation period starts at the current instant.
    period_begins: bool,
    /// Whether CPU cores access memory at the current instant.
    cpu: bool,
    /// Number of commands that have not ended.
    left: usize,
}

/// Simulates `scenario` from time 0 until all commands have ended or `observer` stops the run.
/// `seed` determines random block times. Returns the time at which the last command ends.
///
/// # Errors
/// Fails with [`Error::Refused`] if random block times cannot be generated, or if the run is
/// longer than [`Time::LIMIT`].
pub fn simulate(
    scenario: &Scenario,
    seed: u64,
    observer: &mut (impl Observer<Event> + ?Sized),
) -> Result<Time> {
    let shape = scenario.shape();
    let mut simulation = Simulation::new(shape, seed, observer)?;
    simulation.run()?;
    Ok(simulation.now)
}

impl<'a, O: Observer<Event> + ?Sized> Simulation<'a, O> {
    fn new(scenario: &'a ScenarioShape, seed: u64, observer: &'a mut O) -> Result<Simulation<'a, O>> {
        let device = scenario.platform.shape();
        let commands = Commands::new(scenario);
        let mut of_kernel = vec![0; scenario.kernels.len()];
        let mut of_copy = vec![0; scenario.copies.len()];
        let mut events = EventQueue::default();
        for (index, submission) in commands.list.iter().enumerate() {
            match submission.command {
                Command::Kernel(kernel) => of_kernel[kernel] = index,
                Command::Copy(copy) => of_copy[copy] = index,
            }
            events.push(submission.launch, Scheduled::Launch(index));
        }
        let mut caches: BTreeMap<&str, usize> = BTreeMap::new();
        let mut kernels = Vec::with_capacity(scenario.kernels.len());
        for (index, launch) in scenario.kernels.iter().enumerate() {
            let next = caches.len();
            let cache = launch.cache.as_deref();
            kernels.push(KernelState {
                command: of_kernel[index],
                application: launch.application,
                priority: launch.priority,
                need: Need::from(launch),
                sms: IndexSet::new(launch.sms.as_deref(), device.sms),
                cache: cache.map(|name| *caches.entry(name).or_insert(next)),
                memory_share: launch.memory_share.unwrap_or(Factor::ZERO),
                bandwidth: launch.bandwidth,
                durations: Durations::new(launch, index, device, seed)?,
                blocks: launch.blocks,
                started: 0,
                ended: 0,
            });
        }
        let cpu = scenario.cpu.as_ref();
        let budgets = cpu.map(|cpu| Budgets::new(cpu, scenario)).transpose()?;
        if budgets.is_some() {
            events.push(Time::ZERO, Scheduled::Period);
        }
        let setting = &scenario.interference;
        let profiles = || {
            let mut kernels = scenario.kernels.iter();
            kernels.any(|kernel| kernel.block_time.profile().is_some())
        };
        Ok(Simulation {
            observer,
            now: Time::ZERO,
            events,
            left: commands.list.len(),
            commands,
            kernels,
            copies: of_copy,
            applications: vec![Launches::new(device); scenario.applications.len().max(1)],
            turns: Turns::new(&scenario.applications),
            placement: Placement::new(device, scenario.block_scheduler),
            running: Vec::new(),
            free: Vec::new(),
            waiting_copies: VecDeque::new(),
            running_copies: Vec::new(),
            interference: setting.bandwidth.is_some()
                || setting.factors.is_some()
                || setting.same_sm.is_some()
                || (budgets.is_some() && profiles()),
            groups: (setting.same_sm.as_ref()).map(|same_sm| Groups::new(same_sm, &scenario.kernels)),
            budgets,
            budget: None,
            period_begins: false,
            cpu: false,
            scenario,
        })
    }

    fn run(&mut self) -> Result<()> {
        while self.left > 0 && self.observer.goes_on() {
            interrupt::check();
            let Some(now) = self.events.next_time() else {
                return Err(Error::Internal(format!(
                    "{} kernels or copies never end",
                    self.left
                )));
            };
            if now > Time::LIMIT {
                let found = format!("a run longer than {}", Time::LIMIT);
                return Err(Error::parameter("", found, "a shorter run"));
            }
            self.now = now;
            while let Some(event) = self.events.pop_until(now) {
                self.happen(event);
            }
            if std::mem::take(&mut self.period_begins) {
                self.begin_period();
            }
            self.take_turns();
            self.start_blocks();
            self.start_copies();
            if self.interference {
                self.change_rates()?;
            }
        }
        Ok(())
    }

    fn happen(&mut self, event: Scheduled) {
        match event {
            Scheduled::Launch(index) => self.release(index),
            Scheduled::BlockEnd { place, generation } => {
                let block = self.running[place as usize];
                if block.live && block.generation == generation {
                    self.end_block(place);
                }
            }
            Scheduled::CopyEnd { place, generation } => {
                let copy = self.running_copies[place as usize];
                if copy.live && copy.generation == generation {
                    self.running_copies[place as usize].live = false;
                    let (copy, start) = (copy.copy, copy.start);
                    self.observer.see(self.now, Event::CopyComplete(copy, start));
                    self.end_command(self.copies[copy]);
                }
            }
            Scheduled::SliceEnd(generation) => self.turns.expire(generation),
            Scheduled::Period => self.period_begins = true,
            Scheduled::Spent => self.access_memory(false),
        }
    }

    /// Records that an event for which command `index` waits has occurred.
    fn release(&mut self, index: usize) {
        match self.commands.release(index) {
            None => {}
            Some(Command::Copy(copy)) => self.waiting_copies.push_back(copy),
            Some(Command::Kernel(kernel)) => {
                let KernelState {
                    application,
                    priority,
                    ..
                } = self.kernels[kernel];
                self.applications[application].add(kernel, priority);
                self.observer.see(self.now, Event::KernelRelease(kernel));
            }
        }
    }

    fn end_command(&mut self, index: usize) {
        self.left -= 1;
        for dependent in self.commands.end(index) {
            self.release(dependent);
        }
    }

    fn end_block(&mut self, place: u32) {
        let running = &mut self.running[place as usize];
        running.live = false;
        let block = running.block;
        self.free.push(place);
        let state = &mut self.kernels[block.kernel];
        let launches = &mut self.applications[state.application];
        let sm = &mut launches.sms[block.sm as usize];
        sm.give(&state.need);
        launches.running -= 1;
        state.ended += 1;
        if let Some(looked) = self.placement.kernel() {
            let room = *sm;
            let looked = &self.kernels[looked];
            if looked.sms.contains(block.sm) {
                self.placement.update(block.sm, room.slots(&looked.need));
            }
        }
        if let Some(budgets) = &mut self.budgets {
            budgets.block_ended(block.kernel, block.number);
        }
        self.observer.see(self.now, Event::BlockComplete(block));
        let state = &self.kernels[block.kernel];
        if state.ended == state.blocks {
            let (command, cache) = (state.command, state.cache);
            self.applications[state.application].vacate(cache);
            self.observer.see(self.now, Event::KernelComplete(block.kernel));
            self.end_command(command);
        }
    }
}
