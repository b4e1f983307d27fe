//! Partitions that consist of whole GPCs. The GPCs may differ in size.

use std::collections::HashMap;

use super::numbers;
use super::placed::Placed;
use gpusched_model::device::{Device, Place};

/// Returns, for each number m, the largest number of SMs that a set of whole GPCs with at most m SMs can have.
pub(super) fn sizes(device: &Device) -> Vec<u32> {
    let all = device.sms() as usize;
    let mut sums = vec![false; all + 1];
    sums[0] = true;
    for gpc in device.sms_per_gpc() {
        let gpc = gpc as usize;
        for sum in (gpc..=all).rev() {
            sums[sum] |= sums[sum - gpc];
        }
    }
    let mut below = 0;
    (0u32..)
        .zip(sums)
        .map(|(sum, is)| {
            if is {
                below = sum;
            }
            below
        })
        .collect()
}

/// All GPCs of one size: their number of SMs, and their indices.
struct Class {
    sms: u32,
    gpcs: Vec<u32>,
}

/// Finds disjoint sets of GPCs for partitions of at least `needs` SMs. The sets have the fewest SMs in total. The state
/// of the search is the number of free GPCs of each size. The search is complete, and it visits each state only once. The
/// GPCs of `held` are not free.
pub(super) fn place(device: &Device, needs: &[u32], held: &[Place]) -> Option<Vec<Placed>> {
    let classes = classes(device, held);
    let left: Vec<usize> = classes.iter().map(|class| class.gpcs.len()).collect();
    let (order, mut search) = Search::new(&classes, needs, false);
    search.least(0, &left)?;
    let mut used = vec![0; classes.len()];
    let mut placed: Vec<Option<Placed>> = vec![None; needs.len()];
    for (&index, counts) in order.iter().zip(search.walk(left)?) {
        let mut gpcs = Vec::new();
        for ((class, used), &count) in classes.iter().zip(&mut used).zip(&counts) {
            gpcs.extend_from_slice(&class.gpcs[*used..*used + count]);
            *used += count;
        }
        gpcs.sort_unstable();
        placed[index] = Some(Placed {
            sms: u32::try_from(search.sms(&counts)).ok()?,
            place: Some(Place::Gpcs(gpcs)),
        });
    }
    placed.into_iter().collect()
}

/// Whether the device has disjoint sets of GPCs outside `held` for partitions of at least `needs` SMs.
pub(super) fn has_room(device: &Device, needs: &[u32], held: &[Place]) -> bool {
    let classes = classes(device, held);
    let left: Vec<usize> = classes.iter().map(|class| class.gpcs.len()).collect();
    Search::new(&classes, needs, true).1.least(0, &left).is_some()
}

/// Returns the GPCs of `device` outside `held`, grouped by size.
fn classes(device: &Device, held: &[Place]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let is_free = |gpc: u32| !held.iter().any(|place| numbers(place).contains(&gpc));
    for (gpc, sms) in (0u32..)
        .zip(device.sms_per_gpc())
        .filter(|&(gpc, _)| is_free(gpc))
    {
        match classes.iter_mut().find(|class| class.sms == sms) {
            Some(class) => class.gpcs.push(gpc),
            None => classes.push(Class { sms, gpcs: vec![gpc] }),
        }
    }
    classes
}

struct Search<'c> {
    /// Required SMs of the partitions, decreasing.
    needs: Vec<u32>,
    classes: &'c [Class],
    /// Whether the search may stop at the first placement. If false, it finds a placement with the fewest SMs.
    any: bool,
    /// Fewest SMs of the remaining partitions, or `None` if they do not fit. The key contains the number of placed
    /// partitions and the number of free GPCs in each class.
    known: HashMap<(usize, Vec<usize>), Option<u64>>,
}

impl<'c> Search<'c> {
    /// Creates the search. Also returns the order of the partitions in the search. The largest
    /// partitions come first, so that small partitions can use the remaining GPCs.
    fn new(classes: &'c [Class], needs: &[u32], any: bool) -> (Vec<usize>, Search<'c>) {
        let mut order: Vec<usize> = (0..needs.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(needs[index]));
        let search = Search {
            needs: order.iter().map(|&index| needs[index]).collect(),
            classes,
            any,
            known: HashMap::new(),
        };
        (order, search)
    }

    /// Returns the fewest SMs of the partitions from `index` on, if each class has `left` free
    /// GPCs. Returns `None` if these partitions do not fit.
    fn least(&mut self, index: usize, left: &[usize]) -> Option<u64> {
        let Some(&need) = self.needs.get(index) else {
            return Some(0);
        };
        let room: u64 = self
            .classes
            .iter()
            .zip(left)
            .map(|(class, &left)| u64::from(class.sms) * left as u64)
            .sum();
        let rest: u64 = self.needs[index..].iter().map(|&need| u64::from(need)).sum();
        if rest > room {
            return None;
        }
        if let Some(&known) = self.known.get(&(index, left.to_vec())) {
            return known;
        }
        let mut best: Option<u64> = None;
        for counts in self.choices(need, left) {
            let with = self
                .least(index + 1, &without(left, &counts))
                .map(|rest| rest + self.sms(&counts));
            best = best.into_iter().chain(with).min();
            if self.any && best.is_some() {
                break;
            }
        }
        self.known.insert((index, left.to_vec()), best);
        best
    }

    /// Returns, for each partition, the number of GPCs that the partition gets from each class. With the free GPCs
    /// `left`, no other choice has fewer SMs in total.
    fn walk(&mut self, mut left: Vec<usize>) -> Option<Vec<Vec<usize>>> {
        let needs = self.needs.clone();
        let mut taken = Vec::new();
        for (index, need) in needs.into_iter().enumerate() {
            let least = self.least(index, &left)?;
            let counts = self.choices(need, &left).into_iter().find(|counts| {
                let rest = self.least(index + 1, &without(&left, counts));
                rest.is_some_and(|rest| rest + self.sms(counts) == least)
            })?;
            left = without(&left, &counts);
            taken.push(counts);
        }
        Some(taken)
    }

    /// Returns the total SMs of a selection of GPCs. `counts` contains the number of GPCs of each
    /// class.
    fn sms(&self, counts: &[usize]) -> u64 {
        let sizes = self.classes.iter().map(|class| u64::from(class.sms));
        sizes.zip(counts).map(|(sms, &count)| sms * count as u64).sum()
    }

    /// Returns all selections of GPCs with at least `need` SMs and without a superfluous GPC. A
    /// selection states the number of GPCs of each class. The selections with the fewest SMs come
    /// first.
    fn choices(&self, need: u32, left: &[usize]) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for &left in left {
            let longer = all.iter().flat_map(|counts| {
                (0..=left).map(move |count| {
                    let mut counts = counts.clone();
                    counts.push(count);
                    counts
                })
            });
            all = longer.collect();
        }
        let need = u64::from(need);
        all.retain(|counts| {
            let has = self.sms(counts);
            let smallest = self.classes.iter().zip(counts).filter(|(_, count)| **count > 0);
            let smallest = smallest.map(|(class, _)| u64::from(class.sms)).min();
            has >= need && smallest.is_some_and(|smallest| has - smallest < need)
        });
        all.sort_by_key(|counts| self.sms(counts));
        all
    }
}

/// Returns the number of free GPCs in each class after `taken` GPCs are removed from `left`.
fn without(left: &[usize], taken: &[usize]) -> Vec<usize> {
    left.iter().zip(taken).map(|(left, taken)| left - taken).collect()
}
