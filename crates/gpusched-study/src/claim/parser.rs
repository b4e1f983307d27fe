//! The language for the conditions of claims.
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
//! gap         := "min_gap" | "mean_gap" | "max_gap" | "mean_ratio"
//! filters     := "(" filter { "," filter } ")"
//! filter      := column comparison literal | column "in" "(" literal { "," literal } ")"
//! literal     := [ "-" ] number | text
//! ```
//!
//! A number is a decimal number (`35`, `0.99`, `1e-3`). A text stands between two `"` or between
//! two `'`. The name of a column consists of letters, digits and `_`. The words `and`, `or`, `not`
//! and `in` cannot be names of columns.
//!
//! * gpusched checks a claim for each analysis variant separately. An aggregate uses only the rows of the checked
//!   variant. With `across_variants`, gpusched checks the claim once, and aggregates use the rows of all variants. As a
//!   result, gap functions can pair rows of different variants.
//! * `min`, `max`, `mean` and `sum` use the filled cells of a column of numbers. `first` and `last` return the first and
//!   the last filled cell in the order of the file. **Empty cells are ignored.** `count` returns the number of filled cells
//!   of any column. Without filled cells, `count` is 0, and every other aggregate is an error.
//! * `min_gap(rate, (algorithm = "SMS-INA"), (algorithm = "BF-INA"), utilization > 30)` is the
//!   minimum difference between the rate of SMS-INA and the rate of BF-INA, over all points with a
//!   utilization above 30. `mean_gap` is the mean of the differences, and `max_gap` is the maximum.
//!   `mean_ratio` is the mean of the ratios instead: the first cell divided by the second cell.
//!   gpusched pairs each row that passes the first filters with the row for the same point that
//!   passes the second filters. By default, two rows belong to one point if they have equal point,
//!   utilization, tasks and analysis variant. The field `pair_by` of the claim names other columns.
//!   gpusched ignores a point if one of the two cells is missing or empty. If two rows for one
//!   point pass the same filters, gpusched reports an error.
//! * gpusched compares a number literal with a column of numbers. An empty cell passes no filter with a number literal.
//!   gpusched compares a text literal with a column of texts, by the code points of the characters. With `=`, `!=` and
//!   `in`, the text must occur in the column. Therefore a misspelt name of an algorithm is an error.

use std::str::FromStr;

use super::expression::{
    Aggregate, Arithmetic, Comparison, Condition, Expression, Filter, Function, GapFunction, Literal,
    Quantity, Test, list,
};
use gpusched_model::syntax::{Grammar, Lexis, Operand, ParseError, Token, parse};

type Result<T> = std::result::Result<T, ParseError>;
type Parser<'t> = gpusched_model::syntax::Parser<'t, Claims>;

const KEYWORDS: [&str; 4] = ["and", "or", "not", "in"];

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expression> {
        condition(parse::<Claims>(text)?).map(Expression)
    }
}

impl TryFrom<String> for Expression {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Expression> {
        text.parse()
    }
}

/// The parser for the grammar of claims.
#[derive(Debug)]
struct Claims;

/// A part of an expression: either a condition or a number.
enum Value {
    Condition(Condition),
    Quantity(Quantity),
}

#[derive(Copy, Clone)]
enum Prefix {
    Not,
    Minus,
}

#[derive(Copy, Clone)]
enum Infix {
    Or,
    And,
    Compare(Comparison),
    Arithmetic(Arithmetic),
}

fn condition(operand: Operand<Value>) -> Result<Condition> {
    match operand.part {
        Value::Condition(condition) => Ok(condition),
        Value::Quantity(_) => Err(ParseError::new(
            operand.position,
            "found a number, expected a condition such as `min(rate) >= 0.99`",
        )),
    }
}

fn quantity(operand: Operand<Value>) -> Result<Quantity> {
    match operand.part {
        Value::Quantity(quantity) => Ok(quantity),
        Value::Condition(_) => Err(ParseError::new(
            operand.position,
            "found a condition, expected a number such as `min(rate)`",
        )),
    }
}

impl Lexis for Claims {
    type Number = f64;

    const LONGEST: usize = 2000;
    const TEXTS: bool = true;

    fn signs() -> impl Iterator<Item = &'static str> {
        let comparisons = Comparison::ALL.iter().map(|comparison| comparison.name());
        let arithmetic = Arithmetic::ALL.iter().map(|operator| operator.name());
        comparisons.chain(arithmetic).chain(["(", ")", ","])
    }

    fn in_word(c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }

    /// Returns the length of the number at the start of `text`, such as `35`, `0.99` or `2.5e-3`.
    fn number_length(text: &str) -> usize {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let tail = |at: usize| text.get(at..).unwrap_or_default();
        let mut length = digits(text);
        if let Some(fraction) = tail(length).strip_prefix('.') {
            length += match digits(fraction) {
                0 => 0, // A final point is not part of the number. It causes an error later.
                count => 1 + count,
            };
        }
        if let Some(exponent) = tail(length).strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            length += match digits(unsigned) {
                0 => 0,
                count => 1 + (exponent.len() - unsigned.len()) + count,
            };
        }
        length
    }

    fn number(digits: &str) -> std::result::Result<f64, String> {
        let value = digits.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| format!("the number {digits} is too large"))
    }
}

impl Grammar for Claims {
    type Part = Value;
    type Prefix = Prefix;
    type Infix = Infix;

