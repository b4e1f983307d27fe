//! Branches as loops and conditions, statement by statement.
//!
//! A backward branch closes a loop, a forward branch skips what lies between; both must nest. A loop is looked at twice:
//! first with unknowns for the registers it changes, to see which of them grow by the same amount each round; then with
//! those as multiples of the counter, for good.

mod condition;
mod looped;
mod rounds;
mod straight;

use super::Instruction;
use super::classify::classify;
use super::error::PtxError;
use super::execute::{Knowledge, LARGEST, State, Value};
use super::symbolic::Poly;
use gpusched_model::program::{Instruction as Plain, Op, Statement};

/// How often an instruction may be looked at, in sum.
const STEPS: usize = 2_000_000;

/// The importer at work on one kernel.
pub(super) struct Structure<'k> {
    pub knowledge: Knowledge<'k>,
    /// Loops around.
    depth: usize,
    /// Conditions around.
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

    /// The whole kernel.
    pub fn body(&mut self) -> Outcome<Vec<Statement>> {
        let kernel = self.knowledge.kernel;
        let mut state: State = kernel
            .registers
            .iter()
            .map(|_| Value::Unknown("a register that is not set".into()))
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
        let missing = || PtxError::new(instruction.line, "found a branch without a label of this kernel");
        label.copied().map(Some).ok_or_else(missing)
    }

    /// Instructions `low..high`; whether control comes out at their end.
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
                return Err(PtxError::new(instruction.line, "the kernel is too complex"));
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
                    // What follows is reached by branches from elsewhere, or not at all.
                    return match next < high {
                        false => Ok(false),
                        true => Err(PtxError::new(
                            self.instruction(next).map_or(instruction.line, |next| next.line),
                            "no branch leads here from before",
                        )),
                    };
                }
                continue;
            };
            if instruction.guard.is_none() {
                if target != next + 1 {
                    return Err(PtxError::new(
                        instruction.line,
                        "found a jump that closes no condition and no loop",
                    ));
                }
                let mut statement = Plain::new(Op::Branch);
                statement.text = Some("bra".into());
                out.push(Statement::Instruction(statement));
                next += 1;
                continue;
            }
            if target <= next || target > high {
                let message = "found a branch into or out of a loop or condition, which programs cannot say";
                return Err(PtxError::new(instruction.line, message));
            }
            next = self.condition(next, target, high, state, out)?;
        }
        Ok(true)
    }

    /// The last branch in `first..high` that leads back to `first`.
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
                    let message = "found a second branch back to the same label, expected one per loop";
                    return Err(PtxError::new(instruction.line, message));
                }
                found = Some(index);
            }
        }
        Ok(found)
    }
}

impl Knowledge<'_> {
    /// `then` where `condition` holds, else `otherwise`.
    fn merged(&self, condition: &Poly, then: &Value, otherwise: &Value, line: usize) -> Value {
        match (then, otherwise) {
            _ if then == otherwise => then.clone(),
            (Value::Known(then), Value::Known(otherwise)) => {
                let choice = self.ranges.choice(condition, then, otherwise);
                if choice.size() > LARGEST {
                    Value::unknown("a value too complex", line)
                } else {
                    Value::Known(choice)
                }
            }
            (Value::Unknown(because), _) | (_, Value::Unknown(because)) => Value::Unknown(because.clone()),
        }
    }

    /// `name`, or something like it that no parameter is called.
    fn free_name(&self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.parameters.iter().flatten().any(|known| *known == free) {
            free.push('_');
        }
        free
    }
}
