//! Backward branches.

use super::{Outcome, Structure};
use std::collections::HashMap;

use crate::ptx::Operand;
use crate::ptx::classify::classify;
use crate::ptx::error::PtxError;
use crate::ptx::execute::{State, Value};
use crate::ptx::symbolic::{Poly, Range};
use gpusched_model::program::expression::Function;
use gpusched_model::program::{Expression, Loop, Statement};

/// How deep loops may nest: each loop around doubles the work.
const DEPTH: usize = 12;

impl Structure<'_> {
    /// The registers that `low..high` writes.
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

    /// The loop from `first` to the branch at `close`.
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
            let message = "found a loop that is tested at its start or not at all, expected one that is closed by a branch with a guard";
            return Err(PtxError::new(line, message));
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(PtxError::new(
                line,
                format!("found more than {DEPTH} loops in one another"),
            ));
        }
        let written = self.written(first, close)?;

        // First look: unknowns for what the loop changes.
        self.unknowns += 1;
        let tag = self.unknowns;
        let unknown = |register: usize| format!("%{register}@{tag}");
        let ours = format!("@{tag}");
        let is_unknown = |name: &str| name.starts_with('%') && name.ends_with(&ours);
        let mut trial = state.clone();
        for &register in &written {
            if let Some(value @ Value::Known(_)) = trial.get_mut(register) {
                let name = unknown(register);
                // Seen as small, so that it stays a plain term; the second look knows better.
                self.knowledge.ranges.set(&name, Range::of(0));
                *value = Value::Known(Poly::name(&name));
            }
        }
        let falls = self.range(first, close, &mut trial, &mut Vec::new())?;
        if !falls {
            return Err(PtxError::new(line, "found a loop that does not come to its end"));
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
        let rounds = self.rounds(&again, &counter).ok_or_else(|| {
            let message = "found a loop whose rounds are not known: the closing branch must compare what grows (or shrinks) towards its end by the same amount each round, known not to be 0, with what stays the same";
            PtxError::new(line, message)
        })?;
        let most = self.knowledge.ranges.of(&rounds).high.max(1);
        self.knowledge.ranges.set(&counter, Range::new(0, most - 1));
        self.knowledge.anywhere.set(&counter, Range::new(0, 1 << 40));

        // Second look: what grows is a multiple of the counter.
        let mut inner = state.clone();
        for &register in &written {
            let value = at(register, &round, state);
            if let Some(old) = inner.get_mut(register) {
                *old = match (value, &*old) {
                    (Some(value), _) => Value::Known(value),
                    (None, Value::Known(_)) => {
                        Value::unknown("a value carried from round to round of the loop that ends", line)
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
                    format!("found a loop in which {name} may overflow, which programs cannot say"),
                ));
            }
        }
        if self.guard(branch, &inner)? != Some(again) {
            let message = "found a loop whose rounds are not known: the values that the closing branch compares may overflow";
            return Err(PtxError::new(line, message));
        }

        // Afterwards: as after the last round.
        // Whatever the launch: one with other parameters may come to fewer rounds than 1, and the body runs once all the same.
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

/// Whether an expression in `body` names `counter`.
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
