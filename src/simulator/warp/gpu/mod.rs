//! A whole GPU at the warp level: clusters of SMs, a crossbar, slices of L2, DRAM channels; and the blocks of kernels.

mod clocks;
mod dispatch;
mod kernel;
mod program;
mod results;
mod traced;

use std::collections::VecDeque;
use std::sync::Arc;

use self::clocks::{Domain, Edges};
use self::dispatch::Dispatcher;
pub use self::kernel::{Launch, Source};
pub use self::results::{BlockRecord, KernelResult, Results, Traffic};
use super::cache::{Geometry, Index, Writes};
use super::memory::{Crossbar, Partition, PartitionParameters, Place, Slice};
use super::policy;
use super::request::Request;
use super::sm::Sm;
pub use super::sm::{IssueEvent, Stalls};
use crate::model::Scheduler;
use crate::model::machine::{
    Cache, Decoder, Machine, MachineShape, Replacement, WriteAllocation, WritePolicy,
};

/// Why a simulation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine has something that is not simulated.
    #[error("the machine's {field} is {found}; simulated: {expected}")]
    Unsupported {
        /// Field of the machine.
        field: &'static str,
        /// What it says.
        found: String,
        /// What can be simulated.
        expected: &'static str,
    },
    /// A kernel's block does not fit on an SM.
    #[error("kernel {kernel:?}: a block of {threads} threads does not fit on an SM of the machine")]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// Its threads per block.
        threads: u32,
    },
    /// A kernel's instructions could not be had.
    #[error("kernel {kernel:?}: {message}")]
    Source {
        /// The kernel.
        kernel: String,
        /// Why.
        message: String,
    },
    /// Too long.
    #[error("not through after {cycles} cycles")]
    Limit {
        /// The limit.
        cycles: u64,
    },
    /// Nothing moves any more.
    #[error(
        "in cycle {cycle} nothing can go on: warps wait for a barrier that others of their block never reach"
    )]
    Deadlock {
        /// When.
        cycle: u64,
    },
}

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
    sms: Vec<Sm>,
    /// Per SM, the cycle from which on it has something to do.
    sm_wakes: Vec<u64>,
    requests: Crossbar<Request>,
    replies: Crossbar<Request>,
    /// Per cluster.
    responses: Vec<VecDeque<Request>>,
    slices: Vec<Slice>,
    slice_wakes: Vec<u64>,
    /// The first of them.
    l2_wake: u64,
    partitions: Vec<Partition>,
    /// Per partition, the core cycle from which on it has something to do; and the first of them.
    partition_wakes: Vec<u64>,
    dram_wake: u64,
    /// Clusters with responses, one bit each.
    responding: u128,
    /// Slices with replies, one bit each.
    replying: u128,
    dispatcher: Dispatcher,
    now: u64,
    /// Cycles in which nothing can happen are left out.
    skips: bool,
    results: Results,
}

const NEVER: u64 = u64::MAX;

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
    let mut gpu = Gpu::new(machine, kernels, settings)?;
    gpu.run(settings.limit, watch)?;
    Ok(gpu.finish())
}

/// Cycles between two calls of a watcher.
const WATCH: u64 = 1 << 16;

