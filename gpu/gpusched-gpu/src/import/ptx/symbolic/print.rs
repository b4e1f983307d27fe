//! Conversion of polynomials to readable expressions.

use super::{Atom, Operator, Poly};
use crate::program::Expression;
use crate::program::expression::{Binary, Unary};

impl Poly {
    /// Returns the polynomial as an expression. The expression groups terms with equal
    /// coefficients. Positive terms precede negative terms.
    pub fn expression(&self) -> Expression {
        // Groups of terms with equal coefficients, in the order of the first occurrence.
        let mut groups: Vec<(i64, Vec<Expression>)> = Vec::new();
        let mut constant = 0;
        for (product, coefficient) in &self.0 {
            if product.is_empty() {
                constant = *coefficient;
                continue;
            }
            let factors = product.iter().map(Atom::expression);
            let product = factors.reduce(|x, y| Expression::binary(Binary::Multiply, x, y));
            let Some(product) = product else { continue };
            match groups.iter_mut().find(|(known, _)| known == coefficient) {
                Some((_, products)) => products.push(product),
                None => groups.push((*coefficient, vec![product])),
            }
        }
        groups.sort_by_key(|(coefficient, products)| (*coefficient < 0, *coefficient != 1, products.len()));
        let mut sum: Option<Expression> = None;
        for (coefficient, products) in groups {
            let added = products
                .into_iter()
                .reduce(|x, y| Expression::binary(Binary::Add, x, y));
            let Some(added) = added else { continue };
            let magnitude = coefficient
                .checked_abs()
                .filter(|_| sum.is_some() || coefficient > 0);
            sum = Some(match (sum, magnitude) {
                (None, _) => scaled(coefficient, added),
                (Some(sum), Some(magnitude)) if coefficient < 0 => {
                    Expression::binary(Binary::Subtract, sum, scaled(magnitude, added))
                }
                (Some(sum), _) => Expression::binary(Binary::Add, sum, scaled(coefficient, added)),
            });
        }
        match sum {
            None => Expression::Number(constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) => match constant.checked_neg().filter(|_| constant < 0) {
                Some(less) => Expression::binary(Binary::Subtract, sum, Expression::Number(less)),
                None => Expression::binary(Binary::Add, sum, Expression::Number(constant)),
            },
        }
    }
}

fn scaled(factor: i64, value: Expression) -> Expression {
    match factor {
        1 => value,
        -1 => Expression::Unary(Unary::Minus, Box::new(value)),
        _ => Expression::binary(Binary::Multiply, Expression::Number(factor), value),
    }
}

impl Atom {
    fn expression(&self) -> Expression {
        match self {
            Atom::Name(name) => Expression::name(name),
            Atom::Operation(operator, operands) => {
                let operand = |index: usize| {
                    operands
                        .get(index)
                        .map_or(Expression::Number(0), Poly::expression)
                };
                match operator {
                    Operator::Binary(operator) => Expression::binary(*operator, operand(0), operand(1)),
                    Operator::Function(function) => {
                        Expression::Call(*function, operands.iter().map(Poly::expression).collect())
                    }
                    Operator::Element => {
                        let buffer = operands.first().and_then(Poly::as_atom);
                        let name = match buffer {
                            Some(Atom::Name(name)) => name,
                            _ => "",
                        };
                        Expression::Element(name.into(), Box::new(operand(1)))
                    }
                    Operator::Choice => Expression::Choice(Box::new((operand(0), operand(1), operand(2)))),
                }
            }
        }
    }
}
