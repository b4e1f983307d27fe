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
        text: Text {
            path,
            all: text,
            rest: text,
            line: 1,
        },
        next: (Token::End, 1),
        fault: None,
        known,
        positions: BTreeMap::new(),
        graph: Graph::default(),
    };
    parser.advance();
    let parsed = parser.graph();
    // A fault ends the tokens, so it is the cause of each later refusal.
    match parser.fault {
        Some(fault) => Err(fault),
        None => parsed.map(|()| parser.graph),
    }
}

/// The text after the tokens that were read.
struct Text<'a> {
    path: &'a Path,
    all: &'a str,
    rest: &'a str,
    line: usize,
}

impl Text<'_> {
    /// Returns the next token and its line. After the last token, returns `End`.
    fn token(&mut self) -> Result<(Token, usize), Refusal> {
        let path = self.path;
        let fault =
            |line: usize, found: &str, expected: &str| Refusal::new("", found, expected).at(path, line);
        while let Some(first) = self.rest.chars().next() {
            let (rest, line) = (self.rest, self.line);
            let comment = match first {
                '#' if self.all[..self.all.len() - rest.len()]
                    .chars()
                    .next_back()
                    .is_none_or(|last| last == '\n') =>
                {
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
                self.skip(length);
                continue;
            }
            let plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
            let (token, length) = match first {
                '-' if rest.starts_with("->") => (Token::Arrow, 2),
                '-' if rest.starts_with("--") => {
                    let refusal = fault(line, "--", "->");
                    return Err(refusal
                        .hint("use a directed graph, because operators send messages in one direction"));
                }
                '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => (Token::Sign(first), 1),
                '"' => {
                    let (text, length) = quoted(rest)
                        .ok_or_else(|| fault(line, "a string without an end", "a closing quote"))?;
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
            self.skip(length);
            return Ok((token, line));
        }
        Ok((Token::End, self.line))
    }

    /// Skips `length` bytes.
    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length);
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }
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
    text: Text<'a>,
    /// The next token and its line.
    next: (Token, usize),
    /// Reason why no further token can be read.
    fault: Option<Refusal>,
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
                return match self.peek() {
                    Token::Sign('[') => self.attributes(Err(defaults)),
                    _ => Err(self.refuse(defaults, "[")),
                };
            }
        }
        let line = self.line();
        let name = self.name("an operator, such as A [WCET=200]")?;
        if self.sign('=') {
            self.name("a value")?;
            return self.ignore("graph", name, line);
        }
        let mut last = self.operator(name, line);
        self.port()?;
        let mut edge = false;
        while self.peek() == &Token::Arrow {
            self.advance();
            let line = self.line();
            let name = self.name("an operator")?;
            let next = self.operator(name, line);
            self.port()?;
            self.graph.edges.insert((last, next));
            (last, edge) = (next, true);
        }
        while self.peek() == &Token::Sign('[') {
            self.attributes(if edge { Err("edge") } else { Ok(last) })?;
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

    /// Reads a list of attributes of an operator, or of another part of the graph with the name in `Err`.
    fn attributes(&mut self, of: Result<usize, &str>) -> Result<(), Refusal> {
        self.expect('[')?;
        while !self.sign(']') {
            let line = self.line();
            let name = self.name("an attribute, such as WCET=200, or ]")?;
            self.expect('=')?;
            let value = self.name("a value")?;
            match ({ self.known.iter() }.find(|known| **known == name), of) {
                (Some(known), Ok(operator)) => {
                    let operator = &mut self.graph.operators[operator];
                    if operator.attributes.insert(known, (value, line)).is_some() {
                        let field = format!("{:?}.{name}", operator.name);
                        return Err(Refusal::new(field, "two values", "one value").at(self.path, line));
                    }
                }
                (_, Ok(operator)) => {
                    let place = format!("{:?}", self.graph.operators[operator].name);
                    self.ignore(&place, name, line)?;
                }
                (_, Err(place)) => self.ignore(place, name, line)?,
            }
            if !self.sign(',') {
                self.sign(';');
            }
        }
        Ok(())
    }

    /// Ignores the attribute `name` of `place`. Refuses a name that the user probably takes for a known attribute of operators,
    /// because the loss of a time is unsafe.
    fn ignore(&mut self, place: &str, name: String, line: usize) -> Result<(), Refusal> {
        let refuse = |expected: String| {
            let found = "an attribute without an effect here";
            Err(Refusal::new(format!("{place}.{name}"), found, expected).at(self.path, line))
        };
        if self.known.contains(&&*name) {
            return refuse("this attribute for each operator".to_owned());
        }
        if let Some(meant) = meant(&name, self.known) {
            return refuse(format!("a known attribute; did you mean {meant}?"));
        }
        self.graph.ignored.insert(name);
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
        if !matches!(self.peek(), Token::Plain(_) | Token::Quoted(_)) {
            return Err(self.refuse("", expected));
        }
        Ok(match self.advance() {
            Token::Plain(text) | Token::Quoted(text) => text,
            other => other.to_string(),
        })
    }

    fn expect(&mut self, sign: char) -> Result<(), Refusal> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(self.refuse("", sign)),
        }
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.peek() == &Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Plain(text) if text.eq_ignore_ascii_case(keyword))
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn peek(&self) -> &Token {
        &self.next.0
    }

    fn line(&self) -> usize {
        self.next.1
    }

    /// Reads one token, and returns the token before it.
    fn advance(&mut self) -> Token {
        let next = self.text.token().unwrap_or_else(|fault| {
            self.fault.get_or_insert(fault);
            self.text.rest = "";
            (Token::End, self.text.line)
        });
        std::mem::replace(&mut self.next, next).0
    }

    fn refuse(&self, field: &str, expected: impl ToString) -> Refusal {
        Refusal::new(field, self.peek(), expected).at(self.path, self.line())
    }
}

/// Returns the attribute in `known` that the user probably means by `name`.
fn meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_uppercase).collect()
    };
    let name = plain(name);
    // The best and the average execution time are other quantities.
    if name.ends_with("BCET") || name.ends_with("ACET") {
        return None;
    }
    let distance = |known: &str| strsim::osa_distance(&name, &plain(known));
    let nearest = known.iter().min_by_key(|known| distance(known)).copied()?;
    let is_meant = name.contains(&plain(nearest)) || distance(nearest) <= nearest.len() / 4;
    is_meant.then_some(nearest)
}
