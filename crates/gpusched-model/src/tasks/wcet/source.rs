//! Where a WCET comes from.

use serde::{Deserialize, Serialize};

/// Where the numbers of a WCET function come from. No test depends on it; every verdict repeats it as an assumption.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum WcetSource {
    /// The author of the task set states them.
    #[default]
    Stated,
    /// A curve over measurements, which also covers numbers of SMs without a measurement.
    Fitted,
    /// The longest times of measurements.
    Measured,
    /// Estimates, which bound nothing.
    Estimated,
}
