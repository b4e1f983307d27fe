//! Exhaustive search over all candidate partitions and all partitionings.

use gpusched::partitioning::Problem;

/// Returns the size of every candidate partition, indexed by task bits: the first m where it passes, or `None` beyond
/// the useful sizes. A partition may be larger than the GPU, as in a plan that does not fit.
///
/// Tests are sustainable, so for more than four tasks, sizes below the size of a subset are skipped.
pub fn sizes(problem: &Problem<'_>, n: usize) -> Vec<Option<u32>> {
    let alone = (0..n).map(|task| (1..=problem.sms()).find(|&sms| problem.accepts(&[task], sms)));
    let most: u32 = alone.flatten().sum();
    let mut sizes: Vec<Option<u32>> = Vec::with_capacity(1 << n);
    for group in 0..1usize << n {
        let tasks: Vec<usize> = (0..n).filter(|task| group & (1 << task) != 0).collect();
        let parts = tasks.iter().map(|task| sizes[group & !(1 << task)]);
        let least = match tasks.len() {
            0..=4 => Some(1),
            _ => parts
                .collect::<Option<Vec<u32>>>()
                .and_then(|parts| parts.into_iter().max()),
        };
        sizes.push(least.and_then(|least| (least..=most).find(|&sms| problem.accepts(&tasks, sms))));
    }
    sizes
}

/// Returns the fewest SMs of any partitioning with partitions of at most M SMs, by exhaustion.
pub fn fewest(sizes: &[Option<u32>]) -> Option<u32> {
    let mut least = vec![Some(0); sizes.len()];
    for set in 1..sizes.len() {
        let first = set & set.wrapping_neg();
        let mut best: Option<u32> = None;
        let mut part = set;
        while part != 0 {
            if part & first != 0
                && let (Some(sms), Some(rest)) = (sizes[part], least[set ^ part])
            {
                best = Some(best.map_or(sms + rest, |best| best.min(sms + rest)));
            }
            part = (part - 1) & set;
        }
        least[set] = best;
    }
    least[sizes.len() - 1]
}
