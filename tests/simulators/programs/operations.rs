//! Operations and registers of instructions, compared with simple sets.

use std::collections::BTreeSet;

use gpusched::gpu::code::{Operation, Register, RegisterSet};

/// Number of registers whose membership a word of bits states.
const LOW: u16 = 128;

#[test]
fn kinds_are_counted_in_order() {
    let kinds: Vec<usize> = Operation::of_each_kind().iter().map(Operation::kind).collect();
    assert_eq!(kinds, (0..Operation::KINDS).collect::<Vec<_>>());
}

fn register(number: u16) -> Register {
    Register { number, bank: 0 }
}

#[test]
fn equals_a_set_of_numbers() {
    let mut state = 5_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for most in [3, 130, 70_000] {
        let mut sets = [RegisterSet::default(), RegisterSet::default()];
        let mut twins = [BTreeSet::new(), BTreeSet::new()];
        for _ in 0..2000 {
            let which = random(2) as usize;
            let number = random(most).min(65_535) as u16;
            let other = sets[1 - which].clone();
            match random(9) {
                0 => {
                    sets[which].insert_all(&other);
                    twins[which] = &twins[which] | &twins[1 - which];
                }
                1 | 2 => {
                    sets[which].remove_all(&other);
                    twins[which] = &twins[which] - &twins[1 - which];
                }
                3 if random(9) == 0 => {
                    sets[which].copy_from(&other);
                    twins[which] = twins[1 - which].clone();
                }
                _ if random(50) == 0 => {
                    sets[which].clear();
                    twins[which].clear();
                }
                _ => {
                    sets[which].insert(register(number));
                    twins[which].insert(number);
                }
            }
            assert_eq!(sets[which].is_empty(), twins[which].is_empty());
            let (low, more) = sets[0].common(&sets[1]);
            let common: Vec<u16> = twins[0].intersection(&twins[1]).copied().collect();
            let bits = common
                .iter()
                .filter(|&&number| number < LOW)
                .fold(0, |bits, &number| bits | 1_u128 << number);
            assert_eq!(low, bits);
            let lowest = twins[0].iter().filter(|&&number| number < LOW);
            assert_eq!(
                sets[0].lowest(),
                lowest.fold(0, |bits, &number| bits | 1_u128 << number)
            );
            assert_eq!(more, common.iter().any(|&number| number >= LOW));
        }
    }
}
