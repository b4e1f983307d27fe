//! Simulation of a whole GPU at the warp level. The GPU consists of clusters of SMs, a crossbar, slices of L2 and
//! DRAM channels. A dispatcher assigns the blocks of the kernels to the SMs.

mod alike;
mod build;
mod failure;
mod launches;
mod memory_side;
mod pace;
mod results;
mod supported;

use std::sync::Arc;

use self::alike::Classes;
pub use self::alike::{UnlikeKernel, run_equal_once, stay_equal};
pub use self::failure::Failure;
use self::launches::dispatch::Dispatcher;
pub use self::launches::kernel::{Launch, Queued, Source};
use self::memory_side::below::Below;
pub use self::memory_side::camping::Shares;
pub use self::memory_side::clients::{Client, ClientAccess, ClientBudget, ClientResult};
use self::memory_side::gpcs::Gpcs;
use self::memory_side::l1::Divisions;
use self::memory_side::parts::Parts;
use self::memory_side::port::Port;
use self::pace::ahead::Ahead;
use self::pace::clocks::{Domain, Edges};
use self::pace::wakes::NEVER;
pub use self::results::{BlockRecord, KernelResult, KernelTraffic, Results, Traffic};
pub use super::memory::request::CLIENT_BYTES;
use super::memory::{Crossbar, Ports};
use super::sm::Sm;
pub use super::sm::{IssueEvent, Stalls};
use crate::machine::{Machine, MachineShape};
use crate::memory::request::Request;
use gpusched_model::Scheduler;
use gpusched_model::interrupt;

/// Maximum number of memory clients.
pub const MAX_CLIENTS: usize = 64;

/// Settings of a simulation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Policy that selects the next warp to issue.
    pub scheduler: Scheduler,
    /// Number of SMs that execute blocks. The memory system is always simulated completely.
    pub sms: Option<u32>,
    /// Buffers that L2 contains at the start.
    pub warm: Vec<WarmBuffer>,
    /// Memory clients, at most [`MAX_CLIENTS`].
    pub clients: Vec<Client>,
    /// If not `None`, the results contain each issued instruction of all SMs, and the run fails if there are more than
    /// this number.
    pub record_issues: Option<usize>,
    /// Whether the results contain the largest share of the traffic that one slice, channel or bank receives.
    pub camping: bool,
    /// Whether the clocks restart when a kernel is launched on an idle GPU, as in GPGPU-Sim.
    pub restart_clocks: bool,
    /// Limit on the duration of the run [core cycles].
    pub limit: u64,
    /// Whether the current threads of `rayon` share the work of the run. The results do not depend on it.
    pub parallel: bool,
}

impl Default for Settings {
    /// Returns the settings of a run on all SMs with a cold L2, without records and without a limit.
    fn default() -> Settings {
        Settings {
            scheduler: Scheduler::Lrr,
            sms: None,
            warm: Vec::new(),
            clients: Vec::new(),
            record_issues: None,
            camping: false,
            restart_clocks: false,
            limit: u64::MAX,
            parallel: false,
        }
    }
}

/// A buffer that L2 contains at the start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmBuffer {
    /// Index of the kernel that uses the buffer. If there is no such kernel, L2 does not contain the buffer.
    pub kernel: u8,
    /// Address of the buffer.
    pub address: u64,
    /// Size of the buffer [bytes].
    pub bytes: u64,
}

