//! A whole GPU at the warp level: clusters of SMs, a crossbar, slices of L2, DRAM channels; and the blocks of kernels.

mod alike;
mod build;
mod failure;
mod launches;
mod memory_side;
mod pace;
mod results;
mod sample;
mod supported;

use std::sync::Arc;

use self::alike::Classes;
pub use self::alike::{UnlikeKernel, run_equal_once, stay_equal};
pub use self::failure::Failure;
use self::launches::dispatch::Dispatcher;
pub use self::launches::kernel::{Launch, Source};
use self::memory_side::below::Below;
use self::memory_side::port::Port;
use self::pace::ahead::Ahead;
use self::pace::clocks::{Domain, Edges};
use self::pace::wakes::NEVER;
pub use self::results::{BlockRecord, KernelResult, Results, Traffic};
use self::sample::Untouched;
pub(super) use self::sample::run_until;
use super::memory::{Crossbar, Ports};
use super::request::Request;
use super::sm::Sm;
pub use super::sm::{IssueEvent, Stalls};
use gpusched_model::Scheduler;
use gpusched_model::machine::{Decoder, Machine, MachineShape};

/// How to simulate.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which warp issues next.
    pub scheduler: Scheduler,
    /// SMs that take part; the memory system is the whole machine's.
    pub sms: Option<u32>,
    /// Buffers that are in L2 at the start, as (address, bytes).
    pub warm: Vec<(u64, u64)>,
    /// Records the issues of all SMs.
    pub record_issues: bool,
    /// Cycles after which it gives up.
    pub limit: u64,
}

/// A GPU that runs kernels.
struct Gpu<'a> {
    machine: Arc<MachineShape>,
    kernels: &'a [Launch],
    decoder: Decoder,
    edges: Edges,
    /// Those that are simulated.
    sms: Vec<Sm>,
    /// Which of them stand for which SMs. If each stands for itself, they have the same numbers; else no request leaves any.
    classes: Classes,
    /// Per simulated SM, the cycle from which on there is something to do for it.
    sm_wakes: Vec<u64>,
    /// Per simulated SM, what it did in later cycles.
    ahead: Vec<Ahead>,
    /// SMs may go ahead of the others.
    goes_ahead: bool,
    requests: Crossbar<Request>,
    /// Per cluster.
    ports: Vec<Port>,
    /// Clusters at whose ports answers wait.
    responding: Ports,
    below: Below,
    /// Cycles for which what is below may be ahead of the SMs.
    lead: u64,
    dispatcher: Dispatcher,
    now: u64,
    /// Cycles in which nothing can happen are left out.
    skips: bool,
    results: Results,
    /// It ends as soon as so many blocks have.
    enough: usize,
    /// What is to come into L2 when it is first asked for.
    untouched: Option<Untouched>,
}

/// Whether `machine` can be simulated.
///
/// # Errors
/// [`Failure::Unsupported`] with the first field that cannot.
pub fn check(machine: &Machine) -> Result<(), Failure> {
    supported::machine(machine)
}

/// Runs `kernels` on `machine` until all are through.
///
/// # Errors
/// [`Failure`].
pub fn run(machine: &Machine, kernels: &[Launch], settings: &Settings) -> Result<Results, Failure> {
    run_watched(machine, kernels, settings, &mut |_| ())
}

/// As [`run`]; `watch` is told the core cycle once in a while.
///
/// # Errors
/// [`Failure`].
pub fn run_watched(
    machine: &Machine,
    kernels: &[Launch],
    settings: &Settings,
    watch: &mut dyn FnMut(u64),
) -> Result<Results, Failure> {
    let mut gpu = Gpu::new(machine, kernels, settings, false)?;
    gpu.run(settings.limit, watch)?;
    Ok(gpu.finish())
}

/// Cycles between two calls of a watcher.
const WATCH: u64 = 1 << 16;

impl<'a> Gpu<'a> {
    fn run(&mut self, limit: u64, watch: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        let mut next_watch = WATCH;
        self.goes_ahead = self.may_go_ahead();
        self.lead = self.lead();
        loop {
            let led = self.below.now > self.now;
            if self.skips {
                let until = match led {
                    true => NEVER,
                    false => self.below.partition_wakes.earliest(),
                };
                self.edges.pass_dram(until);
            }
            let ticks = self.edges.advance();
            if !led {
                self.in_step(ticks);
            } else if ticks[Domain::L2 as usize] {
                self.arrivals();
            }
            if ticks[Domain::Interconnect as usize] {
                self.requests
                    .advance(self.edges.count(Domain::Interconnect) - 1, self.now);
            }
            if ticks[Domain::Core as usize] {
                self.core_cycle(led)?;
                if self.is_through() || self.results.blocks.len() >= self.enough {
                    return Ok(());
                }
                if self.now >= limit {
                    return Err(Failure::Limit { cycles: limit });
                }
                if self.now >= next_watch {
                    next_watch = self.now.saturating_add(WATCH);
                    watch(self.now);
                }
                self.lead_on();
                self.skip(limit)?;
                self.lead_on();
            }
        }
    }

    /// `led`: what is below the SMs has been through this cycle for some time.
    fn core_cycle(&mut self, led: bool) -> Result<(), Failure> {
        let mut over = Vec::new();
        for index in 0..self.sms.len() {
            if self.sm_wakes[index] > self.now {
                continue;
            }
            if self.ahead[index].until <= self.now {
                if led {
                    self.take_response(index);
                }
                self.go_ahead(index);
            }
            self.send(index);
            let sm = &mut self.sms[index];
            if self.ahead[index].until == self.now + 1 {
                if let Some(kernel) = sm.without_unit {
                    return Err(Failure::NoUnit {
                        kernel: self.kernels[kernel].name.clone(),
                    });
                }
                for ended in sm.ended.drain(..) {
                    over.extend(self.classes.ended(index, ended));
                }
            }
            self.sm_wakes[index] = self.next_of(index);
        }
        self.now += 1;
        self.end(&mut over);
        if !self.dispatcher.is_done() {
            let (sms, classes) = (&self.sms, &self.classes);
            // One that is ahead has no room.
            let (ahead, now) = (&self.ahead, self.now);
            let state = |sm: usize| {
                let simulated = classes.of(sm);
                (ahead[simulated].until <= now).then_some(&sms[simulated])
            };
            let starts = self
                .dispatcher
                .dispatch(&self.machine, state, self.kernels, self.now);
            self.start(&starts)?;
        }
        if self.machine.l1.flush {
            self.flush(&over);
        }
        Ok(())
    }

    /// All blocks have started, and all have ended.
    fn is_through(&self) -> bool {
        let over = |(sm, ahead): (&Sm, &Ahead)| sm.is_empty() && ahead.until <= self.now;
        self.dispatcher.is_done() && self.sms.iter().zip(&self.ahead).all(over)
    }

    fn finish(mut self) -> Results {
        for sm in &mut self.sms {
            sm.sleep_until(self.now);
        }
        let sms = self
            .classes
            .each()
            .map(|(sm, simulated)| (sm, &self.sms[simulated]));
        let (slices, partitions) = (&self.below.slices, &self.below.partitions);
        let mut results = self.results.finish(self.now, sms, slices, partitions);
        self.below.late.taken_from(&mut results.traffic, self.now);
        results
    }
}

#[cfg(test)]
mod tests;
