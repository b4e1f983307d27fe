//! Names with a number at the end, such as `detector_17`, which look like an activity for each job.

use std::collections::BTreeMap;

/// Returns the first of `names` that differ only in a number at the end, as it is and with `#` before the number. Each such
/// name looks like an activity of its own. Returns `None` for fewer than three such names.
pub fn numbered<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<(String, String)> {
    let mut stems: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for name in names {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let place = stem.trim_end_matches(|c: char| c == ' ' || c.is_ascii_punctuation());
        if stem.len() < name.len() && !place.is_empty() {
            stems.entry(place).or_insert((0, name)).0 += 1;
        }
    }
    let (stem, (_, name)) = stems.into_iter().find(|&(_, (count, _))| count >= 3)?;
    let number = name
        .strip_prefix(stem)?
        .trim_start_matches(|c: char| !c.is_ascii_digit());
    Some((name.to_owned(), format!("{stem}#{number}")))
}
