//! Functional units: pipelines with an initiation interval, and the buses that take their results to writeback.

use super::flight::FlightId;

/// Something per cycle to come.
#[derive(Debug, Clone)]
struct Ahead<T> {
    places: Vec<(u64, T)>,
}

impl<T: Copy + Default> Ahead<T> {
    /// Looks `cycles` cycles ahead.
    fn new(cycles: usize) -> Self {
        Self {
            places: vec![(u64::MAX, T::default()); (cycles + 2).next_power_of_two()],
        }
    }

    fn index(&self, cycle: u64) -> usize {
        cycle as usize & (self.places.len() - 1)
    }

    fn get(&self, cycle: u64) -> Option<T> {
        let (at, value) = self.places[self.index(cycle)];
        (at == cycle).then_some(value)
    }

    fn set(&mut self, cycle: u64, value: T) {
        let index = self.index(cycle);
        self.places[index] = (cycle, value);
    }
}

/// Result buses: as many results per cycle as writeback has registers.
#[derive(Debug, Clone)]
pub struct ResultBuses {
    taken: Ahead<u32>,
    buses: u32,
}

impl ResultBuses {
    /// `buses` results per cycle, at most `latency` cycles from now.
    pub fn new(buses: u32, latency: usize) -> Self {
        Self {
            taken: Ahead::new(latency),
            buses,
        }
    }

    fn has_room(&self, cycle: u64) -> bool {
        self.taken.get(cycle).unwrap_or(0) < self.buses
    }

    fn take(&mut self, cycle: u64) {
        let taken = self.taken.get(cycle).unwrap_or(0);
        self.taken.set(cycle, taken + 1);
    }
}

/// A unit of one scheduler.
#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    /// Before the pipeline, until the initiation interval is over.
    entering: Option<Entering>,
    /// In the pipeline, with the cycle in which each leaves; few, as each comes after an initiation interval.
    leaving: Vec<(u64, FlightId)>,
    /// The first of these cycles.
    first: u64,
    /// Cycles whose result is taken.
    results: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Entering {
    flight: FlightId,
    cycles: u16,
    depth: u16,
}

impl Pipeline {
    pub fn is_empty(&self) -> bool {
        self.leaving.is_empty() && self.entering.is_none()
    }

    /// One cycle; returns what leaves.
    pub fn cycle(&mut self, now: u64) -> Option<FlightId> {
        let left = if self.first == now && !self.leaving.is_empty() {
            self.leave(now)
        } else {
            None
        };
        if let Some(entering) = &mut self.entering {
            entering.cycles = entering.cycles.saturating_sub(1);
            let leaves = now + u64::from(entering.depth) + 1;
            if entering.cycles == 0 && self.leaving.iter().all(|&(at, _)| at != leaves) {
                self.first = match self.leaving.is_empty() {
                    true => leaves,
                    false => self.first.min(leaves),
                };
                self.leaving.push((leaves, entering.flight));
                self.entering = None;
            }
        }
        left
    }

    /// What leaves in cycle `now`.
    fn leave(&mut self, now: u64) -> Option<FlightId> {
        let index = self.leaving.iter().position(|&(at, _)| at == now)?;
        let (_, flight) = self.leaving.swap_remove(index);
        self.first = self.leaving.iter().map(|&(at, _)| at).min().unwrap_or(0);
        Some(flight)
    }

    /// Takes an instruction if the unit and a result bus are free; says whether.
    pub fn take(
        &mut self,
        flight: FlightId,
        latency: u16,
        initiation: u16,
        now: u64,
        buses: &mut ResultBuses,
    ) -> bool {
        let result = now + u64::from(latency);
        if self.entering.is_some() || self.results.contains(&result) || !buses.has_room(result) {
            return false;
        }
        self.results.retain(|&at| at > now);
        self.results.push(result);
        buses.take(result);
        self.entering = Some(Entering {
            flight,
            cycles: initiation,
            depth: latency.saturating_sub(initiation),
        });
        true
    }
}
