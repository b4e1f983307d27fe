//! From tokens to expressions, by precedence climbing.

use super::ParseError;
use super::token::{Lexis, Token, tokens};

/// How deep parentheses, operators before operands and branches may nest: keeps every recursion over a text shallow.
const DEPTH: usize = 100;

/// The operators and atoms of a language.
pub trait Grammar: Lexis + Sized {
    /// What a part of an expression becomes.
    type Part;
    /// An operator before its operand.
    type Prefix: Copy;
    /// An operator between its operands.
    type Infix: Copy;

    /// The precedence of operators that do not chain, and what to write instead of `1 < 2 < 3`.
    const COMPARISON: (u8, &'static str);

    /// The operator before an operand that `token` is, and how tightly what it applies to binds at least.
    fn prefix(token: &Token<'_, Self::Number>) -> Option<(Self::Prefix, u8)>;

    /// The operator between operands that `token` is, and how tightly it binds, from 1. All group from left to right.
    fn infix(token: &Token<'_, Self::Number>) -> Option<(Self::Infix, u8)>;

    /// `operator operand`.
    ///
    /// # Errors
    /// An operand of the wrong kind.
    fn before(operator: Self::Prefix, operand: Operand<Self::Part>) -> Result<Self::Part, ParseError>;

    /// `left operator right`.
    ///
    /// # Errors
    /// An operand of the wrong kind.
    fn between(
        left: Operand<Self::Part>,
        operator: Self::Infix,
        right: Operand<Self::Part>,
    ) -> Result<Self::Part, ParseError>;

    /// An operand without an operator before it and without parentheses around it.
    ///
    /// # Errors
    /// What was found and what was expected.
    fn atom(parser: &mut Parser<'_, Self>) -> Result<Self::Part, ParseError>;

    /// What stands alone or in parentheses: operands with operators between them, unless the language has more.
    ///
    /// # Errors
    /// What was found and what was expected.
    fn whole(parser: &mut Parser<'_, Self>) -> Result<Self::Part, ParseError> {
        parser.operators(1)
    }
}

/// A part of an expression, and where it starts.
#[derive(Debug)]
pub struct Operand<P> {
    /// The position in characters, from 1.
    pub position: usize,
    /// What it is.
    pub part: P,
}

/// Reads the whole of `text`.
///
/// # Errors
/// What was found and what was expected, and where.
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

/// The tokens of an expression, and how many of them are read.
#[derive(Debug)]
pub struct Parser<'t, G: Grammar> {
    /// Ends with [`Token::End`].
    tokens: Vec<(usize, Token<'t, G::Number>)>,
    next: usize,
    depth: usize,
}

impl<'t, G: Grammar> Parser<'t, G> {
    /// Operands with operators between them that bind at least as tightly as `least`.
    ///
    /// # Errors
    /// What was found and what was expected.
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

    /// What `inner` reads, one level deeper.
    ///
    /// # Errors
    /// Too deep a level, and those of `inner`.
    pub fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == DEPTH {
            return Err(self.unexpected("less nesting"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// What `item` reads, once or more often, with commas between.
    ///
    /// # Errors
    /// Those of `item`.
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

    /// The next token.
    pub fn peek(&self) -> &Token<'t, G::Number> {
        self.ahead(0)
    }

    /// The token that stands `count` after the next one.
    pub fn ahead(&self, count: usize) -> &Token<'t, G::Number> {
        let token = self.tokens.get(self.next + count);
        token.map_or(&Token::End, |(_, token)| token)
    }

    /// Where the next token is [characters, from 1].
    pub fn position(&self) -> usize {
        let token = self.tokens.get(self.next).or(self.tokens.last());
        token.map_or(1, |&(position, _)| position)
    }

    /// Goes past the next token.
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Goes past the next token if it is this word or sign, and says whether it is.
    pub fn take(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(text) if *text == wanted)
            || matches!(self.peek(), Token::Sign(text) if *text == wanted);
        self.next += usize::from(found);
        found
    }

    /// Goes past `wanted`, a word or sign.
    ///
    /// # Errors
    /// Another token, with what was `expected`.
    pub fn expect(&mut self, wanted: &str, expected: &str) -> Result<(), ParseError> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(self.unexpected(expected)),
        }
    }

    /// The error that the next token is not what was `expected`.
    pub fn unexpected(&self, expected: &str) -> ParseError {
        let message = format!("found {}, expected {expected}", self.peek());
        ParseError::new(self.position(), message)
    }
}
