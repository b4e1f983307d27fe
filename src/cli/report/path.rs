//! Where a command writes a file, as the command line says.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::error::{Error, Result};

/// The value of an option that names a file to write. All such options have this type, so that one check finds them
/// ([`crate::cli::refusals::overwriting`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputPath {
    path: PathBuf,
    content: Content,
}

/// What a file holds, as far as the ending of its name tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// The answer; `-` is standard output, and a command may choose the format by the ending.
    Answer,
    /// The words of another tool.
    Export,
    /// A figure.
    Svg,
    /// A Gantt chart: SVG, or text.
    Chart,
    /// A table.
    Csv,
    /// A document.
    Json,
}

impl OutputPath {
    /// The parser of an option for a file with `content`.
    pub fn of(content: Content) -> impl TypedValueParser<Value = OutputPath> {
        PathBufValueParser::new().map(move |path| OutputPath { path, content })
    }

    /// Whether the path fits what it is for; `option` is the one that it belongs to.
    ///
    /// # Errors
    /// [`Error::Refused`] for standard output, which has the answer, and for the ending of another format; [`Error::Io`] for a folder
    /// that is not there, also where the file is opened late.
    pub fn check(&self, option: &str) -> Result<()> {
        if self.content != Content::Answer && self.path == Path::new("-") {
            return Err(Error::parameter(
                option,
                "-",
                "a file, for standard output has the answer",
            ));
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if self.content != Content::Answer && folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(Error::io(&self.path, "create", ErrorKind::NotFound.into()));
        }
        self.content.check(option, &self.path)
    }
}

impl Content {
    /// The endings of its files, and whether a file may have none; `None` for any.
    fn endings(self) -> Option<(&'static [&'static str], bool)> {
        match self {
            Content::Answer | Content::Export => None,
            Content::Svg => Some((&["svg"], false)),
            Content::Chart => Some((&["svg", "txt"], true)),
            Content::Csv => Some((&["csv"], true)),
            Content::Json => Some((&["json"], true)),
        }
    }

    /// Whether `path`, of `option`, is a device or has the ending of this content.
    ///
    /// # Errors
    /// [`Error::Refused`] with the endings that it may have.
    pub fn check(self, option: &str, path: &Path) -> Result<()> {
        let Some((endings, or_none)) = self.endings() else {
            return Ok(());
        };
        let is_known = match path.extension().map(OsStr::to_ascii_lowercase) {
            Some(ending) => endings.iter().any(|known| ending == *known),
            None => or_none,
        };
        let is_device = || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if is_known || is_device() {
            return Ok(());
        }
        Err(Error::parameter(
            option,
            path.display(),
            format!("a name that ends in .{}", endings.join(" or .")),
        ))
    }
}

impl Deref for OutputPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl AsRef<Path> for OutputPath {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}
