//! Partitions of whole GPCs, which may differ in size.

use std::collections::HashSet;

use super::placed::Placed;
use gpusched_model::device::{Device, Place};

/// By number of SMs: the most that some GPCs have together without exceeding it.
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

/// GPCs of one size: how many SMs, and which.
struct Class {
    sms: u32,
    gpcs: Vec<u32>,
}

/// Disjoint GPCs for partitions of at least `needs` SMs. Only how many of each size are left matters, so a search over
/// that is complete; it looks at each such state once. Partitions get the fewest SMs that leave room for all.
pub(super) fn place(device: &Device, needs: &[u32]) -> Option<Vec<Placed>> {
    let mut classes: Vec<Class> = Vec::new();
    for (gpc, sms) in (0u32..).zip(device.sms_per_gpc()) {
        match classes.iter_mut().find(|class| class.sms == sms) {
            Some(class) => class.gpcs.push(gpc),
            None => classes.push(Class { sms, gpcs: vec![gpc] }),
        }
    }
    // The largest first: what is left over serves the small.
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(needs[index]));
    let mut search = Search {
        needs: order.iter().map(|&index| needs[index]).collect(),
        classes: &classes,
        hopeless: HashSet::new(),
        taken: Vec::new(),
    };
    let left: Vec<usize> = classes.iter().map(|class| class.gpcs.len()).collect();
    if !search.fits(0, &left) {
        return None;
    }
    let mut used = vec![0; classes.len()];
    let mut placed: Vec<Option<Placed>> = vec![None; needs.len()];
    for (&index, counts) in order.iter().zip(&search.taken) {
        let mut gpcs = Vec::new();
        let mut sms = 0;
        for ((class, used), &count) in classes.iter().zip(&mut used).zip(counts) {
            gpcs.extend_from_slice(&class.gpcs[*used..*used + count]);
            *used += count;
            sms += class.sms * u32::try_from(count).unwrap_or(0);
        }
        gpcs.sort_unstable();
        placed[index] = Some(Placed {
            sms,
            place: Some(Place::Gpcs(gpcs)),
        });
    }
    placed.into_iter().collect()
}

struct Search<'c> {
    /// Decreasing.
    needs: Vec<u32>,
    classes: &'c [Class],
    /// Partitions that are placed, and GPCs of each class that are left, where the rest does not fit.
    hopeless: HashSet<(usize, Vec<usize>)>,
    /// GPCs of each class, by partition.
    taken: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Whether the partitions from `index` on fit on what is left.
    fn fits(&mut self, index: usize, left: &[usize]) -> bool {
        let Some(&need) = self.needs.get(index) else {
            return true;
        };
        let room: u64 = self
            .classes
            .iter()
            .zip(left)
            .map(|(class, &left)| u64::from(class.sms) * left as u64)
            .sum();
        let rest: u64 = self.needs[index..].iter().map(|&need| u64::from(need)).sum();
        if rest > room || self.hopeless.contains(&(index, left.to_vec())) {
            return false;
        }
        for counts in self.choices(need, left) {
            let after: Vec<usize> = left
                .iter()
                .zip(&counts)
                .map(|(left, taken)| left - taken)
                .collect();
            self.taken.truncate(index);
            self.taken.push(counts);
            if self.fits(index + 1, &after) {
                return true;
            }
        }
        self.hopeless.insert((index, left.to_vec()));
        false
    }

    /// Numbers of GPCs of each class that have `need` SMs together, none of them to spare; the fewest SMs first.
    fn choices(&self, need: u32, left: &[usize]) -> Vec<Vec<usize>> {
        let sum = |counts: &[usize]| -> u64 {
            let sizes = self.classes.iter().map(|class| u64::from(class.sms));
            sizes.zip(counts).map(|(sms, &count)| sms * count as u64).sum()
        };
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
            let has = sum(counts);
            let smallest = self.classes.iter().zip(counts).filter(|(_, count)| **count > 0);
            let smallest = smallest.map(|(class, _)| u64::from(class.sms)).min();
            has >= need && smallest.is_some_and(|smallest| has - smallest < need)
        });
        all.sort_by_key(|counts| sum(counts));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(gpcs: &[u32]) -> Device {
        let sms: u32 = gpcs.iter().sum::<u32>() * 2;
        serde_json::from_value(serde_json::json!({
            "name": "x", "sms": sms, "sms_per_tpc": 2, "tpcs_per_gpc": gpcs
        }))
        .unwrap()
    }

    /// Every way to give each GPC to one partition or to none.
    fn exists(gpcs: &[u32], needs: &[u32]) -> bool {
        let ways = (needs.len() as u64 + 1).pow(gpcs.len() as u32);
        (0..ways).any(|mut way| {
            let mut got = vec![0; needs.len() + 1];
            for &tpcs in gpcs {
                got[(way % (needs.len() as u64 + 1)) as usize] += 2 * tpcs;
                way /= needs.len() as u64 + 1;
            }
            needs.iter().zip(&got).all(|(need, got)| got >= need)
        })
    }

    #[test]
    fn places_are_found_where_there_are_some() {
        let layouts: [&[u32]; 4] = [&[1, 2, 3], &[2, 2, 3, 3], &[1, 1, 1, 4], &[5]];
        let (mut some, mut none) = (0, 0);
        for gpcs in layouts {
            let device = device(gpcs);
            for a in 1..=10 {
                for b in 0..=10 {
                    for c in 0..=6 {
                        let needs: Vec<u32> = [a, b, c].into_iter().filter(|&need| need > 0).collect();
                        let placed = place(&device, &needs);
                        assert_eq!(placed.is_some(), exists(gpcs, &needs), "{gpcs:?} {needs:?}");
                        let Some(placed) = placed else {
                            none += 1;
                            continue;
                        };
                        some += 1;
                        let mut seen = vec![false; gpcs.len()];
                        for (placed, need) in placed.iter().zip(&needs) {
                            let Some(Place::Gpcs(own)) = &placed.place else {
                                panic!("no GPCs")
                            };
                            let sms: u32 = own.iter().map(|&gpc| 2 * gpcs[gpc as usize]).sum();
                            assert!(sms == placed.sms && sms >= *need);
                            for &gpc in own {
                                assert!(!std::mem::replace(&mut seen[gpc as usize], true));
                            }
                        }
                    }
                }
            }
        }
        assert!(some > 100 && none > 100, "{some} {none}");
    }
}
