//! Strict reader of TOML files. Each error states the file, the line, the field, the value found and the value expected.

use std::fs;
use std::path::Path;

use serde::de::{Deserialize as _, DeserializeOwned};
use toml::de::{DeTable, DeValue};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Tree;

/// The text of a TOML file, with the name of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Document {
    /// Name of the file, as the user stated it.
    pub file: String,
    pub text: String,
}

impl Document {
    pub fn read(path: &Path) -> Result<Document> {
        Ok(Document {
            file: path.display().to_string(),
            text: fs::read_to_string(path).map_err(|cause| Error::io(path, "read", cause))?,
        })
    }

    /// Parses the text as a value of type `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        let deserializer = toml::Deserializer::parse(&self.text).map_err(|error| self.refuse(&error))?;
        let tree = Tree::deserialize(deserializer).map_err(|error| self.refuse(&error))?;
        tree.read().map_err(|refusal| self.error(refusal))
    }

    /// Sets the top-level field `key` to the integer `value`. All other text stays unchanged.
    pub fn set(&mut self, key: &str, value: u64) -> Result<()> {
        let table = DeTable::parse(&self.text).map_err(|error| self.refuse(&error))?;
        match table.get_ref().get(key).map(|value| value.span()) {
            Some(span) => self.text.replace_range(span, &value.to_string()),
            None => self.text.insert_str(0, &format!("{key} = {value}\n")),
        }
        Ok(())
    }

    /// Adds an algorithm for each pair of a name and a version, unless the study has a function of this name.
    ///
    /// # Errors
    /// Fails if the study states its algorithms in a list `algorithm = […]`, to which TOML adds no table.
    pub fn add_functions<'a>(&mut self, functions: impl Iterator<Item = (&'a str, &'a str)>) -> Result<()> {
        let table: toml::Table = self.parse()?;
        let algorithms = table.get("algorithm").and_then(toml::Value::as_array);
        let has = |name: &str| {
            let mut algorithms = algorithms.into_iter().flatten();
            algorithms.any(|algorithm| {
                let text = |field: &str| algorithm.get(field).and_then(toml::Value::as_str);
                text("name") == Some(name) && text("function").is_some()
            })
        };
        let before = self.text.len();
        for (name, version) in functions.filter(|(name, _)| !has(name)) {
            let [name, version] = [name, version].map(|text| toml::Value::from(text).to_string());
            self.text
                .push_str(&format!("\n[[algorithm]]\nname = {name}\nfunction = {version}\n"));
        }
        // The text before is valid, so only a table `algorithm` of another form makes the whole text invalid.
        if self.text.len() > before && DeTable::parse(&self.text).is_err() {
            self.text.truncate(before);
            let found = "a list of algorithms in one value, to which no function can be added";
            let refusal = Refusal::new("algorithm", found, "one table `[[algorithm]]` for each algorithm");
            return Err(self.error(refusal));
        }
        Ok(())
    }

    /// Returns `refusal` as an error with the name of the file. If `refusal` names a field, the error also states the line
    /// of that field.
    pub fn error(&self, refusal: Refusal) -> Error {
        let line = self.span(refusal.field()).map(|start| self.line(start));
        refusal.at(&self.file, line).into()
    }

    /// Returns the error for a fault of the TOML syntax.
    fn refuse(&self, error: &toml::de::Error) -> Error {
        let line = error.span().map(|span| self.line(span.start));
        let message = error.message().trim().replace('\n', "; ");
        Refusal::told("", message).at(&self.file, line).into()
    }

    /// Returns the position where the value of `field` starts. If `field` is missing, returns the start of the
    /// innermost existing table to which it would belong.
    fn span(&self, field: &str) -> Option<usize> {
        let table = DeTable::parse(&self.text).ok()?;
        let mut start = None;
        let mut table: Option<&DeTable<'_>> = Some(table.get_ref());
        for step in field.split('.').filter(|step| !step.is_empty()) {
            let (key, index) = match step.split_once('[') {
                Some((key, index)) => (key, index.trim_end_matches(']').parse::<usize>().ok()),
                None => (step, None),
            };
            let found = table.and_then(|table| match key {
                "variant" => table.get(key).or_else(|| table.get("reading")),
                key => table.get(key),
            });
            let Some(mut value) = found else { break };
            if let (Some(index), DeValue::Array(items)) = (index, value.get_ref()) {
                let Some(item) = items.get(index) else { break };
                value = item;
            }
            start = Some(value.span().start);
            table = match value.get_ref() {
                DeValue::Table(table) => Some(table),
                _ => None,
            };
        }
        start
    }

    /// Returns the number of the line that contains the byte at `position`. The first line has number 1.
    fn line(&self, position: usize) -> usize {
        let before = self.text.as_bytes().iter().take(position);
        before.filter(|&&byte| byte == b'\n').count() + 1
    }
}
