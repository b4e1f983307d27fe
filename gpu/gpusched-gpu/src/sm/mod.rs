//! A streaming multiprocessor (SM), simulated cycle by cycle. Each cycle has five steps: write
//! back, execute, read operands, issue and fetch.

mod blocks;
mod facts;
mod flight;
mod operands;
mod stages;
mod warp_states;
mod warps;
mod writes;

pub use blocks::{BlockStart, EndedBlock};
pub use stages::issue::{IssueEvent, Stalls};
pub use stages::pipeline_registers::{FEW_SCHEDULERS, MAX_SCHEDULERS};

use self::blocks::Block;
use self::facts::FactsTable;
use self::facts::Unit;
use self::flight::{FlightId, Flights, NONE};
use self::stages::collector::Collectors;
use self::stages::load_store::{LoadStore, LoadStoreParameters};
use self::stages::pipeline_registers::{PipelineRegisters, lowest};
use self::stages::units::Pipelines;
use self::warps::Warps;
use super::code::Effect;
use super::memory::Outbox;
use crate::machine::MachineShape;
use crate::memory::cache::{Cache, Counts, Geometry};
use crate::memory::request::Request;
use gpusched_sim::warps::policy::{AnyPolicy, Policy as _};

/// A simulated streaming multiprocessor (SM).
#[derive(Clone)]
pub struct Sm {
    /// Number of the SM.
    pub number: u16,
    machine: std::sync::Arc<MachineShape>,
    warps: Warps,
    policies: Vec<AnyPolicy>,
    flights: Flights,
    /// Issued instructions that wait for an operand collector.
    issued: PipelineRegisters,
    collectors: Collectors,
    /// Instructions that have all operands and wait for a unit.
    collected: PipelineRegisters,
    pipelines: Pipelines,
    /// First instruction in the list of instructions whose results are written back in the next
    /// cycle.
    results: FlightId,
    load_store: LoadStore,
    /// Slot of the warp whose next instructions the SM has fetched but not yet decoded.
    fetched: Option<usize>,
    last_fetched: usize,
    /// Whether the SM must call the policies even in cycles when no warp can issue.
    sees_idle_cycles: bool,
    /// Scheduler that issues first in the next cycle.
    turn: usize,
    /// Number of operand-collector steps per cycle.
    reads_per_bank: u32,
    /// Maximum number of instruction fetches per cycle.
    fetch_throughput: u32,
    blocks: Vec<Option<Block>>,
    /// Number of blocks that are resident on the SM.
    resident: usize,
    /// Kernel that issued an instruction for which the machine has no unit.
    pub without_unit: Option<usize>,
    /// Ended blocks that the dispatcher has not yet processed.
    pub ended: Vec<EndedBlock>,
    ages: u64,
    effect: Effect,
    /// Recorded issue events; `None` if the run does not record issues.
    pub record: Option<Vec<IssueEvent>>,
    /// Outcomes of all scheduler cycles, counted by kind.
    pub stalls: Stalls,
    /// For each kernel, two numbers of issued instructions: counted once per warp, and counted once per thread.
    pub instructions: Vec<(u64, u64)>,
    /// First core cycle that is not yet simulated.
    clock: u64,
}

impl Sm {
    /// Creates an empty SM.
    pub fn new(
        number: u16,
        machine: &std::sync::Arc<MachineShape>,
        l1: Geometry,
        policies: Vec<AnyPolicy>,
    ) -> Self {
        let sm = &machine.sm;
        let schedulers = sm.schedulers as usize;
        let facts = FactsTable::new(sm);
        let generic = &sm.register_file.generic;
        let parameters = LoadStoreParameters {
            sm: number,
            l1: machine.l1.clone(),
            skip_l1: machine.l1.skip_global || machine.l1.cache.is_none(),
            shared_latency: u64::from(machine.shared_memory.latency),
            responses: machine.interconnect.response_buffer as usize,
        };
        Self {
            number,
            sees_idle_cycles: policies.iter().any(AnyPolicy::sees_idle_cycles),
            policies,
            flights: Flights::default(),
            issued: PipelineRegisters::new(&Unit::port_order(sm), schedulers),
            collectors: Collectors::new(
                generic.units as usize,
                generic.in_ports as usize,
                generic.out_ports as usize,
                sm.register_file.banks as usize,
                schedulers,
            ),
            collected: PipelineRegisters::new(&Unit::work_order(sm), schedulers),
            pipelines: Pipelines::new(facts.longest(), sm.widths.ex_wb),
            results: NONE,
            load_store: LoadStore::new(parameters, Cache::new(l1)),
            fetched: None,
            last_fetched: 0,
            turn: 0,
            reads_per_bank: sm.register_file.reads_per_bank,
            fetch_throughput: sm.fetch_throughput,
            warps: Warps::new(sm.warps() as usize, schedulers, facts),
            blocks: (0..sm.blocks).map(|_| None).collect(),
            resident: 0,
            without_unit: None,
            ended: Vec::new(),
            ages: 0,
            effect: Effect::default(),
            record: None,
            stalls: Stalls::default(),
            instructions: Vec::new(),
            clock: 0,
            machine: machine.clone(),
        }
    }

