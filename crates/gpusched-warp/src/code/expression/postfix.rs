//! Expressions in postfix form.

use super::lanes::{Lanes, binary, call, call_each, unary};
use super::position::Position;
use gpusched_model::program::expression::{Binary, Function, Unary};
use gpusched_model::program::{Builtin, Expression};

#[derive(Debug, Clone)]
pub enum Op {
    Number(i64),
    Builtin(Builtin),
    Counter(usize),
    Unary(Unary),
    Binary(Binary),
    Choice,
    Call(Function, usize),
}

/// Expression in postfix form. All operands are builtins, loop counters or numbers.
#[derive(Debug, Clone)]
pub struct Postfix(Box<[Op]>);

/// Error for a name that is neither a builtin nor a loop counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl Postfix {
    /// Converts `expression` to postfix form. `counter` returns the index of a loop counter.
    pub fn new(
        expression: &Expression,
        counter: &impl Fn(&str) -> Option<usize>,
    ) -> Result<Postfix, UnknownName> {
        let mut ops = Vec::new();
        push(expression, counter, &mut ops)?;
        Ok(Postfix(ops.into()))
    }

    /// Returns whether the expression depends on the position of the block.
    pub fn names_block(&self) -> bool {
        let names = |op: &Op| matches!(op, Op::Builtin(Builtin::Block(_) | Builtin::LinearBlock));
        self.0.iter().any(names)
    }

    /// Returns whether the expression contains a loop counter.
    pub fn counts_rounds(&self) -> bool {
        self.0.iter().any(|op| matches!(op, Op::Counter(_)))
    }

    /// Returns the value of the expression in all lanes; `stack` is working memory.
    pub fn evaluate(&self, position: &Position, counters: &[i64], stack: &mut Vec<Lanes>) -> Lanes {
        match self.affine(position, counters) {
            Some((base, stride)) => Lanes::Affine(base, stride),
            None => self.evaluate_each(position, counters, stack),
        }
    }

    /// Evaluates the expression lane by lane. The function is not inlined, because it is large
    /// and rarely called.
    #[inline(never)]
    fn evaluate_each(&self, position: &Position, counters: &[i64], stack: &mut Vec<Lanes>) -> Lanes {
        stack.clear();
        for op in &self.0 {
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
        for op in &self.0 {
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

fn push(
    expression: &Expression,
    counter: &impl Fn(&str) -> Option<usize>,
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
            push(operand, counter, ops)?;
            ops.push(Op::Unary(*operator));
        }
        Expression::Binary(operator, operands) => {
            push(&operands.0, counter, ops)?;
            push(&operands.1, counter, ops)?;
            ops.push(Op::Binary(*operator));
        }
        Expression::Choice(parts) => {
            push(&parts.0, counter, ops)?;
            push(&parts.1, counter, ops)?;
            push(&parts.2, counter, ops)?;
            ops.push(Op::Choice);
        }
        Expression::Call(function, arguments) => {
            for argument in arguments {
                push(argument, counter, ops)?;
            }
            ops.push(Op::Call(*function, arguments.len()));
        }
    }
    Ok(())
}
