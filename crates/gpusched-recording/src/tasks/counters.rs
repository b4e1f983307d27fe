//! Memory traffic of kernels, from the hardware counters of Nsight Compute.

use std::collections::BTreeMap;

use crate::model::Recording;

/// Largest number of bytes that a launch of a kernel moves to and from DRAM.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    by_name: BTreeMap<String, u64>,
    /// Largest traffic of all kernels with the same base name. The base name is necessary, because profilers write
    /// template parameters in different ways.
    by_base: BTreeMap<String, u64>,
}

impl Counters {
    /// Adds the traffic of the launches in `recording`.
    pub fn add(&mut self, recording: &Recording) {
        for &(name, bytes) in &recording.traffic {
            let name = recording.names.get(name);
            for (names, name) in [(&mut self.by_name, name), (&mut self.by_base, base(name))] {
                let most = names.entry(name.to_owned()).or_default();
                *most = bytes.max(*most);
            }
        }
    }

    /// Returns the traffic of a launch of the kernel `name` [bytes]. If there are no counters for the full name,
    /// returns the largest traffic of all kernels with the same base name. Returns `None` if there is no such kernel.
    pub fn traffic(&self, name: &str) -> Option<u64> {
        let exact = self.by_name.get(name);
        exact.or_else(|| self.by_base.get(base(name))).copied()
    }

    /// Whether there are no counters.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

/// Returns the name of the function without its result type, namespaces, template parameters and parameters:
/// `void a::b<c::d>(e)` becomes `b`.
fn base(name: &str) -> &str {
    let (mut depth, mut start, mut end) = (0usize, 0, None);
    for (at, c) in name.char_indices() {
        match c {
            '<' | '[' | '{' => {
                if depth == 0 && end.is_none() {
                    end = Some(at);
                }
                depth += 1;
            }
            '>' | ']' | '}' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => {
                // "(anonymous namespace)" and similar parts belong to the namespaces.
                match name
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with("(anonymous") || rest.starts_with("(unnamed"))
                {
                    true => depth += 1,
                    false => {
                        end = end.or(Some(at));
                        break;
                    }
                }
            }
            ')' => depth = depth.saturating_sub(1),
            ' ' | ':' if depth == 0 => (start, end) = (at + 1, None),
            _ => {}
        }
    }
    name.get(start..end.unwrap_or(name.len())).unwrap_or(name)
}
