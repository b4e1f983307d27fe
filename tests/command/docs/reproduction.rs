//! What is committed about published claims is what the tool says of the committed results.

use serde_json::Value;

use crate::support::{files, root, run};

/// The studies with committed results.
const STUDIES: [&str; 6] = [
    "aghilinasab20-table1-table2",
    "aghilinasab20-table3-table4",
    "policies",
    "singh21-fig3.4",
    "singh21-fig3.5",
    "singh21-fig3.6",
];

#[test]
fn the_page_is_what_the_tool_renders() {
    let page = std::fs::read_to_string(root().join("docs/reproduction.md"));
    let page = page
        .expect("docs/reproduction.md: run `gpusched study reproduction analysis -o docs/reproduction.md`");
    let answer = run("study reproduction analysis");
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(
        page == answer.stdout,
        "docs/reproduction.md is not what `study reproduction analysis` renders now"
    );
    for study in STUDIES {
        assert!(page.contains(&format!("\n## {study}\n")), "{study}");
    }
}

#[test]
fn results_belong_to_the_studies_beside_them() {
    let checked = run("study check analysis --format json");
    assert_eq!((checked.code, checked.stderr.as_str()), (0, ""));
    let checked: Vec<Value> = serde_json::from_str(&checked.stdout).unwrap();
    for study in STUDIES {
        let folder = root().join("analysis").join(study);
        let read = |name: String| std::fs::read_to_string(folder.join(&name)).expect(&name);
        assert_eq!(
            read(format!("{study}.toml")),
            std::fs::read_to_string(root().join(format!("analysis/{study}.toml"))).unwrap(),
            "{study}: run it again"
        );
        let findings = checked.iter().find(|findings| findings["study"] == study);
        let written: Value = serde_json::from_str(&read(format!("{study}.claims.json"))).unwrap();
        assert_eq!(Some(&written), findings, "{study}: run it again");
        assert!(
            files(&folder)
                .iter()
                .any(|name| name.extension().is_some_and(|e| e == "svg"))
        );
    }
}

/// The page of a quick look: every claim and reading, in one table each, on lines that Markdown reads as one table.
#[test]
fn a_page_names_every_claim_with_its_verdicts() {
    let look = tempfile::tempdir().unwrap();
    let folder = look.path().display();
    assert_eq!(
        run(&format!("study run analysis/smoke.toml --sets 2 -q -o {folder}")).code,
        0
    );
    let answer = run(&format!("study reproduction {folder}"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let checked = run(&format!("study check {folder} --format json"));
    let checked: Vec<Value> = serde_json::from_str(&checked.stdout).unwrap();
    let findings = checked[0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 6);
    let rows: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    for finding in findings {
        let text = |field: &str| finding[field].as_str().unwrap();
        let verdict = match finding["reproduced"].as_bool().unwrap() {
            true => "| reproduced |",
            false => "| **not reproduced** |",
        };
        let overview = rows.iter().find(|row| row.contains(text("text"))).unwrap();
        assert!(overview.starts_with(&format!("| {} |", text("id"))) && overview.contains(text("source")));
        assert!(overview.contains(verdict), "{overview}");
        let start = rows
            .iter()
            .rposition(|row| row.starts_with(&format!("| {}", text("id"))))
            .unwrap();
        let own = rows[start..]
            .iter()
            .find(|row| row.contains(&format!("| {} |", text("reading"))))
            .unwrap();
        assert!(own.contains(verdict), "{own}");
        for figure in finding["figures"].as_array().unwrap() {
            assert!(
                own.contains(&format!("`{}` = ", figure[0].as_str().unwrap())),
                "{own}"
            );
        }
    }
    assert!(
        answer
            .stdout
            .contains(&format!("`gpusched study run {folder}/smoke.toml -o {folder}`"))
    );

    let (json, twice) = (
        run(&format!("study reproduction {folder} --format json")),
        run(&format!("study reproduction {folder} {folder}")),
    );
    assert_eq!((json.code, twice.code), (2, 2));
    assert!(json.stderr.contains("Markdown") && twice.stderr.contains("another folder"));
    assert_eq!(run(&format!("study reproduction {folder}/none")).code, 2);
}
