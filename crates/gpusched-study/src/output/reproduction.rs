//! A page in Markdown: which published claims the results of studies confirm, under which reading, with the figures.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::findings::{Findings, Study};
use crate::claim::Finding;
use crate::definition::kind::Kind;
use gpusched_model::counted;
use gpusched_model::error::Result;

/// The page about finished studies; it depends on nothing but their claims and results. `command` is what rendered it.
///
/// # Errors
/// Those of [`Study::findings`].
pub fn reproduction(studies: &[Study], command: &str) -> Result<String> {
    let findings: Vec<Findings> = studies.iter().map(Study::findings).collect::<Result<_>>()?;
    let mut page = format!(
        "# Reproduction\n\nWhich published claims come out, and which do not, under each reading of the published \
         experiment\n(see the errata for what the readings are). Rendered by `{command}`; not edited by hand.\n\n"
    );
    page += &overview(&findings);
    for (study, findings) in studies.iter().zip(&findings) {
        page += &section(study, findings);
    }
    Ok(page)
}

/// One row per claim, one column per reading.
fn overview(findings: &[Findings]) -> String {
    let all = || findings.iter().flat_map(|study| &study.findings);
    let mut readings: Vec<&str> = Vec::new();
    for reading in all().map(name) {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    let mut text = row(["claim", "statement", "source"]
        .into_iter()
        .chain(readings.iter().copied()));
    text += &format!("|{}\n", "---|".repeat(3 + readings.len()));
    for study in findings {
        for claim in claims(study) {
            let verdicts = readings.iter().map(|&reading| {
                let found = claim.iter().find(|finding| name(finding) == reading);
                found.map_or("–", verdict)
            });
            if let Some(first) = claim.first() {
                let words = [
                    first.id.as_str(),
                    &first.text,
                    first.source.as_deref().unwrap_or(""),
                ];
                text += &row(words.into_iter().chain(verdicts));
            }
        }
    }
    text
}

/// One study: how to repeat it, and the figures behind each verdict.
fn section(study: &Study, findings: &Findings) -> String {
    let spec = &study.spec;
    let (folder, name_of) = (study.folder.path(), spec.name());
    // The file in the folder of the results is a copy of the one above it, where there is one.
    let above = folder
        .parent()
        .map(|parent| parent.join(format!("{name_of}.toml")));
    let file = above
        .filter(|file| file.is_file())
        .unwrap_or(PathBuf::from(spec.file()));
    let mut text = format!(
        "\n## {name_of}\n\n{}: {}, seed {}, gpusched {}.\n`gpusched study run {} -o {}`\n\n",
        if spec.title().is_empty() {
            name_of
        } else {
            spec.title()
        },
        size(spec.kind()),
        spec.seed(),
        env!("CARGO_PKG_VERSION"),
        file.display(),
        folder.display(),
    );
    if findings.findings.is_empty() {
        return text + "No claims.\n";
    }
    text += "| claim | published | criterion | reading | verdict | ours |\n|---|---|---|---|---|---|\n";
    for claim in claims(findings) {
        for (index, finding) in claim.iter().enumerate() {
            let must = if finding.must_hold { " (must hold)" } else { "" };
            let (id, published, criterion) = match index {
                0 => (
                    format!("{}{must}", finding.id),
                    finding.published.as_deref().unwrap_or(""),
                    format!("`{}`", finding.holds),
                ),
                _ => (String::new(), "", String::new()),
            };
            let figures = finding.figures_in_words();
            let figures = figures
                .iter()
                .map(|(figure, value)| format!("`{figure}` = {value}"));
            let figures = figures.collect::<Vec<_>>().join("<br>");
            text += &row([
                id.as_str(),
                published,
                &criterion,
                name(finding),
                verdict(finding),
                &figures,
            ]);
        }
    }
    text
}

/// How much a study does, in words.
fn size(kind: &Kind) -> String {
    match kind {
        Kind::Partitioning(study) => format!(
            "{} of {}, {}",
            counted(study.points().len(), "point"),
            counted(study.sets(), "set"),
            counted(study.sms(), "SM")
        ),
        Kind::Cases(study) => counted(study.cases().len(), "case"),
    }
}

/// The findings of each claim, which stand together.
fn claims(findings: &Findings) -> impl Iterator<Item = &[Finding]> {
    findings.findings.chunk_by(|a, b| a.id == b.id)
}

fn name(finding: &Finding) -> &str {
    finding.reading.as_deref().unwrap_or("all")
}

fn verdict(finding: &Finding) -> &'static str {
    match finding.reproduced {
        true => "reproduced",
        false => "**not reproduced**",
    }
}

/// A row of a table; what would end a cell or a line is defused.
fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::from("|");
    for cell in cells {
        let cell = cell
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace('|', "\\|");
        let _ = write!(text, " {cell} |"); // a string takes everything
    }
    text.push('\n');
    text
}
