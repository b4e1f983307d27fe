//! Where the lanes of a warp stand.

use super::{Kept, Lanes};
use gpusched_model::program::Builtin;

/// Where the lanes of a warp stand.
#[derive(Debug, Clone)]
pub struct Position {
    /// The linear number of the first thread.
    pub first: i64,
    /// The position in the block, by axis.
    pub thread: [Kept; 3],
    /// The block's position in the grid, by axis.
    pub block: [i64; 3],
    /// The block's linear number.
    pub linear_block: i64,
    /// The warp's position in the block.
    pub warp: i64,
}

impl Position {
    /// A builtin as base and stride, if it is that.
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

    /// A builtin in all lanes.
    pub fn value(&self, builtin: Builtin) -> Lanes {
        let axis = |axis: u8| usize::from(axis).min(2);
        match builtin {
            Builtin::Thread(a) => self.thread[axis(a)].lanes(),
            Builtin::LinearThread => Lanes::Affine(self.first, 1),
            Builtin::Block(a) => Lanes::Affine(self.block[axis(a)], 0),
            Builtin::LinearBlock => Lanes::Affine(self.linear_block, 0),
            Builtin::Lane => Lanes::Affine(0, 1),
            Builtin::Warp => Lanes::Affine(self.warp, 0),
            // Sizes of the launch are folded when an expression is compiled.
            Builtin::Threads(_) | Builtin::AllThreads | Builtin::Blocks(_) | Builtin::AllBlocks => {
                Lanes::Affine(0, 0)
            }
        }
    }
}
