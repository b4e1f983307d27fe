//! Checks that reject an option of an algorithm if the option has no effect. The command line rejects the same options.

use serde::Deserialize;

use super::shape::{Algorithm, PartitioningShape as Shape};
use crate::definition::document::Document;
use gpusched_analysis::partitioning::{
    Heuristic, NEAR_ENOUGH, NoEffect, Options, Traffic, listed, near_enough,
};
use gpusched_model::Refusal;
use gpusched_model::error::Result;

/// Returns the heuristic of each algorithm.
///
/// # Errors
/// Fails at the first option without effect, and names the field of this option.
pub(super) fn heuristics(document: &Document, shape: &Shape, sms: u32) -> Result<Vec<Heuristic>> {
    // Only options that the file states can be rejected, not default values.
    let table: toml::Table = document.parse()?;
    let written = table.get("algorithm").and_then(toml::Value::as_array);
    let traffic_counts = shape
        .variant
        .iter()
        .any(|variant| variant.interference.counts_memory());
    let mut heuristics = Vec::with_capacity(shape.algorithm.len());
    for (index, algorithm) in shape.algorithm.iter().enumerate() {
        let refuse = |field: &str, message: String| {
            Err(document.error(Refusal::told(format!("algorithm[{index}].{field}"), message)))
        };
        let written = written.and_then(|all| all.get(index));
        let options = match written {
            None => Options::default(),
            Some(written) => Options::deserialize(written.clone()).map_err(|error| {
                document.error(Refusal::told(format!("algorithm[{index}]"), error.to_string()))
            })?,
        };
        match algorithm.heuristic.with(&options) {
            Ok(heuristic) => heuristics.push(heuristic),
            Err(error) => {
                let field = called(written, error.option());
                let found = written.and_then(|written| written.get(field));
                let found = found.map(ToString::to_string).unwrap_or_default();
                return refuse(field, refusal(algorithm, &error, &found));
            }
        }
        match algorithm {
            Algorithm {
                search_effort: Some(0),
                ..
            } => {
                return refuse(
                    called(written, "search_effort"),
                    "found 0, expected at least 1".to_owned(),
                );
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
                    "found {traffic}, expected a [[variant]] with interference conflict+bandwidth or \
                     bandwidth, where `traffic` has an effect"
                );
                return refuse("traffic", message);
            }
            Algorithm { gap: 1.., .. }
                if !shape
                    .variant
                    .iter()
                    .any(|variant| near_enough(variant.granularity)) =>
            {
                let message = format!("found {}, expected a [[variant]] {NEAR_ENOUGH}", algorithm.gap);
                return refuse("gap", message);
            }
            _ => {}
        }
    }
    Ok(heuristics)
}

/// Returns the name that the file uses for `field`. Older files call the search effort `budget`.
fn called(written: Option<&toml::Value>, field: &'static str) -> &'static str {
    let has = |name: &str| written.is_some_and(|written| written.get(name).is_some());
    match field {
        "search_effort" if has("budget") => "budget",
        field => field,
    }
}

/// Returns the message that explains why gpusched rejects `found`, an option of `algorithm`.
fn refusal(algorithm: &Algorithm, refused: &NoEffect, found: &str) -> String {
    match refused {
        NoEffect::Option { with: kinds, .. } | NoEffect::Improve { after: kinds } => format!(
            "found {found} with heuristic {}, expected heuristic {}, where the field has an effect",
            algorithm.heuristic,
            listed(kinds)
        ),
        NoEffect::GapBeside { objective, .. } => {
            format!(
                "found {found} with objective {objective}, expected objective sms, where a gap has an effect"
            )
        }
    }
}
