//! A Markdown page that lists which published claims the studies reproduce. For all other claims, it lists the reasons.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use strum::{EnumMessage as _, VariantArray as _};

use super::findings::{Findings, Study};
use super::reasons::{Reason, Reasons};
use crate::claim::Finding;
use crate::spec::kind::Kind;
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Maximum number of characters per line, except for a line with a single longer word.
const WIDTH: usize = 158;

/// Maximum number of computed values that the page lists for one claim.
const FIGURES: usize = 4;

/// The command lines that the page names.
#[derive(Copy, Clone, Debug)]
pub struct Commands<'a> {
    /// Writes the page.
    pub page: &'a str,
    /// Prints the condition and the computed values of each claim.
    pub check: &'a str,
    /// Returns the command line that runs the study in the file of the first path, with its results in the folder of the
    /// second path.
    pub run: fn(&Path, &Path) -> String,
}

/// Returns the page about finished studies. The page depends only on the claims and results of these studies, on
/// `reasons` and on `commands`.
///
/// # Errors
/// Fails under the same conditions as [`Study::findings`], and if a reason is stated for an unknown or a reproduced claim.
pub fn reproduction(studies: &[Study], reasons: &Reasons, commands: Commands<'_>) -> Result<String> {
    let Commands { page, check, run } = commands;
    let findings: Vec<Findings> = studies.iter().map(Study::findings).collect::<Result<_>>()?;
    reasons.check(&findings)?;
    let about = format!(
        "The studies check published claims and hypotheses of gpusched. This page first lists the claims that \
         are not reproduced, with the reason, the published values and the values that the study computes for \
         the condition of the claim. A name in parentheses after computed values is an analysis variant. \
         `{page}` writes this page."
    );
    let mut page = format!("# Reproduction\n\n{}\n", wrapped(&about, ""));
    page += &summary(&findings, reasons);
    page += &deviations(&findings, reasons);
    page += &not_checkable(reasons);
    page += &by_construction(&findings, reasons);
    let mut about = format!(
        "If the results do not confirm a claim with the mark *must hold*, the study fails. `{check}` prints the \
         condition and the computed values of each claim."
    );
    let common = common_folder(studies);
    if let Some(folder) = &common {
        let (file, results) = (folder.join("NAME.toml"), folder.join("NAME"));
        let _ = write!(about, " {}", repetition(&run(&file, &results), "the study NAME"));
    }
    page += &format!("## Reproduced\n\n{}\n", wrapped(&about, ""));
    for (study, findings) in studies.iter().zip(&findings) {
        page += &section(study, findings, reasons, common.is_none().then_some(run));
    }
    Ok(page)
}

/// Returns the paper of a claim: the tag at the start of its source.
fn paper(source: Option<&str>) -> &str {
    let tag = source.and_then(|source| Some(&source[..=source.find(']')?]));
    tag.filter(|tag| tag.starts_with('[')).unwrap_or(OWN)
}

/// Name of claims that come from no paper.
const OWN: &str = "gpusched's own hypotheses";

/// Returns a table with one row for each paper. The row counts the claims of this paper.
fn summary(findings: &[Findings], reasons: &Reasons) -> String {
    let mut papers: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for (study, claim) in findings
        .iter()
        .flat_map(|study| claims(study).map(move |claim| (study, claim)))
    {
        let Some(first) = claim.first() else { continue };
        let holds = claim.iter().filter(|finding| finding.reproduced).count();
        let column = match holds {
            0 => 3,
            _ if holds < claim.len() => 2,
            _ if reasons.is_by_construction(&study.study, &first.id) => 1,
            _ => 0,
        };
        papers.entry(paper(first.source.as_deref())).or_default()[column] += 1;
    }
    for claim in &reasons.not_checkable {
        papers.entry(paper(Some(&claim.source))).or_default()[4] += 1;
    }
    let mut text = String::from(
        "| claims of | reproduced | by construction | in some analysis variants | not reproduced | not checked |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    for (paper, counts) in &papers {
        let cells = counts.map(|count| count.to_string());
        text += &row([*paper].into_iter().chain(cells.iter().map(String::as_str)));
    }
    text + "\n"
}

