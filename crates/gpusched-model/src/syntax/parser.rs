//! Parser that converts tokens to expressions by precedence climbing.

use super::ParseError;
use super::token::{Lexis, Token, tokens};

/// Maximum nesting depth of parentheses, prefix operators and branches. The limit keeps the
/// recursion depth low.
const DEPTH: usize = 100;

/// The operators and operands of a language.
pub trait Grammar: Lexis + Sized {
    /// Result of parsing a part of an expression.
    type Part;
    /// A prefix operator.
    type Prefix: Copy;
    /// An infix operator.
    type Infix: Copy;

    /// Precedence of the comparison operators, and the advice in the error message for chains such as `1 < 2 < 3`.
    const COMPARISON: (u8, &'static str);

    /// Returns the prefix operator for `token`, and the minimum precedence of its operand.
    /// Returns `None` if `token` is not a prefix operator.
    fn prefix(token: &Token<'_, Self::Number>) -> Option<(Self::Prefix, u8)>;

    /// Returns the infix operator for `token`, and its precedence, which is at least 1. All
    /// operators group from left to right.
    fn infix(token: &Token<'_, Self::Number>) -> Option<(Self::Infix, u8)>;

    /// Builds the expression `operator operand`.
    ///
    /// # Errors
    /// Fails for an operand of the wrong kind.
    fn before(operator: Self::Prefix, operand: Operand<Self::Part>) -> Result<Self::Part, ParseError>;

    /// Builds the expression `left operator right`.
    ///
    /// # Errors
    /// Fails for an operand of the wrong kind.
    fn between(
        left: Operand<Self::Part>,
        operator: Self::Infix,
        right: Operand<Self::Part>,
    ) -> Result<Self::Part, ParseError>;

    /// Parses an operand without a prefix operator and without parentheses.
    ///
    /// # Errors
    /// Fails at an unexpected token. The error states the found and expected text.
    fn atom(parser: &mut Parser<'_, Self>) -> Result<Self::Part, ParseError>;

    /// Parses a whole expression, or an expression in parentheses. By default, such an expression consists of operands
    /// and infix operators.
    ///
    /// # Errors
    /// Fails at an unexpected token. The error states the found and expected text.
    fn whole(parser: &mut Parser<'_, Self>) -> Result<Self::Part, ParseError> {
        parser.operators(1)
    }
}

/// A part of an expression, with its start position.
#[derive(Debug)]
pub struct Operand<P> {
    /// Position of the first character, counted from 1.
    pub position: usize,
    /// The part of the expression.
    pub part: P,
}

/// Parses `text`, which must be one complete expression.
///
/// # Errors
/// Fails at the first error. The error states its position, the found text and the expected text.
pub fn parse<G: Grammar>(text: &str) -> Result<Operand<G::Part>, ParseError> {
    let mut parser = Parser::<G> {
        tokens: tokens::<G>(text)?,
        next: 0,
        depth: 0,
    };
    let position = parser.position();
    let part = G::whole(&mut parser)?;
    match parser.peek() {
        Token::End => Ok(Operand { position, part }),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

/// The tokens of an expression, and the number of tokens that the parser has read.
#[derive(Debug)]
pub struct Parser<'t, G: Grammar> {
    /// The last token is [`Token::End`].
    tokens: Vec<(usize, Token<'t, G::Number>)>,
    next: usize,
    depth: usize,
}

impl<'t, G: Grammar> Parser<'t, G> {
    /// Parses operands with infix operators between them. The function stops before an infix
    /// operator with a precedence below `least`.
    ///
    /// # Errors
    /// Fails at an unexpected token. The error states the found and expected text.
    pub fn operators(&mut self, least: u8) -> Result<G::Part, ParseError> {
        let position = self.position();
        let mut part = self.operand()?;
        while let Some((operator, precedence)) = G::infix(self.peek()).filter(|&(_, own)| own >= least) {
            self.advance();
            let right = Operand {
                position: self.position(),
                part: self.operators(precedence + 1)?,
            };
            part = G::between(Operand { position, part }, operator, right)?;
            let (comparison, instead) = G::COMPARISON;
            if precedence == comparison && G::infix(self.peek()).is_some_and(|(_, next)| next == comparison) {
                return Err(self.unexpected(instead));
            }
        }
        Ok(part)
    }

    fn operand(&mut self) -> Result<G::Part, ParseError> {
        if let Some((operator, least)) = G::prefix(self.peek()) {
            self.advance();
            let position = self.position();
            let part = self.nested(|parser| parser.operators(least))?;
            return G::before(operator, Operand { position, part });
        }
        if self.take("(") {
            let part = self.nested(G::whole)?;
            self.expect(")", "`)`")?;
            return Ok(part);
        }
        G::atom(self)
    }

    /// Calls `inner` at the next nesting level.
    ///
    /// # Errors
    /// Fails if the nesting is too deep or if `inner` fails.
    pub fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == DEPTH {
            return Err(self.unexpected("an expression with fewer nested parts"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Parses a list with one or more items, separated by commas. `item` parses each item.
    ///
    /// # Errors
    /// Fails if `item` fails.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Returns the next token without reading it.
    pub fn peek(&self) -> &Token<'t, G::Number> {
        self.ahead(0)
    }

    /// Returns the token that is `count` tokens after the next token.
    pub fn ahead(&self, count: usize) -> &Token<'t, G::Number> {
        let token = self.tokens.get(self.next + count);
        token.map_or(&Token::End, |(_, token)| token)
    }

    /// Returns the position of the next token in characters, counted from 1.
    pub fn position(&self) -> usize {
        let token = self.tokens.get(self.next).or(self.tokens.last());
        token.map_or(1, |&(position, _)| position)
    }

    /// Skips the next token.
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Skips the next token if it is the word or sign `wanted`. Returns whether the function
    /// skipped a token.
    pub fn take(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(text) if *text == wanted)
            || matches!(self.peek(), Token::Sign(text) if *text == wanted);
        self.next += usize::from(found);
        found
    }

    /// Skips the next token, which must be the word or sign `wanted`.
    ///
    /// # Errors
    /// Fails if the next token is not `wanted`. The error states `expected`.
    pub fn expect(&mut self, wanted: &str, expected: &str) -> Result<(), ParseError> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(self.unexpected(expected)),
        }
    }

    /// Returns the error for a next token that differs from `expected`.
    pub fn unexpected(&self, expected: &str) -> ParseError {
        let message = format!("found {}, expected {expected}", self.peek());
        ParseError::new(self.position(), message)
    }
}
