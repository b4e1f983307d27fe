//! Memory time and exposure of a window under regulation, counted nanosecond by nanosecond and by hand.

use gpusched::kernel_wcet::{Exposure, Regulation};
use gpusched::model::{Cluster, Factor, Kernel};
use gpusched::time::Time;

fn regulation(q: f64, sync: bool) -> Regulation {
    let cluster = Cluster::new(1, Time::from_ns(1), Time::from_ns(2)).unwrap();
    let kernel = Kernel::new(4, Time::from_ns(100), vec![cluster]).unwrap();
    Regulation::new(&kernel, Factor::from_f64(q).unwrap(), sync).unwrap()
}

/// The test computes Eq. 7 by counting each nanosecond of the window, as in Fig. 1.
#[test]
fn memory_time_is_the_time_of_the_figure() {
    for q in [0.0, 0.1, 0.13, 0.5, 0.99, 1.0] {
        let burst = (q * 100.0_f64).ceil() as u64;
        for (sync, offset) in [(true, 0), (false, 100 - burst)] {
            // Without synchronization, the first burst is at the end of its regulation
            // period. Each later burst is at the beginning of its regulation period.
            let on = |at: u64| match (sync, at + offset < 100) {
                (false, true) => true,
                _ => (at + offset) % 100 < burst,
            };
            let mut expected = 0;
            for window in 0..450 {
                let found = regulation(q, sync).memory_time(Time::from_ns(window));
                assert_eq!(found.ns(), expected, "q {q} sync {sync} window {window}");
                expected += u64::from(on(window));
            }
        }
    }
}

#[test]
fn exposure_rounds_up() {
    let at = |q, window| regulation(q, true).exposure(Time::from_ns(window), 4);
    let exposure = |memory_ns, partial_blocks| Exposure {
        memory_ns,
        partial_blocks,
    };
    assert_eq!(at(0.001, 1), exposure(4, 8));
    assert_eq!(at(0.001, 100), exposure(4, 8));
    assert_eq!(at(0.001, 101), exposure(8, 12));
    assert_eq!(at(0.001, 102), exposure(8, 12));
    assert_eq!(at(0.0, 101), exposure(0, 0));
    assert_eq!(
        at(1.0, u64::MAX >> 1),
        exposure(u64::MAX, 4 * (((u64::MAX >> 1) / 100) + 2))
    );
    assert!(
        Regulation::new(
            &Kernel::new(
                1,
                Time::from_ns(1),
                vec![Cluster::new(1, Time::from_ns(1), Time::from_ns(1)).unwrap()]
            )
            .unwrap(),
            Factor::from_f64(1.5).unwrap(),
            true
        )
        .is_err()
    );
}
