//! Positions of the threads of a block.

use crate::code::expression::{Kept, LANES, Lanes};
use crate::program::Dimensions;

/// Returns the positions of the threads of each warp of `block`, per axis. Lanes after the last thread of the block
/// have an arbitrary position.
pub(super) fn of_warps(block: Dimensions) -> Box<[[Kept; 3]]> {
    let warps = block.count().div_ceil(LANES as u64);
    (0..warps)
        .map(|warp| of_warp(block, warp * LANES as u64))
        .collect()
}

/// Returns the positions of 32 threads, starting at thread `first`.
fn of_warp(block: Dimensions, first: u64) -> [Kept; 3] {
    let [x, y, z] = block.0;
    if y == 1 && z == 1 {
        let first = i64::try_from(first).unwrap_or(i64::MAX);
        return [Kept::Affine(first, 1), Kept::Affine(0, 0), Kept::Affine(0, 0)];
    }
    let start = block.position(first);
    // If the width of the block is a multiple of 32 threads, each warp lies in one row. In this case, the thread
    // positions are affine functions of the lane number.
    if x.is_multiple_of(LANES as u32) {
        let [x, y, z] = start.map(i64::from);
        return [Kept::Affine(x, 1), Kept::Affine(y, 0), Kept::Affine(z, 0)];
    }
    [0, 1, 2].map(|axis: usize| {
        let positions = std::array::from_fn(|lane| i64::from(block.position(first + lane as u64)[axis]));
        Lanes::Each(positions).into()
    })
}
