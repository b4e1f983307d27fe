//! Launches of kernel programs.

use std::sync::Arc;

use super::kernel::{Launch, Source};
use crate::code::{BlockKey, Code, Stream, Unlike};
use crate::machine::BlockNeed;
use crate::program::Program;
use gpusched_model::Refusal;

/// Kernel program as a source of instructions.
struct ProgramSource(Arc<Code>);

impl Source for ProgramSource {
    fn warps(&self, block: u64) -> Result<Vec<Box<dyn Stream + Send>>, String> {
        let warps = 0..self.0.warps();
        Ok(warps
            .map(|warp| Box::new(self.0.stream(block, warp)) as Box<dyn Stream + Send>)
            .collect())
    }

    fn key(&self, block: u64) -> Result<BlockKey, Unlike> {
        self.0.block_key(block)
    }

    fn fault(&self) -> Option<String> {
        self.0.missing().map(str::to_owned)
    }

    fn some_block(&self, most: u64) -> Option<u64> {
        Some(self.0.instructions_of(self.0.blocks() / 2, most))
    }
}

impl Launch {
    /// Creates a launch of `program` at core cycle 0, on all SMs, with budget 0.
    ///
    /// # Errors
    /// Fails as [`Code::new`] does.
    pub fn of_program(program: &Program) -> Result<Launch, Refusal> {
        Ok(Launch::of_code(program, &Arc::new(Code::new(program)?)))
    }

    /// Creates a launch as [`Launch::of_program`] does, for a program that is already lowered to `code`.
    pub fn of_code(program: &Program, code: &Arc<Code>) -> Launch {
        Launch {
            name: program.name.clone(),
            blocks: program.blocks(),
            need: BlockNeed {
                threads: u32::try_from(program.block.count()).unwrap_or(u32::MAX),
                registers: program.registers,
                shared_bytes: program.shared_memory,
            },
            at: 0,
            latency: 0,
            resident: None,
            repeats: false,
            channels: None,
            l2_ways: None,
            queue: None,
            budget: 0,
            sms: None,
            source: Arc::new(ProgramSource(Arc::clone(code))),
        }
    }
}
