//! A streaming multiprocessor, cycle by cycle: write back, execute, read operands, issue, fetch.

mod blocks;
mod coalescing;
mod collector;
mod facts;
mod flight;
mod issue;
mod load_store;
mod operands;
mod pipeline_registers;
mod units;
mod warps;

pub use blocks::{BlockStart, EndedBlock};
use flight::Unit;
pub use issue::{IssueEvent, Stalls};

use self::blocks::Block;
use self::collector::Collectors;
use self::facts::FactsTable;
use self::flight::{FlightId, Flights};
use self::load_store::{LoadStore, LoadStoreParameters};
use self::pipeline_registers::{LANES, PipelineRegisters};
use self::units::{Pipeline, ResultBuses};
use self::warps::Warps;
use super::cache::{Cache, Counts, Geometry};
use super::code::Effect;
use super::memory::Crossbar;
use super::policy::AnyPolicy;
use super::request::Request;
use crate::model::machine::MachineShape;

/// An SM.
#[derive(Clone)]
pub struct Sm {
    /// Its number.
    pub number: u16,
    machine: std::sync::Arc<MachineShape>,
    warps: Warps,
    policies: Vec<AnyPolicy>,
    flights: Flights,
    /// Issued, not yet in a collector.
    issued: PipelineRegisters,
    collectors: Collectors,
    /// Collected, not yet in a unit.
    collected: PipelineRegisters,
    /// By unit, then scheduler.
    pipelines: Vec<Pipeline>,
    /// Pipelines with something inside, one bit each, as the pipeline registers.
    working: u64,
    buses: ResultBuses,
    /// Results to be written back in the next cycle.
    results: Vec<FlightId>,
    load_store: LoadStore,
    /// Fetched, not yet decoded.
    fetched: Option<usize>,
    last_fetched: usize,
    /// Policies are to be told of cycles in which no warp can issue.
    sees_idle_cycles: bool,
    /// The scheduler that issues first.
    turn: usize,
    blocks: Vec<Option<Block>>,
    /// Blocks that are here.
    resident: usize,
    /// A kernel that issued an instruction for which the machine has no unit.
    pub without_unit: Option<usize>,
    /// Blocks that ended, for the dispatcher.
    pub ended: Vec<EndedBlock>,
    ages: u64,
    effect: Effect,
    /// Issues, if they are recorded.
    pub record: Option<Vec<IssueEvent>>,
    /// Counted per cycle and scheduler.
    pub stalls: Stalls,
    /// Instructions issued, by kernel: warp instructions, thread instructions.
    pub instructions: Vec<(u64, u64)>,
    /// The cycle up to which the SM has been simulated.
    clock: u64,
}

