//! The launch of a program, changed when it is run.

use crate::Refusal;

use super::{Dimensions, Program};

/// What a run changes of a program's launch; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Thread blocks.
    pub grid: Option<Dimensions>,
    /// Threads of a block.
    pub block: Option<Dimensions>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Shared memory of a block [bytes].
    pub shared_memory: Option<u32>,
    /// Address of the first instruction [bytes].
    pub pc: Option<u32>,
    /// Parameters by name, or bytes of buffers by name.
    pub values: Vec<(String, i64)>,
}

impl Program {
    /// The same kernel under another launch.
    ///
    /// # Errors
    /// A name that is no parameter and no buffer, or a launch that [`Program::check`] refuses.
    pub fn with(&self, overrides: &Overrides) -> Result<Program, Refusal> {
        let mut program = self.clone();
        program.grid = overrides.grid.unwrap_or(self.grid);
        program.block = overrides.block.unwrap_or(self.block);
        program.registers = overrides.registers.unwrap_or(self.registers);
        program.shared_memory = overrides.shared_memory.unwrap_or(self.shared_memory);
        program.pc = overrides.pc.unwrap_or(self.pc);
        for (name, new) in &overrides.values {
            let parameter = program.parameters.iter_mut().find(|(known, _)| known == name);
            let buffer = program.buffers.iter_mut().find(|(known, _)| known == name);
            match (parameter, buffer) {
                (Some((_, value)), _) => *value = *new,
                (None, Some((_, buffer))) => {
                    buffer.bytes = u64::try_from(*new)
                        .map_err(|_| Refusal::new(format!("buffers.{name}"), new, "its bytes"))?;
                }
                (None, None) => {
                    let names = program.parameters.iter().map(|(name, _)| name.as_str());
                    let names: Vec<&str> = names
                        .chain(program.buffers.iter().map(|(name, _)| name.as_str()))
                        .collect();
                    let known = match names.is_empty() {
                        true => "it has none".to_owned(),
                        false => names.join(", "),
                    };
                    let expected = format!("a parameter or a buffer of {}: {known}", program.name);
                    return Refusal::refuse("", format!("the name {name:?}"), expected);
                }
            }
        }
        program.check()?;
        Ok(program)
    }
}
