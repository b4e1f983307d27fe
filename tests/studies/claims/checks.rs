//! Checks of claims: analysis variants, tables and columns of a claim, and claims that cannot be checked.

use gpusched_study::Table;
use gpusched_study::claim::{Claim, check};

use super::results;

const CLAIM: &str = r#"
id = "S21-07"
text = "SMS >= BF"
holds = 'min_gap(rate, (algorithm = "SMS"), (algorithm = "BF")) > 0'
"#;

fn claim(more: &str) -> Claim {
    toml::from_str(&format!("{CLAIM}{more}")).unwrap()
}

#[test]
fn claims_are_checked_per_reading() {
    let table = results();
    let findings = check(&[claim("")], |name| (name == "results").then_some(&table)).unwrap();
    let summary: Vec<_> = findings
        .iter()
        .map(|finding| {
            (
                finding.variant.as_deref(),
                finding.reproduced,
                finding.is_failure(),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [(Some("literal"), true, false), (Some("other"), false, false)]
    );

    let narrow = claim("must_hold = true\nreadings = ['other']");
    let findings = check(&[narrow], |_| Some(&table)).unwrap();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].is_failure());

    let plain = Table::from_reader("p.csv", "point,algorithm,rate\n1,SMS,1\n1,BF,0.5\n".as_bytes()).unwrap();
    let findings = check(&[claim("")], |_| Some(&plain)).unwrap();
    assert_eq!(findings[0].variant, None);
    assert!(findings[0].reproduced);
}

#[test]
fn claims_across_readings_see_all_rows() {
    let table = results();
    let across = |holds: &str| {
        let mut claim = claim("across_variants = true");
        claim.holds = holds.parse().unwrap();
        check(&[claim], |_| Some(&table))
    };
    // Only variant `literal` has a row for the third point.
    let gap = |algorithm: &str| {
        let holds = format!(
            "max_gap(rate, (variant = 'other'), (variant = 'literal'), algorithm = '{algorithm}') >= 0"
        );
        let findings = across(&holds).unwrap();
        assert_eq!((findings.len(), findings[0].variant.as_deref()), (1, None));
        findings[0].figures[0].1
    };
    assert_eq!((gap("SMS"), gap("BF")), (1.0 - 0.75, 1.0 - 0.55));
    let ambiguous = across("min_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF')) >= 0").unwrap_err();
    assert!(
        ambiguous.to_string().contains("are about the same point"),
        "{ambiguous}"
    );
    let both = check(&[claim("across_variants = true\nreadings = ['other']")], |_| {
        Some(&table)
    });
    let both = both.unwrap_err().to_string();
    assert!(both.contains("both `variants` and `across_variants`"), "{both}");
}

#[test]
fn gaps_pair_rows_by_the_columns_of_the_claim() {
    let csv = "kernel,q,quantity,value\na,0,x,3\na,0,y,1\nb,0,x,5\nb,0,y,4\nb,1,y,9\n";
    let table = Table::from_reader("p.csv", csv.as_bytes()).unwrap();
    let paired = |pair_by: &str| {
        let mut claim = claim(pair_by);
        claim.holds = "max_gap(value, (quantity = 'x'), (quantity = 'y'), q = 0) = 2"
            .parse()
            .unwrap();
        check(&[claim], |_| Some(&table))
            .map(|findings| findings[0].reproduced)
            .map_err(|error| error.to_string())
    };
    assert_eq!(paired("pair_by = ['kernel']"), Ok(true));
    assert_eq!(paired("pair_by = ['kernel', 'q']"), Ok(true));
    for (pair_by, part) in [
        ("pair_by = ['q']", "are about the same point"),
        ("pair_by = ['cluster']", "no column `cluster`"),
        ("pair_by = []", "claim S21-07.pair_by: found an empty list"),
        ("", "expected `pair_by` in the claim, or one of the columns point"),
    ] {
        let message = paired(pair_by).unwrap_err();
        assert!(message.contains(part), "{pair_by}: {message}");
    }
}

