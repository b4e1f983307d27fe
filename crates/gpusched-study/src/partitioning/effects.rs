//! Checks that reject an option of an algorithm if the option has no effect. The command line rejects the same options.

use serde::Deserialize;

use super::shape::{Algorithm, PartitioningShape as Shape};
use crate::definition::document::Document;
use gpusched_analysis::partitioning::{
    Heuristic, HeuristicKind, NEAR_ENOUGH, NoEffect, Options, Traffic, listed, near_enough,
};
use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_model::time::Time;

/// Returns the heuristic of each algorithm; `None` for an algorithm of the user.
///
/// # Errors
/// Fails at the first option without effect, and names the field of this option.
pub(super) fn heuristics(document: &Document, shape: &Shape, sms: u32) -> Result<Vec<Option<Heuristic>>> {
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
        let own = [
            ("time_slices", "time slices", algorithm.time_slices.is_some()),
            ("command", "a command", !algorithm.command.is_empty()),
            ("function", "a function", algorithm.function.is_some()),
        ];
        let own = { own.into_iter() }.filter_map(|(name, noun, is_given)| is_given.then_some((name, noun)));
        let own: Vec<(&str, &str)> = own.collect();
        let kind = match (algorithm.heuristic, own.as_slice()) {
            (Some(kind), []) => kind,
            (None, &[own]) => {
                check_own(algorithm, own, written)
                    .and_then(|()| check_slices(algorithm, shape))
                    .map_err(|refusal| document.error(refusal.within(&format!("algorithm[{index}]"))))?;
                heuristics.push(None);
                continue;
            }
            (None, []) => {
                let message =
                    "found no algorithm, expected one of heuristic, time_slices, command and function";
                return refuse("heuristic", message.to_owned());
            }
            (Some(kind), &[(own, noun), ..]) => {
                let message = format!("found {noun} and heuristic {kind}, expected one of both");
                return refuse(own, message);
            }
            (None, &[(_, first), (own, noun), ..]) => {
                let message = format!("found {first} and {noun}, expected one of both");
                return refuse(own, message);
            }
        };
        if let Some(timeout) = algorithm.timeout {
            return refuse(
                "timeout",
                format!("found {timeout}, expected it only with a command"),
            );
        }
        let options = match written {
            None => Options::default(),
            Some(written) => Options::deserialize(written.clone()).map_err(|error| {
                document.error(Refusal::told(format!("algorithm[{index}]"), error.to_string()))
            })?,
        };
        match kind.with(&options) {
            Ok(heuristic) => heuristics.push(Some(heuristic)),
            Err(error) => {
                let field = called(written, error.option());
                let found = written.and_then(|written| written.get(field));
                let found = found.map(ToString::to_string).unwrap_or_default();
                return refuse(field, refusal(kind, &error, &found));
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

/// Checks the time slices of an algorithm.
fn check_slices(algorithm: &Algorithm, shape: &Shape) -> Result<(), Refusal> {
    let checked = { algorithm.time_slices.iter() }.try_for_each(|gpu| gpu.check(&shape.variant));
    checked.map_err(|refusal| refusal.within("time_slices"))
}

/// Checks an algorithm without a heuristic, which the field `own` states.
fn check_own(
    algorithm: &Algorithm,
    (own, noun): (&str, &str),
    written: Option<&toml::Value>,
) -> Result<(), Refusal> {
    let fields = ["name", own, if own == "command" { "timeout" } else { own }];
    let keys = written.and_then(toml::Value::as_table).into_iter();
    let mut keys = keys.flat_map(toml::Table::keys);
    if let Some(key) = keys.find(|key| !fields.contains(&key.as_str())) {
        let message = format!("found `{key}` with {noun}, expected it only with a heuristic");
        return Err(Refusal::told(key, message));
    }
    if algorithm.command.first().is_some_and(String::is_empty) {
        return Refusal::refuse("command", "an empty name", "the name of a program");
    }
    match algorithm.timeout {
        Some(Time::ZERO) => Refusal::refuse("timeout", "0", "more than 0"),
        _ => Ok(()),
    }
}

/// Returns the message that explains why gpusched rejects `found`, an option of an algorithm with the heuristic `kind`.
fn refusal(kind: HeuristicKind, refused: &NoEffect, found: &str) -> String {
    match refused {
        NoEffect::Option { with: kinds, .. } | NoEffect::Improve { after: kinds } => format!(
            "found {found} with heuristic {}, expected heuristic {}, where the field has an effect",
            kind,
            listed(kinds)
        ),
        NoEffect::GapBeside { objective, .. } => {
            format!(
                "found {found} with objective {objective}, expected objective sms, where a gap has an effect"
            )
        }
    }
}
