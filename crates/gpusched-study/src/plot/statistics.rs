//! Statistics of the values at one place of a figure.

/// The values of a box with whiskers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BoxOf {
    /// First quartile, median and third quartile.
    pub quartiles: [f64; 3],
    /// The most extreme values within 1.5 interquartile ranges of the quartiles.
    pub whiskers: (f64, f64),
    /// The values beyond the whiskers, in ascending order.
    pub outliers: Vec<f64>,
}

impl BoxOf {
    /// Computes the box of `values`. Returns `None` if there are no values.
    pub fn new(mut values: Vec<f64>) -> Option<BoxOf> {
        values.sort_by(f64::total_cmp);
        let quartiles = [0.25, 0.5, 0.75].map(|share| quantile(&values, share));
        let [Some(first), Some(median), Some(third)] = quartiles else {
            return None;
        };
        let reach = 1.5 * (third - first);
        let ends = (first - reach, third + reach);
        let inside = |value: &f64| (ends.0..=ends.1).contains(value);
        // Quartiles between two values can be beyond the nearest value inside.
        let low = values.iter().copied().find(inside)?.min(first);
        let high = values.iter().copied().rfind(inside)?.max(third);
        values.retain(|value| !inside(value));
        Some(BoxOf {
            quartiles: [first, median, third],
            whiskers: (low, high),
            outliers: values,
        })
    }
}

/// Returns the value below which `share` of the sorted values lie. Interpolates between two neighbouring values, as
/// NumPy and R do by default.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (libm::floor(position), libm::ceil(position));
    let (low, high) = (sorted.get(below as usize)?, sorted.get(above as usize)?);
    Some(low + (high - low) * (position - below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::statistics::{Data, Max, Min, OrderStatistics};

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
}
