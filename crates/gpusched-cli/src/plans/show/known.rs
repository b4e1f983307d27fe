//! Files that `show` knows by their place, their ending or their schema.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Description;
use crate::formats::formats;
use crate::report::{Table, clip};
use gpusched_model::counted;
use gpusched_model::reader::RawDocument;
use gpusched_study::Spec;

/// Returns the folder of the file at `path` if the file is one of the results of a study there. Its name starts with the name of the
/// study, and `NAME.provenance.json` of this study is in the same folder.
pub(super) fn results_with(path: &Path) -> Option<PathBuf> {
    let file = path.file_name()?.to_str()?;
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let is_study = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let study = { name.to_str() }.and_then(|name| name.strip_suffix(".provenance.json"));
        study.is_some_and(|study| file.strip_prefix(study).is_some_and(|rest| rest.starts_with('.')))
    };
    let mut entries = fs::read_dir(folder).ok()?.flatten();
    entries.any(is_study).then(|| folder.to_owned())
}

/// Returns the description of a study.
pub(super) fn of_study(spec: &Spec) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("source", spec.source_text().to_owned());
    facts.insert("claims", spec.claims().len().to_string());
    Description {
        kind: "study",
        claim: format!("the study `{}`: {}", spec.name(), clip(spec.title(), 200)),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched study run {}", spec.file())),
        negative: false,
        quiet: false,
    }
}

/// The fields of a schema that tell its documents from other documents.
#[derive(Deserialize)]
struct Fields {
    description: Option<String>,
    #[serde(default)]
    properties: BTreeMap<String, IgnoredAny>,
    #[serde(default)]
    required: Vec<String>,
}

/// Returns the description of a document that has the fields of a schema: all required fields, and no unknown field. If several schemas
/// permit the document, those with the most required fields describe it.
pub(super) fn of_format(document: &RawDocument, shown: &str) -> Option<Description> {
    let present = document.fields();
    if present.is_empty() {
        return None;
    }
    let known = formats().into_iter().filter_map(|(name, files, schema)| {
        let fields: Fields = serde_json::from_str(schema).ok()?;
        let permits = { present.keys() }.all(|field| fields.properties.contains_key(field)) && {
            fields.required.iter()
        }
        .all(|field| present.contains_key(field));
        permits.then_some((name, files, fields))
    });
    let known: Vec<_> = known.collect();
    let most = { known.iter() }.map(|(.., fields)| fields.required.len()).max()?;
    let best: Vec<_> = { known.iter() }
        .filter(|(.., fields)| fields.required.len() == most)
        .collect();
    let (kind, _, schema) = best.first()?;
    let files: Vec<&str> = best.iter().map(|(_, files, _)| *files).collect();
    let mut facts = BTreeMap::new();
    for field in ["name", "title", "source"] {
        let text = { present.get(field) }.and_then(|text| serde_json::from_str::<String>(text.get()).ok());
        facts.extend(text.map(|text| (field, clip(&text, 200))));
    }
    facts.extend({ schema.description.as_ref() }.map(|words| ("contains", words.clone())));
    facts.insert("fields", counted(present.len(), "field"));
    // A description such as "input of `predict`" names the command that reads the file.
    let reader = { files.iter() }.find_map(|files| files.strip_prefix("input of `")?.split('`').next());
    let next = match reader {
        Some(command) => format!("gpusched {command} {shown}"),
        None => format!("gpusched schema {kind}"),
    };
    Some(Description {
        kind,
        claim: format!("a file of the format `{kind}`: {}", files.join("; or ")),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(next),
        negative: false,
        quiet: false,
    })
}

/// Tables that commands read: the first column, what the table contains, and the command.
const TABLES: [(&str, &str, &str); 2] = [
    ("sms", "measured execution times of a kernel", "wcet fit"),
    ("run", "measured times of thread blocks", "wcet cluster"),
];

/// Returns the description of a table of measured times. `header` is the first line of the file `shown`.
pub(super) fn of_table(header: &str, shown: &str) -> Option<Description> {
    let first = header.split(',').next()?.trim();
    let (_, content, command) = TABLES.into_iter().find(|(column, ..)| *column == first)?;
    Some(Description {
        kind: "table",
        claim: format!("a table of {content}"),
        facts: BTreeMap::from([("columns", clip(header.trim(), 200))]),
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched {command} {shown}")),
        negative: false,
        quiet: false,
    })
}
