//! Guarantee: predictions are exactly [Masola23] Eqs 1–17 as printed, max-min fair fluids, and a margin.

mod command;
mod equations;
mod fluid;
mod groups;
mod printed;
mod profiles;

use gpusched::model::Group;

/// Checks equality up to the digits of a hand computation.
fn near(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(error <= relative, "found {found}, expected {expected}");
}

fn group(json: &str) -> Group {
    serde_json::from_str(json).unwrap()
}
