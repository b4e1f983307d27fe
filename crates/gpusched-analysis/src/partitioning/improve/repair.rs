//! Repairs a plan that fits the GPU if some partitions fail because of the memory traffic of other partitions. The
//! repair adds free SMs to the failing partitions or merges them.

use crate::partitioning::search::lemmas::{fits, smallest};
use crate::partitioning::search::{Candidate, Group, GroupTester};

/// Repairs `partitions`. A partition that fails its test gets the fewest additional SMs with which it passes. If the
/// free SMs do not suffice, the repair merges the partition with the partition for which the union needs the fewest
/// extra SMs. Ties: the first such partition in the list. The repair ends when it can neither enlarge nor merge a
/// failing partition.
pub(crate) fn repair(tester: &mut GroupTester<'_>, mut partitions: Vec<Candidate>) -> Vec<Candidate> {
    let problem = tester.problem();
    let mut hopeless = 0;
    while hopeless < partitions.len() {
        let used = partitions
            .iter()
            .fold(0u32, |sum, part| sum.saturating_add(part.sms));
        if !fits(used, problem.shares()) {
            return partitions;
        }
        let free = problem.shares() - used;
        // A partition moves to the end of the list if it passes, or if no repair is possible.
        let part = partitions.remove(0);
        let alone = Group::of(problem, &part);
        let grown = smallest(part.sms, part.sms + free, |sms| tester.accepts(&alone, sms));
        if let Some(sms) = grown {
            partitions.push(Candidate { sms, ..part });
            hopeless += 1;
            continue;
        }
        let merges = partitions.iter().enumerate().filter_map(|(index, other)| {
            let group = Group::of_both(problem, &part, other);
            let both = part.sms.saturating_add(other.sms);
            let sms = smallest(part.sms.max(other.sms), both + free, |sms| {
                tester.accepts(&group, sms)
            })?;
            Some((i64::from(sms) - i64::from(both), index, sms))
        });
        match merges.min() {
            Some((_, index, sms)) => {
                let other = partitions.remove(index);
                partitions.insert(0, part.joined(&other, problem, sms));
                hopeless = 0;
            }
            None => {
                partitions.push(part);
                hopeless += 1;
            }
        }
    }
    partitions
}
