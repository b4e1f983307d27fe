//! What a warp executes: instructions of a machine-independent kind, one stream of them per warp.

mod effect;
mod expression;
mod instruction;
mod operation;
mod program;
mod register_set;
mod traced;

pub use effect::{Effect, Room};
pub use instruction::Instruction;
pub use operation::{Caching, Number, Operation, Space};
pub use program::{BlockKey, Code, Outside, Unlike, WarpStream};
pub use register_set::{Register, RegisterSet};
pub use traced::{TraceStream, TracedKernel};

/// The instructions of one warp, in the order in which it issues them.
///
/// A stream is executed at issue: addresses and branches are known then, as in a functional simulator that runs ahead
/// of its timing model.
pub trait Stream {
    /// The instruction the warp issues next; `None` after its last one.
    fn next(&self) -> Option<&Instruction>;

    /// Issues [`Stream::next`]: fills `effect` and moves on. Does nothing after the last instruction.
    fn issue(&mut self, effect: &mut Effect);

    /// The same stream once more, at the same instruction.
    fn copy(&self) -> Box<dyn Stream + Send>;
}

impl Clone for Box<dyn Stream + Send> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
