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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        let names: Vec<&str> = names().collect();
        assert!(names.is_sorted_by(|a, b| a < b) && names.len() > 200);
        assert!(is_known("-gpgpu_n_clusters") && !is_known("-gpgpu_n_cluster") && !is_known("-"));
    }

    #[test]
    fn a_slip_is_near_what_was_meant() {
        for (slip, meant) in [
            ("-gpgpu_l1_latncy", "-gpgpu_l1_latency"),
            ("-smem_latency", "-gpgpu_smem_latency"),
            ("-rop_latency", "-gpgpu_l2_rop_latency"),
            ("-gmem_skip_L1D", "-gpgpu_gmem_skip_L1D"),
            ("-gpgpu_n_cluster", "-gpgpu_n_clusters"),
            ("-gpgpu_cache:d1", "-gpgpu_cache:dl1"),
            ("-ptx_opcode_latency_tensor", "-ptx_opcode_latency_tesnor"),
        ] {
            assert_eq!(nearest(slip), Some(meant), "{slip}");
        }
        for far in ["-bogus_1", "-", "-colour", ""] {
            assert_eq!(nearest(far), None, "{far}");
        }
    }

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(
            [distance("", "abc"), distance("abc", ""), distance("abc", "abc")],
            [3, 3, 0]
        );
    }
}
