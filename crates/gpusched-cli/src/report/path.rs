//! Options that name an output file.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

use gpusched_model::error::{Error, Result};

/// Value of an option that names an output file. `refusals::overwriting` recognizes all output files by
/// this type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputPath {
    path: PathBuf,
    content: Content,
}

/// Kind of content of an output file. The kind determines the valid endings of the file name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// The result. The path `-` is standard output. The ending may determine the format.
    Answer,
    /// A file for another tool.
    Export,
    /// A figure (SVG).
    Svg,
    /// A figure (SVG, PDF or PNG).
    Figure,
    /// A table (CSV).
    Csv,
    /// A document (JSON).
    Json,
    /// A web page (HTML).
    Html,
}

impl OutputPath {
    /// Returns a parser for an option that names a file with `content`.
    pub fn of(content: Content) -> impl TypedValueParser<Value = OutputPath> {
        PathBufValueParser::new().map(move |path| OutputPath { path, content })
    }

    /// Returns the path of a JSON document.
    pub fn json(path: PathBuf) -> OutputPath {
        OutputPath {
            path,
            content: Content::Json,
        }
    }

    /// Checks that the path is suitable for the content. `option` is the name of the option.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the ending belongs to another format, or if a second output goes to standard
    /// output. Also fails with [`Error::Io`] for a missing folder.
    pub fn check(&self, option: &str) -> Result<()> {
        if self.content != Content::Answer && self.path == Path::new("-") {
            return Err(Error::parameter(
                option,
                "-",
                "a file, because standard output contains the result",
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
    /// Returns the valid endings, and whether a name without ending is valid. Returns `None` if
    /// every name is valid.
    fn endings(self) -> Option<(&'static [&'static str], bool)> {
        match self {
            Content::Answer | Content::Export => None,
            Content::Svg => Some((&["svg"], false)),
            Content::Figure => Some((&["svg", "pdf", "png"], false)),
            Content::Csv => Some((&["csv"], true)),
            Content::Json => Some((&["json"], true)),
            Content::Html => Some((&["html", "htm"], false)),
        }
    }

    /// Checks that `path`, the value of `option`, has a valid ending or is a device file such as
    /// `/dev/null`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which states the valid endings.
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
