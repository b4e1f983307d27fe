//! Tests that the search by hash finds the same lines as a linear search.

use super::*;

#[test]
fn lines_are_found_as_by_a_look_at_all() {
    let mut state = 43_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut hits, mut evictions) = (0, 0);
    for ways in [1, 3, 8] {
        let mut tags = Tags::new(&Geometry::small(4, ways));
        for now in 0..5_000 {
            if random(2_000) == 0 {
                tags.invalidate();
            }
            let address = random(80) * LINE + random(4) * SECTOR;
            let line = address & !(LINE - 1);
            let slow = tags.lines.iter().position(|state| state.tag == line);
            assert_eq!(tags.find(line), slow);
            let found = tags.probe(0, address, false);
            let missing = matches!(found, Found::Empty(_) | Found::Miss(_) | Found::Full);
            assert_eq!(missing, slow.is_none());
            hits += usize::from(matches!(found, Found::Hit(_)));
            evictions += usize::from(matches!(found, Found::Miss(_)));
            if found != Found::Full {
                let (line, _) = tags.take(found, address, now);
                tags.fill(line, bit(address), u32::MAX);
            }
        }
    }
    assert!(hits > 500 && evictions > 500, "{hits} {evictions}");
}

/// Each part of the cache has its own sets, and evicts its own least recently used line.
#[test]
fn parts_replace_their_own_lines() {
    let mut state = 71_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    const SETS: usize = 4;
    let ways = [3_usize, 5];
    let mut geometry = Geometry::small(SETS, 1);
    geometry.ways = ways.iter().flat_map(|&ways| vec![ways as u32; SETS]).collect();
    geometry.index = super::super::Index(std::sync::Arc::new(|kernel, address| {
        SETS * usize::from(kernel) + (address / LINE) as usize % SETS
    }));
    let mut tags = Tags::new(&geometry);
    // The lines of each set of each part, the least recently used one first.
    let mut sets = vec![Vec::<u64>::new(); 2 * SETS];
    let mut evictions = [0; 2];
    for now in 0..20_000 {
        let kernel = random(2) as usize;
        let line = (random(40) + 100 * kernel as u64) * LINE;
        let set = &mut sets[SETS * kernel + (line / LINE) as usize % SETS];
        let found = tags.probe(kernel as u8, line, false);
        let known = set.iter().position(|&other| other == line);
        assert_eq!(matches!(found, Found::Hit(_)), known.is_some());
        match (found, known) {
            (_, Some(at)) => drop(set.remove(at)),
            (Found::Miss(old), None) => {
                assert_eq!(set.len(), ways[kernel]);
                assert_eq!(tags.lines[old].tag, set.remove(0));
                evictions[kernel] += 1;
            }
            _ => assert!(set.len() < ways[kernel]),
        }
        set.push(line);
        let (at, _) = tags.take(found, line, now);
        if known.is_none() {
            tags.fill(at, bit(line), u32::MAX);
        }
    }
    assert!(evictions.iter().all(|&count| count > 1000), "{evictions:?}");
}
