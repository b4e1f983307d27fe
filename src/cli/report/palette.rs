//! Colors.

use std::io;

use anstyle::{AnsiColor, Style};

use crate::cli::Global;

/// How text stands out; everything is plain unless standard output is a terminal that wants colors.
#[derive(Copy, Clone, Debug, Default)]
pub struct Palette {
    /// A positive verdict.
    pub good: Style,
    /// A negative verdict.
    pub bad: Style,
    /// The header of a table.
    pub header: Style,
    /// What is of less interest.
    pub dim: Style,
}

impl Palette {
    /// The palette for the output of `global`.
    pub fn of(global: &Global) -> Palette {
        let choice = anstream::AutoStream::choice(&io::stdout());
        if global.file().is_some() || choice == anstream::ColorChoice::Never {
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
