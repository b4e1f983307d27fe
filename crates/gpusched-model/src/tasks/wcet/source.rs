//! Source of the numbers in a WCET function.

use serde::{Deserialize, Serialize};

/// Source of the numbers in a WCET function. No test depends on it. Every verdict repeats it as an assumption.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum WcetSource {
    /// The author of the task set states the numbers.
    #[default]
    Stated,
    /// A curve fitted to measurements. It also covers numbers of SMs without a measurement.
    Fitted,
    /// The longest measured times.
    Measured,
    /// Estimates, which are not bounds.
    Estimated,
}
