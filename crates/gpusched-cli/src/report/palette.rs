//! Colors of text.

use std::fmt::Display;
use std::io;

use anstyle::{AnsiColor, Style};

use crate::{Global, embedding};

/// Styles of text. If the output is not a terminal with colors, all styles are plain.
#[derive(Copy, Clone, Debug, Default)]
pub struct Palette {
    /// Positive verdict.
    pub good: Style,
    /// Negative verdict.
    pub bad: Style,
    /// Header of a table.
    pub header: Style,
    /// Less important text.
    pub dim: Style,
}

impl Palette {
    /// Returns the palette for the output of `global`.
    pub fn of(global: &Global) -> Palette {
        let choice = anstream::AutoStream::choice(&io::stdout());
        if global.file().is_some() || embedding::is_active() || choice == anstream::ColorChoice::Never {
            return Palette::default();
        }
        Palette {
            good: AnsiColor::Green.on_default().bold(),
            bad: AnsiColor::Red.on_default().bold(),
            header: Style::new().bold(),
            dim: Style::new().dimmed(),
        }
    }

    /// Returns `words` in the color of a positive or a negative verdict.
    pub fn verdict(&self, is_positive: bool, words: impl Display) -> String {
        let style = if is_positive { self.good } else { self.bad };
        format!("{style}{words}{style:#}")
    }

    /// Returns the verdict on a run with `misses` missed deadlines.
    pub fn misses(&self, misses: u64) -> String {
        match misses {
            0 => self.verdict(true, "NO DEADLINE MISSED"),
            1 => self.verdict(false, "1 DEADLINE MISSED"),
            misses => self.verdict(false, format_args!("{misses} DEADLINES MISSED")),
        }
    }
}
