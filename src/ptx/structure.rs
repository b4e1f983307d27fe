//! Branches as loops and conditions, statement by statement.
//!
//! A backward branch closes a loop, a forward branch skips what lies between; both must nest. A loop is looked at twice:
//! first with unknowns for the registers it changes, to see which of them grow by the same amount each round; then with
//! those as multiples of the counter, for good.

use std::collections::HashMap;

use super::classify::{Class, classify};
use super::error::PtxError;
use super::execute::{Knowledge, State, Value};
use super::module::size;
use super::symbolic::{Atom, Operator, Poly, Range};
use super::{Instruction, Operand};
use crate::model::program::Statement as Any;
use crate::model::program::expression::{Binary, Function};
use crate::model::program::{Access, Branch, Expression, Instruction as Statement, Loop, MemorySpace, Op};

/// How deep loops and conditions may nest: each loop around doubles the work.
const DEPTH: usize = 12;

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
    pub fn body(&mut self) -> Outcome<Vec<Any>> {
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
    fn range(&mut self, low: usize, high: usize, state: &mut State, out: &mut Vec<Any>) -> Outcome<bool> {
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
                let mut statement = Statement::new(Op::Branch);
                statement.text = Some("bra".into());
                out.push(Any::Instruction(statement));
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

    /// The value of the guard that lets an instruction execute.
    fn guard(&self, instruction: &Instruction, state: &State) -> Outcome<Option<Poly>> {
        let Some((register, negated)) = instruction.guard else {
            return Ok(None);
        };
        let value = self
            .knowledge
            .operand(Some(&Operand::Register(register)), state, instruction.line);
        let value = value.map_err(|because| {
            PtxError::new(
                instruction.line,
                format!("the guard depends on {because}, which programs cannot say"),
            )
        })?;
        Ok(Some(if negated {
            self.knowledge.ranges.not(&value)
        } else {
            value
        }))
    }

    fn name(&self, register: usize) -> Box<str> {
        let name = self
            .knowledge
            .kernel
            .registers
            .get(register)
            .map_or("", |register| register.name.as_str());
        // Scopes may declare a name again; the registers stay different ones.
        let same = |other: &super::Register| other.name == name;
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

    fn on(&self, instruction: &Instruction) -> Option<Box<str>> {
        instruction.guard.map(|(register, _)| self.name(register))
    }

    /// An instruction that is no branch.
    fn straight(
        &mut self,
        instruction: &Instruction,
        class: &Class,
        state: &mut State,
        out: &mut Vec<Any>,
    ) -> Outcome<()> {
        let guard = self.guard(instruction, state)?;
        let mut statement = Statement::new(class.op);
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
            statement.access = Some(Access {
                address: address.expression(),
                by,
                bytes,
                space,
                cache,
            });
        }
        out.push(Any::Instruction(statement));
        let result = match written.as_slice() {
            [] => return Ok(()),
            [_] => self.knowledge.result(instruction, state),
            _ => Value::unknown("a vector written", instruction.line),
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

    fn address(
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
        let memory =
            memory.ok_or_else(|| PtxError::new(line, "found no operand in brackets, expected one"))?;
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
                        "found {symbol}, expected a parameter or a shared variable: others cannot be imported"
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
            .map_err(|because| {
                PtxError::new(
                    line,
                    format!("the address depends on {because}, which programs cannot say"),
                )
            })?;
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

    /// The forward branch at `index` to `target`; where to go on.
    fn condition(
        &mut self,
        index: usize,
        target: usize,
        high: usize,
        state: &mut State,
        out: &mut Vec<Any>,
    ) -> Outcome<usize> {
        let Some(instruction) = self.instruction(index) else {
            return Ok(high);
        };
        let jumps = self
            .guard(instruction, state)?
            .unwrap_or_else(|| Poly::constant(1));
        let stays = self.knowledge.ranges.not(&jumps);
        // A jump right before the target leads past what the other lanes do.
        let out_of = match self.instruction(target - 1) {
            Some(last) if target - 1 > index && last.guard.is_none() => self.target(last)?,
            _ => None,
        };
        let out_of = out_of.filter(|&end| end > target && end <= high);
        let mut statement = Branch {
            condition: stays.expression(),
            on: self.on(instruction),
            then: Vec::new(),
            otherwise: Vec::new(),
        };
        let mut other = state.clone();
        let (then_end, end) = out_of.map_or((target, target), |end| (target - 1, end));
        self.conditions += 1;
        let then_falls = self.range(index + 1, then_end, state, &mut statement.then)?;
        let other_falls = self.range(target, end, &mut other, &mut statement.otherwise)?;
        self.conditions -= 1;
        match (then_falls, other_falls) {
            (true, true) => {
                for (value, other) in state.iter_mut().zip(&other) {
                    *value = self.knowledge.merged(&stays, value, other, instruction.line);
                }
            }
            (false, _) => *state = other,
            (true, false) => {}
        }
        out.push(Any::If(statement));
        if !then_falls && !other_falls && end < high {
            let line = self.instruction(end).map_or(instruction.line, |next| next.line);
            return Err(PtxError::new(line, "no branch leads here from before"));
        }
        Ok(end)
    }

    /// The registers that `low..high` writes.
    fn written(&self, low: usize, high: usize) -> Outcome<Vec<usize>> {
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
    fn looped(&mut self, first: usize, close: usize, state: &mut State, out: &mut Vec<Any>) -> Outcome<()> {
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
            let message = "found a loop whose rounds are not known: the closing branch must compare what grows by the same amount each round with what stays the same";
            PtxError::new(line, message)
        })?;
        let most = self.knowledge.ranges.of(&rounds).high.max(1);
        self.knowledge.ranges.set(&counter, Range::new(0, most - 1));

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
        let at_least_one = if self.knowledge.ranges.of(&rounds).low >= 1 {
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
        out.push(Any::Loop(Loop {
            rounds: rounds.expression(),
            counter: used.then(|| counter.into()),
            on: self.on(branch),
            body,
        }));
        Ok(())
    }

    /// The rounds of a loop that goes on while `again`, which the counter decides.
    fn rounds(&self, again: &Poly, counter: &str) -> Option<Poly> {
        let Some(Atom::Operation(Operator::Binary(operator), operands)) = again.as_atom() else {
            return None;
        };
        let [x, y] = &**operands else { return None };
        let difference = x.minus(y);
        // difference = start + step · counter
        let start = difference.substituted(&|name| (name == counter).then(|| Poly::constant(0)));
        let after = difference.substituted(&|name| (name == counter).then(|| Poly::constant(1)));
        let step = after.minus(&start).as_constant().filter(|step| *step != 0)?;
        let line = start.plus(&Poly::name(counter).scaled(step));
        if line != difference || start.mentions(&|name| name.starts_with('%') || name == counter) {
            return None;
        }
        let ranges = &self.knowledge.ranges;
        // How far the difference is from where the loop ends, and how it comes closer.
        let (distance, step) = match (operator, step > 0) {
            (Binary::Unequal, true) => (start.scaled(-1), step),
            (Binary::Unequal, false) => (start, step.checked_neg()?),
            (Binary::Less, true) => (start.scaled(-1), step),
            (Binary::AtMost, true) => (start.scaled(-1).plus(&Poly::constant(1)), step),
            (Binary::Greater, false) => (start, step.checked_neg()?),
            (Binary::AtLeast, false) => (start.plus(&Poly::constant(1)), step.checked_neg()?),
            _ => return None,
        };
        let one = Poly::constant(1);
        if *operator == Binary::Unequal {
            // It must meet its end exactly, and from the right side: where it does not, compilers put a condition around.
            let rounds = distance.divided(step)?;
            let sure = self.conditions > 0 || ranges.of(&rounds).low >= 0;
            return sure.then(|| rounds.plus(&one));
        }
        let padded = distance.plus(&Poly::constant(step.checked_sub(1)?));
        Some(
            ranges
                .binary(Binary::Divide, &padded, &Poly::constant(step))
                .plus(&one),
        )
    }
}

impl Knowledge<'_> {
    /// `then` where `condition` holds, else `otherwise`.
    fn merged(&self, condition: &Poly, then: &Value, otherwise: &Value, line: usize) -> Value {
        match (then, otherwise) {
            _ if then == otherwise => then.clone(),
            (Value::Known(then), Value::Known(otherwise)) => {
                let choice = self.ranges.choice(condition, then, otherwise);
                if choice.size() > 400 {
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

/// Whether an expression in `body` names `counter`.
fn uses(body: &[Any], counter: &str) -> bool {
    let named = |expression: &Expression| {
        let mut found = false;
        expression.names(&mut |name| found |= name == counter);
        found
    };
    body.iter().any(|statement| match statement {
        Any::Instruction(instruction) => {
            instruction.when.as_ref().is_some_and(named)
                || instruction
                    .access
                    .as_ref()
                    .is_some_and(|access| named(&access.address))
        }
        Any::Loop(inner) => named(&inner.rounds) || uses(&inner.body, counter),
        Any::If(branch) => {
            named(&branch.condition) || uses(&branch.then, counter) || uses(&branch.otherwise, counter)
        }
        Any::Repeat(repeat) => named(&repeat.times) || uses(&repeat.body, counter),
    })
}
