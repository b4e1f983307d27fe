//! The language of claims.
//!
//! ```text
//! condition   := conjunction { "or" conjunction }
//! conjunction := negation { "and" negation }
//! negation    := "not" negation | "(" condition ")" | quantity comparison quantity
//! comparison  := "=" | "!=" | "<" | "<=" | ">" | ">="
//! quantity    := product { ("+" | "-") product }
//! product     := unary { ("*" | "/") unary }
//! unary       := "-" unary | number | aggregate | "(" quantity ")"
//! aggregate   := function "(" column { "," filter } ")"
//!              | gap "(" column "," filters "," filters { "," filter } ")"
//! function    := "min" | "max" | "mean" | "sum" | "count" | "first" | "last"
//! gap         := "min_gap" | "mean_gap" | "max_gap"
//! filters     := "(" filter { "," filter } ")"
//! filter      := column comparison literal | column "in" "(" literal { "," literal } ")"
//! literal     := [ "-" ] number | text
//! ```
//!
//! A number is decimal (`35`, `0.99`, `1e-3`), a text stands between `"` or `'`, a column is a word of letters, digits
//! and `_` that is none of `and`, `or`, `not`, `in`.
//!
//! * A claim is checked for one reading at a time: an aggregate sees the rows of that reading only. With `across_readings`
//!   it is checked once, and sees the rows of all; then gaps pair rows of any two readings.
//! * `min`, `max`, `mean`, `sum` take the filled cells of a column of numbers, `first` and `last` those that come first
//!   and last in the file; **empty cells are skipped**. `count` counts the filled cells of any column. Nothing left to
//!   aggregate is an error, except for `count`, which is then 0.
//! * `min_gap(rate, (algorithm = "SMS-INA"), (algorithm = "BF-INA"), utilization > 30)` is the least of SMS-INA − BF-INA
//!   over all points, `mean_gap` the mean and `max_gap` the largest: each row that passes the first filters is paired with
//!   the one of the same point, utilization, tasks and reading that passes the second. Points where one side has no row or
//!   an empty cell are left out; two candidates for one point are an error. `pair_by` of a claim names other columns to pair by.
//! * Number literals compare with columns of numbers, where an empty cell passes no filter. Text literals compare with
//!   columns of text, by code points; with `=`, `!=` and `in` the text must occur in the column, so that a misspelt
//!   algorithm is an error and not an empty selection.

use std::str::FromStr;

use super::expression::{
    Aggregate, Arithmetic, Comparison, Condition, Expression, Filter, Function, GapFunction, Literal,
    Quantity, Test, list,
};
use super::lexer::{Token, tokens};

/// Why a text is not a claim's expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at character {position}: {message}")]
pub struct ParseError {
    /// Where it goes wrong, in characters from 1.
    pub position: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl ParseError {
    pub(super) fn new(position: usize, message: impl Into<String>) -> ParseError {
        ParseError {
            position,
            message: message.into(),
        }
    }
}

type Result<T> = std::result::Result<T, ParseError>;

/// How deep parentheses, `not` and signs may nest.
const DEPTH_LIMIT: usize = 50;

const KEYWORDS: [&str; 4] = ["and", "or", "not", "in"];

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expression> {
        let mut parser = Parser {
            tokens: tokens(text)?,
            next: 0,
            depth: 0,
        };
        let condition = parser.disjunction()?.condition()?;
        match parser.peek() {
            Token::End => Ok(Expression(condition)),
            _ => Err(parser.unexpected("an operator or the end")),
        }
    }
}

impl TryFrom<String> for Expression {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Expression> {
        text.parse()
    }
}

/// A part of an expression, not yet known to be what its place needs, and where it starts.
struct Part {
    position: usize,
    value: Value,
}

enum Value {
    Condition(Condition),
    Quantity(Quantity),
}

impl Part {
    fn condition(self) -> Result<Condition> {
        match self.value {
            Value::Condition(condition) => Ok(condition),
            Value::Quantity(_) => Err(ParseError::new(
                self.position,
                "found a number, expected a condition such as `min(rate) >= 0.99`",
            )),
        }
    }

    fn quantity(self) -> Result<Quantity> {
        match self.value {
            Value::Quantity(quantity) => Ok(quantity),
            Value::Condition(_) => Err(ParseError::new(
                self.position,
                "found a condition, expected a number such as `min(rate)`",
            )),
        }
    }
}

struct Parser {
    /// Ends with [`Token::End`].
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn disjunction(&mut self) -> Result<Part> {
        let mut part = self.conjunction()?;
        while self.take_word("or") {
            let (position, a) = (part.position, part.condition()?);
            let b = self.conjunction()?.condition()?;
            let value = Value::Condition(Condition::Or(Box::new(a), Box::new(b)));
            part = Part { position, value };
        }
        Ok(part)
    }

    fn conjunction(&mut self) -> Result<Part> {
        let mut part = self.negation()?;
        while self.take_word("and") {
            let (position, a) = (part.position, part.condition()?);
            let b = self.negation()?.condition()?;
            let value = Value::Condition(Condition::And(Box::new(a), Box::new(b)));
            part = Part { position, value };
        }
        Ok(part)
    }

    fn negation(&mut self) -> Result<Part> {
        let position = self.position();
        if self.take_word("not") {
            let inner = self.nested(Parser::negation)?.condition()?;
            let value = Value::Condition(Condition::Not(Box::new(inner)));
            return Ok(Part { position, value });
        }
        let part = self.sum()?;
        let Some(comparison) = self.take_operator(Comparison::from_name) else {
            return Ok(part);
        };
        let a = part.quantity()?;
        let b = self.sum()?.quantity()?;
        let value = Value::Condition(Condition::Compare(a, comparison, b));
        Ok(Part { position, value })
    }

