//! MIG instances: each has slices of compute and of memory, and can begin at some memory slices only.
//!
//! A plan fits if its instances lie side by side; that is searched. The shares of an instance with c of C slices of compute
//! and d of D of memory are k·(c·D + d·C), those of the GPU k·2·C·D: what has Σ c ≤ C and Σ d ≤ D has its shares, so no plan that fits
//! has more. k is the least number with which no profile has more SMs than shares.

use std::collections::HashSet;

use super::placed::Placed;
use gpusched_model::device::{Instance, Mig, MigProfile, Place};

/// By shares: the SMs of the largest instance that has no more.
pub(super) fn sizes(mig: &Mig) -> Vec<u32> {
    let cost =
        |profile: &MigProfile| profile.compute * mig.memory_slices + profile.memory * mig.compute_slices;
    let scale = mig
        .profiles
        .iter()
        .map(|profile| profile.sms.div_ceil(cost(profile)))
        .max();
    let scale = scale.unwrap_or(1);
    let shares = scale * 2 * mig.compute_slices * mig.memory_slices;
    (0..=shares)
        .map(|shares| {
            let within = mig
                .profiles
                .iter()
                .filter(|profile| scale * cost(profile) <= shares);
            within.map(|profile| profile.sms).max().unwrap_or(0)
        })
        .collect()
}

/// Instances of at least `needs` SMs side by side, by complete search: the largest first, each with the fewest SMs and
/// memory slices with which the rest still fits.
pub(super) fn place(mig: &Mig, needs: &[u32]) -> Option<Vec<Placed>> {
    // Every instance takes a slice.
    if needs.len() > mig.memory_slices as usize {
        return None;
    }
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(needs[index]));
    let mut profiles: Vec<&MigProfile> = mig.profiles.iter().collect();
    profiles.sort_by_key(|profile| (profile.sms, profile.memory, profile.compute));
    let mut search = Search {
        needs: order.iter().map(|&index| needs[index]).collect(),
        profiles,
        chosen: Vec::new(),
        hopeless: HashSet::new(),
    };
    if !search.fits(0, mig.compute_slices) {
        return None;
    }
    let mut placed: Vec<Option<Placed>> = vec![None; needs.len()];
    for (&index, &(profile, start)) in order.iter().zip(&search.chosen) {
        placed[index] = Some(Placed {
            sms: profile.sms,
            place: Some(Place::Instance(Instance {
                profile: profile.name.clone(),
                start,
            })),
        });
    }
    placed.into_iter().collect()
}

struct Search<'m> {
    /// Decreasing.
    needs: Vec<u32>,
    /// By ascending size.
    profiles: Vec<&'m MigProfile>,
    /// Instances and where they begin.
    chosen: Vec<(&'m MigProfile, u32)>,
    /// Instances placed, memory slices taken and compute slices left, where the rest does not fit.
    hopeless: HashSet<(usize, u32, u32)>,
}

impl Search<'_> {
    /// Whether the rest fits; `taken` are memory slices, bit by bit.
    fn fits(&mut self, taken: u32, compute: u32) -> bool {
        let Some(&need) = self.needs.get(self.chosen.len()) else {
            return true;
        };
        let state = (self.chosen.len(), taken, compute);
        if self.hopeless.contains(&state) {
            return false;
        }
        for index in 0..self.profiles.len() {
            let profile = self.profiles[index];
            if profile.sms < need || profile.compute > compute {
                continue;
            }
            // The last place first, which keeps those free that most profiles can have.
            for &start in profile.starts.iter().rev() {
                let slices = ((1u32 << profile.memory) - 1) << start;
                if taken & slices != 0 {
                    continue;
                }
                self.chosen.push((profile, start));
                if self.fits(taken | slices, compute - profile.compute) {
                    return true;
                }
                self.chosen.pop();
            }
        }
        self.hopeless.insert(state);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::device::Device;

    /// Every way to choose a profile and a start for each, and then a look at slices.
    fn exists(mig: &Mig, needs: &[u32], taken: &[bool], compute: u32) -> bool {
        let Some((need, rest)) = needs.split_first() else {
            return true;
        };
        mig.profiles.iter().any(|profile| {
            profile.sms >= *need
                && profile.starts.iter().any(|&start| {
                    let mut taken = taken.to_vec();
                    let own = start as usize..(start + profile.memory) as usize;
                    let free = own.clone().all(|slice| !taken[slice]);
                    own.for_each(|slice| taken[slice] = true);
                    free && compute + profile.compute <= mig.compute_slices
                        && exists(mig, rest, &taken, compute + profile.compute)
                })
        })
    }

    #[test]
    fn places_are_found_where_there_are_some() {
        for name in ["a100", "h100"] {
            let device = Device::named(name).unwrap();
            let mig = device.mig().unwrap();
            let mut sizes: Vec<u32> = mig.profiles.iter().map(|profile| profile.sms).collect();
            sizes.dedup();
            let (mut some, mut none) = (0, 0);
            // All multisets of up to eight instances of the five smallest sizes.
            let mut open: Vec<Vec<usize>> = vec![Vec::new()];
            while let Some(chosen) = open.pop() {
                let needs: Vec<u32> = chosen.iter().map(|&size| sizes[size]).collect();
                let placed = place(mig, &needs);
                assert_eq!(placed.is_some(), exists(mig, &needs, &[false; 8], 0), "{needs:?}");
                if placed.is_none() {
                    none += 1;
                    continue; // more do not fit either
                }
                some += 1;
                let last = chosen.last().copied().unwrap_or(0);
                for size in last..sizes.len() {
                    let mut longer = chosen.clone();
                    longer.push(size);
                    open.push(longer);
                }
            }
            assert!(some > 30 && none > 30, "{name}: {some} {none}");
        }
    }

    /// What fits has its shares; on the A100 the reverse holds, too.
    #[test]
    fn shares_are_necessary() {
        let device = Device::named("a100").unwrap();
        let mig = device.mig().unwrap();
        let table = sizes(mig);
        let cost = |sms: u32| table.partition_point(|&most| most < sms);
        let all = [14, 28, 42, 56, 98];
        for a in all {
            for b in all {
                for c in [0, 14, 28, 42] {
                    let needs: Vec<u32> = [a, b, c].into_iter().filter(|&sms| sms > 0).collect();
                    let shares: usize = needs.iter().map(|&sms| cost(sms)).sum();
                    assert_eq!(place(mig, &needs).is_some(), shares < table.len(), "{needs:?}");
                }
            }
        }
        assert!(place(mig, &[14; 7]).is_some() && place(mig, &[14; 8]).is_none());
        assert!(place(mig, &[42, 42]).is_some() && place(mig, &[42, 42, 14]).is_none());
    }
}
