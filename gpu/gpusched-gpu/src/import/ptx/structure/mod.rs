//! Conversion of branches to loops and conditions.
//!
//! A backward branch closes a loop. A forward branch skips the instructions up to its target.
//! Loops and conditions must be properly nested.
//!
//! The importer processes each loop twice. In the first pass, the registers that the loop changes have unknown values.
//! This pass finds the registers whose value changes by a constant step in each round. In the second pass, the value of
//! each of these registers is its start value plus a multiple of the loop counter.

mod condition;
mod looped;
mod rounds;
mod straight;

use super::Instruction;
use super::classify::classify;
use super::error::PtxError;
use super::execute::{Knowledge, LARGEST, State, Value};
use super::symbolic::Poly;
use crate::program::{Instruction as Plain, Op, Statement};

/// Maximum number of processed instructions. An instruction counts each time the importer processes it.
const STEPS: usize = 2_000_000;

/// State of the import of one kernel.
pub(super) struct Structure<'k> {
    pub knowledge: Knowledge<'k>,
    /// Number of loops that enclose the current instruction.
    depth: usize,
    /// Number of conditions that enclose the current instruction.
    conditions: usize,
    unknowns: usize,
    steps: usize,
}

type Outcome<T> = Result<T, PtxError>;

impl<'k> Structure<'k> {
    pub fn new(knowledge: Knowledge<'k>) -> Structure<'k> {
        Structure {
            knowledge,
            depth: 0,
            conditions: 0,
            unknowns: 0,
            steps: 0,
        }
    }

    /// Imports the whole kernel.
    pub fn body(&mut self) -> Outcome<Vec<Statement>> {
        let kernel = self.knowledge.kernel;
        let mut state: State = kernel
            .registers
            .iter()
            .map(|_| Value::Unknown("a register without a value".into()))
            .collect();
        let mut out = Vec::new();
        self.range(0, kernel.instructions.len(), &mut state, &mut out)?;
        Ok(out)
    }

    fn instruction(&self, index: usize) -> Option<&'k Instruction> {
        self.knowledge.kernel.instructions.get(index)
    }

    fn target(&self, instruction: &Instruction) -> Outcome<Option<usize>> {
        if instruction.name() != "bra" {
            return Ok(None);
        }
        let label = instruction
            .target()
            .and_then(|label| self.knowledge.kernel.labels.get(label));
        let missing = || {
            PtxError::new(
                instruction.line,
                "found a branch to a label that the kernel does not have",
            )
        };
        label.copied().map(Some).ok_or_else(missing)
    }

    /// Imports the instructions `low..high`. Returns whether control can reach the end of the range.
    fn range(
        &mut self,
        low: usize,
        high: usize,
        state: &mut State,
        out: &mut Vec<Statement>,
    ) -> Outcome<bool> {
        let mut next = low;
        while next < high {
            self.steps += 1;
            let Some(instruction) = self.instruction(next) else {
                break;
            };
            if self.steps > STEPS {
                return Err(PtxError::new(
                    instruction.line,
                    "the control flow of the kernel is too complex for the importer",
                ));
            }
            if let Some(close) = self.closing(next, high)? {
                self.looped(next, close, state, out)?;
                next = close + 1;
                continue;
            }
            let Some(target) = self.target(instruction)? else {
                let class = classify(instruction)?;
                let ends = class.op == Op::Exit && instruction.guard.is_none();
                self.straight(instruction, &class, state, out)?;
                next += 1;
                if ends {
                    // Code after this instruction is reachable only through branches from
                    // elsewhere.
                    return match next < high {
                        false => Ok(false),
                        true => Err(PtxError::new(
                            self.instruction(next).map_or(instruction.line, |next| next.line),
                            "found an instruction that no earlier instruction reaches",
                        )),
                    };
                }
                continue;
            };
            if instruction.guard.is_none() {
                if target != next + 1 {
                    return Err(PtxError::new(
                        instruction.line,
                        "found an unguarded branch that ends neither a condition nor a loop",
                    ));
                }
                let mut statement = Plain::new(Op::Branch);
                statement.text = Some("bra".into());
                out.push(Statement::Instruction(statement));
                next += 1;
                continue;
            }
            if target <= next || target > high {
                let message =
                    "found a branch into or out of a loop or condition, which programs cannot express";
                return Err(PtxError::new(instruction.line, message));
            }
            next = self.condition(next, target, high, state, out)?;
        }
        Ok(true)
    }

    /// Returns the branch in `first..high` that jumps back to `first`; `None` if there is no such branch.
    fn closing(&self, first: usize, high: usize) -> Outcome<Option<usize>> {
        let kernel = self.knowledge.kernel;
        if !kernel.labels.values().any(|&position| position == first) {
            return Ok(None);
        }
        let mut found = None;
        for index in first..high {
            let Some(instruction) = self.instruction(index) else {
                break;
            };
            if self.target(instruction)? == Some(first) {
                if found.is_some() {
                    let message = "found a second backward branch to the same label, expected one backward branch per loop";
                    return Err(PtxError::new(instruction.line, message));
                }
                found = Some(index);
            }
        }
        Ok(found)
    }
}

impl Knowledge<'_> {
    /// Merges two values of a register: `then` applies if `condition` is true, and `otherwise` if
    /// it is false.
    fn merged(&self, condition: &Poly, then: &Value, otherwise: &Value, line: usize) -> Value {
        match (then, otherwise) {
            _ if then == otherwise => then.clone(),
            (Value::Known(then), Value::Known(otherwise)) => {
                let choice = self.ranges.choice(condition, then, otherwise);
                if choice.size() > LARGEST {
                    Value::unknown("a value whose expression is too large", line)
                } else {
                    Value::Known(choice)
                }
            }
            (Value::Unknown(because), _) | (_, Value::Unknown(because)) => Value::Unknown(because.clone()),
        }
    }

    /// Returns `name`, or a variant of `name` that differs from all parameter names.
    fn free_name(&self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.parameters.iter().flatten().any(|known| *known == free) {
            free.push('_');
        }
        free
    }
}
