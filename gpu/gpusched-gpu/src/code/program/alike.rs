//! Keys of thread blocks. Blocks with equal keys behave alike, so equal SMs that run such blocks
//! stay equal.

use super::stream::position;
use super::{Code, Flow, Postfix, Step};
use crate::code::expression::{Lanes, Room};
use crate::code::{Instruction, Operation, Space};

/// Key of a block: the values that determine how the warps of the block execute. If two blocks of a program have equal
/// keys, they issue equal instructions for equal lanes, and have equal bank conflicts in shared memory.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockKey(
    /// Values of all expressions that depend on the block, for each warp. `None` if the grid does
    /// not contain the block.
    Option<Vec<Lanes>>,
);

/// Reason why gpusched cannot prove that two blocks with equal keys behave alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unlike {
    /// An instruction prevents the proof.
    #[error("{text} at {pc:03x} {reason}")]
    Instruction {
        /// Text of the instruction, as in issue traces.
        text: String,
        /// Address of the instruction.
        pc: u32,
        /// Behavior of the instruction that prevents the proof.
        reason: &'static str,
    },
    /// The kernel is a trace instead of a program.
    #[error("the kernel is a trace, so gpusched cannot compare the behavior of two blocks")]
    Trace,
}

const BEYOND: &str = "accesses memory outside the SM";
const BANKS: &str = "accesses shared memory at an address that depends on the block";
const ROUNDS: &str = "depends on both the block and the round of a loop";

impl Code {
    /// Returns the key of `block`.
    ///
    /// # Errors
    /// Fails if an instruction accesses memory outside the SM. Also fails if an instruction
    /// depends on the block in a way that a key cannot express.
    pub fn block_key(&self, block: u64) -> Result<BlockKey, Unlike> {
        let parts = self.parts_of_block.get_or_init(|| self.find_parts_of_block());
        let parts = parts.as_ref().map_err(Clone::clone)?;
        if block >= self.blocks() {
            return Ok(BlockKey(None));
        }
        let mut values = Vec::new();
        if !parts.is_empty() {
            let mut room = Room::default();
            for warp in 0..self.warps() {
                let position = position(self, block, warp);
                values.extend(parts.iter().map(|part| part.evaluate(&position, &[], &mut room)));
            }
        }
        Ok(BlockKey(Some(values)))
    }

    /// Collects the expressions that determine how the behavior of a warp depends on its block.
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
            Operation::Load { space, .. }
            | Operation::Store { space, .. }
            | Operation::Atomic { space, .. } => match space {
                Space::Global | Space::Local => return Err(BEYOND),
                // An address in shared memory affects the timing only through bank conflicts.
                // Each loop round may cause bank conflicts, so the address must not depend on the
                // block.
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