/// Returns the list of claims that at least one analysis variant does not reproduce. The list is sorted by reason. It
/// states the published numbers and the computed values.
fn deviations(findings: &[Findings], reasons: &Reasons) -> String {
    let mut text = String::new();
    for &reason in Reason::VARIANTS {
        let mut items = String::new();
        for deviation in reasons
            .deviations
            .iter()
            .filter(|deviation| deviation.reason == reason)
        {
            items += &wrapped(&format!("**{}**: {}", deviation.study, deviation.why), "* ");
            let study = findings
                .iter()
                .filter(|findings| findings.study == deviation.study);
            for claim in study.flat_map(claims) {
                let failed = || claim.iter().filter(|finding| !finding.reproduced);
                if let Some(first) = failed()
                    .next()
                    .filter(|first| deviation.claims.contains(&first.id))
                {
                    items += &wrapped(&missed(first, failed()), "  * ");
                }
            }
        }
        if !items.is_empty() {
            let _ = write!(
                text,
                "## Not reproduced: {}\n\n{}\n{items}\n",
                reason.get_message().unwrap_or_default(),
                wrapped(reason.get_documentation().unwrap_or_default(), "")
            );
        }
    }
    let open: Vec<String> = findings
        .iter()
        .flat_map(|study| claims(study).map(move |claim| (study, claim)))
        .filter(|(study, claim)| {
            claim
                .iter()
                .any(|finding| !finding.reproduced && reasons.of(&study.study, &finding.id).is_none())
        })
        .filter_map(|(study, claim)| Some((study, claim.iter().find(|finding| !finding.reproduced)?, claim)))
        .map(|(study, first, claim)| {
            let failed = claim.iter().filter(|finding| !finding.reproduced);
            wrapped(&format!("{}: {}", study.study, missed(first, failed)), "* ")
        })
        .collect();
    if !open.is_empty() {
        let _ = write!(text, "## Not reproduced: no reason stated\n\n{}\n", open.concat());
    }
    text
}

/// Returns the text about a claim that is not reproduced. It states the published numbers, and the values that the
/// study computes for each analysis variant.
fn missed<'f>(claim: &Finding, failed: impl Iterator<Item = &'f Finding>) -> String {
    let mut text = format!("{}: {}", claim.id, claim.text.trim_end_matches('.'));
    if let Some(source) = claim.source.as_deref().filter(|source| source.starts_with('[')) {
        let _ = write!(text, " ({source})");
    }
    text.push('.');
    if let Some(published) = claim.published.as_deref() {
        let _ = write!(text, " Published: {}.", published.trim_end_matches('.'));
    }
    let mut computed = Vec::new();
    for finding in failed {
        let variant = finding.variant.as_deref();
        let variant = variant.map_or(String::new(), |name| format!(" (`{name}`)"));
        let figures = finding.figures_in_words().into_iter();
        let mut values: Vec<String> = figures.map(|(_, value)| value).collect();
        if values.len() > FIGURES {
            values.truncate(FIGURES);
            values.push("…".to_owned());
        }
        computed.push(values.join(", ") + &variant);
    }
    if !computed.is_empty() {
        let _ = write!(text, " Computed: {}.", computed.join("; "));
    }
    text
}

fn not_checkable(reasons: &Reasons) -> String {
    let mut text = String::new();
    for claim in &reasons.not_checkable {
        let item = format!(
            "{}: {} ({}). {}",
            claim.claim,
            claim.text.trim_end_matches('.'),
            claim.source,
            claim.why
        );
        text += &wrapped(&item, "* ");
    }
    match text.is_empty() {
        true => text,
        false => format!("## Not checked\n\n{text}\n"),
    }
}

/// Returns the list of claims that are reproduced by construction, with the reasons.
fn by_construction(findings: &[Findings], reasons: &Reasons) -> String {
    let mut text = String::new();
    for group in &reasons.by_construction {
        text += &wrapped(&format!("**{}**: {}", group.study, group.why), "* ");
        let study = findings.iter().filter(|findings| findings.study == group.study);
        for claim in study.flat_map(claims) {
            if let Some(first) = claim.first().filter(|first| group.claims.contains(&first.id)) {
                text += &wrapped(&format!("{}: {}", first.id, first.text), "  * ");
            }
        }
    }
    let about = "The model of gpusched contains these claims as rules or as inputs, or the claims compare published \
                 numbers with each other. So their results say nothing about the papers.";
    match text.is_empty() {
        true => text,
        false => format!(
            "## Reproduced by construction\n\n{}\n{text}\n",
            wrapped(about, "")
        ),
    }
}

/// Returns the study file and the results folder of `study`. If the folder above the results
/// contains the study file, returns that file instead of the copy in the results folder.
fn paths(study: &Study) -> (PathBuf, &Path) {
    let folder = study.folder.path();
    let above = folder
        .parent()
        .map(|parent| parent.join(format!("{}.toml", study.spec.name())));
    let file = above
        .filter(|file| file.is_file())
        .unwrap_or(PathBuf::from(study.spec.file()));
    (file, folder)
}

