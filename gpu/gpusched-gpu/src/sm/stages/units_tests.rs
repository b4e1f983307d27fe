//! Tests that compare the pipelines with a cycle-by-cycle reference implementation.

use std::collections::BTreeMap;

use super::*;
use crate::code::{Instruction, Operation};
use crate::sm::facts::{Memory, Unit};

/// Reference implementation of one pipeline, as in GPGPU-Sim.
#[derive(Default)]
struct Slow {
    /// Instruction that waits before the pipeline, with its remaining initiation interval and its depth.
    entering: Option<(FlightId, u16, u64)>,
    leaving: Vec<(u64, FlightId)>,
    /// Cycles for which an instruction has reserved a result bus.
    results: Vec<u64>,
}

impl Slow {
    fn cycle(&mut self, now: u64) -> Option<FlightId> {
        let index = self.leaving.iter().position(|&(at, _)| at == now);
        let left = index.map(|index| self.leaving.remove(index).1);
        if let Some((flight, cycles, depth)) = &mut self.entering {
            *cycles = cycles.saturating_sub(1);
            let leaves = now + *depth + 1;
            if *cycles == 0 && self.leaving.iter().all(|&(at, _)| at != leaves) {
                self.leaving.push((leaves, *flight));
                self.entering = None;
            }
        }
        left
    }

    fn take(
        &mut self,
        flight: FlightId,
        facts: Facts,
        now: u64,
        buses: &mut BTreeMap<u64, u32>,
        width: u32,
    ) -> bool {
        let result = now + u64::from(facts.latency);
        let taken = buses.entry(result).or_default();
        if self.entering.is_some() || self.results.contains(&result) || *taken >= width {
            return false;
        }
        *taken += 1;
        self.results.push(result);
        let depth = facts.latency.saturating_sub(facts.initiation);
        self.entering = Some((flight, facts.initiation, u64::from(depth)));
        true
    }
}

#[test]
fn equals_pipelines_that_are_stepped() {
    let mut state = 31_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let instruction = Instruction::new(0, Operation::Other, Box::new([]), Box::new([]), None);
    let (mut refused, mut late) = (0, 0);
    for _ in 0..60 {
        let kinds: Vec<Facts> = (0..3)
            .map(|_| Facts {
                unit: Unit::Int,
                latency: 1 + random(20) as u16,
                initiation: 1 + random(12) as u16,
                memory: Memory::None,
            })
            .collect();
        let longest = kinds.iter().map(|facts| facts.latency.max(facts.initiation));
        let width = 1 + random(4) as u32;
        let mut fast = Pipelines::new(longest.max().map_or(0, usize::from), width);
        let mut slow: Vec<Slow> = (0..40).map(|_| Slow::default()).collect();
        let (mut flights, mut buses) = (Flights::default(), BTreeMap::new());
        let mut inside = 0_usize;
        for now in 0..400 {
            let mut left = Vec::new();
            let mut next = fast.leave(now);
            while next != NONE {
                left.push(next);
                fast.left();
                next = flights.get(next).next;
            }
            let twins: Vec<FlightId> = slow.iter_mut().filter_map(|slow| slow.cycle(now)).collect();
            assert_eq!(left, twins);
            inside -= left.len();
            assert_eq!(fast.is_empty(), inside == 0);
            for (place, slow) in slow.iter_mut().enumerate() {
                if random(4) > 0 {
                    continue;
                }
                let facts = kinds[random(3) as usize];
                let id = flights.start(facts, &instruction);
                flights.get_mut(id).place = place as u8;
                let takes = fast.take(place, id, &mut flights, now);
                assert_eq!(takes, slow.take(id, facts, now, &mut buses, width));
                if takes {
                    inside += 1;
                    late += usize::from(fast.free_at[place] > now + u64::from(facts.initiation));
                } else {
                    refused += 1;
                    flights.end(id);
                }
            }
        }
    }
    assert!(refused > 1_000 && late > 100, "{refused} {late}");
}
