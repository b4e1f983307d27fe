//! Tests of the collectors against a reference implementation that checks all collectors in every step.

use super::*;
use crate::code::{Instruction, Operation};
use crate::sm::facts::{Facts, Memory, Unit};
use crate::sm::stages::pipeline_registers::PLACES;

/// Instruction in a collector.
struct Held {
    id: FlightId,
    place: u8,
    /// Number of pending reads of each bank.
    reads: Vec<u32>,
    /// Position of the instruction in the order of arrival.
    came: usize,
}

/// Reference implementation of the collectors, as in GPGPU-Sim.
struct Slow {
    units: Vec<Option<Held>>,
    per_scheduler: usize,
    served: Vec<usize>,
    ports: usize,
    came: usize,
    kinds: usize,
    /// Number of places of each kind.
    lanes: usize,
}

impl Slow {
    fn step(
        &mut self,
        flights: &Flights,
        reads: &[Vec<u32>],
        written: &mut [bool],
        from: &mut Stage,
        to: &mut Stage,
    ) {
        let count = self.units.len();
        for served in &mut self.served {
            let start = (*served / self.per_scheduler + 1) * self.per_scheduler;
            let found = (0..count).map(|step| (start + step) % count).find(|&index| {
                self.units[index].as_ref().is_some_and(|held| {
                    held.reads.iter().all(|&reads| reads == 0) && to.0[held.place as usize].is_none()
                })
            });
            if let Some(held) = found.and_then(|index| self.units[index].take()) {
                *served = found.unwrap();
                to.0[held.place as usize] = Some(held.id);
            }
        }
        let mut held: Vec<&mut Held> = self.units.iter_mut().flatten().collect();
        held.sort_by_key(|held| held.came);
        for (bank, written) in written.iter_mut().enumerate() {
            let first = held.iter_mut().find(|held| held.reads[bank] > 0);
            if let Some(held) = first.filter(|_| !*written) {
                held.reads[bank] -= 1;
            }
            *written = false;
        }
        for _ in 0..self.ports {
            for rank in 0..self.kinds {
                let places = rank * self.lanes..(rank + 1) * self.lanes;
                let waiting = places.filter(|&place| from.0[place].is_some());
                let oldest = waiting.min_by_key(|&place| flights.get(from.0[place].unwrap()).order);
                let Some(place) = oldest else { continue };
                let first = place % self.lanes * self.per_scheduler;
                let free = (first..first + self.per_scheduler).find(|&index| self.units[index].is_none());
                let Some(index) = free else { continue };
                let id = from.0[place].take().unwrap();
                self.came += 1;
                self.units[index] = Some(Held {
                    id,
                    place: flights.get(id).place,
                    reads: reads[id as usize].clone(),
                    came: self.came,
                });
            }
        }
    }
}

/// Instruction in each place of the pipeline registers between two stages.
struct Stage([Option<FlightId>; PLACES]);

impl Stage {
    fn is(&self, registers: &PipelineRegisters) -> bool {
        (0..PLACES).all(|place| {
            let found = (!registers.is_free(place as u8)).then(|| registers.at(place));
            found == self.0[place]
        })
    }
}

#[test]
fn equals_a_look_at_all_collectors() {
    let mut state = 37_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as usize
    };
    let instruction = Instruction::new(0, Operation::Other, Box::new([]), Box::new([]), None);
    let (mut handed_over, mut kept) = (0, 0);
    for _ in 0..80 {
        // An SM with more than four schedulers has no specialized units.
        let schedulers = 1 + random(8);
        let specialized = [Unit::Branch, Unit::Texture, Unit::Matrix, Unit::Uniform];
        let specialized = &specialized[..if schedulers > 4 { 0 } else { random(5) }];
        let first = [Unit::Sp, Unit::Sfu, Unit::Mem, Unit::Tensor, Unit::Dp, Unit::Int];
        let port_order = [&first[..], specialized].concat();
        let first = [Unit::Sp, Unit::Dp, Unit::Int, Unit::Sfu, Unit::Tensor];
        let work_order = [&first[..], specialized, &[Unit::Mem]].concat();
        let per_scheduler = 1 + random(3);
        let banks = schedulers << random(3);
        let (ports, outputs) = (1 + random(4), 1 + random(6));
        let mut fast = Collectors::new(schedulers * per_scheduler, ports, outputs, banks, schedulers);
        let mut slow = Slow {
            units: (0..schedulers * per_scheduler).map(|_| None).collect(),
            per_scheduler,
            served: vec![0; outputs],
            ports,
            came: 0,
            kinds: port_order.len(),
            lanes: if schedulers > 4 { 8 } else { 4 },
        };
        let mut flights = Flights::default();
        let mut reads: Vec<Vec<u32>> = Vec::new();
        let (mut from, mut to) = (
            PipelineRegisters::new(&port_order, schedulers),
            PipelineRegisters::new(&work_order, schedulers),
        );
        let (mut from_twin, mut to_twin) = (Stage([None; PLACES]), Stage([None; PLACES]));
        for _ in 0..300 {
            for scheduler in 0..schedulers {
                let unit = port_order[random(port_order.len() as u64)];
                let place = from.place(unit, scheduler);
                if !from.is_free(place) || random(3) == 0 {
                    continue;
                }
                let facts = Facts {
                    unit,
                    latency: 1,
                    initiation: 1,
                    memory: Memory::None,
                };
                let id = flights.start(facts, &instruction);
                let flight = flights.get_mut(id);
                flight.place = to.place(unit, scheduler);
                let mut wanted = vec![0; banks];
                let of_each = banks / schedulers;
                for _ in 0..random(6) {
                    let bank = scheduler * of_each + random(of_each as u64);
                    wanted[bank] += 1;
                    flight.operands.add(bank as u32);
                }
                reads.push(wanted);
                from.put(place, id, flight.order);
                from_twin.0[place as usize] = Some(id);
            }
            let mut written = vec![false; banks];
            for _ in 0..random(3) {
                let bank = random(banks as u64);
                assert_eq!(fast.write(bank as u16), !written[bank]);
                written[bank] = true;
            }
            for _ in 0..1 + random(2) {
                fast.step(&mut flights, &mut from, &mut to);
                slow.step(&flights, &reads, &mut written, &mut from_twin, &mut to_twin);
                assert!(from_twin.is(&from) && to_twin.is(&to));
                assert_eq!(fast.is_empty(), slow.units.iter().all(Option::is_none));
            }
            for place in 0..PLACES {
                if !to.is_free(place as u8) {
                    match random(3) {
                        0 => kept += 1,
                        _ => {
                            handed_over += 1;
                            to.clear(place);
                            to_twin.0[place] = None;
                        }
                    }
                }
            }
        }
    }
    assert!(handed_over > 10_000 && kept > 2_000, "{handed_over} {kept}");
}
