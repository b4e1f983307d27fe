//! The options of one or several files, and which of them somebody asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::MAX_BYTES;
use super::tokens::{Token, tokens};
use super::value::{Value, clip, quoted};
use gpusched_model::error::{Error, Refusal, Result};

/// An option as a file sets it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The option, with its dash.
    pub option: String,
    /// Its value; switches may do without.
    pub value: Option<String>,
    /// The file.
    pub file: String,
    /// The line of the option.
    pub line: usize,
}

/// An option that no file sets, and the reference's default for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The option, or the part of it that is missing.
    pub option: String,
    /// The default.
    pub value: String,
}

/// The options of all files; of those set twice, the last.
pub(super) struct Settings {
    /// The last file, for what is missing.
    file: String,
    settings: BTreeMap<String, Setting>,
    asked: BTreeSet<&'static str>,
    missing: Vec<Missing>,
}

impl Settings {
    pub fn new() -> Settings {
        Settings {
            file: String::new(),
            settings: BTreeMap::new(),
            asked: BTreeSet::new(),
            missing: Vec::new(),
        }
    }

    /// Adds those of the file called `file`, with this content.
    pub fn add(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        file.clone_into(&mut self.file);
        let refuse = |line, field: &str, message: String| {
            Err(Error::Refused(Refusal::told(field, message).at(file, line)))
        };
        if bytes.len() as u64 > MAX_BYTES {
            return refuse(
                1,
                "",
                format!("found a file of more than {MAX_BYTES} bytes, expected at most that"),
            );
        }
        let tokens = match tokens(bytes) {
            Ok(tokens) => tokens,
            Err(fault) => return refuse(fault.line, "", fault.message),
        };
        let mut current: Option<Setting> = None;
        for Token { text, line } in tokens {
            match &mut current {
                _ if is_option(&text) => {
                    if text == "-config" {
                        let message = "found a file in a file, expected all files on the command line";
                        return refuse(line, &text, message.to_owned());
                    }
                    self.keep(current.take());
                    current = Some(Setting {
                        option: text,
                        value: None,
                        file: file.to_owned(),
                        line,
                    });
                }
                Some(setting) if setting.value.is_none() => setting.value = Some(text),
                // The reference gives each option one value, so that what follows would be dropped.
                last => {
                    let after = last.as_ref().map_or(String::new(), |setting| {
                        format!(" (or none, after the value of {})", clip(&setting.option))
                    });
                    let message = format!(
                        "found {}, expected an option such as -gpgpu_n_clusters{after}",
                        quoted(&text)
                    );
                    return refuse(line, "", message);
                }
            }
        }
        self.keep(current);
        Ok(())
    }

    fn keep(&mut self, setting: Option<Setting>) {
        if let Some(setting) = setting {
            self.settings.insert(setting.option.clone(), setting);
        }
    }

    /// The value of `option`: what a file says, or else `default`; an option without value stands for `alone`.
    fn get(&mut self, option: &'static str, default: Option<&str>, alone: Option<&str>) -> Result<Value> {
        self.asked.insert(option);
        let Some(setting) = self.settings.get(option) else {
            let Some(default) = default else {
                return Err(self.refuse(option, "none", "the option"));
            };
            self.missing.push(Missing {
                option: option.to_owned(),
                value: default.to_owned(),
            });
            return Ok(Value {
                option,
                text: default.to_owned(),
                file: self.file.clone(),
                line: None,
            });
        };
        let Some(text) = setting.value.as_deref().or(alone) else {
            return Err(self.refuse(option, "no value", "one"));
        };
        Ok(Value {
            option,
            text: text.to_owned(),
            file: setting.file.clone(),
            line: Some(setting.line),
        })
    }

    /// The value of `option`, or else the reference's `default`.
    pub fn value(&mut self, option: &'static str, default: &str) -> Result<Value> {
        self.get(option, Some(default), None)
    }

    /// The value of `option`, which must be set, as the reference has no valid default.
    pub fn required(&mut self, option: &'static str) -> Result<Value> {
        self.get(option, None, None)
    }

    /// The value of `option` if it is set; the reference knows what to do without.
    pub fn optional(&mut self, option: &'static str) -> Result<Option<Value>> {
        self.asked.insert(option);
        match self.settings.contains_key(option) {
            true => self.required(option).map(Some),
            false => Ok(None),
        }
    }

    /// A switch; without value, it is on.
    pub fn flag(&mut self, option: &'static str, default: bool) -> Result<bool> {
        let default = if default { "1" } else { "0" };
        let value = self.get(option, Some(default), Some("1"))?;
        match value.text.as_str() {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(value.refuse("0 or 1")),
        }
    }

    /// A number.
    pub fn number(&mut self, option: &'static str, default: &str) -> Result<u32> {
        self.value(option, default)?.number()
    }

    /// Notes that `part` of an option was missing.
    pub fn note_missing(&mut self, part: String, value: &str) {
        let value = value.to_owned();
        self.missing.push(Missing { option: part, value });
    }

    /// An error in `option`, where it is set.
    pub fn refuse(&self, option: &str, found: &str, expected: &str) -> Error {
        let setting = self.settings.get(option);
        let file = setting.map_or(&self.file, |setting| &setting.file);
        let line = setting.map(|setting| setting.line);
        Refusal::new(option, found, expected).at(file, line).into()
    }

    /// What nobody asked for, in the order of files and lines; and what was asked for and missing.
    pub fn finish(self) -> (Vec<Setting>, Vec<Missing>) {
        let rest = self.settings.into_values();
        let mut ignored: Vec<Setting> = rest
            .filter(|one| !self.asked.contains(one.option.as_str()))
            .collect();
        ignored.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        (ignored, self.missing)
    }
}

/// Whether `text` is an option, and no value such as -1.
fn is_option(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('-')
        && letters
            .next()
            .is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_')
}

/// The content of the file at `path`, at most one byte more than [`MAX_BYTES`]; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let count = if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        let file = std::fs::File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)
    };
    count.map_err(|cause| Error::io(path, "read", cause))?;
    Ok(bytes)
}
