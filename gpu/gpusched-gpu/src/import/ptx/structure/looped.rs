//! Import of backward branches as loops.

use super::{Outcome, Structure};
use std::collections::HashMap;

use crate::import::ptx::Operand;
use crate::import::ptx::classify::classify;
use crate::import::ptx::error::PtxError;
use crate::import::ptx::execute::{State, Value};
use crate::import::ptx::symbolic::{Poly, Range};
use crate::program::expression::Function;
use crate::program::{Expression, Loop, Statement};

/// Maximum nesting depth of loops. Each level of nesting doubles the work of the import.
const DEPTH: usize = 12;

impl Structure<'_> {
    /// Returns the registers that the instructions `low..high` write.
    pub(super) fn written(&self, low: usize, high: usize) -> Outcome<Vec<usize>> {
        let mut written = Vec::new();
        for index in low..high {
            let Some(instruction) = self.instruction(index) else {
                break;
            };
            if !classify(instruction)?.writes {
                continue;
            }
            match instruction.operands.first() {
                Some(Operand::Register(register)) => written.push(*register),
                Some(Operand::Pair(first, second)) => written.extend([*first, *second]),
                Some(Operand::Vector(elements)) => written.extend(elements.iter().flatten()),
                _ => {}
            }
        }
        written.sort_unstable();
        written.dedup();
        Ok(written)
    }

    /// Imports the loop from `first` to the branch at `close`.
    pub(super) fn looped(
        &mut self,
        first: usize,
        close: usize,
        state: &mut State,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let Some(branch) = self.instruction(close) else {
            return Ok(());
        };
        let line = branch.line;
        if branch.guard.is_none() {
            let message =
                "found an unguarded backward branch, expected a loop that ends with a guarded branch";
            return Err(PtxError::new(line, message));
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(PtxError::new(
                line,
                format!("found more than {DEPTH} nested loops"),
            ));
        }
        let written = self.written(first, close)?;

        // First pass: each register that the loop changes gets a new unknown name as its value.
        self.unknowns += 1;
        let tag = self.unknowns;
        let unknown = |register: usize| format!("%{register}@{tag}");
        let ours = format!("@{tag}");
        let is_unknown = |name: &str| name.starts_with('%') && name.ends_with(&ours);
        let mut trial = state.clone();
        for &register in &written {
            if let Some(value @ Value::Known(_)) = trial.get_mut(register) {
                let name = unknown(register);
                // The range contains only 0, so gpusched never wraps the unknown value. The second pass uses the
                // correct value.
                self.knowledge.ranges.set(&name, Range::of(0));
                *value = Value::Known(Poly::name(&name));
            }
        }
        let falls = self.range(first, close, &mut trial, &mut Vec::new())?;
        if !falls {
            return Err(PtxError::new(line, "found a loop whose end cannot be reached"));
        }
        let mut growth: HashMap<usize, Poly> = HashMap::new();
        for &register in &written {
            let (Some(Value::Known(_)), Some(Value::Known(end))) = (state.get(register), trial.get(register))
            else {
                continue;
            };
            let step = end.minus(&Poly::name(&unknown(register)));
            if !step.mentions(&is_unknown) {
                growth.insert(register, step);
            }
        }
        let counter = if self.depth == 1 {
            "k".to_owned()
        } else {
            format!("k{}", self.depth)
        };
        let counter = self.knowledge.free_name(&counter);
        let round = Poly::name(&counter);
        let at =
            |register: usize, round: &Poly, state: &State| match (state.get(register), growth.get(&register))
            {
                (Some(Value::Known(start)), Some(step)) => Some(start.plus(&step.times(round))),
                _ => None,
            };
        let again = self.guard(branch, &trial)?.unwrap_or_else(|| Poly::constant(1));
        let again = again.substituted(&|name| {
            let register = written.iter().find(|&&register| unknown(register) == name)?;
            at(*register, &round, state)
        });
        let rounds = self.rounds(&again, &counter, &is_unknown).ok_or_else(|| {
            let message = "found a loop with an unknown number of rounds, expected a closing branch that compares a value \
                           with a constant step other than 0 to a value that the loop does not change";
            PtxError::new(line, message)
        })?;
        let most = self.knowledge.ranges.of(&rounds).high.max(1);
        self.knowledge.ranges.set(&counter, Range::new(0, most - 1));
        self.knowledge.anywhere.set(&counter, Range::new(0, 1 << 40));

        // Second pass: a register with a constant step has the value start + step · counter.
        let mut inner = state.clone();
        for &register in &written {
            let value = at(register, &round, state);
            if let Some(old) = inner.get_mut(register) {
                *old = match (value, &*old) {
                    (Some(value), _) => Value::Known(value),
                    (None, Value::Known(_)) => {
                        Value::unknown("a loop-carried value of the loop that ends", line)
                    }
                    (None, Value::Unknown(because)) => Value::Unknown(because.clone()),
                };
            }
        }
        let mut body = Vec::new();
        self.range(first, close, &mut inner, &mut body)?;
        let next = round.plus(&Poly::constant(1));
        for &register in growth.keys() {
            if inner.get(register) != at(register, &next, state).map(Value::Known).as_ref() {
                let name = self.name(register);
                return Err(PtxError::new(
                    line,
                    format!("found a loop where register {name} may overflow, which programs cannot express"),
                ));
            }
        }
        if self.guard(branch, &inner)? != Some(again) {
            let message = "found a loop with an unknown number of rounds: the values that the closing branch compares may overflow";
            return Err(PtxError::new(line, message));
        }

        // After the loop, registers have the values of the last round. The result must be valid
        // for every launch. In other launches, the computed number of rounds may be less than 1,
        // but the body still runs once.
        let at_least_one = if self.knowledge.anywhere.of(&rounds).low >= 1 {
            rounds.clone()
        } else {
            self.knowledge
                .ranges
                .extreme(Function::Max, &rounds, &Poly::constant(1))
        };
        let last = at_least_one.minus(&Poly::constant(1));
        for &register in &written {
            let value = match inner.get(register) {
                Some(Value::Known(value)) => {
                    Value::Known(value.substituted(&|name| (name == counter).then(|| last.clone())))
                }
                Some(value) => value.clone(),
                None => continue,
            };
            if let Some(old) = state.get_mut(register) {
                *old = value;
            }
        }
        self.depth -= 1;
        let used = uses(&body, &counter);
        out.push(Statement::Loop(Loop {
            rounds: rounds.expression(),
            counter: used.then(|| counter.into()),
            on: self.on(branch),
            body,
        }));
        Ok(())
    }
}

/// Returns whether an expression in `body` contains the name `counter`.
fn uses(body: &[Statement], counter: &str) -> bool {
    let named = |expression: &Expression| {
        let mut found = false;
        expression.names(&mut |name| found |= name == counter);
        found
    };
    body.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => {
            instruction.when.as_ref().is_some_and(named)
                || instruction
                    .access
                    .as_ref()
                    .is_some_and(|access| named(&access.address))
        }
        Statement::Loop(inner) => named(&inner.rounds) || uses(&inner.body, counter),
        Statement::If(branch) => {
            named(&branch.condition) || uses(&branch.then, counter) || uses(&branch.otherwise, counter)
        }
        Statement::Repeat(repeat) => named(&repeat.times) || uses(&repeat.body, counter),
    })
}
