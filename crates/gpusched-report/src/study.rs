//! The page of a study shows figures, claims, tables of results and provenance.

use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_study::{Finding, Findings, Provenance, Reasons, Shard, Study, Table as Results};
use serde::Serialize;

use crate::figure::Figure;
use crate::verdict::{Check, Verdict};
use crate::view::{Cell, Table, Tone};
use crate::{Page, page};

/// Maximum number of rows of one table of results.
const ROWS: usize = 2_000;

#[derive(Serialize)]
struct Content<'a> {
    heading: String,
    source: String,
    verdict: Verdict,
    figures: Vec<Figure>,
    claims: Option<Table>,
    results: Vec<Section>,
    provenance: Vec<(&'static str, String)>,
    name: String,
    text: String,
    commands: &'a str,
}

/// A table of results, with a remark if it is not complete.
#[derive(Serialize)]
struct Section {
    file: String,
    table: Table,
    note: Option<String>,
}

/// Creates the page of `study`, whose results must be current. `reasons` explains claims that are not reproduced.
/// `commands` repeat the study from its file.
///
/// # Errors
/// Fails in the same cases as [`Study::findings`], [`Study::figures`] and [`Table::read`](gpusched_study::Table::read).
pub fn page(study: &Study, reasons: &Reasons, commands: &str) -> Result<Page> {
    let (spec, folder) = (&study.spec, &study.folder);
    let findings = study.findings()?;
    let heading = match spec.title() {
        "" => spec.name(),
        title => title,
    };
    let files = [
        ("results", "Results", folder.results()),
        ("weighted", "Weighted schedulability", folder.weighted()),
        (
            "paired",
            "Pairs of algorithms on the same task sets",
            folder.paired(),
        ),
        ("timing", "Times of the search", folder.timing()),
    ];
    let files = files.into_iter().filter(|(_, _, path)| path.exists());
    let results = files.map(|(id, caption, path)| Ok(section(id, caption, &Results::read(path)?)));
    let results: Vec<Section> = results.collect::<Result<_>>()?;
    let drawn = study.figures()?.into_iter().enumerate().map(|(index, figure)| {
        let caption = figure.options.title.as_deref().unwrap_or(heading);
        let alternative = format!("Figure: {caption}. The table of results contains all values.");
        Ok(Figure::new(
            format!("figure-{index}"),
            caption.to_owned(),
            alternative,
            &figure.svg()?,
        ))
    });
    let drawn: Vec<Figure> = drawn.collect::<Result<_>>()?;
    let verdict = verdict(&findings);
    let positive = verdict.positive;
    let content = Content {
        source: spec.source_text().to_owned(),
        figures: drawn,
        claims: claims(&findings, reasons),
        results,
        provenance: provenance(&Provenance::read(&folder.provenance(Shard::WHOLE))?),
        name: spec.name().to_owned(),
        text: spec.text().to_owned(),
        commands,
        heading: heading.to_owned(),
        verdict,
    };
    let title = format!("Study: {}", content.heading);
    Ok(Page {
        html: page::render("study.html", &title, &content)?,
        positive,
    })
}

fn verdict(findings: &Findings) -> Verdict {
    let all = &findings.findings;
    let reproduced = all.iter().filter(|finding| finding.reproduced).count();
    let failed = all.iter().filter(|finding| finding.is_failure());
    let checks: Vec<Check> = failed
        .map(|finding| {
            let variant = finding.variant.as_ref().map(|name| format!(" ({name})"));
            let text = format!("{}{}: {}", finding.id, variant.unwrap_or_default(), finding.text);
            Check::new(Tone::Bad, "must hold, but is not reproduced", text)
        })
        .collect();
    let (tone, word) = match (findings.is_failure(), reproduced == all.len()) {
        (true, _) => (Tone::Bad, "A claim that must hold is not reproduced"),
        (false, true) if all.is_empty() => (Tone::Plain, "Results without claims"),
        (false, true) => (Tone::Good, "All claims reproduced"),
        (false, false) => (Tone::Open, "Some claims are not reproduced"),
    };
    let count = counted(all.len(), "finding");
    let sentence = match all.is_empty() {
        true => "The study states no claims, so the page shows its results without a comparison.".to_owned(),
        false => format!(
            "The results confirm {reproduced} of {count}. A finding is the result of one claim for one analysis variant."
        ),
    };
    Verdict {
        tone,
        word: word.to_owned(),
        sentence,
        checks,
        positive: !findings.is_failure(),
    }
}

