//! Options of one or several files, and a record of the options that the import used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::MAX_BYTES;
use super::names::{is_known, nearest};
use super::tokens::{Token, tokens};
use super::value::{Value, clip, quoted};
use gpusched_model::error::{Error, Refusal, Result};

/// Maximum number of unknown options that an error states.
const TOLD: usize = 10;

/// Option that a file sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Name of the option, with its dash.
    pub option: String,
    /// Value of the option; `None` for a switch without a value.
    pub value: Option<String>,
    /// Name of the file that sets the option.
    pub file: String,
    /// Line number of the option in the file.
    pub line: usize,
}

/// Option that no file sets, with the default value of GPGPU-Sim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Name of the option, or of its missing part.
    pub option: String,
    /// Default value of the option in GPGPU-Sim.
    pub value: String,
}

/// Options of all files. If an option is repeated, its last value applies.
pub(super) struct Settings {
    /// Name of the last file, for errors about missing options.
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

    /// Adds the options of the file `file`, whose content is `bytes`.
    pub fn add(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        file.clone_into(&mut self.file);
        let refuse = |line, field: &str, message: String| {
            Err(Error::Refused(Refusal::told(field, message).at(file, line)))
        };
        if bytes.len() as u64 > MAX_BYTES {
            return refuse(
                1,
                "",
                format!("found a file of more than {MAX_BYTES} bytes, expected at most {MAX_BYTES}"),
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
                        let message =
                            "found an option that includes a file, expected all files on the command line";
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
                // In GPGPU-Sim each option has one value, so GPGPU-Sim would ignore this word.
                last => {
                    let after = last.as_ref().map_or(String::new(), |setting| {
                        format!(" after the value of {}", clip(&setting.option))
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

    /// Checks that GPGPU-Sim knows all options. The error states all other options. A misspelled option would otherwise
    /// leave the default value of the intended option in effect.
    pub fn check_names(&self) -> Result<()> {
        let mut unknown: Vec<&Setting> = self.settings.values().collect();
        unknown.retain(|one| !is_known(&one.option));
        unknown.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        let Some(first) = unknown.first() else {
            return Ok(());
        };
        let told = unknown.iter().take(TOLD).map(|one| {
            let near = nearest(&one.option).map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let place = match one.file == first.file {
                true => format!("line {}", one.line),
                false => format!("{}:{}", one.file, one.line),
            };
            format!("{} in {place}{near}", clip(&one.option))
        });
        let more = match unknown.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let told = told.collect::<Vec<_>>().join(", ");
        let message = format!(
            "found options that GPGPU-Sim does not know: {told}{more}, expected options of GPGPU-Sim 4.2.0 or Accel-Sim"
        );
        let refusal = Refusal::told("", message);
        let hint =
            "correct the names; if another version of GPGPU-Sim has these options, remove them from the file";
        Err(refusal.at(&first.file, first.line).hint(hint).into())
    }

    /// Returns the value of `option` from the files, or `default` if no file sets the option. If a file sets the option
    /// without a value, returns `alone`.
    fn get(&mut self, option: &'static str, default: Option<&str>, alone: Option<&str>) -> Result<Value> {
        self.asked.insert(option);
        let Some(setting) = self.settings.get(option) else {
            let Some(default) = default else {
                return Err(self.refuse(option, "no such option in any file", "the option with a value"));
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
            return Err(self.refuse(option, "no value", "a value"));
        };
        Ok(Value {
            option,
            text: text.to_owned(),
            file: setting.file.clone(),
            line: Some(setting.line),
        })
    }

    /// Returns the value of `option`, or `default` if no file sets the option. `default` is the default of GPGPU-Sim.
    pub fn value(&mut self, option: &'static str, default: &str) -> Result<Value> {
        self.get(option, Some(default), None)
    }

    /// Returns the value of `option`. GPGPU-Sim has no valid default for this option, so the function fails if no file
    /// sets the option.
    pub fn required(&mut self, option: &'static str) -> Result<Value> {
        self.get(option, None, None)
    }

    /// Returns the value of `option`; `None` if no file sets the option.
    pub fn optional(&mut self, option: &'static str) -> Result<Option<Value>> {
        self.asked.insert(option);
        match self.settings.contains_key(option) {
            true => self.required(option).map(Some),
            false => Ok(None),
        }
    }

    /// Returns whether the switch `option` is on. A switch without a value is on.
    pub fn flag(&mut self, option: &'static str, default: bool) -> Result<bool> {
        let default = if default { "1" } else { "0" };
        let value = self.get(option, Some(default), Some("1"))?;
        match value.text.as_str() {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(value.refuse("0 or 1")),
        }
    }

    /// Returns the value of `option` as a number, or `default` if no file sets the option.
    pub fn number(&mut self, option: &'static str, default: &str) -> Result<u32> {
        self.value(option, default)?.number()
    }

    /// Records that no file sets `part` of an option. The default value `value` then applies.
    pub fn note_missing(&mut self, part: String, value: &str) {
        let value = value.to_owned();
        self.missing.push(Missing { option: part, value });
    }

    /// Returns an error about `option`, with the file and line that set the option.
    pub fn refuse(&self, option: &str, found: &str, expected: &str) -> Error {
        let setting = self.settings.get(option);
        let file = setting.map_or(&self.file, |setting| &setting.file);
        let line = setting.map(|setting| setting.line);
        Refusal::new(option, found, expected).at(file, line).into()
    }

    /// Returns the options that the import did not use, sorted by file and line. Also returns the
    /// missing options.
    pub fn finish(self) -> (Vec<Setting>, Vec<Missing>) {
        let rest = self.settings.into_values();
        let mut ignored: Vec<Setting> = rest
            .filter(|one| !self.asked.contains(one.option.as_str()))
            .collect();
        ignored.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        (ignored, self.missing)
    }
}

/// Returns whether `text` is an option, and not a value such as -1.
fn is_option(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('-')
        && letters
            .next()
            .is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_')
}

/// Reads the file at `path`, but at most [`MAX_BYTES`] + 1 bytes. The path `-` is standard input.
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
