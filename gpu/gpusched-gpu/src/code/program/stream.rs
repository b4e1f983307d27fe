//! Instruction stream of one warp of a program.

use std::sync::Arc;

use super::stack::Stack;
use super::{Code, Flow};
use crate::code::expression::{Compiled, Computed, Kept, LANES, Lanes, Position, Room};
use crate::code::{Effect, Instruction, Stream};

/// Instruction stream of one warp of a program.
#[derive(Debug, Clone)]
pub struct WarpStream {
    code: Arc<Code>,
    position: Position,
    stack: Stack,
    computed: Computed,
}

impl WarpStream {
    pub(super) fn new(code: Arc<Code>, block: u64, warp: u32) -> WarpStream {
        let threads = code.block.count();
        let first = u64::from(warp) * LANES as u64;
        let present = if block < code.blocks() {
            threads.saturating_sub(first).min(LANES as u64)
        } else {
            0
        };
        let lanes = u32::try_from((1_u64 << present) - 1).unwrap_or(u32::MAX);
        let position = position(&code, block, warp);
        let stack = Stack::new(lanes, code.depth);
        WarpStream {
            code,
            position,
            stack,
            computed: Computed::default(),
        }
    }
}

/// Placeholder for the thread positions of a warp outside the launch.
const NOWHERE: [Kept; 3] = [Kept::Affine(0, 0), Kept::Affine(0, 0), Kept::Affine(0, 0)];

/// Returns the position of the lanes of warp `warp` in block `block`.
pub(super) fn position(code: &Code, block: u64, warp: u32) -> Position {
    let first = u64::from(warp) * LANES as u64;
    let signed = |x: u64| i64::try_from(x).unwrap_or(i64::MAX);
    Position {
        first: signed(first),
        thread: code.threads.get(warp as usize).cloned().unwrap_or(NOWHERE),
        block: code.grid.position(block).map(i64::from),
        linear_block: signed(block),
        warp: i64::from(warp),
    }
}

impl Stream for WarpStream {
    fn next(&self) -> Option<&Instruction> {
        let (next, ..) = self.stack.top()?;
        self.code.instructions.get(next as usize)
    }

    fn issue(&mut self, effect: &mut Effect) {
        let Some((next, active, counters)) = self.stack.top() else {
            return;
        };
        let Some(step) = self.code.steps.get(next as usize) else {
            return;
        };
        let mut lanes = active & step.lanes;
        // Evaluates an expression, and records that `lanes` read missing buffer values.
        let computed = &mut self.computed;
        let mut evaluate = |expression: &Compiled, lanes: u32, room: &mut Room| {
            let values = expression.evaluate(&self.code.fixed, &self.position, counters, computed, room);
            if !room.missing.is_empty() {
                self.code.note_missing(next, &room.missing, lanes);
                room.missing.clear();
            }
            values
        };
        if let Some(when) = &step.when {
            lanes &= evaluate(when, lanes, &mut effect.room.0).mask();
        }
        if let Some(address) = &step.address {
            let address = evaluate(address, lanes, &mut effect.room.0);
            effect.stride = address.stride();
            address.put(&mut effect.addresses);
            if let Some(bounds) = &step.bounds {
                bounds.note(effect, lanes);
            }
        }
        match &step.flow {
            Flow::Next => self.stack.advance(),
            Flow::Branch(jump) => self.stack.branch(lanes, *jump, None),
            Flow::Close {
                jump,
                rounds,
                counter,
            } => {
                let done = counters.get(*counter).copied().unwrap_or(0).saturating_add(1);
                let rounds = evaluate(rounds, lanes, &mut effect.room.0);
                lanes &= match rounds {
                    Lanes::Affine(rounds, 0) if done < rounds => u32::MAX,
                    Lanes::Affine(_, 0) => 0,
                    rounds => mask(&rounds.each().map(|rounds| done < rounds)),
                };
                self.stack.branch(lanes, *jump, Some(*counter));
            }
            Flow::Exit => self.stack.exit(lanes),
        }
        effect.lanes = lanes;
        effect.jumped = self
            .stack
            .top()
            .is_some_and(|(then, ..)| then != next.wrapping_add(1));
    }

    fn copy(&self) -> Box<dyn Stream + Send> {
        Box::new(self.clone())
    }
}

/// Returns a mask with the bits of the lanes that are `true` in `lanes`.
fn mask(lanes: &[bool; LANES]) -> u32 {
    lanes
        .iter()
        .enumerate()
        .fold(0, |mask, (lane, &set)| mask | u32::from(set) << lane)
}
