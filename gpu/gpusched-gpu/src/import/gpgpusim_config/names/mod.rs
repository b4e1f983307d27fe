//! Names of the options that GPGPU-Sim knows. `options.txt` contains the names and their source.

/// One name per line, sorted; `#` starts a comment.
const NAMES: &str = include_str!("options.txt");

fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines().filter(|line| line.starts_with('-'))
}

/// Returns whether GPGPU-Sim knows the option `name`, which includes its dash.
pub(super) fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}

/// Returns the known option that is most similar to `name`. Returns `None` if no known option is similar. A prefix
/// `gpgpu_` has no effect on the similarity.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let name = stem(name);
    let best = names().min_by_key(|known| distance(name, stem(known)))?;
    (3 * distance(name, stem(best)) <= name.len()).then_some(best)
}

fn stem(name: &str) -> &str {
    let name = name.trim_start_matches('-');
    name.strip_prefix("gpgpu_").unwrap_or(name)
}

/// Returns the least number of insertions, removals and replacements of a byte that change `from` to `to`. If `to`
/// ends with `from`, the number is at most 1.
fn distance(from: &str, to: &str) -> usize {
    if to.ends_with(from) && from.len() > 4 {
        return usize::from(to != from);
    }
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, a) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (place, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[to.len()]
}
