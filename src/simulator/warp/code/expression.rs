//! Expressions compiled for the 32 lanes of a warp.
//!
//! Most addresses are affine in the lane, so values stay base + stride · lane as long as they can, and cost one scalar
//! operation per operator then.

use crate::model::program::expression::{Binary, DivisionByZero, Function, Unary};
use crate::model::program::{Builtin, Expression};

/// Lanes of a warp.
pub const LANES: usize = 32;

/// A value per lane.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "one lives at a time for each operand, on a stack that is reused"
)]
pub(super) enum Lanes {
    /// base + stride · lane.
    Affine(i64, i64),
    /// Any.
    Each([i64; LANES]),
}

/// Where the lanes of a warp stand.
#[derive(Debug, Clone)]
pub(super) struct Position {
    /// The linear number of the first thread.
    pub first: i64,
    /// The position in the block, by axis.
    pub thread: [Lanes; 3],
    /// The block's position in the grid, by axis.
    pub block: [i64; 3],
    /// The block's linear number.
    pub linear_block: i64,
    /// The warp's position in the block.
    pub warp: i64,
}

#[derive(Debug, Clone)]
enum Op {
    Number(i64),
    Builtin(Builtin),
    Counter(usize),
    Unary(Unary),
    Binary(Binary),
    Choice,
    Call(Function, usize),
}

/// An expression in postfix form, of builtins and counters only.
#[derive(Debug, Clone)]
pub(super) struct Compiled(Box<[Op]>);

/// An expression that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CompileError {
    #[error(transparent)]
    Division(#[from] DivisionByZero),
    #[error("found the unknown name {0:?}")]
    Name(String),
}

impl Compiled {
    /// `value` gives what is known of the launch, `counter` the position of a loop's counter.
    pub fn new(
        expression: &Expression,
        value: &impl Fn(&str) -> Option<i64>,
        counter: &impl Fn(&str) -> Option<usize>,
    ) -> Result<Compiled, CompileError> {
        let mut ops = Vec::new();
        push(&expression.fold(value)?, counter, &mut ops)?;
        Ok(Compiled(ops.into()))
    }

    /// Its value in all lanes; `stack` is room to work in.
    pub fn evaluate(&self, position: &Position, counters: &[i64], stack: &mut Vec<Lanes>) -> Lanes {
        if let Some((base, stride)) = self.affine(position, counters) {
            return Lanes::Affine(base, stride);
        }
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
                    call(*function, &arguments)
                }
            };
            stack.push(value);
        }
        pop(stack)
    }
}

impl Compiled {
    /// Its value as base and stride, if all that it is made of is affine and few values wait at a time.
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
                Op::Call(..) => return None,
            };
            *stack.get_mut(top)? = value;
            top += 1;
        }
        Some(stack[0])
    }
}

fn unary(operator: Unary, (base, stride): (i64, i64)) -> Option<(i64, i64)> {
    match operator {
        _ if stride == 0 => Some((operator.apply(base), 0)),
        Unary::Minus => Some((base.wrapping_neg(), stride.wrapping_neg())),
        _ => None,
    }
}

fn binary(operator: Binary, (x, dx): (i64, i64), (y, dy): (i64, i64)) -> Option<(i64, i64)> {
    match operator {
        _ if dx == 0 && dy == 0 => Some((operator.apply(x, y), 0)),
        Binary::Add => Some((x.wrapping_add(y), dx.wrapping_add(dy))),
        Binary::Subtract => Some((x.wrapping_sub(y), dx.wrapping_sub(dy))),
        Binary::Multiply if dy == 0 => Some((x.wrapping_mul(y), dx.wrapping_mul(y))),
        Binary::Multiply if dx == 0 => Some((x.wrapping_mul(y), x.wrapping_mul(dy))),
        Binary::ShiftLeft if dy == 0 => Some((operator.apply(x, y), operator.apply(dx, y))),
        _ => None,
    }
}

fn pop(stack: &mut Vec<Lanes>) -> Lanes {
    stack.pop().unwrap_or(Lanes::Affine(0, 0))
}

