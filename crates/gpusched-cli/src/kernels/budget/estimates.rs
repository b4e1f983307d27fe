//! Estimates over several runs as text.

use gpusched_sim::regulation::Estimate;

/// Returns a number without decimals.
pub fn count(estimate: &Estimate) -> String {
    format!("{:.0}{}", estimate.mean, around(estimate, 1.0, 0))
}

/// Returns a share in percent.
pub fn percent(estimate: &Estimate) -> String {
    format!("{:.1}{} %", estimate.mean * 100.0, around(estimate, 100.0, 1))
}

/// Returns the increase over the nominal budget in percent, with its sign.
pub fn over_nominal(estimate: Option<&Estimate>) -> String {
    or_none(estimate, |over| {
        format!("{:+.1}{} %", over.mean * 100.0, around(over, 100.0, 1))
    })
}

/// Returns the text of an estimate, or a dash.
pub fn or_none(estimate: Option<&Estimate>, write: impl Fn(&Estimate) -> String) -> String {
    estimate.map_or("-".to_owned(), write)
}

/// Returns half the width of the confidence interval as text, such as `±1.2`. The text is empty if there is only one
/// run.
fn around(estimate: &Estimate, scale: f64, decimals: usize) -> String {
    let half = estimate.high.map(|high| (high - estimate.mean) * scale);
    half.map_or(String::new(), |half| format!(" ±{half:.decimals$}"))
}
