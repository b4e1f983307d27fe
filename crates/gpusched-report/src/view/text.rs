//! Text form of a table: aligned columns for the terminal.

use std::fmt::Write as _;

use anstyle::Style;

use super::Table;

impl Table {
    /// Returns the width of the rendered table [characters].
    pub fn width(&self) -> usize {
        self.render(Style::new()).lines().map(width).max().unwrap_or(0)
    }

    /// Returns the table as text, with two blanks before each column. Numbers are right-aligned, and words are
    /// left-aligned. The titles have the style `header`.
    pub fn render(&self, header: Style) -> String {
        let rows = || self.rows.iter().chain(&self.foot);
        let columns = || self.columns.iter().enumerate();
        let shown =
            columns().filter_map(|(index, column)| Some((index, column.title.as_deref()?, column.numeric)));
        let shown = shown.map(|(index, title, numeric)| {
            let cells = rows().filter_map(|row| row.get(index));
            let lines = cells.flat_map(|cell| cell.text.lines());
            let width = lines.chain([title]).map(width).max().unwrap_or(0);
            (index, title, numeric, width)
        });
        let shown: Vec<(usize, &str, bool, usize)> = shown.collect();
        let mut text = String::new();
        let titles = aligned(
            shown
                .iter()
                .map(|&(_, title, numeric, width)| (title, numeric, width)),
        );
        let _ = writeln!(text, "{header}{titles}{header:#}"); // never fails
        for row in rows() {
            let cell = |index: usize| row.get(index).map_or("", |cell| cell.text.as_str());
            let height = shown.iter().map(|&(index, ..)| cell(index).lines().count());
            for line in 0..height.max().unwrap_or(0) {
                text += &aligned(shown.iter().map(|&(index, _, numeric, width)| {
                    (cell(index).lines().nth(line).unwrap_or(""), numeric, width)
                }));
                text.push('\n');
            }
        }
        text
    }
}

/// Returns a line of cells, each with its alignment and its width.
fn aligned<'a>(cells: impl Iterator<Item = (&'a str, bool, usize)>) -> String {
    let mut line = String::new();
    for (cell, numeric, width) in cells {
        line += "  ";
        let _ = match numeric {
            false => write!(line, "{cell:<width$}"),
            true => write!(line, "{cell:>width$}"),
        };
    }
    line.truncate(line.trim_end().len());
    line
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [
            (12_u32, wrap(["a".into(), "bb".into(), "ccc".into()], 6)),
            (3, "é".to_owned()),
        ];
        let table = Table::of(&rows)
            .number("n", |row| row.0)
            .text("tasks", |row| &row.1);
        assert_eq!(
            table.done().render(Style::new()),
            "   n  tasks\n  12  a, bb,\n      ccc\n   3  é\n"
        );
    }

    #[test]
    fn names_are_clipped_and_cleaned() {
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("a\u{1b}b", 4), "a\u{fffd}b");
    }
}
