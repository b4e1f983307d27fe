//! Placements on real GPUs from logs of cuda_scheduling_examiner.
//!
//! Sources: Quadro K5000, github.com/JoshuaJB/cuda_scheduling_validator_mirror (commit 3cc3bf4),
//! `tests/ospert_2017_figure_4_*` and `…_figure_6_*`; Jetson TX2, github.com/daleonpz/master_thesis_markdown,
//! `code/nvidia/results/concurrent_1st_*`.

use gpusched::model::Scenario;
use gpusched::simulator::blocks::{Comparison, Difference, Reason};
use gpusched::time::Time;

use crate::block_level::scenario::read;

/// A kernel: stream, threads of a block, return of its launch [ns], SMs of its blocks, shortest block time [ns], and
/// the excess of each block time over the shortest [ns].
type Kernel = (u32, u32, u64, &'static [u32], u64, &'static [u64]);

const FIGURE_4: [Kernel; 4] = [
    (
        0,
        1024,
        118_539_552,
        &[7, 6, 5, 4, 3, 2, 1, 0],
        500_015_305,
        &[192, 0, 0, 0, 128, 128, 224, 32],
    ),
    (
        1,
        1024,
        119_401_583,
        &[7, 6, 5, 4, 3, 2, 1, 0],
        500_015_273,
        &[256, 0, 224, 64, 96, 160, 128, 160],
    ),
    (
        2,
        1024,
        368_582_810,
        &[4, 5, 6, 0, 3, 2, 1, 7],
        500_015_241,
        &[96, 160, 96, 32, 224, 0, 160, 64],
    ),
    (
        3,
        1024,
        368_683_505,
        &[6, 3, 4, 2, 5, 1, 0, 7],
        500_015_144,
        &[96, 224, 96, 192, 0, 192, 192, 160],
    ),
];

const FIGURE_6: [Kernel; 3] = [
    (
        0,
        512,
        109_632_300,
        &[
            7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4,
        ],
        500_014_767,
        &[
            96, 192, 0, 64, 96, 0, 160, 32, 64, 192, 256, 64, 64, 192, 96, 64, 96, 128, 224, 64, 32, 192, 32,
            192, 224, 128, 128, 160,
        ],
    ),
    (1, 1024, 359_890_315, &[2], 500_014_926, &[0]),
    (1, 256, 359_918_856, &[7], 500_014_926, &[0]),
];

const TX2: [Kernel; 4] = [
    (0, 512, 68_721_376, &[1, 1], 4_000_135_552, &[0, 0]),
    (
        1,
        512,
        68_614_368,
        &[0, 1, 0, 1, 0, 1, 0],
        6_000_203_328,
        &[1024, 1024, 0, 1024, 0, 1024, 1024],
    ),
    (2, 512, 68_650_784, &[1, 0], 6_000_203_328, &[1056, 0]),
    (
        3,
        512,
        68_684_736,
        &[0, 0, 1, 0, 1],
        5_000_169_920,
        &[1056, 0, 96, 0, 96],
    ),
];

fn scenario(platform: &str, kernels: &[Kernel]) -> Scenario {
    let kernels: Vec<String> = kernels
        .iter()
        .map(|(stream, threads, launch, sms, least, more)| {
            let times: Vec<u64> = more.iter().map(|more| least + more).collect();
            let blocks = sms.len();
            assert_eq!(blocks, times.len());
            format!(
                r#"{{"stream":{stream},"threads":{threads},"launch":{launch},"blocks":{blocks},"block_time":{{"times":{times:?}}}}}"#
            )
        })
        .collect();
    read(&format!(
        r#"{{"platform":{platform},"kernels":[{}]}}"#,
        kernels.join(",")
    ))
}

fn compare(platform: &str, kernels: &[Kernel]) -> Comparison {
    let measured = kernels.iter().map(|kernel| kernel.3.to_vec()).collect();
    let window = Time::from_ns(2000);
    Comparison::new(&scenario(platform, kernels), &measured, window, 1, &mut ()).unwrap()
}

/// Returns the number of blocks on the measured SM per kernel, and the number if the blocks of a kernel are
/// interchangeable.
fn equal(comparison: &Comparison) -> Vec<(usize, usize)> {
    let kernels = comparison.kernels.iter();
    kernels
        .map(|kernel| (kernel.equal, kernel.equal_by_load))
        .collect()
}

#[test]
fn kernels_that_start_on_free_sms_are_where_the_rule_puts_them() {
    let found = compare("\"k5000\"", &FIGURE_4);
    assert_eq!(equal(&found)[..2], [(8, 8), (8, 8)]);
    let found = compare("\"k5000\"", &FIGURE_6);
    assert_eq!((found.equal, found.blocks), (30, 30));
    let found = compare("\"tx2\"", &TX2);
    assert_eq!(equal(&found)[1], (7, 7));
}

#[test]
fn what_differs_was_refilled_after_ends_within_a_microsecond() {
    for (platform, kernels) in [("\"k5000\"", &FIGURE_4), ("\"tx2\"", &TX2)] {
        let found = compare(platform, kernels);
        assert!(!found.differences.is_empty());
        for difference in &found.differences {
            assert_eq!(difference.reason, Reason::RefillOrder, "{difference:?}");
        }
        // The used SMs and their loads are still correct.
        assert_eq!(found.equal_by_load, found.blocks, "{platform}");
    }
}

#[test]
fn another_order_of_sms_is_found_out() {
    let other = r#"{"sms":8,"threads_per_sm":2048,"sm_order":"ascending"}"#;
    let first = compare(other, &FIGURE_4).differences[0];
    let expected = Difference {
        kernel: 0,
        block: 0,
        start_ns: Time::from_ns(118_539_552),
        measured_sm: 7,
        simulated_sm: 0,
        measured_slots: 2,
        simulated_slots: 2,
        ends_nearby: 0,
        reason: Reason::SmOrder,
    };
    assert_eq!(first, expected);
}

#[test]
fn another_rule_is_found_out() {
    // This rule fills one SM after the other.
    let mut shape = scenario("\"k5000\"", &FIGURE_6).shape().clone();
    shape.kernels.truncate(1);
    let wrong = vec![vec![7; 28]];
    let found = Comparison::new(&Scenario::new(shape).unwrap(), &wrong, Time::ZERO, 1, &mut ()).unwrap();
    assert_eq!(found.differences[0].reason, Reason::FewerSlots);
    assert_eq!(found.differences.last().unwrap().reason, Reason::NoRoom);
    assert_eq!((found.equal, found.equal_by_load), (4, 4));
}
