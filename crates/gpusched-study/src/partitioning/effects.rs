//! Options of algorithms that would have no effect, or none that makes sense: the command line refuses them, too.

use super::shape::{Algorithm, PartitioningShape as Shape};
use crate::document::Document;
use gpusched_analysis::partitioning::{HeuristicKind, NEAR_ENOUGH, Objective, Traffic, listed, near_enough};
use gpusched_model::error::Result;

/// # Errors
/// The first such option of an algorithm, with its field.
pub(super) fn check(document: &Document, shape: &Shape, sms: u32) -> Result<()> {
    // What was written: a default tells nothing.
    let table: toml::Table = document.parse()?;
    let written = table.get("algorithm").and_then(toml::Value::as_array);
    let traffic_counts = shape
        .reading
        .iter()
        .any(|reading| reading.interference.counts_bandwidth());
    for (index, algorithm) in shape.algorithm.iter().enumerate() {
        let refuse = |field: &str, message: String| {
            Err(document.error(&format!("algorithm[{index}].{field}"), message))
        };
        let written = written
            .and_then(|all| all.get(index))
            .and_then(toml::Value::as_table);
        for (field, value) in written.into_iter().flatten() {
            if let Some(kinds) = useless(algorithm, field, value) {
                let message = format!(
                    "found {value} with heuristic {}, expected it with {}, where it has an effect",
                    algorithm.heuristic,
                    listed(kinds)
                );
                return refuse(field, message);
            }
        }
        match algorithm {
            Algorithm { budget: Some(0), .. } => {
                return refuse("budget", "found 0, expected at least 1".to_owned());
            }
            Algorithm {
                split: Some(split), ..
            } if !(1..=sms).contains(split) => {
                return refuse(
                    "split",
                    format!("found {split}, expected 1 to the {sms} SMs of the GPU"),
                );
            }
            Algorithm { traffic, .. } if *traffic != Traffic::All && !traffic_counts => {
                let message = format!(
                    "found {traffic}, expected a reading with interference conflict+bandwidth or bandwidth, where it has an effect"
                );
                return refuse("traffic", message);
            }
            Algorithm {
                objective, gap: 1.., ..
            } if *objective == Objective::Feasible => {
                let message = format!(
                    "found {} with objective feasible, expected objective sms, where it has an effect",
                    algorithm.gap
                );
                return refuse("gap", message);
            }
            Algorithm { gap: 1.., .. }
                if !shape
                    .reading
                    .iter()
                    .any(|reading| near_enough(reading.granularity, reading.memory())) =>
            {
                let message = format!("found {}, expected a reading {NEAR_ENOUGH}", algorithm.gap);
                return refuse("gap", message);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The heuristics on which `field` has an effect, if that of `algorithm` is none of them.
fn useless(algorithm: &Algorithm, field: &str, value: &toml::Value) -> Option<&'static [HeuristicKind]> {
    let kinds = HeuristicKind::heeding(field, algorithm.improve)?;
    let off = field == "improve" && value.as_bool() == Some(false);
    (!off && !kinds.contains(&algorithm.heuristic)).then_some(kinds)
}
