//! Changes to the launch of a program for one run.

use gpusched_model::Refusal;

use super::{Dimensions, Program};

/// Changes to the launch of a program. A field that is `None` keeps the value of the program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Number of thread blocks along each axis.
    pub grid: Option<Dimensions>,
    /// Number of threads of a block along each axis.
    pub block: Option<Dimensions>,
    /// Number of registers of one thread.
    pub registers: Option<u32>,
    /// Shared memory of one block [bytes].
    pub shared_memory: Option<u32>,
    /// Address of the first instruction [bytes].
    pub pc: Option<u32>,
    /// New values of parameters and new sizes of buffers [bytes], by name.
    pub values: Vec<(String, i64)>,
}

impl Program {
    /// Returns a copy of the program with the changes in `overrides`.
    ///
    /// # Errors
    /// Fails if a name is neither a parameter nor a buffer, or if [`Program::check`] refuses the
    /// changed program.
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
                    buffer.bytes = u64::try_from(*new).map_err(|_| {
                        Refusal::new(format!("buffers.{name}"), new, "the size of the buffer in bytes")
                    })?;
                }
                (None, None) => {
                    let names = program.parameters.iter().map(|(name, _)| name.as_str());
                    let names: Vec<&str> = names
                        .chain(program.buffers.iter().map(|(name, _)| name.as_str()))
                        .collect();
                    let known = match names.is_empty() {
                        true => "the program has no parameters or buffers".to_owned(),
                        false => names.join(", "),
                    };
                    let expected = format!("a parameter or a buffer of program {}: {known}", program.name);
                    return Refusal::refuse("", format!("the name {name:?}"), expected);
                }
            }
        }
        program.check()?;
        Ok(program)
    }
}
