//! Integer expressions for addresses, conditions and numbers of loop rounds.
//!
//! Arithmetic uses 64-bit two's complement and wraps on overflow. The module [`operator`] defines
//! special cases such as division by zero. Operators have the same precedence as in Rust. The
//! conditional operator `c ? a : b` has the lowest precedence.

mod function;
pub mod operator;
mod parser;
mod print;

pub use function::Function;
pub use operator::{Binary, Unary};

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// An integer expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A name: a builtin name such as `thread.x`, a parameter, a loop counter, or a buffer. The
    /// value of a buffer name is the address of the buffer.
    Name(Box<str>),
    /// A prefix operator and its operand.
    Unary(Unary, Box<Expression>),
    /// An infix operator and its two operands.
    Binary(Binary, Box<(Expression, Expression)>),
    /// A conditional expression `condition ? then : otherwise`.
    Choice(Box<(Expression, Expression, Expression)>),
    /// A function call with its arguments.
    Call(Function, Box<[Expression]>),
    /// The value of a buffer at an index, `value(buffer, index)`. Index 0 is the first value of the buffer.
    Element(Box<str>, Box<Expression>),
}

/// Name of the function that reads the value of a buffer.
pub const ELEMENT: &str = "value";

impl Expression {
    /// Creates an expression that consists of the name `name`.
    pub fn name(name: &str) -> Expression {
        Expression::Name(name.into())
    }

    /// Creates the expression `left operator right`.
    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new((left, right)))
    }

    /// Calls `found` for every name that the expression contains, except the buffers in `value(buffer, index)`.
    pub fn names(&self, found: &mut impl FnMut(&str)) {
        self.visit(&mut |part| {
            if let Expression::Name(name) = part {
                found(name);
            }
        });
    }

    /// Calls `found` for the buffer of each `value(buffer, index)` in the expression.
    pub fn buffers(&self, found: &mut impl FnMut(&str)) {
        self.visit(&mut |part| {
            if let Expression::Element(buffer, _) = part {
                found(buffer);
            }
        });
    }

    /// Calls `found` for the expression and each of its parts, from left to right.
    fn visit(&self, found: &mut impl FnMut(&Expression)) {
        found(self);
        match self {
            Expression::Number(_) | Expression::Name(_) => {}
            Expression::Unary(_, operand) | Expression::Element(_, operand) => operand.visit(found),
            Expression::Binary(_, operands) => {
                operands.0.visit(found);
                operands.1.visit(found);
            }
            Expression::Choice(parts) => {
                parts.0.visit(found);
                parts.1.visit(found);
                parts.2.visit(found);
            }
            Expression::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(found)),
        }
    }

    /// Replaces names by numbers, and then evaluates the constant parts of the expression. `value` returns the number
    /// of a name, or `None` if the number is unknown.
    ///
    /// # Errors
    /// Fails if a part of the expression divides by zero for all values of the remaining names.
    pub fn fold(&self, value: &impl Fn(&str) -> Option<i64>) -> Result<Expression, DivisionByZero> {
        Ok(match self {
            Expression::Number(_) => self.clone(),
            Expression::Name(name) => value(name).map_or_else(|| self.clone(), Expression::Number),
            Expression::Unary(operator, operand) => match operand.fold(value)? {
                Expression::Number(number) => Expression::Number(operator.apply(number)),
                operand => Expression::Unary(*operator, Box::new(operand)),
            },
            Expression::Binary(operator, operands) => {
                let (left, right) = (operands.0.fold(value)?, operands.1.fold(value)?);
                let divides = matches!(operator, Binary::Divide | Binary::Remainder);
                match (&left, &right) {
                    (_, Expression::Number(0)) if divides => {
                        return Err(DivisionByZero(self.to_string()));
                    }
                    (Expression::Number(left), Expression::Number(right)) => {
                        Expression::Number(operator.apply(*left, *right))
                    }
                    _ => Expression::binary(*operator, left, right),
                }
            }
            Expression::Choice(parts) => match parts.0.fold(value)? {
                Expression::Number(0) => parts.2.fold(value)?,
                Expression::Number(_) => parts.1.fold(value)?,
                condition => {
                    Expression::Choice(Box::new((condition, parts.1.fold(value)?, parts.2.fold(value)?)))
                }
            },
            Expression::Call(function, arguments) => {
                let arguments: Vec<Expression> = arguments
                    .iter()
                    .map(|argument| argument.fold(value))
                    .collect::<Result<_, _>>()?;
                let numbers: Option<Vec<i64>> = arguments
                    .iter()
                    .map(|argument| match argument {
                        Expression::Number(number) => Some(*number),
                        _ => None,
                    })
                    .collect();
                match numbers {
                    Some(numbers) => Expression::Number(function.apply(&numbers)),
                    None => Expression::Call(*function, arguments.into()),
                }
            }
            Expression::Element(buffer, index) => {
                Expression::Element(buffer.clone(), Box::new(index.fold(value)?))
            }
        })
    }
}

/// The error for a division by zero, with the text of the expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` divides by zero")]
pub struct DivisionByZero(pub String);

impl From<i64> for Expression {
    fn from(number: i64) -> Expression {
        Expression::Number(number)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Expression::Number(number) => serializer.serialize_i64(*number),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expression, D::Error> {
        struct ExpressionVisitor;

        impl Visitor<'_> for ExpressionVisitor {
            type Value = Expression;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an expression such as \"a + 4*thread.x\", or an integer")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Expression, E> {
                Ok(Expression::Number(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Expression, E> {
                let number = i64::try_from(number);
                number
                    .map(Expression::Number)
                    .map_err(|_| E::custom("the number is too large, expected less than 2^63"))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Expression, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(ExpressionVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Expression {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": ["string", "integer"]})
    }
}
