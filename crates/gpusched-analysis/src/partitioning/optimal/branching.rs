//! Branch and bound over groups that are all known: two tasks share a partition, or they do not (Ryan & Foster, 1981).
//!
//! Of plans in which each task is in one group, none is left out; covers with a task in two are as good, but not looked for.
//! A node is left when its prices, rounded down and checked against every group that it has, prove that nothing better is
//! in it. Groups that no better plan can contain are dropped on the way.

#[cfg(test)]
mod tests;

use super::bound::rounded;
use super::master::{Master, SURPLUS};
use super::units::ONE;
use crate::partitioning::search::{Part, Sizes, total};

/// The outcome of the search.
pub(super) struct Searched {
    /// A plan with fewer SMs than the limit, the best there is if the search was complete.
    pub best: Option<Vec<Part>>,
    /// Whether no plan of these groups with fewer SMs exists.
    pub complete: bool,
}

/// The best choice of `groups` that covers tasks 0 to `tasks` − 1 on at most `most` SMs; it stops at `target` SMs, and gives up
/// when the budget of `sizes` is spent.
pub(super) fn search(
    sizes: &mut Sizes<'_, '_>,
    tasks: usize,
    groups: &[Part],
    most: u32,
    target: u32,
) -> Searched {
    let mut search = Search {
        tasks,
        groups,
        most,
        best: None,
        complete: true,
    };
    let mut open = vec![Node {
        bound: 0,
        groups: (0..groups.len()).collect(),
        basis: Vec::new(),
    }];
    let mut nodes = 0;
    while let Some(node) = open.pop() {
        if search.most < target || nodes == NODES || sizes.exhausted() {
            search.complete = false;
            break;
        }
        nodes += 1;
        let below = search.branch(sizes, node);
        let ended = below.is_empty();
        open.extend(below);
        if ended {
            resume(&mut open);
        }
    }
    Searched {
        best: search.best,
        complete: search.complete,
    }
}

/// Where nothing follows a node, the search goes on at the node with the lowest bound, the latest of these, for choices near the root
/// are worth more thought than those at the end of a way.
fn resume(open: &mut [Node]) {
    let lowest = (0..open.len()).rev().min_by_key(|&node| open[node].bound);
    if let (Some(lowest), Some(last)) = (lowest.filter(|_| open.len() <= OPEN), open.len().checked_sub(1)) {
        open.swap(lowest, last);
    }
}

/// With more nodes than that open, which take memory, the latest is the next.
const OPEN: usize = 300;

/// Nodes of one search.
const NODES: u32 = 20_000;

/// A part of the search.
struct Node {
    /// No plan of it has fewer SMs [units].
    bound: i64,
    /// The groups that it has, by number.
    groups: Vec<usize>,
    /// The basis of the node above; none at first.
    basis: Vec<Basic>,
}

/// A column of a basis.
#[derive(Copy, Clone)]
enum Basic {
    Group(usize),
    /// Of a task alone, or a surplus: the same number in every node.
    Other(usize),
}

struct Search<'g> {
    tasks: usize,
    groups: &'g [Part],
    /// Only plans of at most so many SMs are of interest.
    most: u32,
    best: Option<Vec<Part>>,
    complete: bool,
}

