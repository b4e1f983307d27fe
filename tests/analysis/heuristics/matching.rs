//! Comparison of the matching with a search over all subsets of the vertices.

use gpusched::partitioning::maximum_weight_matching;
use proptest::prelude::*;

use crate::support::rounds;

/// Reference implementation. Returns the largest weight that a matching of the vertices in the bit set `open` can have.
fn slow(n: usize, weight: &dyn Fn(usize, usize) -> i64) -> i64 {
    let mut best = vec![0i64; 1 << n];
    for open in 1usize..1 << n {
        let first = open.trailing_zeros() as usize;
        best[open] = best[open & (open - 1)];
        for second in (first + 1..n).filter(|second| open & (1 << second) != 0) {
            let both = weight(first, second) + best[open & !(1 << first) & !(1 << second)];
            best[open] = best[open].max(both);
        }
    }
    best[(1 << n) - 1]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(4_000)))]
    #[test]
    fn as_heavy_as_the_best_of_all(n in 0usize..11, weights in prop::collection::vec(0i64..12, 121), spread in 1i64..100_000, dense in 1i64..12) {
        let weight = |a: usize, b: usize| {
            let value = weights[a.min(b) * 11 + a.max(b)];
            if value < dense { value * spread + value % 3 } else { 0 }
        };
        let mates = maximum_weight_matching(n, weight);
        let mut total = 0;
        for (a, &mate) in mates.iter().enumerate() {
            if let Some(b) = mate {
                prop_assert_eq!(mates[b], Some(a));
                prop_assert!(weight(a, b) > 0);
                total += weight(a, b);
            }
        }
        prop_assert_eq!(total, 2 * slow(n, &weight));
    }
}
