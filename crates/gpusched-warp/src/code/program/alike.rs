//! Keys of blocks that execute alike on every SM. Equal SMs stay equal only if they run such blocks.

use super::stream::position;
use super::{Code, Flow, Postfix, Step};
use crate::code::expression::Lanes;
use crate::code::{Instruction, Operation, Space};

/// The facts about a block that decide how its warps execute. Blocks of a program with equal keys issue the
/// same instructions, with the same lanes and the same conflicts in shared memory.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockKey(
    /// Values of all expressions that name the block, per warp; `None` if the grid has no such block.
    Option<Vec<Lanes>>,
);

/// Why gpusched cannot prove that two blocks of a kernel execute alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unlike {
    /// An instruction is the reason.
    #[error("{text} at {pc:03x} {reason}")]
    Instruction {
        /// Text of the instruction in issue traces.
        text: String,
        /// Address of the instruction.
        pc: u32,
        /// Behavior of the instruction that prevents the proof.
        reason: &'static str,
    },
    /// The kernel is a trace.
    #[error("the behavior of its blocks comes from a trace")]
    Trace,
}

const BEYOND: &str = "accesses memory beyond the SM";
const BANKS: &str = "accesses shared memory at an address that depends on the block";
const ROUNDS: &str = "depends on the block, and on the round of a loop";

impl Code {
    /// Returns the facts about `block` that decide how its warps execute.
    ///
    /// # Errors
    /// Fails if an instruction accesses memory beyond the SM, or if it depends on the block in a way that a
    /// key cannot express.
    pub fn block_key(&self, block: u64) -> Result<BlockKey, Unlike> {
        let parts = self.parts_of_block.get_or_init(|| self.find_parts_of_block());
        let parts = parts.as_ref().map_err(Clone::clone)?;
        if block >= self.blocks() {
            return Ok(BlockKey(None));
        }
        let mut values = Vec::new();
        if !parts.is_empty() {
            let mut stack = Vec::new();
            for warp in 0..self.warps() {
                let position = position(self, block, warp);
                values.extend(parts.iter().map(|part| part.evaluate(&position, &[], &mut stack)));
            }
        }
        Ok(BlockKey(Some(values)))
    }

    /// Collects the expressions through which the block decides the behavior of its warps.
    fn find_parts_of_block(&self) -> Result<Box<[Postfix]>, Unlike> {
        let mut parts = Vec::new();
        for (index, (instruction, step)) in self.instructions.iter().zip(&self.steps).enumerate() {
            self.look_at(instruction, step, &mut parts)
                .map_err(|reason| Unlike::Instruction {
                    text: self.texts.get(index).map_or("", |text| text).to_owned(),
                    pc: instruction.pc,
                    reason,
                })?;
        }
        Ok(parts.into())
    }

    fn look_at(
        &self,
        instruction: &Instruction,
        step: &Step,
        parts: &mut Vec<Postfix>,
    ) -> Result<(), &'static str> {
        match instruction.operation {
            Operation::Atomic { .. } => return Err(BEYOND),
            Operation::Load { space, .. } | Operation::Store { space, .. } => match space {
                Space::Global | Space::Local => return Err(BEYOND),
                // The accessed words affect the timing only through bank conflicts, but they do so in every round.
                Space::Shared => {
                    let mut found = Vec::new();
                    let known = step
                        .address
                        .as_ref()
                        .is_none_or(|address| address.of_block(&self.fixed, &mut found));
                    if !known || !found.is_empty() {
                        return Err(BANKS);
                    }
                }
                // Accesses to constants always hit the constant cache.
                Space::Constant => {}
            },
            _ => {}
        }
        let rounds = match &step.flow {
            Flow::Close { rounds, .. } => Some(rounds),
            Flow::Next | Flow::Branch(_) | Flow::Exit => None,
        };
        let mut known = true;
        for expression in step.when.iter().chain(rounds) {
            known &= expression.of_block(&self.fixed, parts);
        }
        match known {
            true => Ok(()),
            false => Err(ROUNDS),
        }
    }
}
