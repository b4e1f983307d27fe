//! Expressions in postfix form.

use super::Room;
use super::lanes::{Lanes, binary, call, call_each, unary};
use super::position::Position;
use super::tables::{Missing, Table, Tables};
use crate::program::expression::{Binary, Function, Unary};
use crate::program::{Builtin, Expression};

#[derive(Debug, Clone)]
pub enum Op {
    Number(i64),
    Builtin(Builtin),
    Counter(usize),
    Unary(Unary),
    Binary(Binary),
    Choice,
    Call(Function, usize),
    /// Replaces an index by the value of a buffer at this index.
    Element(Table),
}

/// Expression in postfix form. All operands are builtins, loop counters or numbers.
#[derive(Debug, Clone)]
pub struct Postfix {
    ops: Box<[Op]>,
    /// Whether the expression reads values of buffers.
    reads: bool,
}

/// Values of a part of an expression, and the missing buffer values that the part has read.
#[derive(Debug)]
struct Checked {
    lanes: Lanes,
    missing: Vec<Missing>,
}

/// Error for a name that is neither a builtin nor a loop counter, or for a buffer without values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl Postfix {
    /// Converts `expression` to postfix form. `counter` returns the index of a loop counter. `tables` contains the
    /// buffers with values.
    pub fn new(
        expression: &Expression,
        counter: &impl Fn(&str) -> Option<usize>,
        tables: &Tables,
    ) -> Result<Postfix, UnknownName> {
        let mut ops = Vec::new();
        push(expression, counter, tables, &mut ops)?;
        Ok(Postfix {
            reads: ops.iter().any(|op| matches!(op, Op::Element(_))),
            ops: ops.into(),
        })
    }

    /// Returns whether the expression depends on the position of the block.
    pub fn names_block(&self) -> bool {
        let names = |op: &Op| matches!(op, Op::Builtin(Builtin::Block(_) | Builtin::LinearBlock));
        self.ops.iter().any(names)
    }

    /// Returns whether the expression contains a loop counter.
    pub fn counts_rounds(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Counter(_)))
    }

    /// Returns the value of the expression in all lanes. Adds to `room` all reads of missing buffer values.
    pub fn evaluate(&self, position: &Position, counters: &[i64], room: &mut Room) -> Lanes {
        if self.reads {
            return self.evaluate_checked(position, counters, room);
        }
        match self.affine(position, counters) {
            Some((base, stride)) => Lanes::Affine(base, stride),
            None => self.evaluate_each(position, counters, &mut room.stack),
        }
    }

    /// Evaluates an expression that reads values of buffers. A missing value counts only if the result depends on it.
    /// The operators `c ? x : y`, `x && y` and `x || y` ignore an operand that does not affect the result.
    #[inline(never)]
    fn evaluate_checked(&self, position: &Position, counters: &[i64], room: &mut Room) -> Lanes {
        let mut stack: Vec<Checked> = Vec::new();
        for op in &self.ops {
            let value = match op {
                Op::Number(number) => Lanes::Affine(*number, 0).into(),
                Op::Builtin(builtin) => position.value(*builtin).into(),
                Op::Counter(slot) => Lanes::Affine(counters.get(*slot).copied().unwrap_or(0), 0).into(),
                Op::Unary(operator) => {
                    let Checked { lanes, missing } = pop_checked(&mut stack);
                    let lanes = lanes.unary(*operator);
                    Checked { lanes, missing }
                }
                Op::Binary(operator) => {
                    let right = pop_checked(&mut stack);
                    let mut left = pop_checked(&mut stack);
                    let counts = match operator {
                        _ if right.missing.is_empty() => 0,
                        Binary::And => left.lanes.mask(),
                        Binary::Or => !left.lanes.mask(),
                        _ => u32::MAX,
                    };
                    left.add(right.missing, counts);
                    left.lanes = left.lanes.binary(*operator, right.lanes);
                    left
                }
                Op::Choice => {
                    let (otherwise, then) = (pop_checked(&mut stack), pop_checked(&mut stack));
                    let mut value = pop_checked(&mut stack);
                    let mask = value.lanes.mask();
                    value.add(then.missing, mask);
                    value.add(otherwise.missing, !mask);
                    value.lanes = value.lanes.choice(then.lanes, otherwise.lanes);
                    value
                }
                Op::Call(function, count) => {
                    let arguments = stack.split_off(stack.len().saturating_sub(*count));
                    let (lanes, missing): (Vec<Lanes>, Vec<Vec<Missing>>) = arguments
                        .into_iter()
                        .map(|Checked { lanes, missing }| (lanes, missing))
                        .unzip();
                    Checked {
                        lanes: call_each(*function, &lanes),
                        missing: missing.concat(),
                    }
                }
                Op::Element(table) => {
                    let Checked { lanes, mut missing } = pop_checked(&mut stack);
                    let lanes = table.look_up(&lanes, &mut missing);
                    Checked { lanes, missing }
                }
            };
            stack.push(value);
        }
        let Checked { lanes, missing } = pop_checked(&mut stack);
        room.missing.extend(missing);
        lanes
    }

    /// Evaluates the expression lane by lane. The function is not inlined, because it is large
    /// and rarely called.
    #[inline(never)]
    fn evaluate_each(&self, position: &Position, counters: &[i64], stack: &mut Vec<Lanes>) -> Lanes {
        stack.clear();
        for op in &self.ops {
            let value = match op {
                Op::Number(number) => Lanes::Affine(*number, 0),
                Op::Builtin(builtin) => position.value(*builtin),
                Op::Counter(slot) => Lanes::Affine(counters.get(*slot).copied().unwrap_or(0), 0),
                Op::Unary(operator) => pop(stack).unary(*operator),
                Op::Binary(operator) => {
                    let right = pop(stack);
                    pop(stack).binary(*operator, right)
                }
                Op::Choice => {
                    let (otherwise, then) = (pop(stack), pop(stack));
                    pop(stack).choice(then, otherwise)
                }
                Op::Call(function, count) => {
                    let arguments = stack.split_off(stack.len().saturating_sub(*count));
                    call_each(*function, &arguments)
                }
                // Only `evaluate_checked` evaluates expressions that read values of buffers.
                Op::Element(_) => pop(stack),
            };
            stack.push(value);
        }
        pop(stack)
    }
}

