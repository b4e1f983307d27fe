//! MIG instances. Each instance has compute slices and consecutive memory slices. Its profile
//! states the memory slices at which the instance may start.
//!
//! Instances fit together if their memory slices do not overlap and the GPU has enough compute
//! slices. A complete search finds such a placement or proves that no placement exists. An
//! instance with c of C compute slices and d of D memory slices costs k·(c·D + d·C) allocation
//! units, and the GPU has k·2·C·D units. The factor k is the smallest integer with which every
//! profile costs at least as many allocation units as it has SMs. A plan that fits has Σ c ≤ C
//! and Σ d ≤ D, so its cost is at most the allocation units of the GPU.

use std::collections::HashMap;

use super::placed::Placed;
use gpusched_model::device::{Instance, Mig, MigProfile, Place};

/// Returns, for each number of allocation units, the SMs of the largest instance that costs at
/// most this number of units.
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

/// Finds a placement with the fewest SMs in total for instances of at least `needs` SMs. The search is complete. The
/// search places the largest instances first, and it tries the profiles with the fewest SMs and memory slices first. The
/// slices of the instances `held` are not free.
pub(super) fn place(mig: &Mig, needs: &[u32], held: &[Place]) -> Option<Vec<Placed>> {
    let (order, mut search) = Search::new(mig, needs, false)?;
    let (taken, compute) = free(mig, held)?;
    let chosen = search.walk(taken, compute)?;
    let mut placed: Vec<Option<Placed>> = vec![None; needs.len()];
    for (&index, (profile, start)) in order.iter().zip(chosen) {
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

/// Whether the GPU has a placement beside the instances `held` for instances of at least `needs` SMs.
pub(super) fn has_room(mig: &Mig, needs: &[u32], held: &[Place]) -> bool {
    let search = Search::new(mig, needs, true).zip(free(mig, held));
    search.is_some_and(|((_, mut search), (taken, compute))| search.least(0, taken, compute).is_some())
}

/// Returns the memory slices of the instances `held` as a bit set, and the number of free compute slices. Returns `None` if
/// an instance has an unknown profile, or if the instances have too many compute slices.
fn free(mig: &Mig, held: &[Place]) -> Option<(u32, u32)> {
    held.iter()
        .try_fold((0, mig.compute_slices), |(taken, compute), place| {
            let Place::Instance(instance) = place else {
                return None;
            };
            let profile = mig.profile(&instance.profile)?;
            let compute = compute.checked_sub(profile.compute)?;
            Some((taken | slices(profile, instance.start), compute))
        })
}

struct Search<'m> {
    /// Required SMs of the instances, decreasing.
    needs: Vec<u32>,
    /// Profiles by ascending size.
    profiles: Vec<&'m MigProfile>,
    /// Whether the search may stop at the first placement. If false, it finds a placement with the fewest SMs.
    any: bool,
    /// Fewest SMs of the remaining instances, or `None` if they do not fit. The key contains the number of placed
    /// instances, the occupied memory slices and the number of free compute slices.
    known: HashMap<(usize, u32, u32), Option<u32>>,
}

impl<'m> Search<'m> {
    /// Creates the search. Also returns the order of the instances in the search. Returns `None`
    /// if there are more instances than memory slices, because every instance needs at least one
    /// slice.
    fn new(mig: &'m Mig, needs: &[u32], any: bool) -> Option<(Vec<usize>, Search<'m>)> {
        if needs.len() > mig.memory_slices as usize {
            return None;
        }
        let mut order: Vec<usize> = (0..needs.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(needs[index]));
        let mut profiles: Vec<&MigProfile> = mig.profiles.iter().collect();
        profiles.sort_by_key(|profile| (profile.sms, profile.memory, profile.compute));
        let search = Search {
            needs: order.iter().map(|&index| needs[index]).collect(),
            profiles,
            any,
            known: HashMap::new(),
        };
        Some((order, search))
    }

    /// Returns the fewest SMs of the instances from `index` on, or `None` if they do not fit.
    /// `taken` is a bit set of the occupied memory slices. `compute` is the number of free
    /// compute slices.
    fn least(&mut self, index: usize, taken: u32, compute: u32) -> Option<u32> {
        if index == self.needs.len() {
            return Some(0);
        }
        if let Some(&known) = self.known.get(&(index, taken, compute)) {
            return known;
        }
        let mut best: Option<u32> = None;
        for (profile, start) in self.choices(index, taken, compute) {
            let with = self.with(index, (taken, compute), (profile, start));
            best = best.into_iter().chain(with).min();
            if self.any && best.is_some() {
                break;
            }
        }
        self.known.insert((index, taken, compute), best);
        best
    }

    /// Returns the fewest SMs of the instances from `index` on, if instance `index` has `profile` and starts at memory
    /// slice `start`.
    fn with(
        &mut self,
        index: usize,
        (taken, compute): (u32, u32),
        (profile, start): (&MigProfile, u32),
    ) -> Option<u32> {
        let rest = self.least(
            index + 1,
            taken | slices(profile, start),
            compute - profile.compute,
        )?;
        Some(rest + profile.sms)
    }

    /// Returns the possible profiles and first memory slices of instance `index`. The last slices come first. This
    /// order keeps the first slices free, because most profiles can start there.
    fn choices(&self, index: usize, taken: u32, compute: u32) -> Vec<(&'m MigProfile, u32)> {
        let need = self.needs[index];
        let large = self.profiles.iter().copied();
        let large = large.filter(|profile| profile.sms >= need && profile.compute <= compute);
        let all = large.flat_map(|profile| profile.starts.iter().rev().map(move |&start| (profile, start)));
        all.filter(|&(profile, start)| taken & slices(profile, start) == 0)
            .collect()
    }

    /// Returns the profile and the first memory slice of each instance, with the fewest SMs, or `None` if they do not fit.
    fn walk(&mut self, mut taken: u32, mut compute: u32) -> Option<Vec<(&'m MigProfile, u32)>> {
        let mut chosen = Vec::new();
        for index in 0..self.needs.len() {
            let least = self.least(index, taken, compute)?;
            let choices = self.choices(index, taken, compute);
            let (profile, start) = choices
                .into_iter()
                .find(|&choice| self.with(index, (taken, compute), choice) == Some(least))?;
            taken |= slices(profile, start);
            compute -= profile.compute;
            chosen.push((profile, start));
        }
        Some(chosen)
    }
}

/// Returns the memory slices of an instance as a bit set.
fn slices(profile: &MigProfile, start: u32) -> u32 {
    ((1u32 << profile.memory) - 1) << start
}