    const COMPARISON: (u8, &'static str) =
        (Condition::COMPARISON, "parentheses, or `and` between comparisons");

    fn prefix(token: &Token<'_, f64>) -> Option<(Prefix, u8)> {
        match token {
            Token::Word("not") => Some((Prefix::Not, Condition::COMPARISON)),
            Token::Sign("-") => Some((Prefix::Minus, Quantity::NEGATION)),
            _ => None,
        }
    }

    fn infix(token: &Token<'_, f64>) -> Option<(Infix, u8)> {
        let operator = match token {
            Token::Word("or") => Infix::Or,
            Token::Word("and") => Infix::And,
            Token::Sign(sign) => {
                let comparison = Comparison::from_name(sign).map(Infix::Compare);
                comparison.or_else(|| Arithmetic::from_name(sign).map(Infix::Arithmetic))?
            }
            _ => return None,
        };
        let precedence = match operator {
            Infix::Or => Condition::OR,
            Infix::And => Condition::AND,
            Infix::Compare(_) => Condition::COMPARISON,
            Infix::Arithmetic(operator) => operator.precedence(),
        };
        Some((operator, precedence))
    }

    fn before(operator: Prefix, operand: Operand<Value>) -> Result<Value> {
        Ok(match operator {
            Prefix::Not => Value::Condition(Condition::Not(Box::new(condition(operand)?))),
            Prefix::Minus => Value::Quantity(Quantity::Negate(Box::new(quantity(operand)?))),
        })
    }

    fn between(left: Operand<Value>, operator: Infix, right: Operand<Value>) -> Result<Value> {
        Ok(match operator {
            Infix::Or => {
                let (a, b) = (condition(left)?, condition(right)?);
                Value::Condition(Condition::Or(Box::new(a), Box::new(b)))
            }
            Infix::And => {
                let (a, b) = (condition(left)?, condition(right)?);
                Value::Condition(Condition::And(Box::new(a), Box::new(b)))
            }
            Infix::Compare(comparison) => {
                Value::Condition(Condition::Compare(quantity(left)?, comparison, quantity(right)?))
            }
            Infix::Arithmetic(operator) => {
                let (a, b) = (quantity(left)?, quantity(right)?);
                Value::Quantity(Quantity::Arithmetic(Box::new(a), operator, Box::new(b)))
            }
        })
    }

    fn atom(parser: &mut Parser<'_>) -> Result<Value> {
        let quantity = match *parser.peek() {
            Token::Number(value) => {
                parser.advance();
                Quantity::Number(value)
            }
            Token::Word(word) if !KEYWORDS.contains(&word) => Quantity::Aggregate(aggregate(parser, word)?),
            _ => return Err(parser.unexpected("a number, a function or `(`")),
        };
        Ok(Value::Quantity(quantity))
    }
}

fn aggregate(parser: &mut Parser<'_>, name: &str) -> Result<Aggregate> {
    let aggregate = if let Some(function) = Function::from_name(name) {
        Aggregate::Column {
            function,
            column: aggregated_column(parser)?,
            filters: more_filters(parser)?,
        }
    } else if let Some(function) = GapFunction::from_name(name) {
        let column = aggregated_column(parser)?;
        parser.expect(",", "`,`")?;
        let minuend = in_parentheses(parser, filter)?;
        parser.expect(",", "`,`")?;
        Aggregate::Gap {
            function,
            column,
            minuend,
            subtrahend: in_parentheses(parser, filter)?,
            common: more_filters(parser)?,
        }
    } else {
        let functions = list(Function::ALL.iter().map(|function| function.name()));
        let gaps = list(GapFunction::ALL.iter().map(|gap| gap.name()));
        return Err(parser.unexpected(&format!("one of the functions {functions}, {gaps}")));
    };
    parser.expect(")", "`)`")?;
    Ok(aggregate)
}

/// Parses `function ( column`.
fn aggregated_column(parser: &mut Parser<'_>) -> Result<String> {
    parser.advance();
    parser.expect("(", "`(`")?;
    column(parser)
}

/// Parses `(item, item, …)`.
fn in_parentheses<'t, T>(
    parser: &mut Parser<'t>,
    item: impl FnMut(&mut Parser<'t>) -> Result<T>,
) -> Result<Vec<T>> {
    parser.expect("(", "`(`")?;
    let items = parser.list(item)?;
    parser.expect(")", "`)`")?;
    Ok(items)
}

/// Parses `, filter, filter, …`.
fn more_filters(parser: &mut Parser<'_>) -> Result<Vec<Filter>> {
    match parser.take(",") {
        true => parser.list(filter),
        false => Ok(Vec::new()),
    }
}

fn filter(parser: &mut Parser<'_>) -> Result<Filter> {
    let column = column(parser)?;
    if parser.take("in") {
        let test = Test::In(in_parentheses(parser, literal)?);
        return Ok(Filter { column, test });
    }
    let comparison = match parser.peek() {
        Token::Sign(sign) => Comparison::from_name(sign),
        _ => None,
    };
    let comparison = comparison.ok_or_else(|| parser.unexpected("one of =, !=, <, <=, >, >=, in"))?;
    parser.advance();
    let test = Test::Compare(comparison, literal(parser)?);
    Ok(Filter { column, test })
}

fn column(parser: &mut Parser<'_>) -> Result<String> {
    match *parser.peek() {
        Token::Word(word) if !KEYWORDS.contains(&word) => {
            parser.advance();
            Ok(word.to_owned())
        }
        _ => Err(parser.unexpected("the name of a column")),
    }
}

fn literal(parser: &mut Parser<'_>) -> Result<Literal> {
    let negative = parser.take("-");
    let literal = match *parser.peek() {
        Token::Number(value) if negative => Literal::Number(-value),
        Token::Number(value) => Literal::Number(value),
        Token::Text(text) if !negative => Literal::Text(text.to_owned()),
        _ if negative => return Err(parser.unexpected("a number")),
        _ => return Err(parser.unexpected("a number, or a text in quotes")),
    };
    parser.advance();
    Ok(literal)
}