    fn sum(&mut self) -> Result<Part> {
        self.arithmetic(&[Arithmetic::Add, Arithmetic::Subtract], |parser| {
            parser.arithmetic(&[Arithmetic::Multiply, Arithmetic::Divide], Parser::unary)
        })
    }

    /// Operands with any of `operators` between them, from left to right.
    fn arithmetic(
        &mut self,
        operators: &[Arithmetic],
        operand: impl Fn(&mut Parser) -> Result<Part>,
    ) -> Result<Part> {
        let mut part = operand(self)?;
        let among =
            |symbol: &str| Arithmetic::from_name(symbol).filter(|operator| operators.contains(operator));
        while let Some(operator) = self.take_operator(among) {
            let (position, a) = (part.position, part.quantity()?);
            let b = operand(self)?.quantity()?;
            let value = Value::Quantity(Quantity::Arithmetic(Box::new(a), operator, Box::new(b)));
            part = Part { position, value };
        }
        Ok(part)
    }

    fn unary(&mut self) -> Result<Part> {
        let position = self.position();
        if self.take_symbol("-") {
            let inner = self.nested(Parser::unary)?.quantity()?;
            let value = Value::Quantity(Quantity::Negate(Box::new(inner)));
            return Ok(Part { position, value });
        }
        if self.take_symbol("(") {
            let Part { value, .. } = self.nested(Parser::disjunction)?;
            self.expect_symbol(")")?;
            return Ok(Part { position, value });
        }
        let quantity = match self.peek().clone() {
            Token::Number(value) => {
                self.next += 1;
                Quantity::Number(value)
            }
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                Quantity::Aggregate(self.aggregate(&word)?)
            }
            _ => return Err(self.unexpected("a number, a function or `(`")),
        };
        let value = Value::Quantity(quantity);
        Ok(Part { position, value })
    }

    fn aggregate(&mut self, name: &str) -> Result<Aggregate> {
        let aggregate = if let Some(function) = Function::from_name(name) {
            Aggregate::Column {
                function,
                column: self.aggregated_column()?,
                filters: self.more_filters()?,
            }
        } else if let Some(function) = GapFunction::from_name(name) {
            let column = self.aggregated_column()?;
            self.expect_symbol(",")?;
            let minuend = self.filters()?;
            self.expect_symbol(",")?;
            Aggregate::Gap {
                function,
                column,
                minuend,
                subtrahend: self.filters()?,
                common: self.more_filters()?,
            }
        } else {
            let functions = list(Function::ALL.iter().map(|function| function.name()));
            let gaps = list(GapFunction::ALL.iter().map(|gap| gap.name()));
            return Err(self.unexpected(&format!("one of the functions {functions}, {gaps}")));
        };
        self.expect_symbol(")")?;
        Ok(aggregate)
    }

    /// `function ( column`
    fn aggregated_column(&mut self) -> Result<String> {
        self.next += 1;
        self.expect_symbol("(")?;
        self.column()
    }

    /// `(filter, filter, …)`
    fn filters(&mut self) -> Result<Vec<Filter>> {
        self.expect_symbol("(")?;
        let mut filters = vec![self.filter()?];
        filters.extend(self.more_filters()?);
        self.expect_symbol(")")?;
        Ok(filters)
    }

    /// `, filter, filter, …`
    fn more_filters(&mut self) -> Result<Vec<Filter>> {
        let mut filters = Vec::new();
        while self.take_symbol(",") {
            filters.push(self.filter()?);
        }
        Ok(filters)
    }

    fn filter(&mut self) -> Result<Filter> {
        let column = self.column()?;
        let test = if self.take_word("in") {
            self.expect_symbol("(")?;
            let mut literals = vec![self.literal()?];
            while self.take_symbol(",") {
                literals.push(self.literal()?);
            }
            self.expect_symbol(")")?;
            Test::In(literals)
        } else {
            let comparison = self
                .take_operator(Comparison::from_name)
                .ok_or_else(|| self.unexpected("one of =, !=, <, <=, >, >=, in"))?;
            Test::Compare(comparison, self.literal()?)
        };
        Ok(Filter { column, test })
    }

    fn column(&mut self) -> Result<String> {
        match self.peek().clone() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.unexpected("the name of a column")),
        }
    }

    fn literal(&mut self) -> Result<Literal> {
        let negative = self.take_symbol("-");
        let literal = match self.peek().clone() {
            Token::Number(value) if negative => Literal::Number(-value),
            Token::Number(value) => Literal::Number(value),
            Token::Text(text) if !negative => Literal::Text(text),
            _ if negative => return Err(self.unexpected("a number")),
            _ => return Err(self.unexpected("a number, or a text in quotes")),
        };
        self.next += 1;
        Ok(literal)
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH_LIMIT {
            let message = format!("nested more than {DEPTH_LIMIT} deep");
            return Err(ParseError::new(self.position(), message));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(_, token)| token)
    }

    fn position(&self) -> usize {
        let token = self.tokens.get(self.next).or(self.tokens.last());
        token.map_or(1, |&(position, _)| position)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(next) if next == word);
        self.next += usize::from(found);
        found
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(next) if *next == symbol);
        self.next += usize::from(found);
        found
    }

    fn take_operator<T>(&mut self, named: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Token::Symbol(symbol) = self.peek() else {
            return None;
        };
        let operator = named(symbol)?;
        self.next += 1;
        Some(operator)
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<()> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let message = format!("found {}, expected {expected}", self.peek());
        ParseError::new(self.position(), message)
    }
}
