//! Splits sums into terms that change in loops and terms that stay constant.

use crate::program::Expression;
use crate::program::expression::{Binary, Unary};

/// Splits `expression` into two sums: the terms without loop counters, and the terms with loop
/// counters. An empty sum is `None`.
pub(super) fn split(
    expression: &Expression,
    is_counter: &impl Fn(&str) -> bool,
) -> (Option<Expression>, Option<Expression>) {
    let mut terms = Vec::new();
    collect(expression, 1, &mut terms);
    let (mut fixed, mut moving) = (None, None);
    for (factor, term) in terms {
        let mut moves = false;
        term.names(&mut |name| moves |= is_counter(name));
        let term = match factor {
            1 => term.clone(),
            _ => Expression::binary(Binary::Multiply, Expression::Number(factor), term.clone()),
        };
        let sum = if moves { &mut moving } else { &mut fixed };
        *sum = Some(match sum.take() {
            Some(sum) => Expression::binary(Binary::Add, sum, term),
            None => term,
        });
    }
    (fixed, moving)
}

/// Appends the terms of `factor` · `expression` to `terms`, as pairs of factor and term.
fn collect<'e>(expression: &'e Expression, factor: i64, terms: &mut Vec<(i64, &'e Expression)>) {
    match expression {
        Expression::Unary(Unary::Minus, operand) => collect(operand, factor.wrapping_neg(), terms),
        Expression::Binary(operator, operands) => match (operator, &operands.0, &operands.1) {
            (Binary::Add, x, y) => {
                collect(x, factor, terms);
                collect(y, factor, terms);
            }
            (Binary::Subtract, x, y) => {
                collect(x, factor, terms);
                collect(y, factor.wrapping_neg(), terms);
            }
            (Binary::Multiply, Expression::Number(number), other)
            | (Binary::Multiply, other, Expression::Number(number)) => {
                collect(other, factor.wrapping_mul(*number), terms);
            }
            _ => terms.push((factor, expression)),
        },
        _ => terms.push((factor, expression)),
    }
}
