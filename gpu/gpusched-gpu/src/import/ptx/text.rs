//! Splits PTX text into statements.

/// Part of a PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// An instruction or a directive, without the semicolon or the body that follows.
    Statement(String),
    /// A label `name:`.
    Label(String),
    /// `{` at a position where a statement may start.
    Open,
    /// `}` at a position where a statement may start.
    Close,
}

/// Splits `text` into pieces. Each piece has the number of its first line.
pub(super) fn pieces(text: &str) -> Vec<(usize, Piece)> {
    let mut pieces = Vec::new();
    let (mut line, mut start) = (1, 1);
    let mut current = String::new();
    let mut characters = text.chars().peekable();
    let (mut braces, mut quoted) = (0_usize, false);
    while let Some(c) = characters.next() {
        if c == '\n' {
            line += 1;
        }
        if quoted {
            current.push(c);
            // A string ends at the end of its line, so a missing quote affects only one line.
            quoted = c != '"' && c != '\n';
            continue;
        }
        if c == '/' && characters.peek() == Some(&'/') {
            while characters.peek().is_some_and(|&c| c != '\n') {
                characters.next();
            }
            continue;
        }
        if c == '/' && characters.peek() == Some(&'*') {
            characters.next();
            let mut last = ' ';
            for c in characters.by_ref() {
                if c == '\n' {
                    line += 1;
                }
                if last == '*' && c == '/' {
                    break;
                }
                last = c;
            }
            current.push(' ');
            continue;
        }
        if current.trim().is_empty() {
            start = line;
        }
        let statement = |text: &str| Piece::Statement(text.split_whitespace().collect::<Vec<_>>().join(" "));
        match c {
            ';' if braces == 0 => {
                pieces.push((start, statement(&current)));
                current.clear();
            }
            '{' if current.trim().is_empty() => {
                current.clear();
                pieces.push((line, Piece::Open));
            }
            // A body follows the head of a function. Braces of operands stay within their statement.
            '{' if opens_body(&current) => {
                pieces.push((start, statement(&current)));
                current.clear();
                pieces.push((line, Piece::Open));
            }
            '{' => {
                braces += 1;
                current.push(c);
            }
            '}' if braces > 0 => {
                braces -= 1;
                current.push(c);
            }
            '}' => {
                if !current.trim().is_empty() {
                    pieces.push((start, statement(&current)));
                    current.clear();
                }
                pieces.push((line, Piece::Close));
            }
            ':' if braces == 0 && is_name(current.trim()) => {
                pieces.push((start, Piece::Label(current.trim().to_owned())));
                current.clear();
            }
            // Each of these directives ends at the end of its line.
            '\n' if [".version", ".target", ".address_size", ".file", ".loc"]
                .iter()
                .any(|directive| current.trim_start().starts_with(directive)) =>
            {
                pieces.push((start, statement(&current)));
                current.clear();
            }
            _ => {
                quoted = c == '"';
                current.push(c);
            }
        }
    }
    if !current.trim().is_empty() {
        pieces.push((
            start,
            Piece::Statement(current.split_whitespace().collect::<Vec<_>>().join(" ")),
        ));
    }
    pieces
}

fn opens_body(head: &str) -> bool {
    let mut words = head.split_whitespace();
    words.any(|word| word == ".entry" || word == ".func" || word == ".section")
}

/// Returns whether `text` is a valid name for a label, a register or a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || "_$%".contains(first))
        && characters.all(|c| c.is_ascii_alphanumeric() || "_$%".contains(c))
}