impl Postfix {
    /// Returns the value as (base, stride). Returns `None` if an intermediate value is not
    /// affine, or if the evaluation needs more than eight stack entries.
    fn affine(&self, position: &Position, counters: &[i64]) -> Option<(i64, i64)> {
        let mut stack = [(0, 0); 8];
        let mut top = 0;
        for op in &self.ops {
            let value = match op {
                Op::Number(number) => (*number, 0),
                Op::Builtin(builtin) => position.affine(*builtin)?,
                Op::Counter(slot) => (counters.get(*slot).copied().unwrap_or(0), 0),
                Op::Unary(operator) => {
                    top -= 1;
                    unary(*operator, stack[top])?
                }
                Op::Binary(operator) => {
                    top -= 2;
                    binary(*operator, stack[top], stack[top + 1])?
                }
                Op::Choice => {
                    top -= 3;
                    match stack[top] {
                        (0, 0) => stack[top + 2],
                        (_, 0) => stack[top + 1],
                        _ => return None,
                    }
                }
                Op::Call(function, count) => {
                    top -= count;
                    call(*function, stack.get(top..top + count)?)?
                }
                Op::Element(_) => return None,
            };
            *stack.get_mut(top)? = value;
            top += 1;
        }
        Some(stack[0])
    }
}

fn pop(stack: &mut Vec<Lanes>) -> Lanes {
    stack.pop().unwrap_or(Lanes::Affine(0, 0))
}

fn pop_checked(stack: &mut Vec<Checked>) -> Checked {
    stack.pop().unwrap_or_else(|| Lanes::Affine(0, 0).into())
}

impl From<Lanes> for Checked {
    fn from(lanes: Lanes) -> Checked {
        Checked {
            lanes,
            missing: Vec::new(),
        }
    }
}

impl Checked {
    /// Adds to this value the entries of `missing` whose lanes are in `mask`.
    fn add(&mut self, missing: Vec<Missing>, mask: u32) {
        let counts = |missing: &Missing| mask >> missing.lane & 1 == 1;
        self.missing.extend(missing.into_iter().filter(counts));
    }
}

fn push(
    expression: &Expression,
    counter: &impl Fn(&str) -> Option<usize>,
    tables: &Tables,
    ops: &mut Vec<Op>,
) -> Result<(), UnknownName> {
    match expression {
        Expression::Number(number) => ops.push(Op::Number(*number)),
        Expression::Name(name) => ops.push(match (counter(name), Builtin::named(name)) {
            (Some(slot), _) => Op::Counter(slot),
            (None, Some(builtin)) => Op::Builtin(builtin),
            (None, None) => return Err(UnknownName(name.to_string())),
        }),
        Expression::Unary(operator, operand) => {
            push(operand, counter, tables, ops)?;
            ops.push(Op::Unary(*operator));
        }
        Expression::Binary(operator, operands) => {
            push(&operands.0, counter, tables, ops)?;
            push(&operands.1, counter, tables, ops)?;
            ops.push(Op::Binary(*operator));
        }
        Expression::Choice(parts) => {
            push(&parts.0, counter, tables, ops)?;
            push(&parts.1, counter, tables, ops)?;
            push(&parts.2, counter, tables, ops)?;
            ops.push(Op::Choice);
        }
        Expression::Call(function, arguments) => {
            for argument in arguments {
                push(argument, counter, tables, ops)?;
            }
            ops.push(Op::Call(*function, arguments.len()));
        }
        Expression::Element(buffer, index) => {
            push(index, counter, tables, ops)?;
            let table = tables.table(buffer);
            ops.push(Op::Element(table.ok_or_else(|| UnknownName(buffer.to_string()))?));
        }
    }
    Ok(())
}
