//! Text form of programs: JSON with one statement per line.

use super::Program;
use super::raw::RawProgram;
use super::statement::Statement;

impl Program {
    /// Returns the program as JSON text with one statement per line. The text ends with a line break.
    ///
    /// # Errors
    /// Fails if the serializer fails, which does not happen in practice.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let mut head = self.clone();
        head.body = Vec::new();
        let value = serde_json::to_string(&RawProgram::from(head))?;
        // The body is the last field, and it is empty in `head`.
        let head = value.strip_suffix("[]}").unwrap_or(&value);
        let mut text = one_field_per_line(head);
        text.push('[');
        body(&mut text, &self.body, 2)?;
        text.push_str("]\n}\n");
        Ok(text)
    }
}

/// Inserts a line break before each outermost field of `head`. `head` is the beginning of a JSON object.
fn one_field_per_line(head: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for c in head.chars() {
        text.push(c);
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ':' => text.push(' '),
            ',' if depth > 1 => text.push(' '),
            _ => {}
        }
        if depth == 1 && (c == ',' || c == '{') {
            text.push_str("\n  ");
        }
    }
    text
}

fn body(text: &mut String, statements: &[Statement], indent: usize) -> serde_json::Result<()> {
    for (index, statement) in statements.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&" ".repeat(indent + 2));
        let mut shell = statement.clone();
        let inner: Vec<(&str, Vec<Statement>)> = match &mut shell {
            Statement::Instruction(_) => Vec::new(),
            Statement::Loop(inner) => vec![("body", std::mem::take(&mut inner.body))],
            Statement::Repeat(repeat) => vec![("body", std::mem::take(&mut repeat.body))],
            Statement::If(branch) => vec![
                ("then", std::mem::take(&mut branch.then)),
                ("else", std::mem::take(&mut branch.otherwise)),
            ],
        };
        let line = serde_json::to_string(&shell)?;
        if inner.is_empty() {
            text.push_str(&line);
            continue;
        }
        // The lists of statements are the last fields, and they are empty in `shell`.
        let empty = match &shell {
            Statement::If(_) => ",\"then\":[]}",
            _ => ",\"body\":[]}",
        };
        text.push_str(line.strip_suffix(empty).unwrap_or(&line));
        for (name, statements) in inner
            .into_iter()
            .filter(|(name, body)| *name != "else" || !body.is_empty())
        {
            text.push_str(&format!(",\"{name}\":["));
            body(text, &statements, indent + 2)?;
            text.push(']');
        }
        text.push('}');
    }
    if !statements.is_empty() {
        text.push('\n');
        text.push_str(&" ".repeat(indent));
    }
    Ok(())
}
