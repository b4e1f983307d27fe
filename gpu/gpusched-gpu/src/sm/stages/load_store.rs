//! Load-store unit of an SM. The unit serves accesses to shared memory, accesses to L1, and
//! replies from L2.

use super::collector::Collectors;
use crate::code::Caching;
use crate::machine::L1;
use crate::memory::Outbox;
use crate::memory::cache::{Cache, Outcome};
use crate::memory::request::{Kind, Request};
use crate::memory::ring::Ring;
use crate::sm::facts::{Memory, SharedAccess};
use crate::sm::flight::{Access, FlightId, Flights};
use crate::sm::warps::Warps;

/// Parameters of the load-store unit.
#[derive(Debug, Clone)]
pub struct LoadStoreParameters {
    /// Number of the SM. Each request carries this number.
    pub sm: u16,
    /// Parameters of L1. Each bank accepts one sector per cycle.
    pub l1: L1,
    /// Whether global loads bypass L1.
    pub skip_l1: bool,
    /// Latency of shared memory [cycles].
    pub shared_latency: u64,
    /// Maximum number of replies that may wait in the unit.
    pub responses: usize,
}

/// Completed load or atomic whose registers are being written.
#[derive(Debug, Clone, Copy)]
struct Writeback {
    flight: FlightId,
    shared: bool,
}

/// Load-store unit of an SM.
#[derive(Debug, Clone)]
pub struct LoadStore {
    parameters: LoadStoreParameters,
    /// Instruction that the unit currently serves.
    serving: Option<FlightId>,
    /// Loads and atomics in the pipeline of shared memory. Each entry contains the first cycle when the registers can
    /// be written. The pipeline has one place per cycle of latency.
    shared: Ring<(u64, FlightId)>,
    /// Sectors on their way to the tags of each bank of L1. Each entry contains the cycle when
    /// the sector arrives.
    banks: Vec<Ring<(u64, Request)>>,
    /// Lower bound on the next cycle when a sector reaches the tags of L1.
    next_look_up: u64,
    /// Replies from the memory system that wait in the unit.
    pub responses: Ring<Request>,
    /// The L1 cache.
    pub l1: Cache,
    past_l1: Option<Request>,
    writeback: Option<Writeback>,
    turn: usize,
}

/// Number of sources of writebacks: shared memory, textures, constants, accesses that bypass L1, and L1.
const CLIENTS: usize = 5;

impl LoadStore {
    pub fn new(parameters: LoadStoreParameters, l1: Cache) -> Self {
        Self {
            banks: vec![Ring::new(); parameters.l1.banks as usize],
            next_look_up: u64::MAX,
            parameters,
            serving: None,
            shared: Ring::new(),
            responses: Ring::new(),
            l1,
            past_l1: None,
            writeback: None,
            turn: 0,
        }
    }

    /// Returns whether the unit can accept an instruction.
    pub fn is_free(&self) -> bool {
        self.serving.is_none()
    }

    /// Accepts an instruction.
    pub fn take(&mut self, flight: FlightId) {
        self.serving = Some(flight);
    }

    /// Returns whether the unit can accept another reply from the memory system.
    pub fn accepts(&self) -> bool {
        self.responses.len() < self.parameters.responses
    }

