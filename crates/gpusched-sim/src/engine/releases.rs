//! Rules for the arrivals and releases of jobs, and their random numbers.

use rand::Rng;
use serde::{Deserialize, Serialize};

/// Start instant of each task. No job of the task is released earlier.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Offsets {
    /// All tasks have one common start instant.
    #[default]
    Synchronous,
    /// Each task has its own random start instant within one period.
    Random,
}

/// Delay between the arrival and the release of a job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Jitter {
    /// Each job is released on arrival.
    None,
    /// The first job is released as late as possible. Later jobs are released on arrival, but never before the first
    /// job is released.
    #[default]
    Late,
    /// Each job has a random delay, up to the jitter of the task.
    Random,
}

/// Time between two consecutive arrivals of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// Arrivals are exactly one period apart.
    #[default]
    Periodic,
    /// Arrivals are one period plus a random time apart. The random time is at most half a
    /// period.
    Sporadic,
}

/// Returns a uniform random integer from 0 to `most`, computed from one random word. The bias is
/// at most (`most` + 1)·2⁻⁶⁴.
pub(crate) fn uniform(rng: &mut impl Rng, most: u64) -> u64 {
    ((u128::from(rng.next_u64()) * (u128::from(most) + 1)) >> 64) as u64
}
