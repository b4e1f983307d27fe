//! A whole GPU at the warp level: clusters of SMs, a crossbar, slices of L2, DRAM channels; and the blocks of kernels.

mod ahead;
mod alike;
mod clocks;
mod dispatch;
mod failure;
mod geometry;
mod kernel;
mod program;
mod results;
mod sample;
mod starts;
mod supported;
mod traced;
mod wakes;

use std::sync::Arc;

use self::ahead::Ahead;
use self::alike::Classes;
pub use self::alike::{UnlikeKernel, run_equal_once, stay_equal};
use self::clocks::{Domain, Edges};
use self::dispatch::Dispatcher;
pub use self::failure::Failure;
pub use self::kernel::{Launch, Source};
pub use self::results::{BlockRecord, KernelResult, Results, Traffic};
use self::sample::Untouched;
pub(super) use self::sample::run_until;
use self::wakes::{NEVER, Wakes};
use super::memory::{Crossbar, Partition, PartitionParameters, Place, Ports, Slice};
use super::policy;
use super::request::{LINE, Request};
use super::ring::Ring;
use super::sm::Sm;
pub use super::sm::{IssueEvent, Stalls};
use crate::model::Scheduler;
use crate::model::machine::{Decoder, Machine, MachineShape};

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
    replies: Crossbar<Request>,
    /// Per cluster.
    responses: Vec<Ring<Request>>,
    slices: Vec<Slice>,
    slice_wakes: Wakes,
    partitions: Vec<Partition>,
    partition_wakes: Wakes,
    /// Clusters with responses.
    responding: Ports,
    /// Slices with replies.
    replying: Ports,
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
    /// `shares`: SMs that are equal are simulated once, which must be known to be sound.
    fn new(
        machine: &Machine,
        kernels: &'a [Launch],
        settings: &Settings,
        shares: bool,
    ) -> Result<Self, Failure> {
        let mut shape = machine.clone().into_shape();
        if let Some(sms) = settings.sms {
            shape.clusters = sms.div_ceil(shape.sms_per_cluster).clamp(1, shape.clusters);
        }
        supported::machine(&shape)?;
        supported::kernels(&shape, kernels)?;
        let machine = Arc::new(shape);
        let decoder = machine.memory.decoder();
        let clusters = machine.clusters as usize;
        let per_cluster = machine.sms_per_cluster as usize;
        let budgets: Vec<u32> = kernels.iter().map(|kernel| kernel.budget).collect();
        let shared = |kernel: &Launch| {
            machine
                .blocks_per_sm(&kernel.need)
                .saturating_mul(kernel.need.shared_bytes)
        };
        let l1 = geometry::l1(&machine, kernels.iter().map(shared).max().unwrap_or(0));
        let classes = match shares {
            true => Classes::one(clusters * per_cluster),
            false => Classes::single(clusters * per_cluster),
        };
        let mut sms: Vec<Sm> = (0..classes.simulated())
            .map(|sm| {
                let policies = (0..machine.sm.schedulers)
                    .map(|first| policy::of_slots_from(first as usize, settings.scheduler, &budgets))
                    .collect();
                Sm::new(sm as u16, &machine, l1.clone(), policies)
            })
            .collect();
        if settings.record_issues {
            for sm in &mut sms {
                sm.record = Some(Vec::new());
            }
        }
        let slices = machine.memory.slices() as usize;
        let net = &machine.interconnect;
        let (inputs, outputs) = (net.input_buffer as usize, net.output_buffer as usize);
        let l2 = geometry::l2(&machine, &decoder);
        let parameters = PartitionParameters {
            slices: machine.memory.slices_per_channel as usize,
            dram: machine.memory.dram,
            dram_latency: u64::from(machine.memory.dram_latency),
        };
        let mut gpu = Self {
            edges: Edges::new(&machine.clocks),
            sm_wakes: vec![NEVER; sms.len()],
            ahead: sms.iter().map(|_| Ahead::new()).collect(),
            goes_ahead: false,
            sms,
            classes,
            requests: Crossbar::new(clusters, slices, inputs, outputs, net.arbiter),
            replies: Crossbar::new(slices, clusters, inputs, outputs, net.arbiter),
            responses: vec![Ring::new(); clusters],
            slices: (0..slices)
                .map(|_| {
                    Slice::new(
                        l2.clone(),
                        u64::from(machine.memory.rop_latency),
                        machine.memory.queues,
                    )
                })
                .collect(),
            slice_wakes: Wakes::new(slices),
            partitions: (0..machine.memory.channels)
                .map(|_| Partition::new(&parameters))
                .collect(),
            partition_wakes: Wakes::new(machine.memory.channels as usize),
            responding: Ports::default(),
            replying: Ports::default(),
            dispatcher: Dispatcher::new(clusters, per_cluster, kernels),
            now: 0,
            skips: true,
            results: Results::new(kernels),
            enough: usize::MAX,
            untouched: None,
            kernels,
            decoder,
            machine,
        };
        gpu.warm(&settings.warm);
        Ok(gpu)
    }

    /// Buffers come into L2, as a copy before the kernels would bring them: ascending, the sectors of a line together where
    /// they are in one slice.
    fn warm(&mut self, buffers: &[(u64, u64)]) {
        for &(start, bytes) in buffers {
            let end = start.saturating_add(bytes);
            let mut line = start & !(LINE - 1);
            while line < end {
                self.warm_line(line, start, end);
                line += LINE;
            }
        }
    }

    fn run(&mut self, limit: u64, watch: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        let mut next_watch = WATCH;
        self.goes_ahead = self.may_go_ahead();
        loop {
            if self.skips {
                self.edges.pass_dram(self.partition_wakes.earliest());
            }
            let ticks = self.edges.advance();
            if ticks[Domain::Core as usize] {
                self.take_responses();
            }
            if ticks[Domain::Interconnect as usize] {
                self.send_replies();
            }
            if ticks[Domain::Dram as usize] {
                self.dram_cycle();
            }
            if ticks[Domain::L2 as usize] {
                self.l2_cycle();
            }
            if ticks[Domain::Interconnect as usize] {
                self.requests.advance();
                self.replies.advance();
            }
            if ticks[Domain::Core as usize] {
                self.core_cycle()?;
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
                self.skip(limit)?;
            }
        }
    }

    fn take_responses(&mut self) {
        let places = self.machine.interconnect.ejection_buffer as usize;
        for cluster in self.responding.with(self.replies.filled()).iter() {
            let responses = &mut self.responses[cluster];
            if let Some(&response) = responses.front() {
                let sm = response.sm as usize;
                let ahead = &mut self.ahead[sm];
                if ahead.until > self.now {
                    if ahead.took(self.now) {
                        responses.pop_front();
                    }
                } else if self.sms[sm].accepts() {
                    responses.pop_front();
                    self.sms[sm].answer(response);
                    self.sm_wakes[sm] = self.now;
                }
            }
            if responses.len() < places
                && let Some(reply) = self.replies.pop(cluster)
            {
                responses.push_back(reply);
            }
            self.responding.set(cluster, !responses.is_empty());
        }
    }

    fn send_replies(&mut self) {
        let per_cluster = self.machine.sms_per_cluster as u16;
        for index in self.replying.iter() {
            let slice = &mut self.slices[index];
            if self.replies.has_room(index)
                && let Some(reply) = slice.outgoing.pop_front()
            {
                self.replies.push(index, reply.sm / per_cluster, reply);
            }
            self.replying.set(index, !slice.outgoing.is_empty());
        }
    }

    fn dram_cycle(&mut self) {
        let tick = self.edges.count(Domain::Dram);
        let due = self.partition_wakes.due(tick);
        if due.is_empty() {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        let decoder = &self.decoder;
        let clocks = &self.machine.clocks;
        let ticks = |cycles| clocks::edges_before(cycles, clocks.core_khz, clocks.dram_khz);
        for channel in due.iter() {
            let partition = &mut self.partitions[channel];
            let first = channel * per_channel;
            let slices = &mut self.slices[first..first + per_channel];
            if !self.skips {
                partition.wake();
            } else if partition.is_quiet(self.now, tick)
                && slices.iter().all(|slice| slice.to_dram.is_empty())
            {
                continue;
            }
            partition.cycle(slices, first, self.now, tick, |address| {
                let location = decoder.locate(address);
                Place {
                    bank: location.bank,
                    row: location.row,
                }
            });
            let mut busy = !self.skips;
            for (index, slice) in slices.iter().enumerate() {
                busy |= !slice.to_dram.is_empty();
                if !slice.from_dram.is_empty() {
                    self.slice_wakes.set(first + index, self.now, self.now);
                }
            }
            let wake = match busy {
                true => 0,
                false => partition.wakes_at(self.now, tick, ticks).unwrap_or(NEVER),
            };
            self.partition_wakes.set(channel, wake, tick + 1);
        }
    }

    fn l2_cycle(&mut self) {
        let arriving = self.requests.filled();
        let due = self.slice_wakes.due(self.now);
        let both = arriving.with(due);
        if both.is_empty() {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        for index in both.iter() {
            if arriving.contains(index)
                && self.slices[index].accepts()
                && let Some(request) = self.requests.pop(index)
            {
                if self.untouched.is_some() {
                    self.touch(request.address);
                }
                let slice = &mut self.slices[index];
                slice.push(request, self.now);
                let wake = slice.wakes_at(self.now).unwrap_or(NEVER);
                self.slice_wakes.set_earlier(index, wake, self.now);
            }
            if self.slice_wakes.is_due(index, self.now) {
                let slice = &mut self.slices[index];
                slice.cycle(self.now);
                let wake = slice.wakes_at(self.now + 1).unwrap_or(NEVER);
                self.slice_wakes.set(index, wake, self.now + 1);
                self.replying.set(index, !slice.outgoing.is_empty());
                if !slice.to_dram.is_empty() {
                    let channel = index / per_channel;
                    self.partition_wakes.set(channel, 0, 0);
                }
            }
        }
    }

    fn core_cycle(&mut self) -> Result<(), Failure> {
        let mut over = Vec::new();
        for index in 0..self.sms.len() {
            if self.sm_wakes[index] > self.now {
                continue;
            }
            if self.ahead[index].until <= self.now {
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

    /// Goes on to the next cycle in which something can happen.
    fn skip(&mut self, limit: u64) -> Result<(), Failure> {
        let now = self.now;
        if self.sm_wakes.iter().any(|&at| at <= now)
            || !self.requests.is_empty()
            || !self.replies.is_empty()
            || !self.responding.is_empty()
            || !self.replying.is_empty()
        {
            return Ok(());
        }
        let launch = self.dispatcher.next_launch(now, self.kernels).map(|at| at - 1);
        let next = self.sm_wakes.iter().copied().chain(launch);
        let next = next.chain([self.dram_wakes_at(), self.slice_wakes.earliest()]);
        let next = next.min().unwrap_or(NEVER);
        if next == NEVER {
            return Err(Failure::Deadlock { cycle: now });
        }
        if next > limit {
            return Err(Failure::Limit { cycles: limit });
        }
        if self.skips && next > now + 1 {
            self.edges.skip_to(next);
            self.now = next;
        }
        Ok(())
    }

    /// The core cycle from which on something can happen in some partition, or an earlier one.
    fn dram_wakes_at(&self) -> u64 {
        let clocks = &self.machine.clocks;
        match self.partition_wakes.earliest() {
            NEVER => NEVER,
            wake => {
                let ticks = wake.saturating_sub(self.edges.count(Domain::Dram));
                self.now + clocks::edges_before(ticks, clocks.dram_khz, clocks.core_khz)
            }
        }
    }

    fn finish(mut self) -> Results {
        for sm in &mut self.sms {
            sm.sleep_until(self.now);
        }
        let sms = self
            .classes
            .each()
            .map(|(sm, simulated)| (sm, &self.sms[simulated]));
        self.results.finish(self.now, sms, &self.slices, &self.partitions)
    }
}

#[cfg(test)]
mod tests;
