//! [Sanudo20] Eqs 2, 3 and 4 in all their cases, and the placements that the paper describes.

use crate::block_level::scenario::{kernels, read, run, sms};

const XAVIER: &str = "\"xavier\"";

/// Returns the SMs of the last two kernels, which have one block each.
fn last_two(platform: &str, all: &[(u32, u32)]) -> (u32, u32) {
    let found = sms(&run(&kernels(platform, all)));
    let [.., first, second] = found.as_slice() else {
        panic!("two kernels");
    };
    (first[0], second[0])
}

/// Returns ⌊a/b⌋·b, as in Eqs 2 to 4.
fn whole(a: u32, b: u32) -> u32 {
    a / b * b
}

#[test]
fn equation_2_in_all_pairs_of_both_tables() {
    for (platform, warps) in [
        ("\"tx2\"", 64),
        (XAVIER, 64),
        ("\"pegasus\"", 32),
        (r#"{"sms":3,"threads_per_sm":2048,"sm_order":"descending"}"#, 64),
    ] {
        for x in 1..=32 {
            for y in 1..=(warps - x).min(32) {
                let (first, second) = last_two(platform, &[(1, x), (1, y)]);
                let same = warps - x >= ((warps - y) / y + 1) * y;
                assert_eq!(first == second, same, "{platform} {x} {y}");
            }
        }
    }
}

#[test]
fn equation_3_in_27_808_cases() {
    let mut cases = 0;
    for z in 0..=32 {
        for x in 1..=32 {
            for y in 1..=32u32.min(64u32.saturating_sub(x + z)) {
                let all = [(8, z), (1, x), (1, y)];
                let from = usize::from(z == 0);
                let (first, second) = last_two(XAVIER, &all[from..]);
                let same = 64 - z - x >= whole(64 - z, y);
                assert_eq!(first == second, same, "{z} {x} {y}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 27_808);
}

#[test]
fn equation_4_in_26_464_cases() {
    let mut cases = 0;
    for z in 1..=32 {
        for x in 1..=32 {
            // The second kernel runs on the SM that the first kernel left free.
            let (_, free) = last_two(XAVIER, &[(7, z), (1, x)]);
            if free != 7 {
                continue;
            }
            for y in 1..=32 {
                let (first, second) = last_two(XAVIER, &[(7, z), (1, x), (1, y)]);
                let largest = whole(64 - x, y);
                let same = 64 - z < largest && largest <= 64 - x;
                assert_eq!(first == second, same, "{z} {x} {y}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 26_464);
}

#[test]
fn placements_that_the_paper_describes() {
    let even = vec![0, 2, 4, 6];
    let six = vec![0, 2, 4, 6, 1, 3];
    for (name, expected) in [
        ("sanudo20-fig5-left", [even.clone(), vec![1, 3, 5, 7]]),
        ("sanudo20-fig5-right", [even.clone(), even]),
        ("sanudo20-balance-64-threads", [six.clone(), [5, 7].repeat(8)]),
        (
            "sanudo20-balance-128-threads",
            [six, [[5, 7].repeat(4), vec![0, 2, 4, 6, 1, 3, 5, 7]].concat()],
        ),
    ] {
        let file = format!("{}/tasksets/scenarios/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let scenario = read(&std::fs::read_to_string(file).unwrap());
        assert_eq!(sms(&run(&scenario)), expected, "{name}");
    }
}
