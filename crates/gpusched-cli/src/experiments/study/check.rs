//! `gpusched study check`: checks published claims against the results of studies.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::summary::summary;
use crate::report::{About, Output, Palette, Report, Table, json_document};
use crate::{Global, Outcome, Run};
use gpusched_model::error::Result;
use gpusched_study::{self, Finding, Findings, State, Study};

/// Arguments of `gpusched study check`. The command gives one verdict for each claim and analysis
/// variant.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Output folder of `study run`, or folder of studies with one results folder each
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Args {
    /// Returns the arguments for the results in `folder`.
    pub fn of(folder: PathBuf) -> Args {
        Args { folder }
    }
}

const EXAMPLE: &str = "\
Exit code 1: a claim that must hold is not reproduced. `check` skips studies without results.

Example:
  gpusched study run analysis/smoke.toml -o results && gpusched study check results";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let findings: Vec<Findings> = finished(&self.folder)?
            .iter()
            .map(Study::findings)
            .collect::<Result<_>>()?;
        report(&findings, &[], global)?;
        Ok((!findings.iter().any(Findings::is_failure)).into())
    }
}

/// Returns the studies in the folder at `path` that have results. If no study has results, returns all studies. A later
/// error then names the missing results.
pub(super) fn finished(path: &Path) -> Result<Vec<Study>> {
    let mut studies = gpusched_study::studies(path)?;
    if studies.iter().any(|study| study.state != State::Missing) {
        studies.retain(|study| study.state != State::Missing);
    }
    Ok(studies)
}

/// Writes the findings of studies in the requested format. Text also contains a summary of the results of `studies`.
pub(super) fn report(findings: &[Findings], studies: &[Study], global: &Global) -> Result<()> {
    Output::open(global)?.last(&About(studies, Checked(findings)))
}

fn text(study: &Findings, palette: &Palette) -> String {
    let all = &study.findings;
    let reproduced = all.iter().filter(|finding| finding.reproduced).count();
    let source = match study.source.as_str() {
        "" => String::new(),
        source => format!(", {source}"),
    };
    let header = palette.header;
    // Writing to a string never fails.
    let mut text = format!("{header}{}{source}{header:#}: ", study.study);
    let _ = match all.len() {
        0 => writeln!(text, "no claims"),
        count => writeln!(text, "{reproduced} of {count} findings reproduced"),
    };
    let variants = all.iter().filter_map(|finding| finding.variant.as_deref());
    let width = variants.map(|variant| variant.chars().count()).max().unwrap_or(0);
    let mut last = None;
    for finding in all {
        if last != Some(&finding.id) {
            last = Some(&finding.id);
            text += &statement(finding);
        }
        let (style, verdict) = match finding.reproduced {
            true => (palette.good, "reproduced    "),
            false => (palette.bad, "not reproduced"),
        };
        let variant = finding.variant.as_deref().unwrap_or("");
        let _ = writeln!(
            text,
            "    {variant:<width$}  {style}{verdict}{style:#}  {}",
            figures(finding, &format!("\n{:indent$}", "", indent = width + 22))
        );
    }
    text
}

/// Returns a text with the published claim and the criterion for its reproduction.
fn statement(finding: &Finding) -> String {
    let must = if finding.must_hold { " [must hold]" } else { "" };
    let mut text = format!("\n  {}{must}: {}", finding.id, finding.text);
    if let Some(source) = &finding.source {
        let _ = write!(text, " ({source})");
    }
    text.push('\n');
    if let Some(published) = &finding.published {
        let _ = writeln!(text, "    published: {published}");
    }
    let _ = writeln!(text, "    criterion: {}", finding.holds);
    text
}

/// Returns a text with the computed values, with `separator` between the values.
fn figures(finding: &Finding, separator: &str) -> String {
    let figures = finding.figures_in_words();
    let figures = figures.iter().map(|(name, value)| format!("{name} = {value}"));
    figures.collect::<Vec<_>>().join(separator)
}

/// Findings of all checked studies.
#[derive(Serialize)]
struct Checked<'a>(&'a [Findings]);

impl Report for About<&[Study], Checked<'_>> {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let findings = self.1.0.iter().flat_map(|study| {
            let findings = study.findings.iter();
            findings.map(move |finding| (&study.study, finding))
        });
        let table = Table::of(findings)
            .exact("study", |(study, _)| *study)
            .exact("claim", |(_, finding)| &finding.id)
            .exact("variant", |(_, finding)| finding.variant.as_ref())
            .exact("reproduced", |(_, finding)| finding.reproduced)
            .exact("must_hold", |(_, finding)| finding.must_hold)
            .exact("text", |(_, finding)| &finding.text)
            .exact("source", |(_, finding)| finding.source.as_ref())
            .exact("published", |(_, finding)| finding.published.as_ref())
            .exact("figures", |(_, finding)| {
                let figures = finding.figures.iter();
                let figures = figures.map(|(name, value)| format!("{name} = {value}"));
                figures.collect::<Vec<String>>().join("; ")
            })
            .exact("holds", |(_, finding)| &finding.holds);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let texts = self.1.0.iter().enumerate().map(|(index, findings)| {
            let summary = self.0.get(index).map(|study| summary(study, palette));
            Ok(text(findings, palette) + &summary.transpose()?.unwrap_or_default())
        });
        Ok(texts.collect::<Result<Vec<_>>>()?.join("\n"))
    }
}
