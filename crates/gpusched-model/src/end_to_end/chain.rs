//! Cause-effect chains: lists of tasks where each task reads the output of the previous task.

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// How the tasks of a chain exchange data.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Communication {
    /// A job reads its input when it starts, and writes its output when it ends.
    #[default]
    Asynchronous,
    /// Logical execution time: a job reads its input at its arrival, and writes its output at its deadline.
    Let,
}

/// A chain as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a chain: an object with \"tasks\"")]
#[cfg_attr(feature = "schema", schemars(rename = "Chain"))]
pub struct ChainDraft {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Names of the tasks, from sensor to actuator; at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub tasks: Vec<String>,
    /// Maximum reaction time [ns]; > 0. The value also limits the data age up to the next output.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub limit: Option<Time>,
    /// How the tasks exchange data.
    #[serde(default)]
    pub communication: Communication,
}

/// A chain, with the positions of its tasks in the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Name for display: the name in the file, or the names of the tasks.
    pub name: String,
    /// Positions of the tasks in the system, from sensor to actuator.
    pub tasks: Vec<usize>,
    /// Maximum reaction time [ns].
    pub limit: Option<Time>,
    /// How the tasks exchange data.
    pub communication: Communication,
}