/// A simulated GPU that runs kernels.
struct Gpu<'a> {
    machine: Arc<MachineShape>,
    kernels: &'a [Launch],
    parts: Arc<Parts>,
    edges: Edges,
    /// Core cycles when the clocks restart, if the GPU is idle then. In descending order.
    restarts: Vec<u64>,
    /// Number of restarts of the clocks.
    #[cfg(test)]
    restarted: u64,
    /// SMs that gpusched simulates. One simulated SM may represent several equal SMs.
    sms: Vec<Sm>,
    /// Mapping from SMs to simulated SMs. If SMs can send requests to memory, each SM represents only itself.
    classes: Classes,
    /// Next cycle when each simulated SM has work.
    sm_wakes: Vec<u64>,
    /// For each simulated SM: its requests and wake-up times in cycles that the rest of the GPU has not yet simulated.
    ahead: Vec<Ahead>,
    /// Whether SMs may be simulated some cycles ahead of the memory side and the dispatcher.
    goes_ahead: bool,
    /// Whether several threads share the work.
    parallel: bool,
    /// Replaces the memory side while the SMs and the memory side are simulated at the same time.
    front: Option<Box<Below>>,
    /// Whether all threads simulate the SMs before one of them simulates the memory side.
    sms_first: bool,
    /// Whether the front replaces the memory side.
    windowed: bool,
    requests: Crossbar<Request>,
    /// Ports of GPCs, if the machine has GPCs.
    gpcs: Option<Gpcs>,
    /// Port of each cluster for replies from memory.
    ports: Vec<Port>,
    /// Clusters whose ports contain waiting replies.
    responding: Ports,
    below: Box<Below>,
    /// Maximum number of cycles by which the memory side may be ahead of the SMs.
    lead: u64,
    dispatcher: Dispatcher,
    /// Division of the memory of each SM into shared memory and L1.
    divisions: Divisions,
    now: u64,
    /// Whether the simulation skips cycles when the GPU is certainly inactive.
    skips: bool,
    results: Results,
    /// Number of completed blocks after which the run stops.
    enough: usize,
    /// Limit on the number of recorded issues.
    most_issues: Option<usize>,
}

/// Checks whether the simulator supports `machine`.
///
/// # Errors
/// Fails with [`Failure::Unsupported`], which names the first unsupported field.
pub fn check(machine: &Machine) -> Result<(), Failure> {
    supported::machine(machine)
}

/// Runs `kernels` on `machine` until all kernels that do not repeat have finished.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails.
pub fn run(machine: &Machine, kernels: &[Launch], settings: &Settings) -> Result<Results, Failure> {
    run_watched(machine, kernels, settings, &mut |_| ())
}

/// Runs `kernels` as [`run`] does, and regularly calls `watch` with the current core cycle.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails.
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

/// Runs `kernels` as [`run`] does, and calls `stops` each time `round` more blocks have ended. The arguments are the
/// records of the ended blocks and the traffic of the first kernel so far. The run stops if `stops` returns true, or at
/// the limit of `settings`. Returns the results, and whether all blocks have ended.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails for a reason other than the limit.
pub(super) fn run_rounds(
    machine: &Machine,
    kernels: &[Launch],
    settings: &Settings,
    round: usize,
    stops: &mut dyn FnMut(&[BlockRecord], KernelTraffic) -> bool,
) -> Result<(Results, bool), Failure> {
    let mut gpu = Gpu::new(machine, kernels, settings, false)?;
    for enough in (round..).step_by(round) {
        gpu.enough = enough;
        match gpu.run(settings.limit, &mut |_| ()) {
            Err(Failure::Limit { .. }) => break,
            ended => ended?,
        }
        let traffic = gpu.below.meter.before(gpu.now).into_iter().next();
        if gpu.is_through() || stops(&gpu.results.blocks, traffic.unwrap_or_default()) {
            break;
        }
    }
    let whole = gpu.is_through();
    Ok((gpu.finish(), whole))
}

/// Number of core cycles between two calls of `watch`.
const WATCH: u64 = 1 << 16;

impl<'a> Gpu<'a> {
    fn run(&mut self, limit: u64, watch: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        let mut next_watch = WATCH;
        self.goes_ahead = self.may_go_ahead();
        self.lead = self.lead();
        self.make_front();
        loop {
            let over = match self.has_window() {
                true => self.window(limit)?,
                false => self.edge(limit)?,
            };
            if over {
                self.check_record()?;
                return self.check_sources();
            }
            if self.now >= next_watch {
                next_watch = self.now.saturating_add(WATCH);
                interrupt::check();
                self.check_sources()?;
                self.check_record()?;
                watch(self.now);
            }
        }
    }

