//! Names of ranges that are probably misspelt.

use std::collections::BTreeMap;

use crate::recording::source::Source;
use crate::report::clip;
use gpusched_recording::activity::Grouping;

/// Largest number of names that the comparison reads. A program generates longer lists.
const MOST: usize = 200;

/// Returns a note for each name of a range that is in one of several recordings, and that is close to a name of other recordings,
/// which this recording lacks. Two names that are each in one recording of the same size are different tasks.
pub fn of_similar(sources: &[&Source]) -> Vec<String> {
    let ranges = sources.iter().filter(|source| source.by == Grouping::Range);
    let mut files: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in ranges {
        for activity in &source.activities.list {
            files.entry(&activity.name).or_default().push(source);
        }
    }
    if files.len() > MOST {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for (&name, of) in &files {
        let [only] = of.as_slice() else { continue };
        let other = files.iter().find(|&(&other, of)| {
            let same = |source: &&Source| source.file == only.file;
            let pair = match of.as_slice() {
                // The note about the other name would state the same pair.
                [source] => source.sms != only.sms && name < other,
                _ => true,
            };
            pair && !of.iter().any(same) && are_close(name, other)
        });
        if let Some((&other, of)) = other {
            let place = match of.as_slice() {
                [source] => format!("{} has", source.file),
                many => format!("{} other recordings have", many.len()),
            };
            let (name, other) = (clip(name, 40), clip(other, 40));
            notes.push(format!(
                "{}: only this recording has ranges {name:?}, and {place} {other:?}; if both are one task, give them one name, so that \
                 C(m) covers each size",
                only.file
            ));
        }
    }
    notes
}

/// Whether two names differ in at most two letters, or one is the start of the other. Short names must differ less.
fn are_close(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let part = shorter >= 3 && (one.starts_with(other) || other.starts_with(one));
    part || one.chars().count().abs_diff(other.chars().count()) <= 2
        && strsim::osa_distance(one, other) <= 2.min(shorter / 3)
}
