//! Position of the lanes of a warp in the grid.

use super::{Kept, Lanes};
use crate::program::Builtin;

/// Position of the lanes of a warp in the grid.
#[derive(Debug, Clone)]
pub struct Position {
    /// Index of the first thread of the warp in its block.
    pub first: i64,
    /// Position of the threads of the warp in their block, per axis.
    pub thread: [Kept; 3],
    /// Position of the block in the grid, per axis.
    pub block: [i64; 3],
    /// Linear index of the block in the grid.
    pub linear_block: i64,
    /// Index of the warp in its block.
    pub warp: i64,
}

impl Position {
    /// Returns the value of a builtin as (base, stride). Returns `None` if the value is not an
    /// affine function of the lane number.
    pub fn affine(&self, builtin: Builtin) -> Option<(i64, i64)> {
        match builtin {
            Builtin::Thread(axis) => match self.thread[usize::from(axis).min(2)] {
                Kept::Affine(base, stride) => Some((base, stride)),
                Kept::Each(_) => None,
            },
            _ => match self.value(builtin) {
                Lanes::Affine(base, stride) => Some((base, stride)),
                Lanes::Each(_) => None,
            },
        }
    }

    /// Returns the value of a builtin in all lanes.
    pub fn value(&self, builtin: Builtin) -> Lanes {
        let axis = |axis: u8| usize::from(axis).min(2);
        match builtin {
            Builtin::Thread(a) => self.thread[axis(a)].lanes(),
            Builtin::LinearThread => Lanes::Affine(self.first, 1),
            Builtin::Block(a) => Lanes::Affine(self.block[axis(a)], 0),
            Builtin::LinearBlock => Lanes::Affine(self.linear_block, 0),
            Builtin::Lane => Lanes::Affine(0, 1),
            Builtin::Warp => Lanes::Affine(self.warp, 0),
            // The compilation has already replaced the grid size and the block size by numbers.
            Builtin::Threads(_) | Builtin::AllThreads | Builtin::Blocks(_) | Builtin::AllBlocks => {
                Lanes::Affine(0, 0)
            }
        }
    }
}
