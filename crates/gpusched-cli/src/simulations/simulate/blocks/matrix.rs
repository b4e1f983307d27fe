//! Slowdowns of pairs of kernels, as `simulate matrix` writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpusched_model::error::Result;
use gpusched_model::scenario::{GroupFactor, ScenarioShape};
use gpusched_model::{Factor, Refusal};
use gpusched_study::Table;

/// Adds the slowdowns of the CSV file `path` to `same_sm` of `scenario`. If several rows have the same kernels, the
/// largest slowdown counts. A slowdown below 1 counts as 1. Rows of kernels that the scenario does not contain have no
/// effect. A pair that the scenario states keeps its factor.
///
/// # Errors
/// Fails if the file cannot be read or is no matrix.
pub(super) fn add(path: &Path, scenario: &mut ScenarioShape) -> Result<()> {
    let table = Table::read(path)?;
    let [kernels, others, slowdowns] = ["kernel", "other", "slowdown"].map(|name| table.column(name));
    let (kernels, others, slowdowns) = (kernels?, others?, slowdowns?);
    let names: BTreeSet<&str> = scenario
        .kernels
        .iter()
        .filter_map(|kernel| kernel.name.as_deref())
        .collect();
    let mut pairs: BTreeMap<(&str, &str), Factor> = BTreeMap::new();
    for row in 0..table.len() {
        let text = slowdowns.text(row);
        let slowdown: Factor = text.parse().map_err(|_| {
            let refusal = Refusal::new(
                "slowdown",
                format!("{text:?}"),
                "a number from 0 to 1000000 with at most nine decimals",
            );
            table.error(Some(row), refusal)
        })?;
        let pair = (kernels.text(row), others.text(row));
        if names.contains(pair.0) && names.contains(pair.1) {
            let largest = pairs.entry(pair).or_insert(Factor::ONE);
            *largest = slowdown.max(*largest);
        }
    }
    let same_sm = scenario.interference.same_sm.get_or_insert_default();
    for ((kernel, other), factor) in pairs {
        let stated = same_sm
            .factors
            .iter()
            .any(|row| row.kernel == kernel && row.beside == [other]);
        if !stated {
            same_sm.factors.push(GroupFactor {
                kernel: kernel.to_owned(),
                beside: vec![other.to_owned()],
                factor,
            });
        }
    }
    Ok(())
}
