//! A page in Markdown: which published claims the results of studies confirm, and why the others do not come out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::findings::{Findings, Study};
use super::reasons::{Reason, Reasons};
use crate::claim::Finding;
use crate::definition::kind::Kind;
use gpusched_model::counted;
use gpusched_model::error::Result;

/// The most characters of a line, where it can be broken.
const WIDTH: usize = 158;

/// The most figures of one claim; `study check` prints all.
const FIGURES: usize = 4;

/// The most characters of a claim's figures with their expressions; figures of a longer list stand alone.
const SHORT: usize = 80;

/// The page about finished studies; it depends on their claims, their results and `reasons` alone. `command` renders it.
///
/// # Errors
/// Fails as [`Study::findings`] does, and if `reasons` do not fit the findings ([`Reasons::check`]).
pub fn reproduction(studies: &[Study], reasons: &Reasons, command: &str) -> Result<String> {
    let findings: Vec<Findings> = studies.iter().map(Study::findings).collect::<Result<_>>()?;
    reasons.check(&findings)?;
    let mut page = format!(
        "# Reproduction\n\nThis page says which published claims the studies reproduce, and why others fail. `{command}` wrote it.\n\n"
    );
    page += &summary(&findings, reasons);
    page += &deviations(&findings, reasons);
    page += &not_checkable(reasons);
    page += "## Details\n\nEach list names the reproduced claims of a study, then the others. `gpusched study check` prints the condition and the figures of each claim.\n\n";
    for (study, findings) in studies.iter().zip(&findings) {
        page += &section(study, findings);
    }
    Ok(page)
}

/// The paper of a claim: the tag that its source starts with.
fn paper(source: Option<&str>) -> &str {
    let tag = source.and_then(|source| Some(&source[..=source.find(']')?]));
    tag.filter(|tag| tag.starts_with('['))
        .unwrap_or("gpusched's own hypotheses")
}

/// One row per paper, with numbers of claims.
fn summary(findings: &[Findings], reasons: &Reasons) -> String {
    let mut papers: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for claim in findings.iter().flat_map(claims) {
        let holds = claim.iter().filter(|finding| finding.reproduced).count();
        let column = match holds {
            0 => 2,
            _ if holds == claim.len() => 0,
            _ => 1,
        };
        let source = claim.first().and_then(|finding| finding.source.as_deref());
        papers.entry(paper(source)).or_default()[column] += 1;
    }
    for claim in &reasons.not_checkable {
        papers.entry(paper(Some(&claim.source))).or_default()[3] += 1;
    }
    let mut text = String::from(
        "| claims of | reproduced | in some analysis variants | not reproduced | not checkable |\n|---|--:|--:|--:|--:|\n",
    );
    for (paper, counts) in &papers {
        let cells = counts.map(|count| count.to_string());
        text += &row([*paper].into_iter().chain(cells.iter().map(String::as_str)));
    }
    text + "\n"
}

/// The claims that are not reproduced in some variant, by reason, with the published and the found figures.
fn deviations(findings: &[Findings], reasons: &Reasons) -> String {
    let mut text = String::new();
    for reason in Reason::ALL {
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
                "## Not reproduced: {}\n\n{}\n\n{items}\n",
                reason.title(),
                reason.about()
            );
        }
    }
    let open: Vec<String> = findings
        .iter()
        .flat_map(|study| claims(study).map(move |claim| (study, claim)))
        .filter(|(study, claim)| {
            claim
                .iter()
                .any(|finding| !finding.reproduced && !reasons.explain(&study.study, &finding.id))
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

/// A claim that is not reproduced, with what is published and what was found in each variant.
fn missed<'f>(claim: &Finding, failed: impl Iterator<Item = &'f Finding>) -> String {
    let mut text = format!("{}: {}", claim.id, claim.text.trim_end_matches('.'));
    if let Some(source) = claim.source.as_deref().filter(|source| source.starts_with('[')) {
        let _ = write!(text, " ({source})");
    }
    text.push('.');
    if let Some(published) = claim.published.as_deref() {
        let _ = write!(text, " Published: {}.", published.trim_end_matches('.'));
    }
    for finding in failed {
        let variant = finding
            .reading
            .as_deref()
            .map(|name| format!(" under {name}"))
            .unwrap_or_default();
        let figures = finding.figures_in_words();
        let named = figures.iter().map(|(name, value)| format!("`{name}` = {value}"));
        let named: Vec<String> = named.collect();
        let mut values = match named.iter().map(|figure| figure.chars().count()).sum::<usize>() <= SHORT {
            true => named,
            false => figures.into_iter().map(|(_, value)| value).collect(),
        };
        if values.len() > FIGURES {
            values.truncate(FIGURES);
            values.push("…".to_owned());
        }
        let _ = write!(text, " Found{variant}: {}.", values.join(", "));
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
        false => format!("## Not checkable\n\n{text}\n"),
    }
}

/// One study: how to repeat it, and one line per claim.
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
    let title = if spec.title().is_empty() {
        name_of
    } else {
        spec.title()
    };
    let mut text = format!("### {name_of}\n");
    let run = format!("`gpusched study run {} -o {}`", file.display(), folder.display());
    text += &wrapped(
        &format!("{title}: {}, seed {}. {run}", size(spec.kind()), spec.seed()),
        "",
    );
    if findings.findings.is_empty() {
        text += "* No claims.\n";
    }
    let mut missed = Vec::new();
    for claim in claims(findings) {
        let Some(first) = claim.first() else { continue };
        let of = |reproduced: bool| -> Vec<&str> {
            let found = claim.iter().filter(|finding| finding.reproduced == reproduced);
            found
                .map(|finding| finding.reading.as_deref().unwrap_or("all"))
                .collect()
        };
        let verdict = match (of(true).as_slice(), of(false).as_slice()) {
            ([], _) => {
                missed.push(first.id.as_str());
                continue;
            }
            (_, []) => String::new(),
            (held, failed) => format!(" (only in {}, not in {})", held.join(", "), failed.join(", ")),
        };
        let must = if first.must_hold { " (must hold)" } else { "" };
        text += &wrapped(&format!("{}{must}{verdict}: {}", first.id, first.text), "* ");
    }
    if !missed.is_empty() {
        text += &wrapped(&format!("**Not reproduced**: {}.", missed.join("; ")), "* ");
    }
    text + "\n"
}

/// The size of a study in words.
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

/// The findings of each claim, which are neighbors in the list.
fn claims(findings: &Findings) -> impl Iterator<Item = &[Finding]> {
    findings.findings.chunk_by(|a, b| a.id == b.id)
}

/// A row of a table. Characters that would end a cell or a line are escaped.
fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::from("|");
    for cell in cells {
        let _ = write!(text, " {} |", cell.replace('|', "\\|")); // never fails: the target is a string
    }
    text.push('\n');
    text
}

/// `text` on lines of at most [`WIDTH`] characters, the first one after `bullet`, the others indented as far.
fn wrapped(text: &str, bullet: &str) -> String {
    let mut lines = vec![bullet.to_owned()];
    for word in text.split_whitespace() {
        let indent = " ".repeat(bullet.len());
        let fits = |line: &String| line.chars().count() + 1 + word.chars().count() <= WIDTH;
        match lines.last_mut() {
            Some(line) if line.trim_end().len() == line.len() && !fits(line) => {
                lines.push(format!("{indent}{word}"))
            }
            Some(line) => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
                line.push_str(word);
            }
            None => {}
        }
    }
    lines.join("\n") + "\n"
}
