//! Task sets of tools for real-time scheduling: SimSo and SchedCAT. In their files, a task has one WCET and no number of
//! SMs. So an import states on how many SMs the WCETs hold, and an export contains the WCETs on one number of SMs.

mod element;
mod plain;
mod schedcat;
mod simso;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use gpusched_model::TaskSet;
use gpusched_model::error::{Error, Refusal, Result};

use crate::xml;
use element::Element;

/// Tool whose files contain task sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Tool {
    /// Configuration with all tasks on one processor, as XML for SimSo.
    Simso,
    /// Task set, as XML for SchedCAT.
    Schedcat,
}

/// Unit of the times in a file without units.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds, as the examples of SchedCAT.
    #[default]
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl Unit {
    /// Returns the exponent e: the unit is 10^e ns.
    pub(crate) fn exponent(self) -> u32 {
        match self {
            Unit::Ns => 0,
            Unit::Us => 3,
            Unit::Ms => 6,
            Unit::S => 9,
        }
    }
}

/// Meaning of the times in a file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// Number of SMs on which the WCETs hold; from 1 to [`MAX_SMS`](gpusched_model::wcet::MAX_SMS).
    pub sms: u32,
    /// Unit of times in files of SchedCAT. Times in files of SimSo are in milliseconds.
    pub unit: Unit,
}

/// The task sets of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The task sets; at least one.
    pub sets: Vec<TaskSet>,
    /// Values that the conversion changes or leaves out.
    pub remarks: Remarks,
}

/// A file for another tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The content of the file.
    pub text: String,
    /// Values that the conversion changes or leaves out.
    pub remarks: Remarks,
}

/// Values that a conversion changes or leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Remarks {
    /// Parts whose loss may make a result optimistic.
    pub warnings: Vec<String>,
    /// Other parts.
    pub notes: Vec<String>,
}

impl Remarks {
    /// Adds a warning about attributes of tasks whose meaning is unknown, if there are any.
    fn unknown(&mut self, attributes: &BTreeSet<&str>) {
        if attributes.is_empty() {
            return;
        }
        let names: Vec<String> = attributes.iter().map(|name| format!("task.{name}")).collect();
        self.warnings.push(format!(
            "left out: {}, which gpusched does not know; these attributes may matter, so a verdict may be unsafe",
            names.join(", ")
        ));
    }
}

impl Tool {
    /// Reads the file of the tool at `path`. The path `-` is standard input. The WCET of each task is a table with one
    /// point, for `meaning.sms` SMs. On fewer SMs, the WCET is unknown. WCETs are rounded up to whole nanoseconds, and
    /// periods and deadlines are rounded down.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read. Fails with [`Error::Refused`] for a file of another format,
    /// and for a task that a sporadic task cannot represent safely.
    pub fn read(self, path: impl AsRef<Path>, meaning: Meaning) -> Result<Imported> {
        let path = path.as_ref();
        let text = xml::read_text(path, "XML")?;
        let document = xml::parse(path, &text)?;
        let root = Element::new(path, document.root_element());
        let (sets, remarks) = match self {
            Tool::Simso => simso::read(root, meaning.sms)?,
            Tool::Schedcat => schedcat::read(root, meaning)?,
        };
        match <[TaskSet; 1]>::try_from(sets) {
            Ok([set]) => Ok(Imported {
                sets: vec![named(set, path)?],
                remarks,
            }),
            Err(sets) if sets.is_empty() => Err(Error::file(path, "no task set", "at least one")),
            Err(sets) => Ok(Imported { sets, remarks }),
        }
    }

    /// Returns the file of the tool with `set`. The WCETs are those in a single partition of `meaning.sms` SMs, with the
    /// conflicts of this partition.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a WCET on this number of SMs is unknown, and if a period is below one unit.
    pub fn write(self, set: &TaskSet, meaning: Meaning) -> Result<Exported> {
        let tasks = plain::tasks(set, meaning.sms)?;
        let mut remarks = plain::left_out(set)?;
        let text = match self {
            Tool::Simso => simso::write(&tasks, &mut remarks),
            Tool::Schedcat => schedcat::write(&tasks, meaning.unit, &mut remarks)?,
        };
        Ok(Exported { text, remarks })
    }
}

/// Returns `set` with the name of the file at `path`.
fn named(set: TaskSet, path: &Path) -> Result<TaskSet> {
    let named = TaskSet::new(xml::stem(path), set.tasks().to_vec());
    named.map_err(|error| Refusal::told("", error).at(path, None).into())
}
