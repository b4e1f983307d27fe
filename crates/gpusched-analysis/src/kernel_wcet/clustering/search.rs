//! Splits and merges clusters until no cluster rejects one of its blocks.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::grid::Grid;
use super::pool::Pool;

/// Largest number of passes that assign all blocks to the nearest cluster. A few passes are usual.
const PASSES: usize = 20;

/// Largest number of rounds of splits and merges. One or two rounds are usual.
const ROUNDS: usize = 8;

/// A division of the blocks into clusters.
#[derive(Clone, Debug)]
pub(super) struct Search<'a> {
    grid: &'a Grid,
    /// c of the critical distance.
    factor: f64,
    most: usize,
    /// Cluster of each block.
    pub(super) assignment: Vec<usize>,
    pub(super) pools: Vec<Pool>,
}

impl<'a> Search<'a> {
    /// Creates one cluster of all blocks. `factor` is c of the critical distance, and `most` the largest number of clusters.
    pub(super) fn new(grid: &'a Grid, factor: f64, most: usize) -> Search<'a> {
        let mut pool = Pool::new(grid.cells(), grid.per_block());
        (0..grid.blocks()).for_each(|block| pool.add(grid.block(block)));
        pool.settle();
        Search {
            grid,
            factor,
            most: most.min(grid.blocks()),
            assignment: vec![0; grid.blocks()],
            pools: vec![pool],
        }
    }

    /// Runs the search. Afterwards no block is rejected and no two clusters can be merged, unless a limit was reached.
    pub(super) fn run(&mut self) {
        for _ in 0..ROUNDS {
            let mut splits = 0;
            // A split may empty another cluster, so the number of clusters alone does not end this loop.
            while splits < 2 * self.most && self.pools.len() < self.most {
                let Some(block) = self.most_rejected() else { break };
                self.split(block);
                splits += 1;
            }
            if !self.merge() {
                break;
            }
            self.assign();
            if self.most_rejected().is_none() {
                break;
            }
        }
    }

    /// Distance of `block` to the other blocks of `pool`, which contains it, in units of the critical distance. Above 1 the block
    /// is rejected.
    ///
    /// n of the pool's m measurements belong to the block itself. With F for the block, G for the pool and R for the rest, F − G =
    /// (1 − n/m)·(F − R). So the distance to the rest follows from the distance to the pool.
    fn excess(&self, block: usize, pool: &Pool) -> f64 {
        let (n, m) = (self.grid.per_block() as f64, pool.size() as f64);
        let rest = m - n;
        if rest <= 0.0 {
            return 0.0;
        }
        let distance = pool.distance(self.grid.block(block)).as_f64() * (m / rest);
        distance / (self.factor * (1.0 / n + 1.0 / rest).sqrt())
    }

    /// The block that its cluster rejects most clearly; in a tie, the lowest block. `None` if no block is rejected.
    fn most_rejected(&self) -> Option<usize> {
        let excesses = self
            .assignment
            .par_iter()
            .enumerate()
            .filter_map(|(block, &cluster)| {
                let excess = self.excess(block, self.pools.get(cluster)?);
                (excess > 1.0).then_some((excess, block))
            });
        let most = excesses.max_by(|(a, x), (b, y)| a.total_cmp(b).then(Reverse(x).cmp(&Reverse(y))));
        most.map(|(_, block)| block)
    }

    /// Number of blocks that their cluster rejects.
    pub(super) fn rejected(&self) -> usize {
        let excesses = self
            .assignment
            .par_iter()
            .enumerate()
            .filter(|&(block, &cluster)| {
                self.pools
                    .get(cluster)
                    .is_some_and(|pool| self.excess(block, pool) > 1.0)
            });
        excesses.count()
    }

    /// Starts a new cluster with `block`, and reassigns all blocks.
    fn split(&mut self, block: usize) {
        self.pools
            .push(Pool::new(self.grid.cells(), self.grid.per_block()));
        self.apply(&[(block, self.pools.len() - 1)]);
        self.assign();
    }

    /// Moves blocks to other clusters.
    fn apply(&mut self, moves: &[(usize, usize)]) {
        for &(block, to) in moves {
            let Some(cluster) = self.assignment.get_mut(block) else {
                continue;
            };
            let from = std::mem::replace(cluster, to);
            let positions = self.grid.block(block);
            if let Some(pool) = self.pools.get_mut(from) {
                pool.remove(positions);
            }
            if let Some(pool) = self.pools.get_mut(to) {
                pool.add(positions);
            }
        }
        self.pools.par_iter_mut().for_each(Pool::settle);
    }

    /// Assigns each block to the nearest cluster, in a tie to the lower one, until no block moves. Removes clusters without blocks.
    fn assign(&mut self) {
        for _ in 0..PASSES {
            let moves: Vec<(usize, usize)> = self
                .assignment
                .par_iter()
                .enumerate()
                .filter_map(|(block, &cluster)| {
                    let nearest = self.nearest(block, cluster)?;
                    (nearest != cluster).then_some((block, nearest))
                })
                .collect();
            if moves.is_empty() {
                break;
            }
            self.apply(&moves);
        }
        while let Some(empty) = self.pools.iter().position(|pool| pool.blocks() == 0) {
            self.drop_pool(empty, empty);
        }
    }

    /// The cluster nearest to `block`, which is now in `cluster`. The function computes the distance to `cluster` first, so it can
    /// soon stop at most other clusters.
    fn nearest(&self, block: usize, cluster: usize) -> Option<usize> {
        let positions = self.grid.block(block);
        let mut nearest = (self.pools.get(cluster)?.distance(positions), cluster);
        for (other, pool) in self.pools.iter().enumerate() {
            if other != cluster
                && pool.blocks() > 0
                && let Some(distance) = pool.distance_upto(positions, nearest.0)
            {
                nearest = nearest.min((distance, other));
            }
        }
        Some(nearest.1)
    }

    /// Removes cluster `gone` and moves its blocks to `heir`, a lower cluster. An empty cluster is its own heir.
    fn drop_pool(&mut self, gone: usize, heir: usize) {
        self.pools.remove(gone);
        for cluster in &mut self.assignment {
            match (*cluster).cmp(&gone) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => *cluster = heir,
                std::cmp::Ordering::Greater => *cluster -= 1,
            }
        }
    }

