//! Search for clusters: the search splits and merges clusters until no cluster rejects one of its
//! blocks.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::grid::Grid;
use super::pool::Pool;

/// Largest number of passes over all blocks. Each pass moves every block to its nearest cluster.
/// A few passes are usually enough.
const PASSES: usize = 20;

/// Largest number of rounds of splits and merges. One or two rounds are usually enough.
const ROUNDS: usize = 8;

/// A division of the blocks into clusters.
#[derive(Clone, Debug)]
pub(super) struct Search<'a> {
    grid: &'a Grid,
    /// Factor c of the critical distance c·√(1/n + 1/m), for samples of n and m measurements.
    factor: f64,
    most: usize,
    /// Cluster of each block.
    pub(super) assignment: Vec<usize>,
    pub(super) pools: Vec<Pool>,
}

impl<'a> Search<'a> {
    /// Starts the search with all blocks in one cluster. `factor` is the factor c of the critical
    /// distance, and `most` is the largest number of clusters.
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

    /// Runs the search. After the search, no cluster rejects a block, and no two clusters can be merged, unless the
    /// search reached a limit.
    pub(super) fn run(&mut self) {
        for _ in 0..ROUNDS {
            let mut splits = 0;
            // A split may leave another cluster without blocks, so the number of clusters may
            // stay equal. So the loop also limits the number of splits.
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

    /// Computes the K-S distance between `block` and the other blocks of `pool`, divided by the
    /// critical distance. `pool` contains `block`. If the result exceeds 1, the cluster rejects
    /// the block.
    ///
    /// The pool contains m measurements. The block has n of these measurements. Let F be the distribution function of
    /// the block, G of the pool, and R of the other blocks. Then F − G = (1 − n/m)·(F − R). From this equation, the
    /// function computes the distance to the other blocks.
    fn excess(&self, block: usize, pool: &Pool) -> f64 {
        let (n, m) = (self.grid.per_block() as f64, pool.size() as f64);
        let rest = m - n;
        if rest <= 0.0 {
            return 0.0;
        }
        let distance = pool.distance(self.grid.block(block)).as_f64() * (m / rest);
        distance / (self.factor * (1.0 / n + 1.0 / rest).sqrt())
    }

    /// Returns the rejected block with the largest ratio of distance to critical distance. If
    /// several blocks have this ratio, the function returns the block with the lowest number.
    /// Returns `None` if no cluster rejects a block.
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

    /// Returns the number of blocks that their own cluster rejects.
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

    /// Starts a new cluster with `block`, and then moves all blocks to the nearest cluster.
    fn split(&mut self, block: usize) {
        self.pools
            .push(Pool::new(self.grid.cells(), self.grid.per_block()));
        self.apply(&[(block, self.pools.len() - 1)]);
        self.assign();
    }

    /// Moves blocks to other clusters. Each entry of `moves` is a block and its new cluster.
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

    /// Moves each block to the nearest cluster until no block moves, or until [`PASSES`] passes
    /// are done. If several clusters are equally near, a block moves to the cluster with the
    /// lowest number. Afterwards, the function removes clusters without blocks.
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

    /// Returns the cluster that is nearest to `block`, which is now in `cluster`. The function
    /// computes the distance to `cluster` first. Another cluster must have a smaller distance, so most other
    /// computations stop early.
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

    /// Removes cluster `gone` and moves its blocks to cluster `heir`, which has a lower number.
    /// If the cluster is empty, `heir` equals `gone`.
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

    /// Repeatedly merges the two closest clusters whose union rejects no block. Returns whether
    /// the function merged any clusters.
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

    /// Returns `false` if the union of `a` and `b` certainly rejects a block. The distribution of
    /// a pool is the mean of the distributions of its blocks. So the distance from the union to at least one block of a
    /// pool is at least the distance from the union to the pool.
    fn may_unite(&self, a: &Pool, b: &Pool, distance: f64) -> bool {
        let (a, b) = (a.size() as f64, b.size() as f64);
        let n = self.grid.per_block() as f64;
        let (all, rest) = (a + b, a + b - n);
        let critical = self.factor * (1.0 / n + 1.0 / rest).sqrt() * (rest / all);
        distance * (a.max(b) / all) <= critical * (1.0 + 1e-9)
    }

    /// Returns the union of two clusters if the union rejects none of its blocks, or else `None`.
    fn united(&self, low: usize, high: usize) -> Option<Pool> {
        let union = self.pools.get(low)?.union(self.pools.get(high)?);
        let blocks = self.assignment.par_iter().enumerate();
        let rejects = blocks
            .filter(|&(_, &cluster)| cluster == low || cluster == high)
            .any(|(block, _)| self.excess(block, &union) > 1.0);
        (!rejects).then_some(union)
    }
}
