//! Code of a warp: machine-independent instructions, and one instruction stream per warp.

mod effect;
mod expression;
mod instruction;
mod operation;
mod program;
mod register_set;
mod traced;

pub use effect::{Effect, Room};
pub use instruction::Instruction;
pub use operation::{Caching, Number, Operation, Space, Specialized};
pub use program::{BlockKey, Code, Outside, Unlike, WarpStream};
pub use register_set::{Register, RegisterSet};
pub use traced::{TraceStream, TracedKernel};

/// Instructions of one warp, in the order of issue.
///
/// A stream computes the effect of each instruction when the instruction issues. The timing model
/// therefore knows addresses and branch targets at issue.
pub trait Stream {
    /// Returns the instruction that the warp issues next; `None` after the last instruction.
    fn next(&self) -> Option<&Instruction>;

    /// Issues the instruction that [`Stream::next`] returns, stores its effect in `effect`, and
    /// advances to the following instruction. Does nothing after the last instruction.
    fn issue(&mut self, effect: &mut Effect);

    /// Returns a copy of the stream in the same state.
    fn copy(&self) -> Box<dyn Stream + Send>;
}

impl Clone for Box<dyn Stream + Send> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
