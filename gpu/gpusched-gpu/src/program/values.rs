//! Stated contents of buffers. Expressions read these contents with `value(buffer, index)`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Expression, Op, Program, Statement};
use gpusched_model::error::{Error, Result};
use gpusched_model::{Refusal, counted};

/// Maximum size of a file with values [bytes].
const LONGEST: u64 = 1 << 28;

/// Contents of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// The values, from the start of the buffer on.
    Numbers(Arc<[i64]>),
    /// Path of a JSON file that contains a list of the values. The path is relative to the folder of the program file.
    File(PathBuf),
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Values::Numbers(numbers) => serializer.collect_seq(numbers.iter()),
            Values::File(path) => path.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Values, D::Error> {
        struct ValuesVisitor;

        impl<'de> Visitor<'de> for ValuesVisitor {
            type Value = Values;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of whole numbers, or the name of a JSON file with such a list")
            }

            fn visit_str<E>(self, path: &str) -> std::result::Result<Values, E> {
                Ok(Values::File(PathBuf::from(path)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Values, A::Error> {
                let mut numbers: Vec<i64> = Vec::new();
                while let Some(number) = items.next_element()? {
                    numbers.push(number);
                }
                Ok(Values::Numbers(numbers.into()))
            }
        }

        deserializer.deserialize_any(ValuesVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Values {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [
            {"type": "array", "items": {"type": "integer", "format": "int64"}},
            {"type": "string", "description": "a JSON file with a list of whole numbers"}
        ]})
    }
}

/// Contents of a buffer, and the size of each value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The values.
    pub values: Values,
    /// Size of a value [bytes]: 1, 2, 4 or 8.
    pub element: u8,
}

impl Contents {
    /// Default size of a value [bytes].
    pub const ELEMENT: u8 = 4;

    /// Returns the values if they are known. The values in a file are known after [`Program::read_values`].
    pub fn numbers(&self) -> Option<&Arc<[i64]>> {
        match &self.values {
            Values::Numbers(numbers) => Some(numbers),
            Values::File(_) => None,
        }
    }

    /// Checks the contents of a buffer of `bytes` bytes. The refusal states a field of the buffer.
    ///
    /// # Errors
    /// Fails for an invalid size of the values, for more values than fit in the buffer, and for a value that does not
    /// fit in this size.
    pub fn check(&self, bytes: u64) -> std::result::Result<(), Refusal> {
        let element = self.element;
        if !matches!(element, 1 | 2 | 4 | 8) {
            return Refusal::refuse("element", element, "1, 2, 4 or 8, the size of a value in bytes");
        }
        let Some(numbers) = self.numbers() else {
            return Ok(());
        };
        let most = bytes / u64::from(element);
        if numbers.len() as u64 > most {
            let found = format!("{} of {element} bytes", counted(numbers.len() as u64, "value"));
            return Refusal::refuse(
                "values",
                found,
                format!(
                    "at most {most} values, because the buffer has {}",
                    counted(bytes, "byte")
                ),
            );
        }
        if element < 8 {
            let bits = 8 * u32::from(element);
            let range = -(1_i64 << (bits - 1))..1_i64 << bits;
            if let Some((index, found)) = numbers
                .iter()
                .enumerate()
                .find(|(_, value)| !range.contains(value))
            {
                let expected = format!("a number from {} to {}", range.start, range.end - 1);
                return Refusal::refuse(format!("values[{index}]"), found, expected);
            }
        }
        Ok(())
    }
}

/// Reads the values in the JSON file at `path`.
///
/// # Errors
/// Fails if the file cannot be read, or if it does not contain a list of whole numbers.
pub fn read(path: &Path) -> Result<Arc<[i64]>> {
    let file = File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
    let mut text = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut text)
        .map_err(|cause| Error::io(path, "read", cause))?;
    if text.len() as u64 > LONGEST {
        return Err(Error::file(path, "more than 2^28 bytes", "at most 2^28 bytes"));
    }
    let values: Vec<i64> = serde_json::from_slice(&text).map_err(|error| {
        let told =
            format!("{error}; expected a list of whole numbers from -2^63 to 2^63 - 1, such as [3,1,2]");
        Refusal::told("", told).at(path, Some(error.line()).filter(|line| *line > 0))
    })?;
    Ok(values.into())
}

impl Program {
    /// Returns the paths of the files that contain values of buffers, relative to `folder`.
    pub fn value_files(&self, folder: &Path) -> Vec<PathBuf> {
        let contents = self
            .buffers
            .iter()
            .filter_map(|(_, buffer)| buffer.contents.as_ref());
        let files = contents.filter_map(|contents| match &contents.values {
            Values::File(path) => Some(folder.join(path)),
            Values::Numbers(_) => None,
        });
        files.collect()
    }

    /// Reads the values of all buffers whose values are in a file. Paths are relative to `folder`.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or if its values do not fit the buffer.
    pub fn read_values(&mut self, folder: &Path) -> Result<()> {
        for (name, buffer) in &mut self.buffers {
            let Some(contents) = &mut buffer.contents else {
                continue;
            };
            if let Values::File(path) = &contents.values {
                let path = folder.join(path);
                contents.values = Values::Numbers(read(&path)?);
                contents
                    .check(buffer.bytes)
                    .map_err(|refusal| refusal.within(&format!("buffers.{name}")).at(&path, None))?;
            }
        }
        Ok(())
    }

    /// Returns each buffer to which a store or an atomic may write although an expression reads its values. gpusched
    /// does not apply these writes, so addresses and conditions may be different in the real kernel.
    pub fn changed_contents(&self) -> Vec<&str> {
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        look_through(&self.body, &mut read, &mut written);
        let names = self.buffers.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| read.contains(*name) && written.contains(*name))
            .collect()
    }
}

/// Adds to `read` each buffer that an expression in `body` reads. Adds to `written` the names in the addresses of
/// stores and atomics.
fn look_through(body: &[Statement], read: &mut BTreeSet<String>, written: &mut BTreeSet<String>) {
    let look = |expression: &Expression, read: &mut BTreeSet<String>| {
        expression.buffers(&mut |name| {
            read.insert(name.to_owned());
        });
    };
    for statement in body {
        match statement {
            Statement::Instruction(instruction) => {
                if let Some(when) = &instruction.when {
                    look(when, read);
                }
                if let Some(access) = &instruction.access {
                    look(&access.address, read);
                    if matches!(instruction.op, Op::Store | Op::Atomic) {
                        access.address.names(&mut |name| {
                            written.insert(name.to_owned());
                        });
                    }
                }
            }
            Statement::Loop(inner) => {
                look(&inner.rounds, read);
                look_through(&inner.body, read, written);
            }
            Statement::If(branch) => {
                look(&branch.condition, read);
                look_through(&branch.then, read, written);
                look_through(&branch.otherwise, read, written);
            }
            Statement::Repeat(repeat) => look_through(&repeat.body, read, written),
        }
    }
}
