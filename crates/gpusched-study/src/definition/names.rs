//! Checks of the names in a study: the name of the study, and the names of its cases, analysis
//! variants and algorithms.

use gpusched_model::Refusal;
use std::collections::HashSet;

use super::document::Document;
use gpusched_model::error::Result;

/// Checks that file names can start with `name`, the name of a study.
pub(crate) fn of_files(document: &Document, name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || !name.chars().all(allowed) || name.len() > 100 {
        return Err(document.error(Refusal::new(
            "name",
            format!("\"{}\"", name.escape_debug()),
            "1 to 100 letters, digits, `.`, `-` or `_`, beginning with a letter or digit",
        )));
    }
    Ok(())
}

/// Checks that the study has at least one [[`list`]]. Also checks that each of `names` has visible characters and differs
/// from all other names.
pub(crate) fn unique(document: &Document, list: &str, names: Vec<&str>) -> Result<()> {
    if names.is_empty() {
        return Err(document.error(Refusal::new(list, "none", format!("at least one [[{list}]]"))));
    }
    let mut seen = HashSet::new();
    for (index, name) in names.into_iter().enumerate() {
        let field = format!("{list}[{index}].name");
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(document.error(Refusal::new(
                &field,
                format!("\"{}\"", name.escape_debug()),
                "a name of visible characters",
            )));
        }
        if !seen.insert(name) {
            return Err(document.error(Refusal::new(
                &field,
                format!("\"{name}\" twice"),
                "different names",
            )));
        }
    }
    Ok(())
}