    /// Simulates the next clock edge, and skips inactive cycles after it. Returns whether the run has ended.
    fn edge(&mut self, limit: u64) -> Result<bool, Failure> {
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
                return Ok(true);
            }
            if self.now >= limit {
                return Err(Failure::Limit { cycles: limit });
            }
            match self.windowed {
                false => self.proceed(limit)?,
                true if self.now < self.below.now => self.skip(limit)?,
                true => {}
            }
        }
        Ok(false)
    }

    /// Prepares the next cycle: restarts the clocks, lets the memory side go ahead, and skips inactive cycles.
    fn proceed(&mut self, limit: u64) -> Result<(), Failure> {
        self.restart_clocks();
        self.lead_on();
        self.skip(limit)?;
        self.restart_clocks();
        self.lead_on();
        Ok(())
    }

    /// Fails if the SMs have recorded too many issues.
    fn check_record(&self) -> Result<(), Failure> {
        let recorded: usize = self.sms.iter().flat_map(|sm| &sm.record).map(Vec::len).sum();
        match self.most_issues {
            Some(limit) if recorded > limit => Err(Failure::Issues { limit }),
            _ => Ok(()),
        }
    }

    /// Fails if the instructions of a kernel have a fault.
    fn check_sources(&self) -> Result<(), Failure> {
        let fault = |kernel: &Launch| Some((kernel.name.clone(), kernel.source.fault()?));
        match self.kernels.iter().find_map(fault) {
            None => Ok(()),
            Some((kernel, message)) => Err(Failure::Source { kernel, message }),
        }
    }

    /// Simulates a core cycle. `led` states whether the memory side has already simulated this cycle.
    fn core_cycle(&mut self, led: bool) -> Result<(), Failure> {
        let mut over = Vec::new();
        if self.goes_ahead {
            self.go_ahead(led);
        }
        for position in 0..self.sms.len() {
            let index = self.in_turn(position);
            if self.sm_wakes[index] > self.now {
                continue;
            }
            if !self.goes_ahead {
                self.step(index);
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
        self.pass_requests();
        self.now += 1;
        self.end(&mut over);
        if !self.dispatcher.is_done() {
            let (sms, classes) = (&self.sms, &self.classes);
            // A block cannot start on an SM that has already simulated later cycles.
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

    /// Returns the simulated SM at `position` in the order of this cycle. The SMs of a cluster share a port of the
    /// crossbar. In each cycle, another SM sends first, as in GPGPU-Sim (`-gpgpu_simt_core_sim_order 1`).
    fn in_turn(&self, position: usize) -> usize {
        let count = self.machine.sms_per_cluster as usize;
        if count == 1 || self.classes.shares() {
            return position;
        }
        let core = (position % count + (self.now % count as u64) as usize) % count;
        position - position % count + core
    }

    /// Returns whether all blocks of all kernels that do not repeat have ended.
    fn is_through(&self) -> bool {
        self.dispatcher.is_over()
    }

    fn finish(mut self) -> Results {
        for sm in &mut self.sms {
            sm.sleep_until(self.now);
        }
        for (kernel, result) in self.kernels.iter().zip(&mut self.results.kernels) {
            if result.ended < kernel.blocks {
                result.window.clear();
            }
        }
        let sms = self
            .classes
            .each()
            .map(|(sm, simulated)| (sm, &self.sms[simulated]));
        self.results.clients = self.below.clients.results();
        let held = self.ports.iter().map(|port| port.held(self.now));
        self.results
            .finish(self.now, sms, &self.below.slices, &self.below.meter, held)
    }
}

#[cfg(test)]
mod tests;
