//! Branch and bound over a fixed list of groups. A branch decides whether two tasks share a partition (Ryan & Foster,
//! 1981).
//!
//! The search considers all selections of groups that contain each task exactly once. A selection with a task in two
//! groups also gives a plan, because the search then removes the task from one group. The search closes a node when the
//! prices of the node prove that the node contains no better plan. For this proof, the search rounds the prices down
//! and checks them against every group of the node. The search also drops groups that cannot be part of a better plan.

#[cfg(test)]
mod tests;

use super::master::{Master, SURPLUS};
use crate::partitioning::optimal::bound::rounded;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::search::{Part, Sizes, total};

/// Result of a branch-and-bound search.
pub(super) struct Searched {
    /// A plan within the limit on SMs; `None` if the search found no such plan. The plan is the best plan if the search
    /// was complete.
    pub best: Option<Vec<Part>>,
    /// Whether the search proves that no better plan consists of these groups.
    pub complete: bool,
}

/// Returns the best selection of `groups` that covers tasks 0 to `tasks` − 1 on at most `most` SMs. The search stops at a
/// plan with at most `target` SMs, or when the search effort of `sizes` is used up.
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

/// Selects the next node after a node without children: the node with the lowest bound. Ties: the
/// latest node. Choices near the root matter more than choices deep in the tree.
fn resume(open: &mut [Node]) {
    let lowest = (0..open.len()).rev().min_by_key(|&node| open[node].bound);
    if let (Some(lowest), Some(last)) = (lowest.filter(|_| open.len() <= OPEN), open.len().checked_sub(1)) {
        open.swap(lowest, last);
    }
}

/// Maximum number of open nodes for the rule of [`resume`]. With more open nodes, the search continues at the latest
/// node, so that it needs less memory.
const OPEN: usize = 300;

/// Maximum number of nodes of one search.
const NODES: u32 = 20_000;

/// A node of the search tree.
struct Node {
    /// Lower bound on the SMs of all plans of the node [price units].
    bound: i64,
    /// Indices of the groups of the node, ascending.
    groups: Vec<usize>,
    /// Basis of the parent node; empty for the root.
    basis: Vec<Basic>,
}

/// A column of a basis.
#[derive(Copy, Clone)]
enum Basic {
    Group(usize),
    /// Column of a single task, or surplus column. The number of the column is the same in every
    /// node.
    Other(usize),
}

struct Search<'g> {
    tasks: usize,
    groups: &'g [Part],
    /// Maximum number of SMs of the plans that the search considers.
    most: u32,
    best: Option<Vec<Part>>,
    complete: bool,
}

impl Search<'_> {
    /// Returns the child nodes of `node`. The last child is the most promising.
    fn branch(&mut self, sizes: &mut Sizes<'_, '_>, node: Node) -> Vec<Node> {
        let (mut master, dropped) = self.master(&node);
        let mut node = node.groups;
        let solved = master.solve(|work| sizes.is_late_after(work));
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
                return vec![Node { bound, groups, basis }]; // solve the node again with the lower limit
            }
            // The solution is integral within float precision, but it is not a plan within the
            // limit. No pair of tasks remains to branch on.
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

    /// Returns the linear program of `node`, which starts at the basis of the parent node. Also returns the groups of
    /// this basis that are missing in `node`. The columns of the missing groups follow the columns of the node. The
    /// cost of a missing group exceeds the SMs of every plan, like the cost of an uncovered task.
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
                // The group indices are in ascending order.
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

    /// Returns the pair of tasks for which the linear program is least decided: the groups that contain both tasks
    /// have a total share closest to 0.6. Returns `None` if no pair has a fractional share.
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

    /// Keeps `cover` as the best plan if it covers all tasks within the limit on SMs. Returns whether `cover` became
    /// the best plan.
    fn take(&mut self, cover: &[&Part]) -> bool {
        let Some(parts) = thinned(self.tasks, cover).filter(|parts| total(parts) <= self.most) else {
            return false;
        };
        self.most = total(&parts) - 1;
        self.best = Some(parts);
        true
    }

    /// Converts `prices` to price units. Lowers the prices until the price sum of every group of the node is at most its
    /// SMs.
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

/// Converts `cover` to a plan of `tasks` tasks. Each task stays only in its first group. A group never needs more SMs
/// after a task is removed. Returns `None` if a task is in no group.
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

/// Returns the price sum of `group`.
fn worth(prices: &[i64], group: &Part) -> i64 {
    group.tasks.iter().map(|&task| prices[task]).sum()
}
