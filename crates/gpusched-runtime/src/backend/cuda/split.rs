//! Splits of the SMs of a GPU into groups.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use gpusched_model::{Refusal, counted};

use super::context::Device;
use super::library::{Code, Group, Resource, Split};

/// `CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING`: smaller groups, at the cost of large clusters.
const IGNORE_COSCHEDULING: u32 = 1;
/// `CU_DEV_SM_RESOURCE_GROUP_BACKFILL`: any SMs complete a group.
const BACKFILL: u32 = 1;
/// `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION`.
const INVALID_CONFIGURATION: Code = 915;
/// Group size with [`IGNORE_COSCHEDULING`].
const FINE: u32 = 2;
const SPLIT_BY_COUNT: &str = "cuDevSmResourceSplitByCount";

impl Device<'_> {
    /// Splits the SMs of the GPU into groups for partitions of the sizes in `wanted`. Returns the groups of each partition, the rest, and a
    /// description of the split.
    pub(super) fn groups(&self, wanted: &[u32]) -> Result<(Vec<Vec<Resource>>, Resource, String), Refusal> {
        match self.driver.split {
            Some(split) => self.split_exactly(split, wanted),
            None => self.split_by_count(wanted),
        }
    }

    /// Returns the sizes that the driver grants to a single partition, ascending. The last size is the whole GPU.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn sizes(&self) -> Result<Vec<u32>, Refusal> {
        let (least, step) = (self.granularity.0.max(1), self.granularity.1.max(1));
        let most = match self.driver.split {
            Some(_) => self.sms,
            None => self.possible(least, 0)?.saturating_mul(least).min(self.sms),
        };
        let mut sizes: Vec<u32> = (least..=most).step_by(step as usize).collect();
        if sizes.last() != Some(&self.sms) {
            sizes.push(self.sms);
        }
        Ok(sizes)
    }

    /// Whether a single partition may have `sms` SMs. The driver may still refuse the size.
    pub fn may_grant(&self, sms: u32) -> bool {
        sms == self.sms || (sms > 0 && sms < self.sms && sms.is_multiple_of(FINE))
    }

    /// Splits the SMs of the GPU into groups of exactly the sizes in `wanted` (CUDA 13.1 and newer). If the driver finds
    /// no groups of SMs that clusters can use, tries again with any SMs.
    fn split_exactly(
        &self,
        split: Split,
        wanted: &[u32],
    ) -> Result<(Vec<Vec<Resource>>, Resource, String), Refusal> {
        const CALL: &str = "cuDevSmResourceSplit";
        // Large groups first, because they have the fewest possible places.
        let mut sorted: Vec<(usize, u32)> = wanted.iter().copied().enumerate().collect();
        sorted.sort_by_key(|&(_, sms)| std::cmp::Reverse(sms));
        let mut code = INVALID_CONFIGURATION;
        for flags in [0, BACKFILL] {
            let alignment = self.granularity.1;
            let group = |&(_, sms): &(usize, u32)| Group {
                sms,
                coscheduled: if alignment > 0 && sms % alignment == 0 {
                    alignment
                } else {
                    FINE
                },
                preferred: 0,
                flags,
                reserved: [0; 12],
            };
            let mut groups: Vec<Group> = sorted.iter().map(group).collect();
            let mut results = vec![Resource::EMPTY; wanted.len()];
            let mut rest = Resource::EMPTY;
            let count = wanted.len() as u32;
            // SAFETY: `results` and `groups` have `count` entries.
            code = unsafe {
                split(
                    results.as_mut_ptr(),
                    count,
                    &self.whole,
                    &mut rest,
                    0,
                    groups.as_mut_ptr(),
                )
            };
            match code {
                0 => {
                    let mut own: Vec<Vec<Resource>> = vec![Vec::new(); wanted.len()];
                    for ((index, _), result) in sorted.iter().zip(results) {
                        own[*index].push(result);
                    }
                    return Ok((own, rest, format!("{CALL}, group flags {flags}")));
                }
                INVALID_CONFIGURATION => {}
                _ => break,
            }
        }
        self.driver.check(CALL, code)?;
        Ok((Vec::new(), Resource::EMPTY, String::new()))
    }

    /// Splits the SMs of the GPU into groups of equal size. Each partition consists of consecutive groups.
    fn split_by_count(&self, wanted: &[u32]) -> Result<(Vec<Vec<Resource>>, Resource, String), Refusal> {
        let coarse = self.granularity.0.max(1);
        let (group, flags) = match wanted.iter().all(|sms| sms % coarse == 0) {
            true => (coarse, 0),
            false => (FINE, IGNORE_COSCHEDULING),
        };
        if let Some(index) = wanted.iter().position(|sms| sms % group != 0) {
            let field = format!("partition {index}");
            let expected = format!("a multiple of {group}");
            return Err(Refusal::new(field, counted(wanted[index], "SM"), expected));
        }
        let needed = wanted.iter().map(|sms| sms / group).sum();
        let (groups, others) = self.split(group, flags, needed)?;
        if let Some(wrong) = groups.iter().find(|found| found.sms != group) {
            let found = format!("a group of {}", counted(wrong.sms, "SM"));
            return Err(Refusal::new(SPLIT_BY_COUNT, found, group));
        }
        let how = format!("{SPLIT_BY_COUNT}, flags {flags}, {needed} groups of {group} SMs");
        let mut rest = &groups[..];
        let chunks = wanted.iter().map(|sms| {
            let (own, others) = rest.split_at((sms / group) as usize);
            rest = others;
            own.to_vec()
        });
        Ok((chunks.collect(), others, how))
    }

    /// Returns how many groups of `group` SMs a split can create.
    fn possible(&self, group: u32, flags: u32) -> Result<u32, Refusal> {
        let mut possible = 0;
        let split = self.driver.split_by_count;
        // SAFETY: without a place for results, the call only counts the groups.
        let code = unsafe {
            split(
                std::ptr::null_mut(),
                &mut possible,
                &self.whole,
                std::ptr::null_mut(),
                flags,
                group,
            )
        };
        self.driver.check(SPLIT_BY_COUNT, code)?;
        Ok(possible)
    }

    /// Splits the SMs of the GPU into `needed` groups of `group` SMs, and a rest.
    pub(super) fn split(
        &self,
        group: u32,
        flags: u32,
        needed: u32,
    ) -> Result<(Vec<Resource>, Resource), Refusal> {
        let possible = self.possible(group, flags)?;
        let mut rest = Resource::EMPTY;
        let split = self.driver.split_by_count;
        let few = |found: u32| {
            let found = format!("{} of {group} SMs on {} SMs", counted(found, "group"), self.sms);
            Refusal::new("partitions", found, format!("{needed}, which the plan needs"))
        };
        if possible < needed {
            return Err(few(possible));
        }
        let mut groups = vec![Resource::EMPTY; needed as usize];
        let mut created = needed;
        // SAFETY: `groups` has room for `created` results.
        let code = unsafe {
            split(
                groups.as_mut_ptr(),
                &mut created,
                &self.whole,
                &mut rest,
                flags,
                group,
            )
        };
        self.driver.check(SPLIT_BY_COUNT, code)?;
        if created < needed {
            return Err(few(created));
        }
        Ok((groups, rest))
    }
}
