//! Paired comparison of algorithms. All algorithms partition the same task sets. The comparison counts the task sets
//! that only one of two algorithms schedules. These counts show which algorithm is better, even if the confidence
//! intervals of the two ratios overlap.
//!
//! Source: Q. McNemar, *Note on the sampling error of the difference between correlated proportions or percentages*,
//! Psychometrika 12, 1947, with the exact binomial distribution.

use std::collections::HashMap;

use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::Partitioning;
use crate::table::csv_of;
use crate::work::tally::Tally;
use gpusched_model::error::Result;

/// Columns of the table of pairs. The table has one row for each combination of: number of tasks, values on the further
/// axes, analysis variant, and pair of algorithms. The columns of the further axes follow the column `tasks`.
/// `only_algorithm` and `only_other` are the numbers of task sets that only one of the two algorithms schedules.
/// `p_value` is the probability of a difference of at least this size if both algorithms are equally good.
pub const PAIR_COLUMNS: [&str; 13] = [
    "study",
    "tasks",
    "variant",
    "algorithm",
    "other",
    "policy",
    "interference",
    "sms",
    "utilizations",
    "sets",
    "only_algorithm",
    "only_other",
    "p_value",
];

/// Number of columns in [`PAIR_COLUMNS`] before the columns of the axes.
const BEFORE_AXES: usize = 2;

/// Returns all pairs of `algorithms` algorithms. In each pair, the smaller index is first.
pub(super) fn pairs(algorithms: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..algorithms).flat_map(move |one| (one + 1..algorithms).map(move |other| (one, other)))
}

/// Counts a task set. `verdicts` states for each algorithm whether it schedules the task set. `cells` contains two
/// tallies for each pair: the task sets that only the first algorithm schedules, and the task sets that only the second
/// algorithm schedules.
pub(super) fn count(cells: &mut [Tally], verdicts: &[bool]) {
    for ((one, other), cells) in pairs(verdicts.len()).zip(cells.chunks_mut(2)) {
        let verdict = |index: usize| verdicts.get(index).copied() == Some(true);
        if let [only_one, only_other] = cells {
            only_one.schedulable += u64::from(verdict(one) && !verdict(other));
            only_other.schedulable += u64::from(verdict(other) && !verdict(one));
        }
    }
}

/// Returns the two-sided p-value of McNemar's exact test. `one` and `other` are the numbers of discordant pairs.
pub fn mcnemar(one: u64, other: u64) -> f64 {
    let all = one.saturating_add(other);
    match Binomial::new(0.5, all) {
        Ok(binomial) if all > 0 => (2.0 * binomial.cdf(one.min(other))).min(1.0),
        _ => 1.0,
    }
}

/// Sums of one row over all utilizations.
struct Line {
    /// Cells before `utilizations`.
    key: Vec<String>,
    utilizations: u64,
    only: [u64; 2],
}

/// Computes the table of pairs. `sets` is the number of task sets per point, and `tallies` returns the tallies of a point.
/// `axes` contains the axes with columns of their own.
pub(super) fn table(
    name: &str,
    study: &Partitioning,
    axes: &[&'static str],
    sets: u64,
    tallies: impl Fn(usize) -> Vec<Tally>,
) -> Result<Vec<u8>> {
    let mut lines: Vec<Line> = Vec::new();
    let mut known = HashMap::new();
    for point in study.points() {
        let Some(setting) = study.setting(point) else {
            continue;
        };
        let tallies = tallies(point.index);
        let of_pairs = tallies.get(study.cells()..).unwrap_or_default();
        let cells = setting.variants.iter();
        let cells = cells.flat_map(|variant| pairs(study.algorithms.len()).map(move |pair| (variant, pair)));
        for ((variant, (one, other)), only) in cells.zip(of_pairs.chunks(2)) {
            let mut key = vec![
                name.to_owned(),
                point.tasks.map(|tasks| tasks.to_string()).unwrap_or_default(),
            ];
            let levels = setting.levels.iter().filter(|(axis, _)| axes.contains(axis));
            key.extend(levels.map(|(_, level)| level.to_string()));
            let algorithms = [one, other].map(|index| study.algorithms.get(index));
            key.push(variant.name.clone());
            key.extend(
                algorithms
                    .into_iter()
                    .flatten()
                    .map(|algorithm| algorithm.name.clone()),
            );
            key.extend([
                variant.policy.to_string(),
                variant.interference.to_string(),
                setting.sms.to_string(),
            ]);
            let position = *known.entry(key.clone()).or_insert(lines.len());
            if position == lines.len() {
                lines.push(Line {
                    key,
                    utilizations: 0,
                    only: [0; 2],
                });
            }
            if let Some(line) = lines.get_mut(position) {
                line.utilizations += 1;
                line.only
                    .iter_mut()
                    .zip(only)
                    .for_each(|(sum, cell)| *sum += cell.schedulable);
            }
        }
    }
    let (before, after) = PAIR_COLUMNS.split_at(BEFORE_AXES);
    let rows = lines.into_iter().map(|line| {
        let [one, other] = line.only;
        let mut row = line.key;
        row.extend(
            [
                line.utilizations,
                line.utilizations.saturating_mul(sets),
                one,
                other,
            ]
            .map(|count| count.to_string()),
        );
        row.push(format!("{:.6}", mcnemar(one, other)));
        row
    });
    csv_of(name, &[before, axes, after].concat(), rows)
}
