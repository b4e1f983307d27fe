//! Conversion of expressions to text with the fewest parentheses.

use std::fmt::{Display, Formatter, Result};

use super::{Binary, ELEMENT, Expression, Unary};

/// Precedence of each operand. An operand is a number, a name, a call, or an expression in parentheses.
const OPERAND: u8 = Unary::PRECEDENCE;

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.write(f, 0)
    }
}

impl Expression {
    fn precedence(&self) -> u8 {
        match self {
            Expression::Choice(_) => 0,
            Expression::Binary(operator, _) => operator.precedence(),
            _ => OPERAND,
        }
    }

    /// Writes the expression. Adds parentheses if the precedence of the expression is below
    /// `least`.
    fn write(&self, f: &mut Formatter<'_>, least: u8) -> Result {
        if self.precedence() < least {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        match self {
            // The smallest 64-bit number cannot be written as a literal.
            Expression::Number(i64::MIN) => write!(f, "(-{} - 1)", i64::MAX),
            Expression::Number(number) if *number < 0 && least == OPERAND => write!(f, "({number})"),
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Name(name) => f.write_str(name),
            // The parser reads `-1` as one number. So if the operand of a prefix operator is a number, this function
            // writes the resulting number.
            Expression::Unary(operator, operand) => match **operand {
                Expression::Number(number) => Expression::Number(operator.apply(number)).write(f, least),
                _ => {
                    write!(f, "{}", operator.sign())?;
                    operand.write(f, OPERAND)
                }
            },
            Expression::Binary(operator, operands) => {
                let (left, right) = &**operands;
                let own = operator.precedence();
                left.write(f, if operator.compares() { own + 1 } else { own })?;
                match operator {
                    Binary::Multiply => f.write_str("*")?,
                    _ => write!(f, " {} ", operator.sign())?,
                }
                let negative = matches!(right, Expression::Unary(Unary::Minus, _))
                    || matches!(right, Expression::Number(number) if *number < 0);
                if negative {
                    f.write_str("(")?;
                    right.write(f, 0)?;
                    return f.write_str(")");
                }
                right.write(f, own + 1)
            }
            Expression::Choice(parts) => {
                parts.0.write(f, 1)?;
                f.write_str(" ? ")?;
                parts.1.write(f, 0)?;
                f.write_str(" : ")?;
                parts.2.write(f, 0)
            }
            Expression::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    argument.write(f, 0)?;
                }
                f.write_str(")")
            }
            Expression::Element(buffer, index) => {
                write!(f, "{ELEMENT}({buffer}, ")?;
                index.write(f, 0)?;
                f.write_str(")")
            }
        }
    }
}
