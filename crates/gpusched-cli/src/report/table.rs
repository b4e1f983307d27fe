//! Aligned tables as text.

use std::fmt::Write as _;

use anstyle::Style;

/// A table of text cells. Numbers are right-aligned, and words are left-aligned.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// Title and alignment of a column.
#[derive(Debug, Copy, Clone)]
pub enum Column {
    /// Left-aligned words.
    Left(&'static str),
    /// Right-aligned numbers.
    Right(&'static str),
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Column::Left(title) | Column::Right(title) => title,
        }
    }
}

impl Table {
    /// Creates an empty table.
    pub fn new(columns: impl Into<Vec<Column>>) -> Table {
        Table {
            columns: columns.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. A cell may have several lines.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// Removes all rows after the first `rows` rows. Returns their number.
    pub fn truncate(&mut self, rows: usize) -> usize {
        let more = self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        more
    }

    /// Returns the width of the rendered table [characters].
    pub fn width(&self) -> usize {
        self.render(Style::new()).lines().map(width).max().unwrap_or(0)
    }

    /// Returns the table as text, with two blanks before each column. The titles have the style
    /// `header`.
    pub fn render(&self, header: Style) -> String {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let cells = self.rows.iter().filter_map(|row| row.get(index));
                let lines = cells.flat_map(|cell| cell.lines());
                lines.chain([column.title()]).map(width).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title()).collect();
        let titles = self.line(&widths, &titles);
        let _ = writeln!(text, "{header}{titles}{header:#}"); // never fails
        for row in &self.rows {
            let height = row.iter().map(|cell| cell.lines().count()).max().unwrap_or(0);
            for line in 0..height {
                let cells: Vec<&str> = row
                    .iter()
                    .map(|cell| cell.lines().nth(line).unwrap_or(""))
                    .collect();
                text += &self.line(&widths, &cells);
                text.push('\n');
            }
        }
        text
    }

    fn line(&self, widths: &[usize], cells: &[&str]) -> String {
        let mut line = String::new();
        for ((column, width), cell) in self.columns.iter().zip(widths).zip(cells) {
            line += "  ";
            let _ = match column {
                Column::Left(_) => write!(line, "{cell:<width$}"),
                Column::Right(_) => write!(line, "{cell:>width$}"),
            };
        }
        line.truncate(line.trim_end().len());
        line
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns `name` shortened to at most `longest` characters. The character U+FFFD replaces
/// control characters.
pub fn clip(name: &str, longest: usize) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if width(name) <= longest {
        return name.chars().map(clean).collect();
    }
    let kept = name.chars().take(longest.saturating_sub(1)).map(clean);
    kept.chain(['…']).collect()
}

/// Returns `words` separated by commas, on lines of about `longest` characters.
pub fn wrap(words: impl IntoIterator<Item = String>, longest: usize) -> String {
    let mut text = String::new();
    let mut line = 0;
    for word in words {
        if line > 0 {
            text.push(',');
            if line + 2 + width(&word) > longest {
                text.push('\n');
                line = 0;
            } else {
                text.push(' ');
                line += 2;
            }
        }
        line += width(&word);
        text += &word;
    }
    text
}
