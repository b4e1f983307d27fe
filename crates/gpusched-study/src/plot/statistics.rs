//! Statistics of the values at one place of a figure.

/// The values of a box with whiskers.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxOf {
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
