//! Colors of text.

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
}
