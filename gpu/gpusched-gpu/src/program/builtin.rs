//! Builtin names in the expressions of kernel programs.

use super::Dimensions;

/// A builtin name in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `thread.x`, `thread.y`, `thread.z`: position of the thread in its block along axis 0, 1, 2.
    Thread(u8),
    /// `thread`: number of the thread in its block, where x changes fastest.
    LinearThread,
    /// `block.x`, `block.y`, `block.z`: position of the thread block in the grid along axis 0, 1, 2.
    Block(u8),
    /// `block`: number of the thread block in the grid, where x changes fastest.
    LinearBlock,
    /// `threads.x`, `threads.y`, `threads.z`: size of a thread block along axis 0, 1, 2.
    Threads(u8),
    /// `threads`: number of threads in a block.
    AllThreads,
    /// `blocks.x`, `blocks.y`, `blocks.z`: size of the grid along axis 0, 1, 2.
    Blocks(u8),
    /// `blocks`: number of thread blocks in the grid.
    AllBlocks,
    /// `lane`: position of the thread in its warp.
    Lane,
    /// `warp`: position of the warp in its block.
    Warp,
}

impl Builtin {
    /// All builtin names.
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

    /// Returns the builtin called `name`.
    pub fn named(name: &str) -> Option<Builtin> {
        Builtin::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, builtin)| *builtin)
    }

    /// Returns the value of the builtin name, or `None` if the threads of a launch have different values of this name.
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
