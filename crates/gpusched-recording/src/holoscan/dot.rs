//! The subset of DOT (Graphviz) that describes graphs of operators: one directed graph without subgraphs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpusched_model::Refusal;

/// A graph of operators.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Name of the graph.
    pub name: Option<String>,
    /// Operators, sorted by their first use in the file.
    pub operators: Vec<Operator>,
    /// Pairs of operators: the first one sends messages to the second one.
    pub edges: BTreeSet<(usize, usize)>,
    /// Names of attributes without an effect.
    pub ignored: BTreeSet<String>,
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operator {
    pub name: String,
    /// Line of the first use of the name.
    pub line: usize,
    /// Known attributes: the value and its line.
    pub attributes: BTreeMap<&'static str, (String, usize)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// A name or number without quotes.
    Plain(String),
    Quoted(String),
    Arrow,
    Sign(char),
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Plain(text) => write!(f, "{text}"),
            Token::Quoted(text) => write!(f, "{text:?}"),
            Token::Arrow => f.write_str("->"),
            Token::Sign(sign) => write!(f, "{sign}"),
            Token::End => f.write_str("the end of the file"),
        }
    }
}

/// Parses `text`, the content of the file at `path`. `known` are the attributes of operators that count.
pub fn parse(path: &Path, text: &str, known: &[&'static str]) -> Result<Graph, Refusal> {
    let mut parser = Parser {
        path,
        tokens: tokens(path, text)?,
        next: 0,
        known,
        positions: BTreeMap::new(),
        graph: Graph::default(),
    };
    parser.graph()?;
    Ok(parser.graph)
}

/// Returns the tokens of `text` with their lines. The last token is `End`.
fn tokens(path: &Path, text: &str) -> Result<Vec<(Token, usize)>, Refusal> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    let fault = |line: usize, found: &str, expected: &str| Refusal::new("", found, expected).at(path, line);
    while let Some(first) = rest.chars().next() {
        let start = line;
        let comment = match first {
            '#' if rest.len() == text.len() || text[..text.len() - rest.len()].ends_with('\n') => {
                Some(rest.find('\n').unwrap_or(rest.len()))
            }
            '/' if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) => Some(end + 2),
                None => return Err(fault(line, "a comment without an end", "*/")),
            },
            _ if first.is_whitespace() => Some(first.len_utf8()),
            _ => None,
        };
        if let Some(length) = comment {
            line += rest[..length].matches('\n').count();
            rest = &rest[length..];
            continue;
        }
        let plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let (token, length) = match first {
            '-' if rest.starts_with("->") => (Token::Arrow, 2),
            '-' if rest.starts_with("--") => {
                let refusal = fault(line, "--", "->");
                return Err(
                    refusal.hint("use a directed graph, because operators send messages in one direction")
                );
            }
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => (Token::Sign(first), 1),
            '"' => {
                let (text, length) =
                    quoted(rest).ok_or_else(|| fault(line, "a string without an end", "a closing quote"))?;
                (Token::Quoted(text), length)
            }
            _ if plain(first) || first == '-' => {
                let sign = usize::from(first == '-');
                let length = rest[sign..]
                    .find(|letter| !plain(letter))
                    .unwrap_or(rest.len() - sign)
                    + sign;
                (Token::Plain(rest[..length].to_owned()), length)
            }
            '<' => return Err(fault(line, "a text in HTML", "a name or a text in quotes")),
            _ => return Err(fault(line, &first.to_string(), "a directed graph in DOT")),
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
        tokens.push((token, start));
    }
    tokens.push((Token::End, line));
    Ok(tokens)
}

/// Returns the text of the string at the start of `rest`, and the length of the string with its quotes.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, at + 1)),
            // Only a quote and a line break have a special meaning after a backslash.
            '\\' => match letters.next()?.1 {
                '"' => text.push('"'),
                '\n' => {}
                other => text.extend(['\\', other]),
            },
            _ => text.push(letter),
        }
    }
    None
}

struct Parser<'a> {
    path: &'a Path,
    tokens: Vec<(Token, usize)>,
    next: usize,
    known: &'a [&'static str],
    positions: BTreeMap<String, usize>,
    graph: Graph,
}

