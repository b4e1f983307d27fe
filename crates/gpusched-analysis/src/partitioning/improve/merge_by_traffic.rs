//! Merges of partitions with high memory traffic, until the sum of all peak rates is at most the memory bandwidth.
//!
//! A partition runs one kernel at a time. Its peak rate is therefore the highest peak rate of a
//! single kernel. If the sum of the peak rates is at most the bandwidth, memory traffic never delays a partition,
//! for every arbiter.

use crate::interference::bandwidth::{Load, Source};
use crate::partitioning::search::lemmas::smallest;
use crate::partitioning::search::{Candidate, Group, GroupTester};
use gpusched_model::SharedMemory;

/// Repeatedly merges two partitions with high peak rates, as long as the sum of the peak rates exceeds the bandwidth of
/// `memory`. The union must need no more SMs than the two partitions together, and the merge must lower the sum. Ties:
/// the first partition.
pub(crate) fn merge_by_traffic(
    tester: &mut GroupTester<'_>,
    memory: SharedMemory,
    mut partitions: Vec<Candidate>,
) -> Vec<Candidate> {
    let problem = tester.problem();
    if problem.has_slices() {
        return partitions; // partitions do not share bandwidth
    }
    let capacity = u128::from(memory.bandwidth.bytes_per_second());
    let peak = |partition: &Candidate, shares: u32| -> u128 {
        let sms = problem.sms_of(shares);
        let demands = problem.demands(&partition.tasks, sms).ok();
        let sources = problem.sources(&partition.tasks, sms, demands.as_deref());
        sources.iter().map(Source::rate).max().unwrap_or(0)
    };
    let others: u128 = problem.other_loads(memory).map(|load: Load| load.peak()).sum();
    loop {
        let mut peaks: Vec<(u128, usize)> = partitions
            .iter()
            .enumerate()
            .map(|(index, partition)| (peak(partition, partition.sms), index))
            .collect();
        let total = peaks
            .iter()
            .map(|(peak, _)| peak)
            .sum::<u128>()
            .saturating_add(others);
        if total <= capacity {
            return partitions;
        }
        peaks.sort_by_key(|&(peak, index)| (std::cmp::Reverse(peak), index));
        let pairs = peaks
            .iter()
            .enumerate()
            .flat_map(|(place, &first)| peaks.iter().skip(place + 1).map(move |&second| (first, second)));
        let mut merge = |first: &Candidate, second: &Candidate, before: u128| {
            let group = Group::of_both(problem, first, second);
            let (low, high) = (first.sms.max(second.sms), first.sms.saturating_add(second.sms));
            let sms = smallest(low, high.min(problem.shares()), |sms| tester.accepts(&group, sms))?;
            let union = first.joined(second, problem, sms);
            (peak(&union, sms) < before).then_some(union)
        };
        let merged = pairs
            .into_iter()
            .find_map(|((first_peak, first), (second_peak, second))| {
                let before = first_peak.saturating_add(second_peak);
                let union = merge(&partitions[first], &partitions[second], before)?;
                Some((first, second, union))
            });
        let Some((first, second, union)) = merged else {
            return partitions;
        };
        partitions.remove(first.max(second));
        partitions.remove(first.min(second));
        partitions.push(union);
    }
}
