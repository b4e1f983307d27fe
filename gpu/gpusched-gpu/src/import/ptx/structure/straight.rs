//! Import of instructions that are not branches.

use super::{Outcome, Structure};
use crate::import::ptx::classify::Class;
use crate::import::ptx::error::PtxError;
use crate::import::ptx::execute::{State, Value};
use crate::import::ptx::instruction::size;
use crate::import::ptx::module::Register;
use crate::import::ptx::symbolic::Poly;
use crate::import::ptx::{Instruction, Operand};
use crate::program::{Access, Instruction as Plain, MemorySpace, Op, Statement};

impl Structure<'_> {
    /// Returns the value of the guard of `instruction`; `None` if the instruction has no guard.
    pub(super) fn guard(&self, instruction: &Instruction, state: &State) -> Outcome<Option<Poly>> {
        let Some((register, negated)) = instruction.guard else {
            return Ok(None);
        };
        let value = self
            .knowledge
            .operand(Some(&Operand::Register(register)), state, instruction.line);
        let value = value.map_err(|because| PtxError::depends(instruction.line, "guard", &because))?;
        Ok(Some(if negated {
            self.knowledge.ranges.not(&value)
        } else {
            value
        }))
    }

    pub(super) fn name(&self, register: usize) -> Box<str> {
        let name = self
            .knowledge
            .kernel
            .registers
            .get(register)
            .map_or("", |register| register.name.as_str());
        // Another scope may declare a name again. Registers with equal PTX names get different
        // names in the program.
        let same = |other: &Register| other.name == name;
        let before = self
            .knowledge
            .kernel
            .registers
            .iter()
            .take(register)
            .filter(|other| same(other))
            .count();
        let plain = name.strip_prefix('%').unwrap_or(name);
        if before == 0 {
            plain.into()
        } else {
            format!("{plain}.{before}").into()
        }
    }

    pub(super) fn on(&self, instruction: &Instruction) -> Option<Box<str>> {
        instruction.guard.map(|(register, _)| self.name(register))
    }

    /// Imports an instruction that is not a branch.
    pub(super) fn straight(
        &mut self,
        instruction: &Instruction,
        class: &Class,
        state: &mut State,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let guard = self.guard(instruction, state)?;
        let mut statement = Plain::new(class.op);
        statement.text = Some(instruction.opcode.join(".").into());
        statement.on = self.on(instruction);
        statement.when = guard.as_ref().map(Poly::expression);
        let mut written = Vec::new();
        for (index, operand) in instruction.operands.iter().enumerate() {
            let registers: Vec<usize> = match operand {
                Operand::Register(register) => vec![*register],
                Operand::Pair(first, second) => vec![*first, *second],
                Operand::Vector(elements) => elements.iter().flatten().copied().collect(),
                _ => Vec::new(),
            };
            let names = registers.iter().map(|register| self.name(*register));
            if index == 0 && class.writes {
                statement.to.extend(names);
                written = registers;
            } else {
                statement.from.extend(names);
            }
        }
        if let Some((space, bytes, cache)) = class.access {
            let (address, by) = self.address(instruction, space, state)?;
            // In GPGPU-Sim, an atomic neither waits for its address register nor reads it.
            let by = if class.op == Op::Atomic { Vec::new() } else { by };
            statement.access = Some(Access {
                address: address.expression(),
                by,
                bytes,
                space,
                cache,
            });
        }
        out.push(Statement::Instruction(statement));
        let result = match written.as_slice() {
            [] => return Ok(()),
            [_] => self.knowledge.result(instruction, state),
            _ => Value::unknown("an element of the vector written", instruction.line),
        };
        for register in written {
            let Some(old) = state.get_mut(register) else {
                continue;
            };
            let new = match &guard {
                None => result.clone(),
                Some(guard) => self.knowledge.merged(guard, &result, old, instruction.line),
            };
            *old = new;
        }
        Ok(())
    }

    pub(super) fn address(
        &self,
        instruction: &Instruction,
        space: MemorySpace,
        state: &State,
    ) -> Outcome<(Poly, Vec<Box<str>>)> {
        let line = instruction.line;
        let memory = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        let memory = memory.ok_or_else(|| {
            PtxError::new(
                line,
                "found no operand in brackets, expected an address such as [%rd1]",
            )
        })?;
        let offset = Poly::constant(memory.offset);
        if let Some(symbol) = &memory.symbol {
            let kernel = self.knowledge.kernel;
            let parameter = kernel
                .parameters
                .iter()
                .find(|parameter| parameter.name == *symbol);
            let shared = kernel.shared.iter().find(|(name, _)| name == symbol);
            let base = match (space, parameter, shared) {
                (MemorySpace::Constant, Some(parameter), _) => parameter.offset,
                (MemorySpace::Shared, _, Some((_, address))) => *address,
                _ => {
                    let message = format!(
                        "found the symbol {symbol}, expected a parameter or a variable in shared memory"
                    );
                    return Err(PtxError::new(line, message));
                }
            };
            let base = Poly::constant(i64::try_from(base).unwrap_or(i64::MAX));
            return Ok((base.plus(&offset), Vec::new()));
        }
        let Some(register) = memory.register else {
            return Ok((offset, Vec::new()));
        };
        let base = self
            .knowledge
            .operand(Some(&Operand::Register(register)), state, line)
            .map_err(|because| PtxError::depends(line, "address", &because))?;
        let kind = self
            .knowledge
            .kernel
            .registers
            .get(register)
            .map_or("b64", |register| register.kind.as_str());
        let sum = base.plus(&offset);
        let sum = match size(kind) {
            Some(4) => self.knowledge.ranges.unsigned(&sum, 32).unwrap_or(sum),
            _ => sum,
        };
        Ok((sum, vec![self.name(register)]))
    }
}
