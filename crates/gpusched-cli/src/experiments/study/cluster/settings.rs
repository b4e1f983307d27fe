//! Settings of the jobs. They are from options, from a small file, or from the first submission.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::Tree;

/// Options for the jobs.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Jobs")]
pub struct Options {
    /// Partition of the cluster
    #[arg(long, value_name = "NAME", value_parser = word)]
    partition: Option<String>,
    /// Account that pays for the jobs
    #[arg(long, value_name = "NAME", value_parser = word)]
    account: Option<String>,
    /// Time limit of each job in the format of Slurm, such as 30 (minutes) or 2:00:00
    #[arg(long, value_name = "LIMIT", value_parser = time)]
    time: Option<String>,
    /// Memory of each job, such as 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<String>,
    /// Environment modules that each job loads
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = word)]
    modules: Vec<String>,
    /// File with these settings (TOML); options replace settings of the file
    ///
    /// Keys: `partition`, `account`, `time`, `memory`, `threads`, `modules` (a list), and `options`: a list of further options of
    /// `sbatch`, such as "--qos=low".
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
}

/// Settings of the jobs, as the site file and the record of a submission state them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl Options {
    /// Returns the settings. Options have precedence over the site file. The site file has precedence over `before`,
    /// the settings of an earlier submission.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the site file cannot be read, and with [`Error::Refused`] if it is invalid.
    pub fn settings(&self, threads: Option<usize>, before: &Settings) -> Result<Settings> {
        let site = match &self.site {
            Some(path) => Settings::read(path)?,
            None => Settings::default(),
        };
        let first = |option: &Option<String>, site: Option<String>, before: &Option<String>| {
            option.clone().or(site).or_else(|| before.clone())
        };
        let list = |lists: [&Vec<String>; 3]| {
            let given = lists.into_iter().find(|list| !list.is_empty());
            given.cloned().unwrap_or_default()
        };
        Ok(Settings {
            partition: first(&self.partition, site.partition, &before.partition),
            account: first(&self.account, site.account, &before.account),
            time: first(&self.time, site.time, &before.time),
            memory: first(&self.memory, site.memory, &before.memory),
            threads: threads.or(site.threads).or(before.threads),
            modules: list([&self.modules, &site.modules, &before.modules]),
            options: list([&site.options, &before.options, &Vec::new()]),
        })
    }
}

impl Settings {
    /// Reads the settings in the file at `path`.
    fn read(path: &Path) -> Result<Settings> {
        let text = std::fs::read_to_string(path).map_err(|cause| Error::io(path, "read", cause))?;
        let fault = |error: &toml::de::Error| {
            let line = error.span().map(|span| text[..span.start].lines().count().max(1));
            Refusal::told("", error.message().trim().replace('\n', "; ")).at(path, line)
        };
        let parser = toml::Deserializer::parse(&text).map_err(|error| fault(&error))?;
        let tree = Tree::deserialize(parser).map_err(|error| fault(&error))?;
        let settings: Settings = tree.read().map_err(|refusal| refusal.at(path, None))?;
        settings.check().map_err(|refusal| refusal.at(path, None))?;
        Ok(settings)
    }

    /// Checks that a line of a script can contain each setting.
    fn check(&self) -> Result<(), Refusal> {
        type Parser = fn(&str) -> Result<String, String>;
        let texts: [(&str, &Option<String>, Parser); 4] = [
            ("partition", &self.partition, word),
            ("account", &self.account, word),
            ("time", &self.time, time),
            ("memory", &self.memory, memory),
        ];
        for (field, text, parse) in texts {
            if let Some(text) = text {
                parse(text).map_err(|message| Refusal::told(field, message))?;
            }
        }
        for (field, list) in [("modules", &self.modules), ("options", &self.options)] {
            for (index, text) in list.iter().enumerate() {
                word(text).map_err(|message| Refusal::told(format!("{field}[{index}]"), message))?;
            }
        }
        if let Some(option) = self.options.iter().find(|option| !option.starts_with('-')) {
            return Refusal::refuse("options", option, "options of sbatch such as --qos=low");
        }
        match self.threads {
            Some(0) => Refusal::refuse("threads", 0, "at least 1"),
            _ => Ok(()),
        }
    }
}

/// Parses a time limit of Slurm: minutes, `minutes:seconds` or `hours:minutes:seconds`, possibly after `days-`.
fn time(text: &str) -> Result<String, String> {
    let (days, rest) = text.split_once('-').unwrap_or(("0", text));
    let mut parts = [days].into_iter().chain(rest.split(':'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match parts.all(is_number) && rest.split(':').count() <= 3 {
        true => Ok(text.to_owned()),
        false => Err(crate::arguments::refused(
            text,
            "minutes such as 30, or a time such as 2:00:00 or 1-12:00:00",
        )),
    }
}

/// Parses a size of Slurm: a number of megabytes, or a number with a unit.
fn memory(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(text);
    match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(text.to_owned()),
        false => Err(crate::arguments::refused(text, "a size such as 500M or 2G")),
    }
}

/// Parses a word that needs no quotes in a shell and in `#SBATCH` lines.
fn word(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/@+=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(crate::arguments::refused(
            text,
            "letters, digits and the characters _-.,:/@+= without blanks",
        )),
    }
}