fn push(
    expression: &Expression,
    counter: &impl Fn(&str) -> Option<usize>,
    ops: &mut Vec<Op>,
) -> Result<(), CompileError> {
    match expression {
        Expression::Number(number) => ops.push(Op::Number(*number)),
        Expression::Name(name) => ops.push(match (counter(name), Builtin::named(name)) {
            (Some(slot), _) => Op::Counter(slot),
            (None, Some(builtin)) => Op::Builtin(builtin),
            (None, None) => return Err(CompileError::Name(name.to_string())),
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

impl Position {
    fn affine(&self, builtin: Builtin) -> Option<(i64, i64)> {
        match builtin {
            Builtin::Thread(axis) => match self.thread[usize::from(axis).min(2)] {
                Lanes::Affine(base, stride) => Some((base, stride)),
                Lanes::Each(_) => None,
            },
            _ => match self.value(builtin) {
                Lanes::Affine(base, stride) => Some((base, stride)),
                Lanes::Each(_) => None,
            },
        }
    }

    fn value(&self, builtin: Builtin) -> Lanes {
        let axis = |axis: u8| usize::from(axis).min(2);
        match builtin {
            Builtin::Thread(a) => self.thread[axis(a)].clone(),
            Builtin::LinearThread => Lanes::Affine(self.first, 1),
            Builtin::Block(a) => Lanes::Affine(self.block[axis(a)], 0),
            Builtin::LinearBlock => Lanes::Affine(self.linear_block, 0),
            Builtin::Lane => Lanes::Affine(0, 1),
            Builtin::Warp => Lanes::Affine(self.warp, 0),
            // Sizes of the launch are folded when an expression is compiled.
            Builtin::Threads(_) | Builtin::AllThreads | Builtin::Blocks(_) | Builtin::AllBlocks => {
                Lanes::Affine(0, 0)
            }
        }
    }
}

impl Lanes {
    /// The value of each lane.
    pub fn each(&self) -> [i64; LANES] {
        match self {
            Lanes::Each(values) => *values,
            Lanes::Affine(base, stride) => {
                let mut value = *base;
                std::array::from_fn(|_| {
                    let this = value;
                    value = value.wrapping_add(*stride);
                    this
                })
            }
        }
    }

    /// The lanes where it is not 0, one bit each.
    pub fn mask(&self) -> u32 {
        match self {
            Lanes::Affine(0, 0) => 0,
            Lanes::Affine(_, 0) => u32::MAX,
            _ => self
                .each()
                .iter()
                .enumerate()
                .fold(0, |mask, (lane, value)| mask | u32::from(*value != 0) << lane),
        }
    }

    fn unary(self, operator: Unary) -> Lanes {
        if let Lanes::Affine(base, stride) = self
            && let Some((base, stride)) = unary(operator, (base, stride))
        {
            return Lanes::Affine(base, stride);
        }
        Lanes::Each(self.each().map(|value| operator.apply(value)))
    }

    fn binary(self, operator: Binary, right: Lanes) -> Lanes {
        if let (Lanes::Affine(x, dx), Lanes::Affine(y, dy)) = (&self, &right)
            && let Some((base, stride)) = binary(operator, (*x, *dx), (*y, *dy))
        {
            return Lanes::Affine(base, stride);
        }
        let (x, y) = (self.each(), right.each());
        // The operator is chosen once, so that the loop over lanes is a plain one.
        macro_rules! lanes {
            ($($op:ident),*) => {
                match operator {
                    $(Binary::$op => std::array::from_fn(|lane| Binary::$op.apply(x[lane], y[lane])),)*
                }
            };
        }
        Lanes::Each(lanes!(
            Or, And, Equal, Unequal, Less, AtMost, Greater, AtLeast, BitOr, BitXor, BitAnd, ShiftLeft,
            ShiftRight, Add, Subtract, Multiply, Divide, Remainder
        ))
    }

    fn choice(self, then: Lanes, otherwise: Lanes) -> Lanes {
        match self.mask() {
            0 => otherwise,
            u32::MAX => then,
            mask => {
                let (then, otherwise) = (then.each(), otherwise.each());
                Lanes::Each(std::array::from_fn(|lane| {
                    if mask >> lane & 1 == 1 {
                        then[lane]
                    } else {
                        otherwise[lane]
                    }
                }))
            }
        }
    }
}

fn call(function: Function, arguments: &[Lanes]) -> Lanes {
    let uniform: Option<Vec<i64>> = arguments
        .iter()
        .map(|argument| match argument {
            Lanes::Affine(base, 0) => Some(*base),
            _ => None,
        })
        .collect();
    match uniform {
        Some(arguments) => Lanes::Affine(function.apply(&arguments), 0),
        None => {
            let arguments: Vec<[i64; LANES]> = arguments.iter().map(Lanes::each).collect();
            Lanes::Each(std::array::from_fn(|lane| {
                let arguments: Vec<i64> = arguments.iter().map(|argument| argument[lane]).collect();
                function.apply(&arguments)
            }))
        }
    }
}