impl Parser<'_> {
    fn graph(&mut self) -> Result<(), Refusal> {
        self.keyword("strict");
        if !self.keyword("digraph") {
            return Err(self.refuse("", "digraph, a directed graph in DOT"));
        }
        if self.peek() != &Token::Sign('{') {
            self.graph.name = Some(self.name("a name or {")?);
        }
        self.expect('{')?;
        while !self.sign('}') {
            self.statement()?;
            self.sign(';');
        }
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.refuse("", "one graph")),
        }
    }

    fn statement(&mut self) -> Result<(), Refusal> {
        if self.is_keyword("subgraph") || self.peek() == &Token::Sign('{') {
            return Err(self.refuse("", "a graph without subgraphs"));
        }
        for defaults in ["graph", "node", "edge"] {
            if self.keyword(defaults) {
                let counts = (defaults == "node").then_some("node");
                return match self.peek() {
                    Token::Sign('[') => self.attributes(None, counts),
                    _ => Err(self.refuse(defaults, "[")),
                };
            }
        }
        let line = self.line();
        let name = self.name("an operator, such as A [WCET=200]")?;
        if self.sign('=') {
            self.graph.ignored.insert(name);
            self.name("a value")?;
            return Ok(());
        }
        let mut last = self.operator(name, line);
        self.port()?;
        let mut edge = false;
        while self.peek() == &Token::Arrow {
            self.next += 1;
            let line = self.line();
            let name = self.name("an operator")?;
            let next = self.operator(name, line);
            self.port()?;
            self.graph.edges.insert((last, next));
            (last, edge) = (next, true);
        }
        while self.peek() == &Token::Sign('[') {
            self.attributes((!edge).then_some(last), None)?;
        }
        Ok(())
    }

    /// Skips the port of an operator.
    fn port(&mut self) -> Result<(), Refusal> {
        while self.sign(':') {
            self.name("a port")?;
        }
        Ok(())
    }

    /// Reads a list of attributes. Known attributes are for `operator`. With `defaults`, they are for all operators.
    fn attributes(&mut self, operator: Option<usize>, defaults: Option<&str>) -> Result<(), Refusal> {
        self.expect('[')?;
        while !self.sign(']') {
            let line = self.line();
            let name = self.name("an attribute, such as WCET=200, or ]")?;
            self.expect('=')?;
            let value = self.name("a value")?;
            let known = self.known.iter().find(|known| **known == name);
            match (known, operator) {
                (Some(_), None) if defaults.is_some() => {
                    let refusal =
                        Refusal::new(format!("node.{name}"), value, "this attribute for each operator");
                    return Err(refusal.at(self.path, line));
                }
                (Some(known), Some(operator)) => {
                    let operator = &mut self.graph.operators[operator];
                    if operator.attributes.insert(known, (value, line)).is_some() {
                        let field = format!("{:?}.{name}", operator.name);
                        return Err(Refusal::new(field, "two values", "one value").at(self.path, line));
                    }
                }
                _ => {
                    self.graph.ignored.insert(name);
                }
            }
            if !self.sign(',') {
                self.sign(';');
            }
        }
        Ok(())
    }

    fn operator(&mut self, name: String, line: usize) -> usize {
        let count = self.graph.operators.len();
        let position = *self.positions.entry(name.clone()).or_insert(count);
        if position == count {
            self.graph.operators.push(Operator {
                name,
                line,
                attributes: BTreeMap::new(),
            });
        }
        position
    }

    fn name(&mut self, expected: &str) -> Result<String, Refusal> {
        match self.peek() {
            Token::Plain(text) | Token::Quoted(text) => {
                let text = text.clone();
                self.next += 1;
                Ok(text)
            }
            _ => Err(self.refuse("", expected)),
        }
    }

    fn expect(&mut self, sign: char) -> Result<(), Refusal> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(self.refuse("", sign)),
        }
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.peek() == &Token::Sign(sign);
        self.next += usize::from(found);
        found
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Plain(text) if text.eq_ignore_ascii_case(keyword))
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        self.next += usize::from(found);
        found
    }

    /// Returns the next token. The token `End` is never read, so there is always a next token.
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.next).map_or(1, |&(_, line)| line)
    }

    fn refuse(&self, field: &str, expected: impl ToString) -> Refusal {
        Refusal::new(field, self.peek(), expected).at(self.path, self.line())
    }
}
