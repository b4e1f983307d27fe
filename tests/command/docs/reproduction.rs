//! The committed statements on published claims match the tool for the committed results.

use serde_json::Value;

use crate::support::{files, root, run};

/// Studies with committed results.
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
        assert!(page.contains(&format!("\n* **{study}** (")), "{study}");
    }
    assert!(
        !page.contains("no reason stated"),
        "a claim is not reproduced, and analysis/reasons.json has no reason for it"
    );
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

/// The page of a quick look contains every claim and analysis variant, in one valid Markdown table each.
#[test]
fn a_page_names_every_claim_with_its_verdicts() {
    let look = tempfile::tempdir().unwrap();
    let folder = look.path().display();
    let impossible = "\n[[claim]]\nid = \"impossible\"\ntext = \"Ratios above 1\"\nholds = 'max(rate) > 1'\n";
    let study = std::fs::read_to_string(root().join("analysis/smoke.toml")).unwrap() + impossible;
    std::fs::write(look.path().join("smoke.toml"), study).unwrap();
    assert_eq!(
        run(&format!("study run {folder}/smoke.toml --sets 2 -q -o {folder}")).code,
        0
    );
    let answer = run(&format!("study reproduction {folder}"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let checked = run(&format!("study check {folder} --format json"));
    let checked: Vec<Value> = serde_json::from_str(&checked.stdout).unwrap();
    let findings = checked[0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 8);
    let page = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for finding in findings {
        let text = |field: &str| finding[field].as_str().unwrap();
        let told = match finding["reproduced"].as_bool().unwrap() {
            true if text("source").starts_with('[') => {
                page.contains(&format!("* {}", text("id"))) && page.contains(text("text"))
            }
            // Hypotheses of gpusched are named without their texts.
            true => page.contains("Own hypotheses: ") && page.contains(text("id")),
            false => {
                let figures = finding["figures"].as_array().unwrap();
                page.contains("## Not reproduced: no reason stated")
                    && page.contains(&format!("{}: {}", text("id"), text("text")))
                    && page.contains(" Computed: ")
                    && figures
                        .iter()
                        .take(4)
                        .all(|figure| page.contains(&rounded(figure[1].as_f64().unwrap())))
            }
        };
        assert!(told, "{finding}");
    }
    let reasons = |claim: &str| {
        let reasons = serde_json::json!({"deviations": [{
            "study": "smoke", "claims": [claim], "reason": "our-data", "why": "Two sets are too few."
        }], "not_checkable": []});
        std::fs::write(look.path().join("reasons.json"), reasons.to_string()).unwrap();
        run(&format!("study reproduction {folder}"))
    };
    let explained = reasons("impossible").stdout;
    assert!(explained.contains("## Not reproduced: substitute data"));
    assert!(explained.contains("Two sets are too few."));
    let refused = reasons("X-99");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("study smoke: X-99"), "{}", refused.stderr);
    std::fs::remove_file(look.path().join("reasons.json")).unwrap();
    let on_one_line = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(on_one_line.contains(&format!("`gpusched study run {folder}/smoke.toml -o {folder}`")));

    let (json, twice) = (
        run(&format!("study reproduction {folder} --format json")),
        run(&format!("study reproduction {folder} {folder}")),
    );
    assert_eq!((json.code, twice.code), (2, 2));
    assert!(json.stderr.contains("Markdown") && twice.stderr.contains("another folder"));
    assert_eq!(run(&format!("study reproduction {folder}/none")).code, 2);
    let file = run("study check analysis/smoke.toml");
    assert_eq!(file.code, 2);
    assert!(
        file.stderr.contains("expected a folder of studies"),
        "{}",
        file.stderr
    );
}

/// A figure as the page shows it: with at most four decimals.
fn rounded(figure: f64) -> String {
    let text = format!("{figure:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
