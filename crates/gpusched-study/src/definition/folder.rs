//! The files of a study in a folder. Several studies can use the same folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// Ending of the names of journals. Git ignores files with this ending.
pub const JOURNAL: &str = ".checkpoint.jsonl";

/// The file with copies of all files that the study names has a name with this ending. The ending follows the name of
/// the study.
pub(crate) const INPUTS: &str = ".inputs.json";

/// Paths of all files of one study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
    study: String,
}

impl Folder {
    /// Creates the paths for the files of `study` in the folder at `path`. No file is written.
    pub fn new(path: impl AsRef<Path>, study: &str) -> Folder {
        Folder {
            path: path.as_ref().to_owned(),
            study: study.to_owned(),
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the study file that a run writes. The file contains the study as gpusched ran it.
    pub fn spec(&self) -> PathBuf {
        self.file(".toml")
    }

    /// Returns the path of the file with copies of all files that the study names.
    pub fn inputs(&self) -> PathBuf {
        self.file(INPUTS)
    }

    /// Returns the path of the table of results. The file has the same bytes in every run.
    pub fn results(&self) -> PathBuf {
        self.file(".csv")
    }

    /// Returns the path of the table of times. The times differ from run to run.
    pub fn timing(&self) -> PathBuf {
        self.file(".timing.csv")
    }

    /// Returns the path of the table of weighted schedulability. The file exists only if the study requests it, and has the
    /// same bytes in every run.
    pub fn weighted(&self) -> PathBuf {
        self.file(".weighted.csv")
    }

    /// Returns the path of the table of pairs of algorithms. The file exists only if the study requests it, and has the same
    /// bytes in every run.
    pub fn paired(&self) -> PathBuf {
        self.file(".paired.csv")
    }

    /// Returns the path of a figure. If a study has several figures, `part` distinguishes them.
    pub fn figure(&self, part: Option<&str>) -> PathBuf {
        self.file(&part.map_or(".svg".to_owned(), |part| format!(".{part}.svg")))
    }

    /// Returns the path of the file that contains the result of checking each claim.
    pub fn claims(&self) -> PathBuf {
        self.file(".claims.json")
    }

    /// Returns the path of the provenance of `shard`. The file has the same bytes in every run.
    pub fn provenance(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}.provenance.json", suffix(shard)))
    }

    /// Returns the path of the journal, which contains the finished chunks of `shard`.
    pub fn journal(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}{JOURNAL}", suffix(shard)))
    }

    /// Writes the `text` of the study and copies of the files that the study names, so that the folder is complete. The
    /// function does not write a file that already has this content, because another shard may be reading the file.
    pub(crate) fn write_spec(
        &self,
        mut outputs: Outputs,
        text: &str,
        inputs: &BTreeMap<String, String>,
    ) -> Result<()> {
        if !inputs.is_empty() {
            let mut json = serde_json::to_vec_pretty(inputs)
                .map_err(|error| Error::io(self.inputs(), "write", error.into()))?;
            json.push(b'\n');
            update(&mut outputs, &self.inputs(), &json)?;
        }
        update(&mut outputs, &self.spec(), text.as_bytes())?;
        outputs.commit()
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.path.join(format!("{}{ending}", self.study))
    }
}

fn update(outputs: &mut Outputs, path: &Path, content: &[u8]) -> Result<()> {
    match fs::read(path) {
        Ok(found) if found == content => Ok(()),
        _ => outputs.write(path, content),
    }
}

/// Returns a suffix for the names of the files of a shard. Several shards of one study can use the same folder.
fn suffix(shard: Shard) -> String {
    if shard.is_whole() {
        String::new()
    } else {
        format!(".shard-{}-of-{}", shard.index(), shard.count())
    }
}
