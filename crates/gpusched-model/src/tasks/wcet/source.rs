//! Source of the numbers in a WCET function.

use serde::{Deserialize, Serialize};

/// Source of the numbers in a WCET function. No test depends on the source. Every verdict states the source in its list
/// of assumptions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum WcetSource {
    /// The author of the task set states the numbers.
    #[default]
    Stated,
    /// The numbers are from a curve that was fitted to measurements. The curve also covers
    /// numbers of SMs without a measurement.
    Fitted,
    /// The numbers are the longest measured times, multiplied by the margin of the measurement.
    Measured,
    /// The numbers are estimates, which are not bounds.
    Estimated,
}