/// Returns the folder that contains all studies. Returns `None` if a study is in another folder,
/// or if a study NAME does not have the file `NAME.toml` and the results folder `NAME`.
fn common_folder(studies: &[Study]) -> Option<PathBuf> {
    let mut common: Option<PathBuf> = None;
    for study in studies {
        let (name, (file, results)) = (study.spec.name(), paths(study));
        let folder = results.parent()?.to_owned();
        let is_usual = file == folder.join(format!("{name}.toml")) && results == folder.join(name);
        if !is_usual || common.as_ref().is_some_and(|common| *common != folder) {
            return None;
        }
        common = Some(folder);
    }
    common
}

/// Returns a sentence with the command that repeats `study`.
fn repetition(command: &str, study: &str) -> String {
    format!("`{command}` repeats {study}.")
}

/// Returns the list item of one study. It states the size, the title and the reproduced claims of the study, without the
/// claims that are reproduced by construction. The item also contains the command that repeats the study, if `run` is
/// present.
fn section(
    study: &Study,
    findings: &Findings,
    reasons: &Reasons,
    run: Option<fn(&Path, &Path) -> String>,
) -> String {
    let spec = &study.spec;
    let name_of = spec.name();
    let title = if spec.title().is_empty() {
        name_of
    } else {
        spec.title()
    };
    let mut about = format!(
        "**{name_of}** ({}, seed {}): {title}.",
        size(spec.kind()),
        spec.seed()
    );
    if let Some(run) = run {
        let (file, results) = paths(study);
        let _ = write!(about, " {}", repetition(&run(&file, results), "the study"));
    }
    if findings.findings.is_empty() {
        about += " The study has no claims.";
    } else if !findings.findings.iter().any(|finding| finding.reproduced) {
        about += " The study reproduces no claim.";
    }
    let mut text = wrapped(&about, "* ");
    // Hypotheses of gpusched share one item without their texts, so that the page stays short.
    let mut own = Vec::new();
    for claim in claims(findings) {
        let Some(first) = claim.first() else { continue };
        if reasons.is_by_construction(name_of, &first.id) {
            continue;
        }
        let of = |reproduced: bool| -> Vec<&str> {
            let found = claim.iter().filter(|finding| finding.reproduced == reproduced);
            found
                .map(|finding| finding.variant.as_deref().unwrap_or("all"))
                .collect()
        };
        let verdict = match (of(true).as_slice(), of(false).as_slice()) {
            ([], _) => continue,
            (_, []) => String::new(),
            (held, failed) => format!(
                " (reproduced in variant {}, not in {})",
                held.join(", "),
                failed.join(", ")
            ),
        };
        let must = if first.must_hold { " (must hold)" } else { "" };
        let item = format!("{}{must}{verdict}", first.id);
        match paper(first.source.as_deref()) {
            OWN => own.push(item),
            _ => text += &wrapped(&format!("{item}: {}", first.text), "  * "),
        }
    }
    if !own.is_empty() {
        text += &wrapped(&format!("Own hypotheses: {}.", own.join("; ")), "  * ");
    }
    text
}

/// Returns the numbers of points, task sets, SMs or cases of a study, as text.
fn size(kind: &Kind) -> String {
    match kind {
        Kind::Partitioning(study) => format!(
            "{} with {} each, {}",
            counted(study.points().len(), "point"),
            counted(study.sets(), "task set"),
            counted(study.sms(), "SM")
        ),
        Kind::Cases(study) => counted(study.cases().len(), "experiment case"),
    }
}

/// Returns the findings of each claim as a group. The findings of one claim are adjacent in the list.
fn claims(findings: &Findings) -> impl Iterator<Item = &[Finding]> {
    findings.findings.chunk_by(|a, b| a.id == b.id)
}

/// Returns a row of a table. Characters that would end a cell are escaped.
fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::from("|");
    for cell in cells {
        let _ = write!(text, " {} |", cell.replace('|', "\\|")); // Writing to a `String` cannot fail.
    }
    text.push('\n');
    text
}

/// Wraps `text` into lines of at most [`WIDTH`] characters. The first line starts with `bullet`, and all other lines are
/// indented by the length of `bullet`.
fn wrapped(text: &str, bullet: &str) -> String {
    let mut lines = String::new();
    let mut line = bullet.to_owned();
    let mut length = 0;
    for word in text.split_whitespace() {
        let longer = length + 1 + word.chars().count();
        if length > 0 && longer > WIDTH - bullet.len() {
            lines += &format!("{line}\n");
            (line, length) = (" ".repeat(bullet.len()), 0);
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word.chars().count();
    }
    format!("{lines}{line}\n")
}
