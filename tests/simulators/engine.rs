//! The queues of the event-driven simulators, compared with a search over all events.

use gpusched::simulator::engine::EventQueue;
use gpusched::simulator::engine::tournament::{NEVER, Tournament};
use gpusched::time::Time;
use proptest::prelude::*;

use crate::support::rounds;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(256)))]
    /// The reference implementation sorts all remaining events by time with a stable sort.
    #[test]
    fn earliest_first_and_first_scheduled_among_equals(steps in prop::collection::vec(prop::option::of(0u64..6), 0..200)) {
        let mut queue = EventQueue::default();
        let mut twin: Vec<(u64, usize)> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Some(time) => {
                    queue.push(Time::from_ns(time), number);
                    twin.push((time, number));
                }
                None => {
                    twin.sort_by_key(|(time, _)| *time);
                    let expected = (!twin.is_empty()).then(|| twin.remove(0));
                    let found = queue.pop().map(|(time, number)| (time.ns(), number));
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}

#[test]
fn the_least_time_and_then_the_least_number_wins() {
    for count in 1..20 {
        let mut tournament = Tournament::new(count);
        assert_eq!(tournament.time(), NEVER);
        let mut times = vec![NEVER; count];
        let mut word = count as u64;
        for _ in 0..500 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = (word >> 33) as usize % count;
            times[number] = match word >> 60 {
                0 => NEVER,
                1..8 => word >> 40 & 7,
                _ => (1 << 62) - (word >> 40 & 7),
            };
            tournament.set(number, times[number]);
            let least = (0..count).min_by_key(|&number| (times[number], number)).unwrap();
            assert_eq!(tournament.time(), times[least]);
            if times[least] < NEVER {
                assert_eq!(tournament.winner(), least);
            }
        }
    }
}
