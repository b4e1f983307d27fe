//! The files of a study in its folder. Several studies can share a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::running::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// Ending of journals, which git ignores.
pub const JOURNAL: &str = ".checkpoint.jsonl";

/// Ending of the copies of files that cases name, after the name of the study.
pub(crate) const INPUTS: &str = ".inputs.json";

/// Paths of the files of one study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
    study: String,
}

impl Folder {
    /// Creates the paths of the files of `study` in the folder at `path`.
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

    /// Returns the path of the study as it was run.
    pub fn spec(&self) -> PathBuf {
        self.file(".toml")
    }

    /// Returns the path of the copies of files that cases name.
    pub fn inputs(&self) -> PathBuf {
        self.file(INPUTS)
    }

    /// Returns the path of the results, which are byte-stable.
    pub fn results(&self) -> PathBuf {
        self.file(".csv")
    }

    /// Returns the path of the times, which differ between runs.
    pub fn timing(&self) -> PathBuf {
        self.file(".timing.csv")
    }

    /// Returns the path of the weighted schedulability, which is byte-stable. It exists if the study requests it.
    pub fn weighted(&self) -> PathBuf {
        self.file(".weighted.csv")
    }

    /// Returns the path of the figure. `part` distinguishes several figures of one study.
    pub fn figure(&self, part: Option<&str>) -> PathBuf {
        self.file(&part.map_or(".svg".to_owned(), |part| format!(".{part}.svg")))
    }

    /// Returns the path of the results of the claims.
    pub fn claims(&self) -> PathBuf {
        self.file(".claims.json")
    }

    /// Returns the path of the provenance, which is byte-stable.
    pub fn provenance(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}.provenance.json", suffix(shard)))
    }

    /// Returns the path of the journal of finished chunks.
    pub fn journal(&self, shard: Shard) -> PathBuf {
        self.file(&format!("{}{JOURNAL}", suffix(shard)))
    }

    /// Writes the `text` of the study as it is run, and the files that it names, so that the folder is complete. Unchanged
    /// files are not written again, because another shard may be reading them.
    pub(crate) fn write_spec(
        &self,
        mut outputs: Outputs,
        text: &str,
        inputs: Option<&BTreeMap<String, String>>,
    ) -> Result<()> {
        if let Some(inputs) = inputs.filter(|inputs| !inputs.is_empty()) {
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

/// Returns a suffix for the files of a shard, because shards of one study can share a folder.
fn suffix(shard: Shard) -> String {
    if shard.is_whole() {
        String::new()
    } else {
        format!(".shard-{}-of-{}", shard.index(), shard.count())
    }
}
