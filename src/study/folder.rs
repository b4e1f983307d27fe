//! The files of a study in its folder; several studies can share one.

use std::path::{Path, PathBuf};

use super::work::Shard;

/// How journals end; git ignores them.
pub const JOURNAL: &str = ".checkpoint.jsonl";

/// Where the files of one study are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
    study: String,
}

impl Folder {
    /// The files of `study` in the folder at `path`.
    pub fn new(path: impl AsRef<Path>, study: &str) -> Folder {
        Folder {
            path: path.as_ref().to_owned(),
            study: study.to_owned(),
        }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The study as it was run.
    pub fn spec(&self) -> PathBuf {
        self.file(".toml")
    }

    /// The results: byte-stable.
    pub fn results(&self) -> PathBuf {
        self.file(".csv")
    }

    /// Times, which differ from run to run.
    pub fn timing(&self) -> PathBuf {
        self.file(".timing.csv")
    }

    /// The figure; `part` tells several of one study apart.
    pub fn figure(&self, part: Option<&str>) -> PathBuf {
        self.file(&part.map_or(".svg".to_owned(), |part| format!(".{part}.svg")))
    }

    /// What became of the claims.
    pub fn claims(&self) -> PathBuf {
        self.file(".claims.json")
    }

    /// Where the results come from: byte-stable.
    pub fn provenance(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}.provenance.json", suffix(shard)))
    }

    /// The chunks done so far.
    pub fn journal(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}{JOURNAL}", suffix(shard)))
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.path.join(format!("{}{ending}", self.study))
    }
}

/// Shards of one study can share a folder, too.
fn suffix(shard: Shard) -> String {
    if shard.is_whole() {
        String::new()
    } else {
        format!(".shard-{}-of-{}", shard.index(), shard.count())
    }
}