    /// Returns the next cycle when the unit may be active, if no reply arrives. Returns `None` if
    /// the unit is empty.
    pub fn wakes_at(&self, now: u64) -> Option<u64> {
        if self.serving.is_some()
            || self.writeback.is_some()
            || self.past_l1.is_some()
            || !self.responses.is_empty()
            || !self.l1.is_quiet()
        {
            return Some(now);
        }
        let banks = self.banks.iter().filter_map(|bank| bank.front());
        let next = banks.map(|&(at, _)| at).min();
        let shared = self.shared.front().map(|&(at, _)| at);
        match (next, shared) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Simulates cycle `now`.
    pub fn cycle(
        &mut self,
        now: u64,
        flights: &mut Flights,
        warps: &mut Warps,
        collectors: &mut Collectors,
        out: &mut Outbox,
    ) {
        if self.writeback.is_some() || self.writes_back_next() {
            self.write_back(now, flights, warps, collectors);
        }
        self.answer(warps);
        if !self.l1.misses.is_empty()
            && out.has_room()
            && let Some(request) = self.l1.misses.pop_front()
        {
            out.push(now, request);
        }
        self.l1.replenish();
        if self.next_look_up <= now {
            self.look_up(now, flights, warps);
        }
        if let Some(flight) = self.serving {
            self.serve(flight, now, flights, warps, out);
        }
    }

    /// Returns whether a further result may be ready for writeback.
    fn writes_back_next(&self) -> bool {
        !self.shared.is_empty() || self.past_l1.is_some() || self.l1.has_ready()
    }

    /// Writes the registers of completed loads, one load at a time.
    fn write_back(
        &mut self,
        now: u64,
        flights: &mut Flights,
        warps: &mut Warps,
        collectors: &mut Collectors,
    ) {
        if let Some(writeback) = self.writeback {
            let flight = flights.get_mut(writeback.flight);
            let (slot, scheduler) = (flight.slot, flight.scheduler as usize);
            let mut granted = flight.granted as usize;
            while granted < flight.writes.len() {
                if !collectors.write(collectors.bank(flight.writes.bank(granted), slot, scheduler)) {
                    break;
                }
                granted += 1;
            }
            flight.granted = granted as u8;
            if granted == flight.writes.len() {
                flight.granted = 0;
                if writeback.shared {
                    warps.release(slot as usize, &flight.written);
                    flights.end(writeback.flight);
                } else {
                    arrived(writeback.flight, flights, warps);
                }
                self.writeback = None;
            }
        }
        if self.writeback.is_some() || !self.writes_back_next() {
            return;
        }
        for step in 0..CLIENTS {
            let client = match step + self.turn {
                client if client < CLIENTS => client,
                client => client - CLIENTS,
            };
            let writeback = match client {
                0 => self
                    .shared
                    .front()
                    .filter(|&&(at, _)| at <= now)
                    .map(|&(_, flight)| Writeback { flight, shared: true }),
                3 => self.past_l1.take().map(|request| {
                    if request.kind == Kind::Atomic {
                        warps.atomic_done(request.slot as usize, u32::from(request.lanes));
                    }
                    Writeback {
                        flight: request.flight,
                        shared: false,
                    }
                }),
                4 if self.l1.has_ready() => self.l1.next_ready().map(|request| Writeback {
                    flight: request.flight,
                    shared: false,
                }),
                _ => None,
            };
            if let Some(writeback) = writeback {
                if writeback.shared {
                    self.shared.pop_front();
                    let flight = flights.get(writeback.flight);
                    let slot = flight.slot as usize;
                    if flight.facts.memory == Memory::Shared(SharedAccess::Atomic) {
                        warps.atomic_done(slot, flight.remaining);
                    }
                    warps.left_pipeline(slot);
                }
                self.writeback = Some(writeback);
                self.turn = (client + 1) % CLIENTS;
                return;
            }
        }
    }

    fn answer(&mut self, warps: &mut Warps) {
        let Some(&response) = self.responses.front() else {
            return;
        };
        if response.kind == Kind::Write {
            warps.store_acknowledged(response.slot as usize);
        } else if response.is_past_l1() {
            if self.past_l1.is_some() {
                return;
            }
            self.past_l1 = Some(response);
        } else {
            if !self.l1.fill_port_free() {
                return;
            }
            self.l1.fill(&response);
        }
        self.responses.pop_front();
    }

    /// Looks up sectors that have reached the tags of L1. Each bank looks up at most one sector.
    fn look_up(&mut self, now: u64, flights: &mut Flights, warps: &mut Warps) {
        self.next_look_up = u64::MAX;
        for bank in &mut self.banks {
            let Some((at, request)) = bank.front() else {
                continue;
            };
            let mut next = *at;
            if next <= now {
                let (reads, flight) = (!request.writes(), request.flight);
                let outcome = self.l1.access(request, now);
                next = now + 1;
                if outcome != Outcome::Refused {
                    if reads && outcome == (Outcome::Hit { sent: false }) {
                        arrived(flight, flights, warps);
                    }
                    bank.pop_front();
                }
                // A rejected sector is looked up again in the next cycle. After any other result, the bank continues
                // with its next sector.
                match bank.front_mut() {
                    Some(first) => {
                        first.0 = first.0.max(next);
                        next = first.0;
                    }
                    None => continue,
                }
            }
            self.next_look_up = self.next_look_up.min(next);
        }
    }

    fn serve(&mut self, id: FlightId, now: u64, flights: &mut Flights, warps: &mut Warps, out: &mut Outbox) {
        let flight = flights.get_mut(id);
        let slot = flight.slot as usize;
        match flight.facts.memory {
            Memory::Shared(access) => {
                flight.conflicts = flight.conflicts.saturating_sub(1);
                if flight.conflicts > 0 {
                    return;
                }
                if access != SharedAccess::Store {
                    if self.shared.len() as u64 >= self.parameters.shared_latency {
                        return;
                    }
                    let at = now + self.parameters.shared_latency;
                    let at = self.shared.back().map_or(at, |&(last, _)| at.max(last + 1));
                    self.shared.push_back((at, id));
                    self.serving = None;
                    return;
                }
            }
            Memory::Load(_) | Memory::Store | Memory::Atomic => {
                self.send(id, now, flights, warps, out);
                if !flights.get(id).accesses.is_empty() {
                    return;
                }
            }
            Memory::Constant | Memory::Fence | Memory::None => {}
        }
        let flight = flights.get(id);
        if matches!(flight.facts.memory, Memory::Load(_) | Memory::Atomic) && flight.remaining > 0 {
            warps.left_pipeline(slot);
        } else {
            // Loads of constants, and loads without active lanes, write their registers immediately.
            warps.left_pipeline(slot);
            warps.release(slot, &flight.written);
            flights.end(id);
        }
        self.serving = None;
    }

    /// Sends at most one sector per bank to L1, or sends one sector directly to memory.
    fn send(&mut self, id: FlightId, now: u64, flights: &mut Flights, warps: &mut Warps, out: &mut Outbox) {
        let flight = flights.get_mut(id);
        let past_l1 = match flight.facts.memory {
            Memory::Load(caching) => caching == Caching::L2 || self.parameters.skip_l1,
            Memory::Atomic => true,
            _ => self.parameters.skip_l1,
        };
        let kind = match flight.facts.memory {
            Memory::Store => Kind::Write,
            Memory::Atomic => Kind::Atomic,
            _ => Kind::Read { past_l1 },
        };
        let kernel = warps.kernel(flight.slot as usize);
        let request = |access: &Access, slot: u16| Request {
            address: access.address,
            bytes: access.bytes,
            kind,
            kernel,
            sm: self.parameters.sm,
            slot: slot as u8,
            flight: id,
            slice: 0,
            lanes: access.lanes,
        };
        if past_l1 {
            if out.has_room()
                && let Some(access) = flight.accesses.pop()
            {
                out.push(now, request(&access, flight.slot));
                if kind == Kind::Write {
                    warps.store_sent(flight.slot as usize);
                }
            }
            return;
        }
        for _ in 0..self.banks.len() {
            let Some(access) = flight.accesses.last() else {
                return;
            };
            let number = self.parameters.l1.bank(access.address) as usize;
            let bank = &self.banks[number];
            let latency = u64::from(self.parameters.l1.latency);
            // The first stage is occupied if a sector entered the stage in this cycle, or if a
            // sector in the stage is blocked.
            let taken =
                bank.len() >= latency as usize || bank.back().is_some_and(|&(at, _)| at >= now + latency);
            if taken {
                return;
            }
            let request = request(access, flight.slot);
            self.banks[number].push_back((now + latency, request));
            self.next_look_up = self.next_look_up.min(now + latency);
            flight.accesses.pop();
            if kind == Kind::Write {
                warps.store_sent(flight.slot as usize);
            }
        }
    }
}

/// Records that one sector of a load has arrived.
fn arrived(id: FlightId, flights: &mut Flights, warps: &mut Warps) {
    let flight = flights.get_mut(id);
    flight.remaining -= 1;
    if flight.remaining == 0 {
        warps.release(flight.slot as usize, &flight.written);
        flights.end(id);
    }
}
