//! Tests of a cache as a whole.

use super::*;

/// A write evicts a line while requests for this line still wait. Then a read reserves the line again, but no further
/// fill follows. The set must not stay full forever.
#[test]
fn a_set_does_not_stay_full() {
    for writes in [Writes::Back, Writes::Through] {
        let cache = Cache::new(Geometry {
            writes,
            ..Geometry::small(1, 1)
        });
        leaves_a_full_set(cache);
    }
}

fn read(address: u64) -> Request {
    Request {
        address,
        bytes: u32::MAX,
        kind: Kind::Read { past_l1: true },
        kernel: 0,
        sm: 0,
        slot: 0,
        flight: 0,
        slice: 0,
        lanes: 0,
    }
}

fn write(address: u64) -> Request {
    Request {
        kind: Kind::Write,
        ..read(address)
    }
}

/// The other line of the set is dirty, and too few lines of the cache are dirty to evict it.
#[test]
fn a_set_with_a_dirty_line_does_not_stay_full() {
    let mut cache = Cache::new(Geometry {
        writes: Writes::Through,
        dirty_percent: 75,
        ..Geometry::small(2, 2)
    });
    let (a, b, dirty) = (0, 4096, 8192);
    assert_eq!(cache.access(&write(dirty), 0), Outcome::Miss);
    assert_eq!(cache.access(&read(a), 1), Outcome::Miss);
    cache.fill(&read(a));
    assert_eq!(cache.access(&read(b), 2), Outcome::Miss);
    assert_eq!(cache.access(&read(a), 3), Outcome::Refused);
    cache.fill(&read(b));
    // This read joins the request that still waits for the first fill.
    assert_eq!(cache.access(&read(a), 4), Outcome::Miss);
    assert_eq!(cache.access(&read(b), 5), Outcome::Refused);
    while cache.next_ready().is_some() {}
    assert_eq!(cache.access(&read(b), 6), Outcome::Miss);
    assert_eq!(cache.access(&write(dirty), 7), Outcome::Hit { sent: true });
}

fn leaves_a_full_set(mut cache: Cache) {
    let (a, b) = (0, 4096);
    for _ in 0..2 {
        assert_eq!(cache.access(&read(a), 0), Outcome::Miss);
    }
    assert_eq!(cache.access(&read(b), 0), Outcome::Refused);
    cache.fill(&read(a));
    assert_eq!(cache.access(&write(b), 1), Outcome::Miss);
    assert_eq!(cache.access(&read(a), 2), Outcome::Miss);
    // Requests still wait for the first sector, so its line can be filled.
    assert_eq!(cache.access(&read(b), 2), Outcome::Refused);
    for _ in 0..3 {
        assert!(cache.next_ready().is_some());
    }
    assert!(!cache.has_ready());
    assert_eq!(cache.access(&read(b), 3), Outcome::Miss);
}
