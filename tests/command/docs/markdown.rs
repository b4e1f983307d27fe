//! The documents and their parts.
//!
//! ```text
//! <!-- file: NAME -->          before a block: the reader saves it as NAME
//! <!-- not run: 4 minutes -->  before a block: its commands take that long
//! ```

use std::path::{Path, PathBuf};

use crate::support::root;

/// One Markdown file.
pub struct Page {
    /// Path relative to the root of the repository.
    pub path: PathBuf,
    pub blocks: Vec<Block>,
    /// Text of the page without fenced blocks.
    pub prose: String,
}

/// A fenced block.
#[derive(Debug, Default)]
pub struct Block {
    /// File and line of the block, for messages.
    pub place: String,
    /// Label of the block, such as `sh` or `json task-set`.
    pub info: String,
    /// File where the reader of the page saves the block.
    pub file: Option<String>,
    /// Duration of the commands in the block, if the commands take too long for a test.
    pub not_run: Option<String>,
    pub text: String,
}

/// All documents of the repository.
pub fn pages() -> Vec<Page> {
    let mut paths = Vec::new();
    find(root(), &mut paths);
    paths.sort();
    assert!(paths.len() >= 8, "{paths:?}");
    paths.iter().map(|path| page(path)).collect()
}

/// Returns the documents to check. With `GPUSCHED_PAGE=docs/limits.md`, only documents are
/// checked whose path starts with this value.
pub fn chosen_pages() -> Vec<Page> {
    let chosen = std::env::var("GPUSCHED_PAGE").unwrap_or_default();
    let pages = pages();
    let chosen = |page: &Page| page.path.to_string_lossy().starts_with(&chosen);
    pages.into_iter().filter(chosen).collect()
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            find(&path, paths);
        } else if name.ends_with(".md") {
            paths.push(path);
        }
    }
}

fn page(path: &Path) -> Page {
    let text = std::fs::read_to_string(path).unwrap();
    let path = path.strip_prefix(root()).unwrap().to_owned();
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let (mut file, mut not_run) = (None, None);
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), index + 1);
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    place,
                    info: info.trim().to_owned(),
                    file: file.take(),
                    not_run: not_run.take(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text += line;
                block.text.push('\n');
            }
            (None, None) => {
                assert!(
                    !line.trim_start().starts_with("```"),
                    "{place}: an indented block"
                );
                let comment = line
                    .strip_prefix("<!-- ")
                    .and_then(|line| line.strip_suffix(" -->"));
                let marker = comment.and_then(|comment| comment.split_once(": "));
                match marker {
                    Some(("file", name)) => file = Some(name.to_owned()),
                    Some(("not run", time)) => not_run = Some(time.to_owned()),
                    _ => assert!(
                        line.is_empty() || (file.is_none() && not_run.is_none()),
                        "{place}: expected a block after the comment"
                    ),
                }
                prose += line;
                prose.push('\n');
            }
        }
    }
    assert!(open.is_none(), "{}: a block without end", path.display());
    Page { path, blocks, prose }
}

/// Code spans of `text`: the text between backticks.
pub fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