fn claims(found: &Findings, reasons: &Reasons) -> Option<Table> {
    let findings = &found.findings;
    let reason = |finding: &Finding| {
        let deviation = reasons.of(&found.study, &finding.id);
        Some(deviation.filter(|_| !finding.reproduced)?.text().replace('`', ""))
    };
    let explained = findings.iter().any(|finding| reason(finding).is_some());
    let table = Table::of(findings)
        .text("Claim", |finding| &finding.id)
        .text("Result", |finding| {
            match (finding.reproduced, finding.must_hold) {
                (true, _) => Cell::toned("reproduced", Tone::Good),
                (false, true) => Cell::toned("not reproduced, must hold", Tone::Bad),
                (false, false) => Cell::toned("not reproduced", Tone::Bad),
            }
        })
        .text("Analysis variant", |finding| Cell::of(finding.variant.clone()))
        .text("Statement", |finding| &finding.text)
        .when(explained, |table| {
            table.text("Reason for the deviation", |finding| Cell::of(reason(finding)))
        })
        .text("Published", |finding| Cell::of(finding.published.clone()))
        .text("Computed", |finding| {
            let values = finding.figures_in_words();
            let values = values.iter().map(|(name, value)| format!("{name} = {value}"));
            values.collect::<Vec<_>>().join("; ")
        })
        .text("Source", |finding| Cell::of(finding.source.clone()));
    let table = table
        .done()
        .on_page("claims", "Claims, with the result for each analysis variant");
    (!table.is_empty()).then_some(table)
}

fn section(id: &str, caption: &str, results: &Results) -> Section {
    let shown = results.len().min(ROWS);
    let columns = results.columns().iter();
    let columns = columns.filter_map(|name| results.find(name));
    // Shares of n sets are multiples of 1/n.
    let sets = results
        .find("sets")
        .and_then(|column| (0..shown).filter_map(|row| column.text(row).parse().ok()).max());
    let digits = sets.map_or(6, |sets: u64| sets.saturating_sub(1).to_string().len());
    let table = Table::of(0..shown).each(columns, |table, column| match column.is_numeric() {
        true if ["rate", "ci_low", "ci_high"].contains(&column.name()) => {
            table.number(column.name(), |row| {
                let exact = column.text(*row);
                let share = exact.parse().map(|share: f64| format!("{share:.digits$}"));
                Cell::valued(share.unwrap_or_else(|_| exact.to_string()), exact)
            })
        }
        true => table.number(column.name(), |row| column.text(*row)),
        false => table.text(column.name(), |row| column.text(*row)),
    });
    let table = table.done().on_page(id, caption);
    let file = std::path::Path::new(results.file())
        .file_name()
        .unwrap_or_default();
    let file = file.to_string_lossy().into_owned();
    let note = (shown < results.len()).then(|| {
        let all = counted(results.len(), "row");
        format!("The table shows the first {shown} of {all}. The file {file} contains all rows.")
    });
    Section { file, table, note }
}

fn provenance(found: &Provenance) -> Vec<(&'static str, String)> {
    let mut list = vec![
        ("Study", found.study.clone()),
        ("gpusched", found.gpusched.clone()),
        ("Seed", found.seed.to_string()),
    ];
    list.extend(found.points.map(|points| ("Points", points.to_string())));
    list.extend(found.sets.map(|sets| ("Task sets per point", sets.to_string())));
    list.extend(found.cases.map(|cases| ("Cases", cases.to_string())));
    list.push(("SHA-256 of the experiment", found.experiment_sha256.clone()));
    list.push(("SHA-256 of the study file", found.spec_sha256.clone()));
    list.extend(
        found
            .results_sha256
            .clone()
            .map(|hash| ("SHA-256 of the results", hash)),
    );
    list
}