impl Search<'_> {
    /// The nodes below that of the groups with these numbers, the more promising last.
    fn branch(&mut self, sizes: &mut Sizes<'_, '_>, node: Node) -> Vec<Node> {
        let (mut master, dropped) = self.master(&node);
        let mut node = node.groups;
        let solved = master.solve(|| sizes.is_late());
        sizes.charge(master.work());
        if !solved {
            self.complete = false;
            return Vec::new();
        }
        let prices = self.feasible_prices(master.prices(), &node);
        let bound: i64 = prices.iter().sum();
        let room = i64::from(self.most) * ONE - bound;
        if room < 0 {
            return Vec::new();
        }
        let chosen: Vec<(usize, f64)> = master
            .chosen()
            .filter_map(|(column, share)| Some((*node.get(column.checked_sub(self.tasks)?)?, share)))
            .collect();
        let basic = |&column: &usize| match column.checked_sub(self.tasks) {
            Some(group) if column < SURPLUS => Basic::Group(match group.checked_sub(node.len()) {
                None => node[group],
                Some(dear) => dropped[dear],
            }),
            _ => Basic::Other(column),
        };
        let basis: Vec<Basic> = master.basis().iter().map(basic).collect();
        let Some((a, b)) = self.fractional_pair(&chosen) else {
            let shares = chosen.iter().filter(|&&(_, share)| share > 0.5);
            let cover: Vec<&Part> = shares.map(|&(group, _)| &self.groups[group]).collect();
            if self.take(&cover) {
                let groups = node;
                return vec![Node { bound, groups, basis }]; // the same again, with less room
            }
            // Integral as far as floats can tell, but no plan of interest: nothing to branch on.
            self.complete = false;
            return Vec::new();
        };
        node.retain(|&group| {
            let group = &self.groups[group];
            i64::from(group.sms) * ONE - worth(&prices, group) <= room
        });
        let side = |group: usize| {
            let tasks = &self.groups[group].tasks;
            (tasks.contains(&a), tasks.contains(&b))
        };
        let apart = node.iter().copied().filter(|&group| side(group) != (true, true));
        let apart = Node {
            bound,
            groups: apart.collect(),
            basis: basis.clone(),
        };
        node.retain(|&group| {
            let (a, b) = side(group);
            a == b
        });
        let together = Node {
            bound,
            groups: node,
            basis,
        };
        vec![apart, together]
    }

    /// The linear program of `node`, at the basis of the node above. What of that the node does not have follows its groups, and costs as
    /// much as a task that no group covers: more than any plan may.
    fn master(&self, node: &Node) -> (Master, Vec<usize>) {
        let dear = f64::from(self.most) + 1.0;
        let mut master = Master::new(&vec![dear; self.tasks]);
        node.groups
            .iter()
            .for_each(|&group| master.add(&self.groups[group]));
        let mut dropped = Vec::new();
        let basis: Vec<usize> = node
            .basis
            .iter()
            .map(|&basic| match basic {
                Basic::Other(column) => column,
                // Numbers ascend.
                Basic::Group(group) => {
                    self.tasks
                        + match node.groups.binary_search(&group) {
                            Ok(place) => place,
                            Err(_) => {
                                dropped.push(group);
                                node.groups.len() + dropped.len() - 1
                            }
                        }
                }
            })
            .collect();
        for &group in &dropped {
            master.add_at(&self.groups[group], dear);
        }
        master.start_from(&basis);
        (master, dropped)
    }

    /// The two tasks of which it is least clear whether they share a partition; `None` if it is clear of all.
    fn fractional_pair(&self, chosen: &[(usize, f64)]) -> Option<(usize, usize)> {
        let mut shares = vec![0.0; self.tasks * self.tasks];
        for &(index, share) in chosen {
            let tasks = &self.groups[index].tasks;
            for (position, &a) in tasks.iter().enumerate() {
                for &b in &tasks[position + 1..] {
                    shares[a * self.tasks + b] += share;
                }
            }
        }
        let unclear = |share: f64| (share - 0.6).abs();
        let mut best: Option<(usize, f64)> = None;
        for (pair, &share) in shares.iter().enumerate() {
            if share > 0.01 && share < 0.99 && best.is_none_or(|(_, held)| unclear(share) < unclear(held)) {
                best = Some((pair, share));
            }
        }
        best.map(|(pair, _)| (pair / self.tasks, pair % self.tasks))
    }

    /// Keeps the plan that `cover` is, if it is one and of interest.
    fn take(&mut self, cover: &[&Part]) -> bool {
        let Some(parts) = thinned(self.tasks, cover).filter(|parts| total(parts) <= self.most) else {
            return false;
        };
        self.most = total(&parts) - 1;
        self.best = Some(parts);
        true
    }

    /// `prices` in units, lowered until no group of the node is worth more than its SMs.
    fn feasible_prices(&self, prices: &[f64], node: &[usize]) -> Vec<i64> {
        let mut prices: Vec<i64> = prices.iter().map(|&price| rounded(price)).collect();
        for group in node.iter().map(|&group| &self.groups[group]) {
            let mut excess = worth(&prices, group) - i64::from(group.sms) * ONE;
            for &task in &group.tasks {
                if excess > 0 {
                    let less = excess.min(prices[task]);
                    prices[task] -= less;
                    excess -= less;
                }
            }
        }
        prices
    }
}

/// The plan that `cover` is if each of `tasks` tasks stays only where it comes first: no group needs more SMs for being smaller.
/// `None` if a task is in no group.
pub(super) fn thinned(tasks: usize, cover: &[&Part]) -> Option<Vec<Part>> {
    let mut covered = vec![false; tasks];
    let mut parts = Vec::new();
    for part in cover {
        let tasks: Vec<usize> = part
            .tasks
            .iter()
            .copied()
            .filter(|&task| !covered[task])
            .collect();
        tasks.iter().for_each(|&task| covered[task] = true);
        if !tasks.is_empty() {
            parts.push(Part { sms: part.sms, tasks });
        }
    }
    (!covered.contains(&false)).then_some(parts)
}

/// Σ prices of `group`.
fn worth(prices: &[i64], group: &Part) -> i64 {
    group.tasks.iter().map(|&task| prices[task]).sum()
}
