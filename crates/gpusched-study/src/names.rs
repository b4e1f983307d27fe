//! Names in a study: of its files, and of what its rows are about.

use std::collections::HashSet;

use super::document::Document;
use gpusched_model::error::Result;

/// The name of a study must be usable as a file name.
pub(super) fn of_files(document: &Document, name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || !name.chars().all(allowed) || name.len() > 100 {
        let message = format!(
            "found \"{}\", expected 1 to 100 letters, digits, `.`, `-` or `_`, the first a letter or digit",
            name.escape_debug()
        );
        return Err(document.error("name", message));
    }
    Ok(())
}

/// There must be at least one [[`list`]], under visible and different `names`.
pub(super) fn unique(document: &Document, list: &str, names: Vec<&str>) -> Result<()> {
    if names.is_empty() {
        return Err(document.error(list, format!("found none, expected at least one [[{list}]]")));
    }
    let mut seen = HashSet::new();
    for (index, name) in names.into_iter().enumerate() {
        let field = format!("{list}[{index}].name");
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            let message = format!("found \"{}\", expected visible characters", name.escape_debug());
            return Err(document.error(&field, message));
        }
        if !seen.insert(name) {
            return Err(document.error(
                &field,
                format!("found \"{name}\" twice, expected different names"),
            ));
        }
    }
    Ok(())
}