impl<'a> Gpu<'a> {
    fn new(machine: &Machine, kernels: &'a [Launch], settings: &Settings) -> Result<Self, Failure> {
        let mut shape = machine.clone().into_shape();
        if let Some(sms) = settings.sms {
            shape.clusters = sms.div_ceil(shape.sms_per_cluster).clamp(1, shape.clusters);
        }
        check(&shape)?;
        for kernel in kernels {
            if kernel.need.threads == 0 || shape.blocks_per_sm(&kernel.need) == 0 {
                return Err(Failure::TooLarge {
                    kernel: kernel.name.clone(),
                    threads: kernel.need.threads,
                });
            }
        }
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
        let l1 = l1_geometry(&machine, kernels.iter().map(shared).max().unwrap_or(0));
        let mut sms: Vec<Sm> = (0..clusters * per_cluster)
            .map(|sm| {
                let policies = (0..machine.sm.schedulers)
                    .map(|_| policy::of(settings.scheduler, &budgets))
                    .collect();
                Sm::new(sm as u16, sm / per_cluster, &machine, l1.clone(), policies)
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
        let l2 = l2_geometry(&machine, &decoder);
        let parameters = PartitionParameters {
            slices: machine.memory.slices_per_channel as usize,
            dram: machine.memory.dram,
            dram_latency: u64::from(machine.memory.dram_latency),
        };
        let mut gpu = Self {
            edges: Edges::new(&machine.clocks),
            sm_wakes: vec![NEVER; sms.len()],
            sms,
            requests: Crossbar::new(clusters, slices, inputs, outputs, net.arbiter),
            replies: Crossbar::new(slices, clusters, inputs, outputs, net.arbiter),
            responses: vec![VecDeque::new(); clusters],
            slices: (0..slices)
                .map(|_| {
                    Slice::new(
                        l2.clone(),
                        u64::from(machine.memory.rop_latency),
                        machine.memory.queues,
                    )
                })
                .collect(),
            slice_wakes: vec![NEVER; slices],
            l2_wake: NEVER,
            partitions: (0..machine.memory.channels)
                .map(|_| Partition::new(&parameters))
                .collect(),
            partition_wakes: vec![NEVER; machine.memory.channels as usize],
            dram_wake: NEVER,
            responding: 0,
            replying: 0,
            dispatcher: Dispatcher::new(clusters, per_cluster, kernels),
            now: 0,
            skips: true,
            results: Results::new(kernels),
            kernels,
            decoder,
            machine,
        };
        gpu.warm(&settings.warm);
        Ok(gpu)
    }

    /// Buffers come into L2, sector by sector, as a copy before the kernels would bring them.
    fn warm(&mut self, buffers: &[(u64, u64)]) {
        for &(start, bytes) in buffers {
            let mut address = start & !31;
            while address < start.saturating_add(bytes) {
                self.slices[self.decoder.slice(address) as usize].preload(address);
                address += 32;
            }
        }
    }

    fn run(&mut self, limit: u64, watch: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        let mut next_watch = WATCH;
        loop {
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
                if self.dispatcher.is_done() && self.sms.iter().all(Sm::is_empty) {
                    return Ok(());
                }
                if self.now >= limit {
                    return Err(Failure::Limit { cycles: limit });
                }
                if self.now >= next_watch {
                    next_watch = self.now.saturating_add(WATCH);
                    watch(self.now);
                }
                self.skip()?;
            }
        }
    }

    fn take_responses(&mut self) {
        let places = self.machine.interconnect.ejection_buffer as usize;
        for cluster in bits(self.responding | self.replies.filled()) {
            let responses = &mut self.responses[cluster];
            if let Some(&response) = responses.front() {
                let sm = response.sm as usize;
                if self.sms[sm].accepts() {
                    responses.pop_front();
                    self.sms[sm].answer(response);
                    self.sm_wakes[sm] = self.now;
                }
            }
            if responses.len() < places {
                responses.extend(self.replies.pop(cluster));
            }
            set(&mut self.responding, cluster, !responses.is_empty());
        }
    }

    fn send_replies(&mut self) {
        let per_cluster = self.machine.sms_per_cluster as u16;
        for index in bits(self.replying) {
            let slice = &mut self.slices[index];
            if self.replies.has_room(index)
                && let Some(reply) = slice.outgoing.pop_front()
            {
                self.replies.push(index, reply.sm / per_cluster, reply);
            }
            set(&mut self.replying, index, !slice.outgoing.is_empty());
        }
    }

    fn dram_cycle(&mut self) {
        if self.dram_wake > self.now {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        let tick = self.edges.count(Domain::Dram);
        self.dram_wake = NEVER;
        for (channel, partition) in self.partitions.iter_mut().enumerate() {
            let wake = &mut self.partition_wakes[channel];
            if *wake <= self.now {
                let first = channel * per_channel;
                let slices = &mut self.slices[first..first + per_channel];
                let decoder = &self.decoder;
                partition.cycle(slices, first, self.now, tick, |address| {
                    let location = decoder.locate(address);
                    Place {
                        bank: location.bank,
                        row: location.row,
                    }
                });
                let waiting = slices.iter().any(|slice| !slice.to_dram.is_empty());
                *wake = if waiting {
                    self.now
                } else {
                    partition.wakes_at(self.now).unwrap_or(NEVER)
                };
                for (index, slice) in slices.iter().enumerate() {
                    if !slice.from_dram.is_empty() {
                        self.slice_wakes[first + index] = self.now;
                        self.l2_wake = self.now;
                    }
                }
            }
            self.dram_wake = self.dram_wake.min(*wake);
        }
    }

    fn l2_cycle(&mut self) {
        let per_channel = self.machine.memory.slices_per_channel as usize;
        let mut arriving = self.requests.filled();
        if arriving == 0 && self.l2_wake > self.now {
            return;
        }
        self.l2_wake = NEVER;
        for (index, slice) in self.slices.iter_mut().enumerate() {
            if arriving & 1 == 1
                && slice.accepts()
                && let Some(request) = self.requests.pop(index)
            {
                slice.push(request, self.now);
                let wake = slice.wakes_at(self.now).unwrap_or(NEVER);
                self.slice_wakes[index] = self.slice_wakes[index].min(wake);
            }
            arriving >>= 1;
            if self.slice_wakes[index] <= self.now {
                slice.cycle(self.now);
                self.slice_wakes[index] = slice.wakes_at(self.now + 1).unwrap_or(NEVER);
                set(&mut self.replying, index, !slice.outgoing.is_empty());
                if !slice.to_dram.is_empty() {
                    self.partition_wakes[index / per_channel] = self.now;
                    self.dram_wake = self.now;
                }
            }
            self.l2_wake = self.l2_wake.min(self.slice_wakes[index]);
        }
    }

    fn core_cycle(&mut self) -> Result<(), Failure> {
        let decoder = &self.decoder;
        let slice = |address: u64| decoder.slice(address) as u16;
        let mut emptied = Vec::new();
        for (index, sm) in self.sms.iter_mut().enumerate() {
            if self.sm_wakes[index] > self.now {
                continue;
            }
            sm.cycle(self.now, &mut self.requests, &slice);
            self.sm_wakes[index] = sm.wakes_at(self.now + 1).unwrap_or(NEVER);
            if !sm.ended.is_empty() {
                for ended in sm.ended.drain(..) {
                    self.dispatcher.give_back(index, &self.kernels[ended.kernel]);
                    let start = self.dispatcher.started(ended.kernel, ended.index);
                    self.results.ended(index, start, &ended);
                }
                emptied.push(index);
            }
        }
        self.now += 1;
        if !self.dispatcher.is_done() {
            let kernels = &mut self.results.kernels;
            for sm in
                self.dispatcher
                    .dispatch(&self.machine, &mut self.sms, self.kernels, kernels, self.now)?
            {
                self.sm_wakes[sm] = self.now;
                self.results.started(sm, &self.sms[sm]);
            }
        }
        if self.machine.l1.flush {
            let per_cluster = self.machine.sms_per_cluster as usize;
            for sm in emptied {
                let first = sm / per_cluster * per_cluster;
                if self.sms[first..first + per_cluster].iter().all(Sm::is_empty) {
                    for sm in &mut self.sms[first..first + per_cluster] {
                        sm.invalidate_l1();
                    }
                }
            }
        }
        Ok(())
    }

    /// Goes on to the next cycle in which something can happen.
    fn skip(&mut self) -> Result<(), Failure> {
        let now = self.now;
        if self.sm_wakes.iter().any(|&at| at <= now)
            || !self.requests.is_empty()
            || !self.replies.is_empty()
            || self.responding != 0
            || self.replying != 0
        {
            return Ok(());
        }
        let launch = self.dispatcher.next_launch(now, self.kernels).map(|at| at - 1);
        let wakes = self.sm_wakes.iter().copied();
        let next = wakes
            .chain([self.dram_wake, self.l2_wake])
            .chain(launch)
            .min()
            .unwrap_or(NEVER);
        if next == NEVER {
            return Err(Failure::Deadlock { cycle: now });
        }
        if self.skips && next > now + 1 {
            self.edges.skip_to(next);
            self.now = next;
        }
        Ok(())
    }

    fn finish(mut self) -> Results {
        for sm in &mut self.sms {
            sm.sleep_until(self.now);
        }
        self.results
            .finish(self.now, &mut self.sms, &self.slices, &self.partitions)
    }
}

/// The numbers of the bits of `set`, ascending.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

fn set(set: &mut u128, index: usize, value: bool) {
    *set = *set & !(1 << index) | u128::from(value) << index;
}

fn check(machine: &MachineShape) -> Result<(), Failure> {
    let unsupported = |field, found: String, expected| {
        Err(Failure::Unsupported {
            field,
            found,
            expected,
        })
    };
    let sm = &machine.sm;
    if !sm.sub_cores {
        return unsupported("sm.sub_cores", "false".into(), "true");
    }
    if sm.schedulers > 8 || !sm.warps().is_multiple_of(sm.schedulers) {
        return unsupported(
            "sm.schedulers",
            sm.schedulers.to_string(),
            "at most 8, among whom the warps can be divided",
        );
    }
    let file = &sm.register_file;
    if !(file.banks / sm.schedulers).is_power_of_two() || file.banks > 64 || file.generic.units > 64 {
        return unsupported(
            "sm.register_file",
            format!("{} banks, {} collectors", file.banks, file.generic.units),
            "at most 64 of each, a power of two of banks per scheduler",
        );
    }
    if sm.issue_per_warp != 1 {
        return unsupported("sm.issue_per_warp", sm.issue_per_warp.to_string(), "1");
    }
    if sm.register_file.specialized.is_some() {
        return unsupported(
            "sm.register_file.specialized",
            "given".into(),
            "generic collectors only",
        );
    }
    if !sm.perfect_instruction_and_constant_caches {
        return unsupported(
            "sm.perfect_instruction_and_constant_caches",
            "false".into(),
            "true",
        );
    }
    if machine.l1.coalescing < 40 {
        return unsupported(
            "l1.coalescing",
            machine.l1.coalescing.to_string(),
            "40 or more (sectors of 32 bytes)",
        );
    }
    if machine.clusters as usize > Crossbar::<Request>::MAX_PORTS {
        return unsupported("clusters", machine.clusters.to_string(), "at most 128");
    }
    if machine.memory.slices() as usize > Crossbar::<Request>::MAX_PORTS {
        return unsupported(
            "memory",
            format!("{} slices", machine.memory.slices()),
            "at most 128 slices",
        );
    }
    if machine.interconnect.subnets != 2 {
        return unsupported(
            "interconnect.subnets",
            machine.interconnect.subnets.to_string(),
            "2",
        );
    }
    if let Some(l1) = &machine.l1.cache {
        check_cache(l1, WritePolicy::WriteThrough, "l1.cache")?;
    }
    check_cache(&machine.memory.l2, WritePolicy::WriteBack, "memory.l2")
}

fn check_cache(cache: &Cache, policy: WritePolicy, field: &'static str) -> Result<(), Failure> {
    let right = cache.sectored
        && cache.line_bytes == 128
        && cache.write_policy == policy
        && cache.write_allocation == WriteAllocation::LazyFetchOnRead;
    if right {
        return Ok(());
    }
    Err(Failure::Unsupported {
        field,
        found: format!("{cache:?}"),
        expected: "sectors, lines of 128 bytes, L1 write-through, L2 write-back, lazy fetch on read",
    })
}

fn geometry(cache: &Cache, index: Index, writes: Writes, dirty_percent: u64) -> Geometry {
    Geometry {
        sets: cache.sets as usize,
        ways: cache.ways as usize,
        index,
        fifo: cache.replacement == Replacement::Fifo,
        writes,
        mshr_entries: cache.mshr_entries as usize,
        mshr_merges: cache.mshr_merge as usize,
        miss_queue: cache.miss_queue as usize,
        port_bytes: u64::from(cache.port_bytes),
        dirty_percent,
    }
}

/// L1 beside `shared` bytes of shared memory; without an L1 nothing goes there.
fn l1_geometry(machine: &MachineShape, shared: u32) -> Geometry {
    let cache = machine.l1_beside(shared).unwrap_or(machine.memory.l2);
    let index = Index(Arc::new(move |address| cache.set(address) as usize));
    geometry(
        &cache,
        index,
        Writes::Through,
        u64::from(machine.l1.write_ratio_percent),
    )
}

fn l2_geometry(machine: &MachineShape, decoder: &Decoder) -> Geometry {
    let cache = machine.memory.l2;
    let decoder = decoder.clone();
    let index = Index(Arc::new(move |address| {
        cache.set(decoder.within_slice(address)) as usize
    }));
    geometry(&cache, index, Writes::Back, 0)
}

#[cfg(test)]
mod tests;
