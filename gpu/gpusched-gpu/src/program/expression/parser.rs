//! Parser of integer expressions.

use super::{Binary, ELEMENT, Expression, Function, Unary};
use gpusched_model::syntax::{Grammar, Lexis, Operand, ParseError, Parser, Token, parse};

impl std::str::FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expression, ParseError> {
        Ok(parse::<Integers>(text)?.part)
    }
}

/// The language of integer expressions, for the generic [`Parser`].
struct Integers;

const OTHERS: [&str; 7] = ["(", ")", ",", "?", ":", "!", "~"];

impl Lexis for Integers {
    type Number = i64;

    const LONGEST: usize = 1000;
    const TEXTS: bool = false;

    fn signs() -> impl Iterator<Item = &'static str> {
        Binary::ALL.iter().map(|operator| operator.sign()).chain(OTHERS)
    }

    fn in_word(c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || c == '.'
    }

    fn number(digits: &str) -> Result<i64, String> {
        let number = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        number.map_err(|_| format!("found {digits:?}, expected a whole number less than 2^63"))
    }
}

impl Grammar for Integers {
    type Part = Expression;
    type Prefix = Unary;
    type Infix = Binary;

    const COMPARISON: (u8, &'static str) = (
        Binary::Equal.precedence(),
        "parentheses, or && between comparisons",
    );

    fn prefix(token: &Token<'_, i64>) -> Option<(Unary, u8)> {
        let operator = match token {
            Token::Sign("-") => Unary::Minus,
            Token::Sign("!") => Unary::Not,
            Token::Sign("~") => Unary::Invert,
            _ => return None,
        };
        Some((operator, Unary::PRECEDENCE))
    }

    fn infix(token: &Token<'_, i64>) -> Option<(Binary, u8)> {
        let Token::Sign(sign) = token else { return None };
        let operator = Binary::ALL
            .into_iter()
            .find(|operator| operator.sign() == *sign)?;
        Some((operator, operator.precedence()))
    }

    fn before(operator: Unary, operand: Operand<Expression>) -> Result<Expression, ParseError> {
        Ok(match operand.part {
            Expression::Number(number) => Expression::Number(operator.apply(number)),
            part => Expression::Unary(operator, Box::new(part)),
        })
    }

    fn between(
        left: Operand<Expression>,
        operator: Binary,
        right: Operand<Expression>,
    ) -> Result<Expression, ParseError> {
        Ok(Expression::binary(operator, left.part, right.part))
    }

    fn atom(parser: &mut Parser<'_, Integers>) -> Result<Expression, ParseError> {
        match *parser.peek() {
            Token::Number(number) => {
                parser.advance();
                Ok(Expression::Number(number))
            }
            Token::Word(name) if *parser.ahead(1) == Token::Sign("(") => call(parser, name),
            Token::Word(name) => {
                parser.advance();
                Ok(Expression::name(name))
            }
            _ => Err(parser.unexpected("a number, a name or `(`")),
        }
    }

    /// Parses an expression that may contain the operator `condition ? then : otherwise`, which has the lowest
    /// precedence.
    fn whole(parser: &mut Parser<'_, Integers>) -> Result<Expression, ParseError> {
        let condition = parser.operators(1)?;
        if !parser.take("?") {
            return Ok(condition);
        }
        let then = parser.nested(Integers::whole)?;
        parser.expect(":", "`:`")?;
        let otherwise = parser.nested(Integers::whole)?;
        Ok(Expression::Choice(Box::new((condition, then, otherwise))))
    }
}

/// Parses a call of the function `name` with its arguments.
fn call(parser: &mut Parser<'_, Integers>, name: &str) -> Result<Expression, ParseError> {
    if name == ELEMENT {
        return element(parser);
    }
    let known = Function::ALL.iter().find(|(known, _)| *known == name);
    let Some((_, function)) = known else {
        let names = Function::ALL.map(|(name, _)| name).join(", ");
        return Err(parser.unexpected(&format!("one of the functions {names}, {ELEMENT}")));
    };
    parser.advance();
    parser.expect("(", "`(`")?;
    let arguments = parser.nested(|parser| parser.list(Integers::whole))?;
    let (least, most) = function.arity();
    if *parser.peek() == Token::Sign(")") && !(least..=most).contains(&arguments.len()) {
        let count = match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        return Err(parser.unexpected(&format!("{count} arguments of the function {name}")));
    }
    parser.expect(")", "`,` or `)`")?;
    Ok(Expression::Call(*function, arguments.into()))
}

/// Parses `value(buffer, index)`.
fn element(parser: &mut Parser<'_, Integers>) -> Result<Expression, ParseError> {
    parser.advance();
    parser.expect("(", "`(`")?;
    let Token::Word(buffer) = *parser.peek() else {
        return Err(parser.unexpected("the name of a buffer"));
    };
    parser.advance();
    parser.expect(",", "`,` and the index of a value")?;
    let index = parser.nested(Integers::whole)?;
    parser.expect(")", "`)`")?;
    Ok(Expression::Element(buffer.into(), Box::new(index)))
}
