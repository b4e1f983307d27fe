//! The files of a study in its folder; several studies can share one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::running::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// How journals end; git ignores them.
pub const JOURNAL: &str = ".checkpoint.jsonl";

/// How copies of the files that cases name end, after the name of the study.
pub(crate) const INPUTS: &str = ".inputs.json";

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

    /// The files that the study's cases name, if there are any.
    pub fn inputs(&self) -> PathBuf {
        self.file(INPUTS)
    }

    /// The results: byte-stable.
    pub fn results(&self) -> PathBuf {
        self.file(".csv")
    }

    /// Times, which differ from run to run.
    pub fn timing(&self) -> PathBuf {
        self.file(".timing.csv")
    }

    /// Weighted schedulability, if the study asks for it: byte-stable.
    pub fn weighted(&self) -> PathBuf {
        self.file(".weighted.csv")
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

    /// Writes the study as it is run, its `text` and the files that it names, so that the folder says all by itself. Files that are as
    /// they should be are left alone: another shard may be reading them.
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

/// Shards of one study can share a folder, too.
fn suffix(shard: Shard) -> String {
    if shard.is_whole() {
        String::new()
    } else {
        format!(".shard-{}-of-{}", shard.index(), shard.count())
    }
}
