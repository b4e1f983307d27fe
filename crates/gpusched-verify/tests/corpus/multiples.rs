//! Guarantee: the least common multiple of the verifier is the least number that all numbers divide, for numbers up to 12.

use super::multiple::least_common_multiple;

#[test]
fn least_common_multiples_are_exact() {
    for (a, b, c) in (1..=12u128).flat_map(|a| (1..=12).flat_map(move |b| (1..=12).map(move |c| (a, b, c)))) {
        let least = (1..).find(|multiple| [a, b, c].iter().all(|number| multiple % number == 0));
        assert_eq!(least_common_multiple([a, b, c]), least, "{a}, {b}, {c}");
    }
    assert_eq!(least_common_multiple([]), Some(1));
    assert_eq!(least_common_multiple([u128::MAX, 2]), None);
    assert_eq!(least_common_multiple([u128::MAX, u128::MAX]), Some(u128::MAX));
}