#[test]
fn claims_that_cannot_be_checked_are_errors() {
    let table = results();
    let empty = Table::from_reader("e.csv", "rate,variant\n".as_bytes()).unwrap();
    let plain = Table::from_reader("p.csv", "rate\n1\n".as_bytes()).unwrap();
    let message = |claims: &[Claim], table: &Table| {
        let lookup = |name: &str| (name == "results").then_some(table);
        check(claims, lookup).unwrap_err().to_string()
    };
    assert_eq!(
        message(&[claim(""), claim("")], &table),
        "claim: found two claims with the id S21-07, expected different ids"
    );
    assert_eq!(
        message(&[claim("table = 'timing'")], &table),
        "claim S21-07: found no table `timing`, expected a table of the study"
    );
    assert_eq!(
        message(&[claim("")], &empty),
        "e.csv: at claim S21-07.variant: the table has no rows"
    );
    let unknown = message(&[claim("variants = ['work']")], &table);
    assert!(
        unknown.contains("no analysis variant \"work\", expected one of literal, other"),
        "{unknown}"
    );
    assert!(message(&[claim("variants = []")], &table).contains("`variants` is empty"));
    assert!(message(&[claim("variants = ['a']")], &plain).contains("no column `variant`"));
    let column = message(&[claim("")], &plain);
    assert!(
        column.starts_with("p.csv: at claim S21-07: found no column "),
        "{column}"
    );
}

/// If another table has the column, the error names that table and gives a hint.
#[test]
fn columns_of_other_tables_are_pointed_at() {
    let table = results();
    let other = Table::from_reader("w.csv", "tasks,algorithm,weighted\n50,SMS,0.75\n".as_bytes()).unwrap();
    let claim = |holds: &str| -> Claim {
        let text = format!("id = 'W-01'\ntext = 'weighted'\nacross_readings = true\nholds = '{holds}'");
        toml::from_str(&text).unwrap()
    };
    let message = |holds: &str, weighted: Option<&Table>| {
        let lookup = |name: &str| match name {
            "results" => Some(&table),
            "weighted" => weighted,
            _ => None,
        };
        check(&[claim(holds)], lookup).unwrap_err().to_string()
    };
    for holds in [
        "min(weighted) >= 0",
        "not (1 - max(rate, weighted > 0) > 0 or min(rate) < 0)",
        "min_gap(weighted, (algorithm = \"SMS\"), (algorithm = \"1G\")) > 0",
    ] {
        let told = message(holds, Some(&other));
        let hint = "\n\nhint: set `table = \"weighted\"` in the claim, because that table has `weighted`";
        assert!(
            told.contains("no column `weighted`") && told.ends_with(hint),
            "{told}"
        );
        let told = message(holds, None);
        assert!(
            told.contains("hint: set `weighted = true` in a study of partitioning"),
            "{told}"
        );
    }
    assert!(!message("min(speed) >= 0", Some(&other)).contains("table `"));
    let asked = Claim {
        table: "weighted".to_owned(),
        ..claim("min(weighted) >= 0")
    };
    assert!(check(std::slice::from_ref(&asked), |_| Some(&other)).is_ok());
    let none = check(&[asked], |_| None).unwrap_err().to_string();
    assert_eq!(
        none,
        "claim W-01: found no table `weighted`, expected `weighted = true` in the study, which creates this table"
    );
}

#[test]
fn claims_are_strict_toml() {
    let bad = |text: &str| toml::from_str::<Claim>(text).unwrap_err().to_string();
    let syntax = bad("id = 'a'\ntext = 'b'\nholds = 'min(rate) >'");
    assert!(
        syntax.contains("character 12 of the expression: found the end"),
        "{syntax}"
    );
    assert!(bad(&format!("{CLAIM}speed = 1")).contains("unknown field `speed`"));
    assert!(bad("id = 'a'\ntext = 'b'").contains("missing field `holds`"));
    let text = toml::to_string(&claim("")).unwrap();
    assert_eq!(toml::from_str::<Claim>(&text).unwrap(), claim(""));
}
