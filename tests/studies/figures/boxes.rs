//! Boxes with whiskers: quartiles and outliers.

use gpusched_study::plot::statistics::BoxOf;
use proptest::prelude::*;
use statrs::statistics::{Data, Max, Min, OrderStatistics};

use crate::support::rounds;

#[test]
fn a_box_shows_quartiles_whiskers_and_outliers() {
    let values = vec![5.0, 1.0, 4.0, 3.0, 2.0, 50.0];
    let expected = BoxOf {
        quartiles: [2.25, 3.5, 4.75],
        whiskers: (1.0, 5.0),
        outliers: vec![50.0],
    };
    assert_eq!(BoxOf::new(values), Some(expected));
    let one = BoxOf::new(vec![7.0]).unwrap();
    assert_eq!((one.quartiles, one.whiskers), ([7.0; 3], (7.0, 7.0)));
    assert_eq!(BoxOf::new(Vec::new()), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2560)))]

    #[test]
    fn boxes_are_ordered_and_complete(values in prop::collection::vec(-1e6_f64..1e6, 1..60)) {
        let found = BoxOf::new(values.clone()).unwrap();
        let [first, median, third] = found.quartiles;
        let data = Data::new(values.clone());
        prop_assert!(first <= median && median <= third);
        prop_assert!((data.clone().median() - median).abs() <= 1e-9 * median.abs().max(1.0));
        let ends = [found.whiskers.0, found.whiskers.1];
        let all = found.outliers.iter().chain(&ends).copied();
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        prop_assert_eq!((low, high), (data.min(), data.max()));
        let outside = values.iter().filter(|&&value| value < ends[0] || value > ends[1]);
        prop_assert_eq!(outside.count(), found.outliers.len());
    }
}
