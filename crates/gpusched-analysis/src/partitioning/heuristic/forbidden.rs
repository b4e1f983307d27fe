//! Initial content of the list of forbidden pairs of partitions ([Singh21] §3.5.3).

use serde::{Deserialize, Serialize};

/// Initial content of the list of forbidden pairs. In [Singh21], the text on INA in §3.5.3
/// contradicts §3.6.2. gpusched follows §3.6.2.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Forbidden {
    /// Inactive list: starts empty. If a merge fails, Algorithm 1 adds the pair of partitions.
    #[default]
    Ina,
    /// Active list: Algorithm 1 first tests each pair of tasks, and never merges partitions that together contain a
    /// failing pair.
    Act,
}
