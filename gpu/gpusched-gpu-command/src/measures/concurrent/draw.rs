//! Generation of random groups of kernels, with a number of SMs for each kernel. A group contains each kernel at most once.
//! All assignments of SMs that fit on the GPU are equally probable.

use rand::Rng;
use serde::{Deserialize, Serialize};

use gpusched_model::streams::below;

/// Random groups of kernels.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Numbers of kernels per group. All kernels of one group differ.
    pub(super) sizes: Vec<usize>,
    /// Number of groups for each number of kernels in `sizes`.
    pub(super) groups: u64,
    /// Numbers of SMs that a kernel may have.
    pub(super) sms: Vec<u32>,
}

/// Kernels of a group, each with its number of SMs.
pub type Members = Vec<(usize, u32)>;

/// Maximum number of possible assignments of SMs to the kernels of a group.
const MOST_WAYS: u64 = 1 << 40;

/// For each c and s, returns the number of ways to assign one of `choices` to each of c kernels, such that the kernels
/// have at most s SMs in total. The number for c and s is in row c (0 to `count`) and in column s (0 to `left`).
fn ways(choices: &[u32], count: usize, left: u32) -> Vec<Vec<u64>> {
    let mut table = vec![vec![1; left as usize + 1]];
    for _ in 0..count {
        let before = table.last().cloned().unwrap_or_default();
        let after = (0..=left).map(|left| {
            let fits = choices.iter().filter_map(|&choice| left.checked_sub(choice));
            let ways = fits.map(|rest| before.get(rest as usize).copied().unwrap_or(0));
            ways.fold(0u64, u64::saturating_add)
        });
        table.push(after.collect());
    }
    table
}

/// Returns whether the number of possible assignments is at least 1 and at most `MOST_WAYS`.
pub fn possible(choices: &[u32], count: usize, sms: u32) -> bool {
    let table = ways(choices, count, sms);
    let all = table.last().and_then(|row| row.last()).copied().unwrap_or(0);
    (1..=MOST_WAYS).contains(&all)
}

/// Selects `size` of the `kernels` kernels at random, and for each of them a number of SMs from `choices`. All selected
/// kernels together have at most `sms` SMs.
pub fn draw(rng: &mut impl Rng, kernels: usize, size: usize, choices: &[u32], sms: u32) -> Members {
    let mut names: Vec<usize> = (0..kernels).collect();
    let table = ways(choices, size, sms);
    let of = |count: usize, left: u32| {
        table
            .get(count)
            .and_then(|row| row.get(left as usize))
            .copied()
            .unwrap_or(0)
    };
    let mut left = sms;
    let mut group = Vec::new();
    for rest in (0..size).rev() {
        let kernel = names.swap_remove(below(rng, names.len()));
        let mut chance = below(rng, of(rest + 1, left) as usize) as u64;
        for &choice in choices.iter().filter(|&&choice| choice <= left) {
            let here = of(rest, left - choice);
            if chance < here {
                group.push((kernel, choice));
                left -= choice;
                break;
            }
            chance -= here;
        }
    }
    group
}