    /// Merges the two closest clusters whose union rejects no block, repeatedly. Returns whether it merged any.
    fn merge(&mut self) -> bool {
        let mut merged = false;
        'again: loop {
            let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
            for (high, pool) in self.pools.iter().enumerate() {
                for (low, other) in self.pools.iter().enumerate().take(high) {
                    let distance = pool.distance_to(other);
                    if self.may_unite(pool, other, distance) {
                        pairs.push((distance, low, high));
                    }
                }
            }
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            for (_, low, high) in pairs {
                if let Some(union) = self.united(low, high) {
                    if let Some(pool) = self.pools.get_mut(low) {
                        *pool = union;
                    }
                    self.drop_pool(high, low);
                    merged = true;
                    continue 'again;
                }
            }
            return merged;
        }
    }

    /// Whether a union of `a` and `b` may reject no block. The distribution of a pool is the mean over its blocks, so some block is
    /// at least as far from the union as the pool is.
    fn may_unite(&self, a: &Pool, b: &Pool, distance: f64) -> bool {
        let (a, b) = (a.size() as f64, b.size() as f64);
        let n = self.grid.per_block() as f64;
        let (all, rest) = (a + b, a + b - n);
        let critical = self.factor * (1.0 / n + 1.0 / rest).sqrt() * (rest / all);
        distance * (a.max(b) / all) <= critical * (1.0 + 1e-9)
    }

    /// The union of two clusters, if it rejects none of its blocks.
    fn united(&self, low: usize, high: usize) -> Option<Pool> {
        let union = self.pools.get(low)?.union(self.pools.get(high)?);
        let blocks = self.assignment.par_iter().enumerate();
        let rejects = blocks
            .filter(|&(_, &cluster)| cluster == low || cluster == high)
            .any(|(block, _)| self.excess(block, &union) > 1.0);
        (!rejects).then_some(union)
    }
}
