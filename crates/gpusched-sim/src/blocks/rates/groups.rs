//! Slowdown of blocks by the other kernels on their SM, with a factor for each group of other kernels.

use std::collections::BTreeMap;

use super::slowed;
use gpusched_model::scenario::{Launch, SameSm, Several};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Refusal};

/// Number of billionths in 1.
const UNIT: u64 = 1_000_000_000;

/// Slowdown factors, by kernel and group of other kernels.
#[derive(Clone, Debug)]
pub(in crate::blocks) struct Groups<'a> {
    several: Several,
    kernels: &'a [Launch],
    /// The names of a group are sorted.
    factors: BTreeMap<(&'a str, Vec<&'a str>), Factor>,
}

impl<'a> Groups<'a> {
    pub fn new(setting: &'a SameSm, kernels: &'a [Launch]) -> Groups<'a> {
        let row = setting.factors.iter().map(|row| {
            let mut group: Vec<&str> = row.beside.iter().map(String::as_str).collect();
            group.sort_unstable();
            ((row.kernel.as_str(), group), row.factor)
        });
        Groups {
            several: setting.several,
            kernels,
            factors: row.collect(),
        }
    }

    /// Returns the rate of each kernel that shares an SM with other kernels. `present` contains the SM and the kernel of
    /// each running block.
    ///
    /// # Errors
    /// Fails if a group has no factor.
    pub fn rates(
        &self,
        now: Time,
        mut present: Vec<(u32, usize)>,
    ) -> Result<BTreeMap<(u32, usize), u64>, Refusal> {
        present.sort_unstable();
        present.dedup();
        let mut rates = BTreeMap::new();
        for on_sm in present
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter(|on_sm| on_sm.len() > 1)
        {
            for &(sm, kernel) in on_sm {
                let others = on_sm
                    .iter()
                    .map(|&(_, other)| other)
                    .filter(|&other| other != kernel);
                let mut group: Vec<&str> = others.map(|other| self.name(other)).collect();
                group.sort_unstable();
                let factor = self.factor(self.name(kernel), group).map_err(|missing| {
                    let found = format!(
                        "no factor of `{}` beside {}, which have blocks on SM {sm} at {now}",
                        self.name(kernel),
                        missing
                            .iter()
                            .map(|name| format!("`{name}`"))
                            .collect::<Vec<_>>()
                            .join(" and "),
                    );
                    let expected = "a factor for each group of kernels that share an SM";
                    let refusal = Refusal::new("interference.same_sm", found, expected);
                    match missing.len() {
                        1 => refusal.hint("add this pair, for example with `simulate matrix`"),
                        _ => refusal
                            .hint("add this group, or state `\"several\": \"sum\"`, which is an estimate"),
                    }
                })?;
                rates.insert((sm, kernel), slowed(factor, Factor::ONE));
            }
        }
        Ok(rates)
    }

    fn name(&self, kernel: usize) -> &'a str {
        let kernel = self.kernels.get(kernel);
        kernel.and_then(|kernel| kernel.name.as_deref()).unwrap_or("")
    }

    /// Returns the factor of a kernel beside `group`. If a factor is missing, returns its group as the error.
    fn factor(&self, kernel: &'a str, group: Vec<&'a str>) -> Result<Factor, Vec<&'a str>> {
        let find = |group: Vec<&'a str>| {
            let key = (kernel, group);
            self.factors.get(&key).copied().ok_or(key.1)
        };
        match (find(group), self.several) {
            (Err(group), Several::Sum) if group.len() > 1 => {
                let mut sum = u128::from(UNIT);
                for other in group {
                    let (numerator, denominator) = find(vec![other])?.ratio();
                    sum += u128::from(numerator) * u128::from(UNIT / denominator) - u128::from(UNIT);
                }
                // Above the largest factor, a block makes nearly no progress.
                let sum = u64::try_from(sum).ok().and_then(Factor::from_billionths);
                Ok(sum.unwrap_or(Factor::MAX))
            }
            (found, _) => found,
        }
    }
}
