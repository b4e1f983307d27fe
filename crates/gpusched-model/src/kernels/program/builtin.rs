//! Names that expressions know of themselves.

use super::Dimensions;

/// A builtin name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `thread.x`, `thread.y`, `thread.z`: the thread's position in its block, by axis 0, 1, 2.
    Thread(u8),
    /// `thread`: the same counted through, x fastest.
    LinearThread,
    /// `block.x`, `block.y`, `block.z`: the block's position in the grid.
    Block(u8),
    /// `block`: the same counted through, x fastest.
    LinearBlock,
    /// `threads.x`, `threads.y`, `threads.z`: the size of a block.
    Threads(u8),
    /// `threads`: the threads of a block.
    AllThreads,
    /// `blocks.x`, `blocks.y`, `blocks.z`: the size of the grid.
    Blocks(u8),
    /// `blocks`: the blocks of the grid.
    AllBlocks,
    /// `lane`: the thread's position in its warp.
    Lane,
    /// `warp`: the warp's position in its block.
    Warp,
}

impl Builtin {
    /// All, with their names.
    pub const ALL: [(&str, Builtin); 18] = [
        ("thread", Builtin::LinearThread),
        ("thread.x", Builtin::Thread(0)),
        ("thread.y", Builtin::Thread(1)),
        ("thread.z", Builtin::Thread(2)),
        ("block", Builtin::LinearBlock),
        ("block.x", Builtin::Block(0)),
        ("block.y", Builtin::Block(1)),
        ("block.z", Builtin::Block(2)),
        ("threads", Builtin::AllThreads),
        ("threads.x", Builtin::Threads(0)),
        ("threads.y", Builtin::Threads(1)),
        ("threads.z", Builtin::Threads(2)),
        ("blocks", Builtin::AllBlocks),
        ("blocks.x", Builtin::Blocks(0)),
        ("blocks.y", Builtin::Blocks(1)),
        ("blocks.z", Builtin::Blocks(2)),
        ("lane", Builtin::Lane),
        ("warp", Builtin::Warp),
    ];

    /// The builtin of that name.
    pub fn named(name: &str) -> Option<Builtin> {
        Builtin::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, builtin)| *builtin)
    }

    /// Its value, if it is the same for all threads of a launch.
    pub fn of_launch(self, grid: Dimensions, block: Dimensions) -> Option<i64> {
        match self {
            Builtin::Threads(axis) => Some(block.along(axis)),
            Builtin::AllThreads => i64::try_from(block.count()).ok(),
            Builtin::Blocks(axis) => Some(grid.along(axis)),
            Builtin::AllBlocks => i64::try_from(grid.count()).ok(),
            _ => None,
        }
    }
}