impl Sm {
    /// An empty SM.
    pub fn new(
        number: u16,
        port: usize,
        machine: &std::sync::Arc<MachineShape>,
        l1: Geometry,
        policies: Vec<AnyPolicy>,
    ) -> Self {
        let sm = &machine.sm;
        let schedulers = sm.schedulers as usize;
        let latency = sm.times.longest() as usize;
        let generic = &sm.register_file.generic;
        let parameters = LoadStoreParameters {
            sm: number,
            port,
            l1: machine.l1.clone(),
            skip_l1: machine.l1.skip_global || machine.l1.cache.is_none(),
            shared_latency: u64::from(machine.shared_memory.latency),
            responses: machine.interconnect.response_buffer as usize,
        };
        Self {
            number,
            warps: Warps::new(sm.warps() as usize, schedulers, FactsTable::new(sm)),
            sees_idle_cycles: policies.iter().any(AnyPolicy::sees_idle_cycles),
            policies,
            flights: Flights::default(),
            issued: PipelineRegisters::new(),
            collectors: Collectors::new(
                generic.units as usize,
                generic.in_ports as usize,
                generic.out_ports as usize,
                sm.register_file.banks as usize,
                schedulers,
            ),
            collected: PipelineRegisters::new(),
            pipelines: (0..Unit::PIPELINES.len() * schedulers)
                .map(|_| Pipeline::default())
                .collect(),
            working: 0,
            buses: ResultBuses::new(sm.widths.ex_wb, latency),
            results: Vec::new(),
            load_store: LoadStore::new(parameters, Cache::new(l1)),
            fetched: None,
            last_fetched: 0,
            turn: 0,
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

    /// Requests that L1 took and missed.
    pub fn l1_counts(&self) -> Counts {
        self.load_store.l1.counts
    }

    /// Forgets the contents of L1.
    pub fn invalidate_l1(&mut self) {
        self.load_store.l1.invalidate();
    }

    /// Whether the SM takes another answer of the memory system.
    pub fn accepts(&self) -> bool {
        self.load_store.accepts()
    }

    /// An answer of the memory system.
    pub fn answer(&mut self, response: Request) {
        self.load_store.responses.push_back(response);
    }

    /// No block is here.
    pub fn is_empty(&self) -> bool {
        self.resident == 0
    }

    /// The cycle in which something can happen here without an answer or a new block; `None`: never.
    pub fn wakes_at(&self, now: u64) -> Option<u64> {
        let busy = self.warps.hungry != 0
            || self.warps.finished != 0
            || self.fetched.is_some()
            || self.working != 0
            || !self.results.is_empty()
            || !self.issued.is_empty()
            || !self.collected.is_empty()
            || !self.collectors.is_empty()
            || self.warps.can_issue != 0;
        if busy {
            Some(now)
        } else {
            self.load_store.wakes_at(now)
        }
    }

    /// Cycles up to `now` in which nothing could happen go by.
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
        for scheduler in &self.warps.schedulers {
            if scheduler.waiting.is_empty() {
                self.stalls.idle += cycles;
            } else {
                self.stalls.scoreboard += cycles;
            }
        }
    }

    /// Cycle `now`. An SM without blocks does nothing.
    pub fn cycle(&mut self, now: u64, net: &mut Crossbar<Request>, slice: &dyn Fn(u64) -> u16) {
        self.sleep_until(now);
        self.clock = now + 1;
        if self.is_empty() {
            return;
        }
        self.write_back();
        self.execute(now, net, slice);
        for _ in 0..self.machine.sm.register_file.reads_per_bank {
            self.collectors
                .step(&mut self.flights, &mut self.issued, &mut self.collected);
        }
        self.issue(now);
        for _ in 0..self.machine.sm.fetch_throughput {
            if let Some(slot) = self.fetched.take() {
                self.warps.decode(slot);
            }
            if (self.warps.hungry | self.warps.finished) == 0 {
                break;
            }
            self.fetch(now);
        }
    }

    fn write_back(&mut self) {
        for index in 0..self.results.len() {
            let id = self.results[index];
            let flight = self.flights.get(id);
            let slot = flight.slot;
            for register in &flight.writes {
                let bank = self
                    .collectors
                    .bank(register.bank, slot, flight.scheduler as usize);
                if !self.collectors.write(bank) {
                    break;
                }
            }
            self.warps.release(slot as usize, &flight.writes);
            self.warps.left_pipeline(slot as usize);
            self.flights.end(id);
        }
        self.results.clear();
    }

    fn execute(&mut self, now: u64, net: &mut Crossbar<Request>, slice: &dyn Fn(u64) -> u16) {
        let schedulers = self.policies.len();
        let places = (1_u64 << (Unit::PIPELINES.len() * LANES)) - 1;
        let mut bits = (self.working | self.collected.taken()) & places;
        while bits != 0 {
            let index = bits.trailing_zeros() as usize;
            let bit = bits & bits.wrapping_neg();
            bits &= bits - 1;
            let pipeline = &mut self.pipelines[index / LANES * schedulers + index % LANES];
            if self.working & bit != 0
                && let Some(result) = pipeline.cycle(now)
            {
                self.results.push(result);
            }
            if self.collected.taken() & bit != 0 {
                let id = self.collected.at(index);
                let flight = self.flights.get(id);
                if pipeline.take(id, flight.latency, flight.initiation, now, &mut self.buses) {
                    self.collected.clear(index);
                }
            }
            if pipeline.is_empty() {
                self.working &= !bit;
            } else {
                self.working |= bit;
            }
        }
        self.load_store.cycle(
            now,
            &mut self.flights,
            &mut self.warps,
            &mut self.collectors,
            net,
            slice,
        );
        if self.collected.taken() & !places != 0
            && self.load_store.is_free()
            && let Some((place, _)) = self.collected.oldest(Unit::Mem)
        {
            self.load_store.take(self.collected.at(place));
            self.collected.clear(place);
        }
    }

    /// Fetches for the next warp without instructions; warps that are through leave on the way to it.
    fn fetch(&mut self, now: u64) {
        let mut later = u64::MAX.checked_shl(self.last_fetched as u32 + 1).unwrap_or(0);
        // Those after the last one fetched for, then from the first.
        for _ in 0..2 {
            loop {
                let bits = (self.warps.hungry | self.warps.finished) & later;
                if bits == 0 {
                    break;
                }
                let slot = bits.trailing_zeros() as usize;
                later &= !(bits & bits.wrapping_neg());
                if self.warps.finished >> slot & 1 == 1 {
                    self.retire(slot, now);
                }
                if self.warps.hungry >> slot & 1 == 1 {
                    self.fetched = Some(slot);
                    self.last_fetched = slot;
                    return;
                }
            }
            if (self.warps.hungry | self.warps.finished) == 0 {
                return;
            }
            later = u64::MAX;
        }
    }
}
