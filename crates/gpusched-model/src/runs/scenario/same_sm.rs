//! Slowdown of blocks by other kernels on the same SM, for each group of other kernels.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Launch, is_default};
use crate::{Factor, Refusal};

/// Slowdown factors of blocks that share an SM with blocks of other kernels. The factors of a pair are measured, for
/// example with `simulate matrix`. Pairs do not determine the slowdown by several kernels.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SameSm {
    /// Rule for several other kernels on the SM, if `factors` does not contain this group.
    #[serde(default, skip_serializing_if = "is_default")]
    pub several: Several,
    /// Factors, at most one for each kernel and group of other kernels. If kernels share an SM without a factor, the
    /// simulation fails.
    #[serde(default)]
    pub factors: Vec<GroupFactor>,
}

/// Rule for a block that shares its SM with several other kernels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Several {
    /// Each group needs a factor of its own. A missing factor is an error.
    #[default]
    Given,
    /// The factor is 1 + Σ (f − 1) over the factors f of the pairs. A real slowdown can be larger.
    Sum,
}

/// Slowdown factor of a kernel beside a group of other kernels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupFactor {
    /// Name of the kernel whose blocks are slower.
    pub kernel: String,
    /// Names of all other kernels with blocks on the SM, in any order. If two other kernels have one name, the list
    /// contains the name twice.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub beside: Vec<String>,
    /// Factor on the time of a block; ≥ 1.
    pub factor: Factor,
}

impl SameSm {
    /// Checks the factors against the `kernels` of the scenario.
    ///
    /// # Errors
    /// Fails if a kernel has no name, or if a factor names another kernel, has an empty group, is below 1 or occurs twice.
    pub(super) fn check(&self, kernels: &[Launch]) -> Result<(), Refusal> {
        let mut names = BTreeSet::new();
        for (index, kernel) in kernels.iter().enumerate() {
            let Some(name) = &kernel.name else {
                let expected = "a name of each kernel, because `interference.same_sm` refers to names";
                return Refusal::refuse(format!("kernels[{index}].name"), "no value", expected);
            };
            names.insert(name);
        }
        let mut stated = BTreeSet::new();
        for (index, row) in self.factors.iter().enumerate() {
            let of = |field: &str| format!("interference.same_sm.factors[{index}].{field}");
            let others = (0..)
                .zip(&row.beside)
                .map(|(place, name)| (of(&format!("beside[{place}]")), name));
            for (field, name) in std::iter::once((of("kernel"), &row.kernel)).chain(others) {
                if !names.contains(name) {
                    Refusal::refuse(field, format!("{name:?}"), "the name of a kernel of the scenario")?;
                }
            }
            if row.beside.is_empty() {
                Refusal::refuse(of("beside"), "no name", "at least one other kernel")?;
            }
            if row.factor < Factor::ONE {
                Refusal::refuse(of("factor"), row.factor, "a number of at least 1")?;
            }
            let mut group: Vec<&str> = row.beside.iter().map(String::as_str).collect();
            group.sort_unstable();
            if !stated.insert((&row.kernel, group)) {
                Refusal::refuse(
                    of("beside"),
                    "the same group a second time",
                    "one factor for each group",
                )?;
            }
        }
        Ok(())
    }
}
