//! `study list` and `study check`: findings about published claims, and the results that the findings are based on.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::study_support::{SMALL, parse, run, small};
#[cfg(target_os = "linux")]
use crate::support::root;
use gpusched::study::{State, studies};
use insta::assert_snapshot;
use tempfile::tempdir;

/// Runs a command and returns exit code, standard output and standard error.
fn gpusched(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A claim that results cannot confirm.
const FALSE: &str = r#"
[[claim]]
id = "never"
text = "1G schedules more than everything"
source = "[Nobody] Fig. 1"
published = "101 %"
variants = ["literal"]
holds = 'max(rate, algorithm = "1G") > 1'
"#;

#[test]
fn claims_are_reported_and_those_that_must_hold_decide() {
    let root = tempdir().unwrap();
    let write = |text: &str| fs::write(root.path().join("small.toml"), text).unwrap();
    write(&format!("{SMALL}{FALSE}"));
    let (code, run_report, notes) = gpusched(&["study", "run", "small.toml", "-o", "small"], root.path());
    assert_eq!((code, notes.as_str()), (0, "small: 90 sets done in small\n"));
    let (code, report, notes) = gpusched(&["study", "check", "small"], root.path());
    assert_eq!((code, notes.as_str()), (0, ""));
    // A run also shows a table of the results, and names the files.
    let (findings, summary) = run_report.split_at(report.len());
    assert_eq!(report, findings);
    assert!(summary.ends_with("\nresults: small/small.csv\nfigure: small/small.svg\n"));
    assert_snapshot!(report);
    let written = fs::read(root.path().join("small/small.claims.json")).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written["findings"][2]["reproduced"], false);

    // Claims can be changed without another run of the study. The command finds results next to the study and in its
    // subfolders.
    write(&format!(
        "{SMALL}{}",
        FALSE.replace("published =", "must_hold = true\npublished =")
    ));
    let (code, json, _) = gpusched(&["study", "check", ".", "--format", "json"], root.path());
    assert_eq!(code, 1);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let never = &json[0]["findings"][2];
    assert_eq!(
        (never["id"].as_str(), never["reproduced"].as_bool()),
        (Some("never"), Some(false))
    );
    assert_eq!(never["figures"][0][1], 1.0);
    assert_eq!(never["holds"], "max(rate, algorithm = \"1G\") > 1");

    // The results exist in spite of the failed claim.
    let (code, report, _) = gpusched(&["study", "run", "small.toml", "-o", "again"], root.path());
    assert_eq!(code, 1, "{report}");
    assert!(root.path().join("again/small.csv").exists() && report.contains("never [must hold]"));

    let (code, csv, _) = gpusched(&["study", "check", ".", "-o", "findings.csv"], root.path());
    assert_eq!((code, csv.as_str()), (1, ""));
    let csv = fs::read_to_string(root.path().join("findings.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 3);
    assert!(lines[0].ends_with(",figures,holds"), "{csv}");
    assert!(lines[3].starts_with("small,never,literal,false,true,"), "{csv}");
    assert!(
        lines[3].ends_with("\"max(rate, algorithm = \"\"1G\"\") > 1\""),
        "{csv}"
    );
}

/// The results are far from the study and its files. Running and checking still work, because the results contain all
/// inputs.
#[test]
fn cases_can_be_run_from_elsewhere() {
    let (studies, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/histo-m4.json");
    fs::copy(kernel, studies.path().join("kernel.json")).unwrap();
    let spec = studies.path().join("cases.toml");
    let text = r#"
        kind = "cases"
        name = "cases"
        [[case]]
        name = "a"
        measure = "curve"
        kernel = "kernel.json"
        budgets = [0, 1]
        [figure]
        x = "q"
        series = "case"
        where = { quantity = "wcet" }
        [[claim]]
        id = "two"
        text = "there are two bounds"
        holds = 'count(value, quantity = "wcet") = 2'
    "#;
    fs::write(&spec, text).unwrap();
    // Other files of the folder have no effect on a run.
    fs::create_dir(elsewhere.path().join("out")).unwrap();
    let other = elsewhere.path().join("out/other.toml");
    fs::write(&other, "not a study").unwrap();
    let run = ["study", "run", spec.to_str().unwrap(), "-q", "-o", "out"];
    let (code, report, notes) = gpusched(&run, elsewhere.path());
    assert_eq!((code, notes.as_str()), (0, ""));
    assert!(report.contains("1 of 1 findings reproduced"), "{report}");
    assert!(elsewhere.path().join("out/cases.svg").exists());
    fs::remove_file(other).unwrap();

    for (command, part) in [
        (["study", "check", "out"], "1 of 1 findings reproduced"),
        (["study", "list", "out"], " current"),
        (["study", "reproduction", "out"], "\n  * Own hypotheses: two."),
    ] {
        let (code, text, notes) = gpusched(&command, elsewhere.path());
        assert_eq!((code, notes.as_str()), (0, ""), "{command:?}");
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn results_of_something_else_are_not_judged() {
    let root = tempdir().unwrap();
    let file = |name: &str| root.path().join(name);
    fs::write(file("small.toml"), SMALL).unwrap();
    let check = || gpusched(&["study", "check", "."], root.path());
    let state = || studies(root.path()).unwrap()[0].state;

    let (code, _, message) = check();
    assert_eq!((code, state()), (2, State::Missing));
    assert!(message.contains("no results of study `small`"), "{message}");

    run(&small(), root.path(), "1/1", 2).unwrap();
    assert_eq!((check().0, state()), (0, State::Current));

    // Another seed, a modified result, another version, and missing provenance.
    let outdated = || {
        let (code, _, message) = check();
        assert_eq!((code, state()), (2, State::Outdated));
        assert!(message.contains("run the study again"), "{message}");
    };
    fs::write(file("small.toml"), SMALL.replace("seed = 7", "seed = 8")).unwrap();
    outdated();
    fs::write(file("small.toml"), SMALL).unwrap();
    let results = fs::read_to_string(file("small.csv")).unwrap();
    fs::write(file("small.csv"), results.replacen("0.000000", "1.000000", 1)).unwrap();
    outdated();
    fs::write(file("small.csv"), &results).unwrap();
    let provenance = fs::read_to_string(file("small.provenance.json")).unwrap();
    let other = provenance.replace(env!("CARGO_PKG_VERSION"), "0.0.1");
    assert_ne!(other, provenance);
    fs::write(file("small.provenance.json"), other).unwrap();
    outdated();
    fs::write(file("small.provenance.json"), "{").unwrap();
    let (code, _, message) = check();
    assert_eq!(code, 2);
    assert!(message.contains("small.provenance.json:1"), "{message}");
    fs::remove_file(file("small.provenance.json")).unwrap();
    outdated();
    fs::write(file("small.provenance.json"), provenance).unwrap();
    assert_eq!((check().0, state()), (0, State::Current));
}

/// A claim that cannot be evaluated on valid results fails, but the results stay.
#[test]
fn a_claim_that_cannot_be_evaluated_costs_no_results() {
    let claim = r#"
        [[claim]]
        id = "ratio"
        text = "a ratio of nothing"
        holds = 'mean(mean_merges, algorithm = "SMS-INA") / mean(mean_merges, algorithm = "1G") > 2'
    "#;
    let folder = tempdir().unwrap();
    let message = run(&parse(&format!("{SMALL}{claim}")), folder.path(), "1/1", 2)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("ratio") && message.contains("division by zero"),
        "{message}"
    );
    let undisturbed = tempdir().unwrap();
    run(&small(), undisturbed.path(), "1/1", 2).unwrap();
    let csv = |folder: &Path| fs::read(folder.join("small.csv")).unwrap();
    assert_eq!(csv(folder.path()), csv(undisturbed.path()));
}

#[test]
fn the_list_names_every_study_and_its_results() {
    let root = tempdir().unwrap();
    fs::write(root.path().join("a.toml"), SMALL).unwrap();
    let other = SMALL.replace("name = \"small\"", "name = \"other\"");
    fs::write(root.path().join("b.toml"), &other).unwrap();
    run(&small(), &root.path().join("small"), "1/1", 2).unwrap();
    let (code, text, _) = gpusched(&["study", "list", "."], root.path());
    assert_eq!(code, 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].trim_start().starts_with("other") && lines[1].ends_with("missing"),
        "{text}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.trim_start().starts_with("small") && line.ends_with("current")),
        "{text}"
    );
    let (_, json, _) = gpusched(&["study", "list", ".", "--format", "json"], root.path());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json[1]["points"], &json[1]["sets"], &json[1]["results"]),
        (&10.into(), &9.into(), &"current".into())
    );
    let (_, csv, _) = gpusched(&["study", "list", ".", "--format", "csv"], root.path());
    assert_eq!(csv.lines().count(), 3);

    fs::write(root.path().join("c.toml"), SMALL).unwrap();
    let (code, _, message) = gpusched(&["study", "list", "."], root.path());
    assert_eq!(code, 2);
    assert!(
        message.contains("a.toml")
            && message.contains("c.toml")
            && message.contains("found the name `small`"),
        "{message}"
    );
}

/// Runs `gpusched study list analysis` in a terminal of this width.
#[cfg(target_os = "linux")]
fn list_in_terminal(width: usize) -> String {
    let program = env!("CARGO_BIN_EXE_gpusched");
    let line = format!("stty rows 40 cols {width}; exec {program} study list analysis");
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(root());
    let output = command
        .env("NO_COLOR", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[cfg(target_os = "linux")]
#[test]
fn the_list_is_as_wide_as_the_terminal() {
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    let whole = crate::support::run("study list analysis").stdout;
    assert_eq!(list_in_terminal(widest(&whole)), whole);
    for width in [80, 100, 120] {
        let text = list_in_terminal(width);
        assert!(widest(&text) <= width, "{text}");
        assert_eq!(text.contains("SMS-INA"), width == 120, "{text}");
    }
}

#[test]
fn the_studies_of_the_checkout_are_what_they_promise() {
    gpusched::register_parts();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("analysis");
    let studies = studies(folder).unwrap();
    let found: Vec<_> = studies
        .iter()
        .inspect(|study| {
            let spec = &study.spec;
            assert_eq!(Path::new(spec.file()).file_stem().unwrap(), spec.name());
        })
        .filter_map(|study| Some((study.spec.name(), study.spec.partitioning()?)))
        .map(|(name, of)| {
            let variants: Vec<&str> = of
                .variants()
                .iter()
                .map(|variant| variant.name.as_str())
                .collect();
            (name, of.points().len(), of.sets(), of.sms(), variants)
        })
        .collect();
    let all = vec!["literal", "proportional", "work-capacity"];
    let granularities = vec!["sm", "tpc", "gpc", "green-context", "mig"];
    let policies = vec![
        "edf",
        "lp-edf-6800",
        "lp-edf-680",
        "lp-edf-68",
        "np-edf",
        "dm",
        "lp-fp-680",
        "np-fp",
    ];
    assert_eq!(
        found,
        [
            (
                "concurrent",
                14,
                100,
                16,
                vec!["concurrent, 20 %", "concurrent, 0 %", "np-edf", "edf"]
            ),
            ("default-gpu", 24, 50, 16, vec!["np-edf", "np-fp", "dm"]),
            ("granularity-a100", 26, 50, 108, granularities.clone()),
            ("granularity-h100", 32, 50, 132, granularities),
            ("policies", 40, 100, 40, policies),
            ("singh21-fig3.4", 34, 100, 68, all.clone()),
            ("singh21-fig3.5", 34, 100, 68, all.clone()),
            ("singh21-fig3.6", 68, 100, 68, all.clone()),
            ("smoke", 15, 20, 30, all[..2].to_vec()),
            ("waters-mixes", 128, 10, 108, vec!["edf", "np-edf"]),
        ]
    );
    let cases = studies.iter().filter_map(|study| {
        let of = study.spec.cases()?;
        Some((study.spec.name(), of.cases().len()))
    });
    assert_eq!(
        cases.collect::<Vec<_>>(),
        [
            ("aghilinasab20-table1-table2", 10),
            ("aghilinasab20-table3-table4", 37),
            ("end-to-end-bounds", 6),
            ("end-to-end-partitions", 7),
            ("gcaps", 10),
            ("jin24-fig10", 12),
            ("masola23-blocks", 2),
            ("masola23-fig5-fig18", 3),
            ("measured-kernels", 6),
            ("memory-clients", 10),
            ("memory-closure", 8),
            ("operator-graphs", 9),
            ("optimality", 4),
            ("optimality-granularity", 5),
            ("optimality-policies", 3),
            ("sanudo20-cycles", 10),
            ("sanudo20-eq2", 2),
            ("sanudo20-eq3", 2),
            ("sanudo20-eq4", 4),
            ("sanudo20-fig3", 1),
            ("sanudo20-fig5", 7),
            ("sanudo20-fig6", 2),
            ("sanudo20-fig7-fig9", 13),
            ("shared-memory", 2),
            ("singh21-fig3.1", 3),
            ("singh21-fig3.3", 2),
            ("singh21-fig4.2", 8),
            ("singh22-fig3", 4),
            ("singh22-fig4a", 9),
            ("singh22-fig4b", 5),
            ("warp-budgets", 7),
            ("waters-gap", 3),
        ]
    );
    let claims: Vec<&str> = studies
        .iter()
        .flat_map(|study| study.spec.claims())
        .map(|claim| claim.id.as_str())
        .collect();
    for number in 5..=13 {
        let id = format!("S21-{number:02}");
        assert!(claims.iter().any(|claim| claim.starts_with(&id)), "{id}");
    }
}

/// A claim across analysis variants is one finding without a variant. A panel per algorithm gives the figure that
/// `plot` draws.
#[test]
fn variants_stand_beside_each_other() {
    let root = tempdir().unwrap();
    let across = r#"
[[claim]]
id = "across"
text = "The printed formula is the harder one"
across_variants = true
holds = 'min_gap(rate, (variant = "proportional"), (variant = "literal"), algorithm = "1G") >= 0'
"#;
    let text =
        format!("{SMALL}{across}").replace("tasks = [5, 8]", "tasks = 8\n[figure]\npanel = \"algorithm\"");
    fs::write(root.path().join("small.toml"), text).unwrap();
    let (code, report, _) = gpusched(&["study", "run", "small.toml", "-o", "small"], root.path());
    assert_eq!(code, 0, "{report}");
    let (_, json, _) = gpusched(&["study", "check", "small", "--format", "json"], root.path());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let findings = json[0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 3);
    assert_eq!(
        (&findings[2]["id"], &findings[2]["variant"]),
        (&"across".into(), &serde_json::Value::Null)
    );
    assert_eq!(findings[2]["reproduced"], true);
    let (_, page, _) = gpusched(&["study", "reproduction", "small"], root.path());
    assert!(
        page.contains("| gpusched's own hypotheses | 2 | 0 | 0 | 0 |"),
        "{page}"
    );
    assert!(
        page.contains("Own hypotheses: ") && page.contains("across"),
        "{page}"
    );

    let title = "A small study";
    let options = [
        "--panel",
        "algorithm",
        "--series",
        "variant",
        "--title",
        title,
        "-o",
        "again.svg",
    ];
    let (code, _, notes) = gpusched(
        &[&["plot", "small/small.csv"], &options[..]].concat(),
        root.path(),
    );
    assert_eq!(code, 0, "{notes}");
    let svg = |path: &str| fs::read_to_string(root.path().join(path)).unwrap();
    assert_eq!(svg("small/small.svg"), svg("again.svg"));
}

/// The first command of the README takes seconds and gives falling curves.
#[test]
fn the_smoke_study_shows_something() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = tempdir().unwrap();
    let folder = output.path().join("results");
    let arguments = [
        "study",
        "run",
        "analysis/smoke.toml",
        "-o",
        folder.to_str().unwrap(),
    ];
    let (code, report, _) = gpusched(&arguments, root);
    assert_eq!(code, 0);
    assert!(
        report.contains("6 of 6 findings reproduced") && !report.contains("not reproduced"),
        "{report}"
    );
    let table = gpusched::study::Table::read(folder.join("smoke.csv")).unwrap();
    assert_eq!(table.len(), 15 * 2 * 7);
    let rates = table.column("rate").unwrap().distinct();
    assert!(rates.len() > 10, "{rates:?}");
    assert!(folder.join("smoke.svg").exists());
    assert_eq!(gpusched(&["study", "check", folder.to_str().unwrap()], root).0, 0);
}

/// Weighted schedulability over the number of tasks, as a figure and in claims.
#[test]
fn weighted_schedulability_can_be_drawn_and_claimed() {
    let folder = tempdir().unwrap();
    let claim = "\n[[claim]]\nid = \"weighted\"\ntext = \"Of SMS\"\nmust_hold = true\ntable = \"weighted\"\nreadings = [\"literal\"]\n\
                 holds = 'max(weighted, algorithm = \"SMS-INA\") > 0 and min(weighted, algorithm = \"SMS-INA\") < 1'\n";
    let text = SMALL
        .replacen("sets = 9", "sets = 9\nweighted = true", 1)
        .replacen(
            "[axis]",
            "[figure]\ntable = \"weighted\"\ny = \"weighted\"\n\n[axis]",
            1,
        );
    fs::write(folder.path().join("small.toml"), text + claim).unwrap();
    let (code, _, stderr) = gpusched(&["study", "run", "small.toml", "-q", "-o", "out"], folder.path());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let out = folder.path().join("out");
    let figure = fs::read_to_string(out.join("small.svg")).unwrap();
    assert!(
        figure.contains("SMS-INA") && figure.contains("Weighted schedulability"),
        "{figure}"
    );
    // The table is part of the results, so a check recreates it.
    fs::remove_file(out.join("small.weighted.csv")).unwrap();
    let (code, stdout, stderr) = gpusched(&["study", "check", "out"], folder.path());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("weighted [must hold]: Of SMS"), "{stdout}");
}
