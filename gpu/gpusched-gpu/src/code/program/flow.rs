//! Reconvergence points of diverged lanes. The reconvergence point of a branch is the first instruction that lies on
//! every path from the branch to the end.
//!
//! Reconvergence points are immediate postdominators. The module computes these points on the reversed flow graph with
//! the iterative algorithm of Cooper, Harvey & Kennedy ("A Simple, Fast Dominance Algorithm", 2001).

/// Returns the immediate postdominator of each instruction. `successors` contains the indices of
/// the successors of each instruction. The index after the last instruction represents the end of
/// the program. In the result, `None` represents the end.
pub(super) fn meeting_points(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = successors.len();
    let order = postorder(successors);
    let mut rank = vec![usize::MAX; end + 1];
    // Ranks increase towards the end of the program.
    for (position, node) in order.iter().enumerate() {
        if let Some(rank) = rank.get_mut(*node) {
            *rank = end - position;
        }
    }
    if let Some(rank) = rank.get_mut(end) {
        *rank = end + 1;
    }
    let rank = |node: usize| rank.get(node).copied().unwrap_or(0);
    let mut meets: Vec<Option<usize>> = vec![None; end + 1];
    if let Some(own) = meets.get_mut(end) {
        *own = Some(end);
    }
    loop {
        let mut changed = false;
        for &node in &order {
            let ways = successors.get(node).map_or(&[][..], Vec::as_slice);
            let mut new = None;
            for &way in ways {
                if meets.get(way).copied().flatten().is_none() {
                    continue;
                }
                new = Some(match new {
                    None => way,
                    Some(other) => intersect(way, other, &meets, &rank),
                });
            }
            if let Some(old) = meets.get_mut(node).filter(|old| **old != new) {
                *old = new;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    meets.truncate(end);
    meets
        .into_iter()
        .map(|node| node.filter(|&node| node != end))
        .collect()
}

fn intersect(x: usize, y: usize, meets: &[Option<usize>], rank: &impl Fn(usize) -> usize) -> usize {
    let (mut x, mut y) = (x, y);
    while x != y {
        let lower = if rank(x) < rank(y) { &mut x } else { &mut y };
        match meets.get(*lower).copied().flatten() {
            Some(next) => *lower = next,
            None => break,
        }
    }
    x
}

/// Returns the nodes that are reachable from the first node. In the result, each node follows its successors, except in
/// loops.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut path = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        path.push((0, 0));
    }
    while let Some((node, way)) = path.pop() {
        let next = successors.get(node).and_then(|ways| ways.get(way)).copied();
        let Some(next) = next else {
            order.push(node);
            continue;
        };
        path.push((node, way + 1));
        if let Some(seen) = seen.get_mut(next).filter(|seen| !**seen) {
            *seen = true;
            path.push((next, 0));
        }
    }
    order
}