    /// Returns the numbers of accesses to L1 and of misses in L1.
    pub fn l1_counts(&self) -> Counts {
        self.load_store.l1.counts
    }

    /// Invalidates all lines of the L1 cache.
    pub fn invalidate_l1(&mut self) {
        self.load_store.l1.invalidate();
    }

    /// Replaces the L1 cache by an empty cache of another size. The SM must have no blocks.
    pub fn resize_l1(&mut self, l1: Geometry) {
        self.load_store.l1.resize(l1);
    }

    /// Returns whether the SM can accept another reply from the memory system.
    pub fn accepts(&self) -> bool {
        self.load_store.accepts()
    }

    /// Delivers a reply from the memory system.
    pub fn answer(&mut self, response: Request) {
        self.load_store.responses.push_back(response);
    }

    /// Returns whether a block ended in the last cycle, or the SM has no unit for an instruction. The GPU must handle
    /// these events.
    pub fn stops(&self) -> bool {
        !self.ended.is_empty() || self.without_unit.is_some()
    }

    /// Returns whether the SM has no blocks.
    pub fn is_empty(&self) -> bool {
        self.resident == 0
    }

    /// Returns the next cycle when the SM may be active, if no reply and no block arrives.
    /// Returns `None` if the SM has no future work.
    pub fn wakes_at(&self, now: u64) -> Option<u64> {
        let busy = !self.warps.hungry.or(self.warps.finished).is_empty()
            || self.fetched.is_some()
            || !self.pipelines.is_empty()
            || !self.issued.is_empty()
            || !self.collected.is_empty()
            || !self.collectors.is_empty()
            || self.warps.states.can_act()
            || self.warps.fence_over && !self.is_empty();
        if busy {
            Some(now)
        } else {
            self.load_store.wakes_at(now)
        }
    }

    /// Skips the cycles before `now`. The SM must be inactive in the skipped cycles.
    pub fn sleep_until(&mut self, now: u64) {
        let cycles = now.saturating_sub(self.clock);
        if cycles == 0 {
            return;
        }
        self.clock = now;
        if self.is_empty() {
            return;
        }
        self.turn = (self.turn + (cycles % self.policies.len() as u64) as usize) % self.policies.len();
        for (policy, pool) in self.policies.iter_mut().zip(&self.warps.pools) {
            policy.rest(pool, cycles);
        }
        self.count_idle(cycles);
    }

    /// Simulates cycle `now`. An SM without blocks does nothing.
    pub fn cycle(&mut self, now: u64, out: &mut Outbox) {
        self.sleep_until(now);
        self.clock = now + 1;
        if self.is_empty() {
            return;
        }
        self.write_back();
        self.execute(now, out);
        for _ in 0..self.reads_per_bank {
            self.collectors
                .step(&mut self.flights, &mut self.issued, &mut self.collected);
        }
        self.issue(now);
        for _ in 0..self.fetch_throughput {
            if let Some(slot) = self.fetched.take() {
                self.warps.decode(slot);
            }
            if self.warps.hungry.or(self.warps.finished).is_empty() {
                break;
            }
            self.fetch(now);
        }
    }

    fn write_back(&mut self) {
        let mut next = std::mem::replace(&mut self.results, NONE);
        while next != NONE {
            let id = next;
            let flight = self.flights.get(id);
            next = flight.next;
            let slot = flight.slot;
            for index in 0..flight.writes.len() {
                let register = flight.writes.bank(index);
                let bank = self.collectors.bank(register, slot, flight.scheduler as usize);
                if !self.collectors.write(bank) {
                    break;
                }
            }
            self.warps.release(slot as usize, &flight.written);
            self.warps.left_pipeline(slot as usize);
            self.flights.end(id);
            self.pipelines.left();
        }
    }

    fn execute(&mut self, now: u64, out: &mut Outbox) {
        if !self.pipelines.is_empty() {
            self.results = self.pipelines.leave(now);
        }
        let load_store = self.collected.last();
        let places = (1_u64 << load_store) - 1;
        let mut bits = self.collected.taken() & places;
        while bits != 0 {
            let place = lowest(&mut bits);
            let id = self.collected.at(place);
            if self.pipelines.take(place, id, &mut self.flights, now) {
                self.collected.clear(place);
            }
        }
        self.load_store
            .cycle(now, &mut self.flights, &mut self.warps, &mut self.collectors, out);
        if self.collected.taken() & !places != 0
            && self.load_store.is_free()
            && let Some(place) = self.collected.oldest(load_store)
        {
            self.load_store.take(self.collected.at(place));
            self.collected.clear(place);
        }
    }

    /// Fetches instructions for the next warp whose buffer is empty. The search for this warp also removes the finished
    /// warps that it passes.
    fn fetch(&mut self, now: u64) {
        // The search starts after the warp of the last fetch, and then continues from slot 0.
        for mut from in [self.last_fetched + 1, 0] {
            while let Some(slot) = self.warps.hungry.or(self.warps.finished).from(from).lowest() {
                from = slot + 1;
                if self.warps.finished.contains(slot) {
                    self.retire(slot, now);
                }
                if self.warps.hungry.contains(slot) {
                    self.fetched = Some(slot);
                    self.last_fetched = slot;
                    return;
                }
            }
        }
    }
}
