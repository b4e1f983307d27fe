//! Tests that compare the miss status holding registers with a list of lists.

use std::collections::VecDeque;

use super::*;

fn request(sector: u64, kind: Kind, flight: u32) -> Request {
    Request {
        address: sector,
        bytes: flight,
        kind,
        kernel: 0,
        sm: 0,
        slot: 0,
        flight,
        slice: 0,
        lanes: 1,
    }
}

#[test]
fn equals_a_list_of_sectors() {
    let mut state = 41_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (entries, merges) = (9, 3);
    let mut mshr = Mshr::new(entries, merges);
    // Reference implementation: for each sector, the waiting requests in order, and whether the
    // sector has arrived.
    let mut twin: Vec<(u64, Vec<u32>, bool)> = Vec::new();
    let mut order: VecDeque<u64> = VecDeque::new();
    let mut refused = 0;
    for flight in 0..20_000 {
        let sector = 32 * random(20);
        let known = twin.iter().position(|entry| entry.0 == sector);
        assert_eq!(mshr.has(sector), known.is_some());
        match random(3) {
            0 => {
                let kind = [Kind::Read { past_l1: false }, Kind::Atomic][random(2) as usize];
                let room = mshr.room(sector);
                match (room, known) {
                    (Room::Merge(_), Some(known)) => {
                        assert!(twin[known].1.len() < merges);
                        twin[known].1.push(flight);
                    }
                    (Room::New, None) => {
                        assert!(twin.len() < entries);
                        twin.push((sector, vec![flight], false));
                    }
                    (Room::None, Some(known)) => assert!(twin[known].1.len() >= merges),
                    (Room::None, None) => assert_eq!(twin.len(), entries),
                    other => panic!("{other:?}"),
                }
                if room == Room::None {
                    refused += 1;
                } else {
                    mshr.add(&request(sector, kind, flight), room, sector as usize + 1);
                }
            }
            1 => {
                let Some(known) = known.filter(|&known| !twin[known].2) else {
                    continue;
                };
                twin[known].2 = true;
                order.push_back(sector);
                let (line, ..) = mshr.arrived(sector).unwrap();
                assert_eq!(line, sector as usize + 1);
            }
            _ => {
                assert_eq!(mshr.has_ready(), !order.is_empty());
                let next = order.front().copied().map(|sector| {
                    let at = twin.iter().position(|entry| entry.0 == sector).unwrap();
                    let first = twin[at].1.remove(0);
                    if twin[at].1.is_empty() {
                        twin.remove(at);
                        order.pop_front();
                    }
                    (sector, first)
                });
                let found = mshr.next_ready().map(|request| (request.address, request.flight));
                assert_eq!(found, next);
            }
        }
    }
    assert!(refused > 100);
}
