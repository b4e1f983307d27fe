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
            let found = tags.probe(address, false);
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
