//! From text to expressions, by precedence climbing.

use super::lexer::{Token, binary, tokens, unary};
use super::{Expression, Function};

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {position} of the expression: {message}")]
pub struct ParseError {
    /// The position in characters, from 1.
    pub position: usize,
    /// What was found and what was expected.
    pub message: String,
}

/// How deep parentheses and operators may nest.
const DEPTH: usize = 100;

impl std::str::FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expression, ParseError> {
        let mut parser = Parser {
            tokens: tokens(text)?,
            next: 0,
            depth: 0,
        };
        let expression = parser.choice()?;
        parser.expect(&Token::End, "an operator or the end")?;
        Ok(expression)
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(_, token)| token)
    }

    fn fail<T>(&self, message: &str) -> Result<T, ParseError> {
        let last = self.tokens.last().map_or(1, |(position, _)| *position);
        let position = self.tokens.get(self.next).map_or(last, |(position, _)| *position);
        let found = match self.peek() {
            Token::Number(number) => number.to_string(),
            Token::Name(name) => format!("{name:?}"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        Err(ParseError {
            position,
            message: format!("found {found}, expected {message}"),
        })
    }

    fn expect(&mut self, token: &Token, message: &str) -> Result<(), ParseError> {
        if self.peek() != token {
            return self.fail(message);
        }
        self.next += 1;
        Ok(())
    }

    fn choice(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail("less nesting");
        }
        let condition = self.operators(1)?;
        let expression = if *self.peek() == Token::Sign("?") {
            self.next += 1;
            let then = self.choice()?;
            self.expect(&Token::Sign(":"), "`:`")?;
            Expression::Choice(Box::new((condition, then, self.choice()?)))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// Operators that bind at least as tightly as `least`.
    fn operators(&mut self, least: u8) -> Result<Expression, ParseError> {
        let mut left = self.operand()?;
        while let Some(operator) = binary(self.peek()).filter(|operator| operator.precedence() >= least) {
            self.next += 1;
            let right = self.operators(operator.precedence() + 1)?;
            left = Expression::binary(operator, left, right);
            if operator.compares() && binary(self.peek()).is_some_and(|next| next.compares()) {
                return self.fail("parentheses, or && between comparisons");
            }
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail("less nesting");
        }
        let token = self.peek().clone();
        let expression = if let Some(operator) = unary(&token) {
            self.next += 1;
            match (operator, self.operand()?) {
                (operator, Expression::Number(number)) => Expression::Number(operator.apply(number)),
                (operator, operand) => Expression::Unary(operator, Box::new(operand)),
            }
        } else {
            match token {
                Token::Number(number) => {
                    self.next += 1;
                    Expression::Number(number)
                }
                Token::Name(name) => {
                    self.next += 1;
                    match self.peek() {
                        Token::Sign("(") => self.call(&name)?,
                        _ => Expression::name(&name),
                    }
                }
                Token::Sign("(") => {
                    self.next += 1;
                    let inner = self.choice()?;
                    self.expect(&Token::Sign(")"), "`)`")?;
                    inner
                }
                _ => return self.fail("a number, a name or `(`"),
            }
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn call(&mut self, name: &str) -> Result<Expression, ParseError> {
        let known = Function::ALL.iter().find(|(known, _)| *known == name);
        let Some((_, function)) = known else {
            self.next -= 1;
            let names = Function::ALL.map(|(name, _)| name).join(", ");
            return self.fail(&format!("one of the functions {names}"));
        };
        self.next += 1;
        let mut arguments = vec![self.choice()?];
        while *self.peek() == Token::Sign(",") {
            self.next += 1;
            arguments.push(self.choice()?);
        }
        let (least, most) = function.arity();
        if *self.peek() == Token::Sign(")") && (arguments.len() < least || arguments.len() > most) {
            let count = if least == most {
                least.to_string()
            } else {
                format!("{least} to {most}")
            };
            return self.fail(&format!("{count} arguments of {name}"));
        }
        self.expect(&Token::Sign(")"), "`,` or `)`")?;
        Ok(Expression::Call(*function, arguments.into()))
    }
}
