//! All groups, and all partitionings.

use gpusched::partitioning::Problem;

/// The size of every group of tasks, bit by bit: the first m on which it passes; `None` beyond what is of use. A partition
/// may be larger than the GPU, as in a plan that does not fit.
///
/// Tests are sustainable: of more than four tasks, fewer SMs than some part of them needs are not tried.
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

/// The fewest SMs of any partitioning, each partition at most M: by exhaustion.
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
