//! An own study: from the template of `study new` to the comparison of two results.

use std::fs;
use std::path::Path;

use gpusched::study::{Overrides, Spec};

use crate::support::{Answer, run};

fn gpusched(folder: &Path, line: &str) -> Answer {
    run(&line.replace('@', &format!("{}/", folder.display())))
}

fn template() -> String {
    let answer = run("study new mine");
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    answer.stdout
}

#[test]
fn the_template_runs_and_the_terminal_shows_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let new = gpusched(folder.path(), "study new mine -o @mine.toml");
    assert_eq!((new.code, new.stdout.as_str()), (0, ""), "{}", new.stderr);
    let again = gpusched(folder.path(), "study new mine -o @mine.toml");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("expected a new file"), "{}", again.stderr);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("mine.toml")).unwrap(),
        template()
    );
    let ran = gpusched(folder.path(), "study run @mine.toml -q -o @x");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in [
        "1 of 1 findings reproduced",
        "variant  algorithm      tasks  all schedulable up to U  half up to U  weighted rate",
        "x/mine.csv",
        "x/mine.svg",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // The columns, computed here from the table of results.
    let table = std::fs::read_to_string(folder.path().join("x/mine.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    for algorithm in ["one partition", "SMS"] {
        let points = rows.iter().filter(|row| row[5] == algorithm);
        let points: Vec<[f64; 3]> = points
            .map(|row| [row[2], row[9], row[10]].map(|cell| cell.parse().unwrap()))
            .collect();
        let weighted = points.iter().map(|[u, _, ok]| u * ok).sum::<f64>()
            / points.iter().map(|[u, sets, _]| u * sets).sum::<f64>();
        let all = points
            .iter()
            .take_while(|[_, sets, ok]| sets == ok)
            .last()
            .unwrap()[0];
        let line = ran
            .stdout
            .lines()
            .find(|line| line.starts_with("  edf") && line.contains(algorithm));
        let cells: Vec<&str> = line.unwrap().split_whitespace().rev().collect();
        assert_eq!(cells[0], format!("{weighted:.3}"));
        assert_eq!(cells[2], all.to_string());
    }
}

/// Every comment of the form `# key = value` is a choice that the study accepts, in place of the line above with the same
/// key, or as a further line.
#[test]
fn every_choice_in_the_template_is_valid() {
    let template = template();
    let lines: Vec<&str> = template.lines().collect();
    let key = |line: &str| line.split(" = ").next().unwrap().to_owned();
    let mut choices = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some(choice) = line.strip_prefix("# ").filter(|text| {
            let word = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
            text.split_once(" = ")
                .is_some_and(|(key, _)| key.chars().all(word))
        }) else {
            continue;
        };
        choices += 1;
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        changed[at] = choice.to_owned();
        // A line with the same key, or with another key for the size of the GPU, gives way.
        let gives_way = |line: &str| key(line) == key(choice) || line.starts_with("sms =");
        let above = (0..at).rev().take_while(|&above| !lines[above].starts_with('['));
        let size = ["platform", "device"].contains(&key(choice).as_str());
        if let Some(above) = above
            .filter(|&above| !lines[above].starts_with('#'))
            .find(|&above| gives_way(lines[above]) && (size || key(lines[above]) == key(choice)))
        {
            changed[above].clear();
        }
        let mut text = changed.join("\n");
        if key(choice) == "x_title" {
            text = text.replace("# [figure]", "[figure]");
        }
        if key(choice) == "device" {
            text = text.replace("[[variant]]", "[[variant]]\ngranularity = \"tpc\"");
        }
        let read = Spec::parse("mine.toml", &text, Overrides::default());
        assert!(read.is_ok(), "{choice}: {}", read.unwrap_err());
    }
    assert!(choices >= 15, "{choices}");
}

#[test]
fn bad_names_are_refused() {
    for name in ["a b", "\"", "a\"\nseed = 2\ntitle = \"", "-"] {
        let answer = crate::support::gpusched(["study", "new", "--", name])
            .output()
            .unwrap();
        assert_eq!(answer.status.code(), Some(2), "{name}");
    }
}

#[test]
fn other_results_are_told_and_fresh_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), template()).unwrap();
    let first = gpusched(folder.path(), "study run @mine.toml -q -o @x");
    let changed = template()
        .replace("sets = 20", "sets = 10")
        .replace("policy = \"edf\"", "policy = \"np-edf\"");
    std::fs::write(folder.path().join("mine.toml"), changed).unwrap();
    let refused = gpusched(folder.path(), "study run @mine.toml -q -o @x");
    assert_eq!(refused.code, 2);
    for part in [
        "at sets: found results of a study with 20, expected results of this study, with 10; further differences: variant[0].policy",
        "hint: delete the old results with `--fresh`",
    ] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    let fresh = gpusched(folder.path(), "study run @mine.toml -q --fresh -o @x");
    assert_eq!(fresh.code, 0, "{}", fresh.stderr);
    assert_ne!(fresh.stdout, first.stdout);
    assert_eq!(
        fresh,
        gpusched(folder.path(), "study run @mine.toml -q --fresh -o @x")
    );
}

#[test]
fn two_results_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), template()).unwrap();
    for (seed, name) in [(1, "x"), (2, "y")] {
        let line = format!("study run @mine.toml -q --seed {seed} -o @{name}");
        assert_eq!(gpusched(folder.path(), &line).code, 0);
    }
    let same = gpusched(folder.path(), "study diff @x @x/mine.csv");
    assert_eq!(same.code, 0, "{}", same.stderr);
    assert!(
        same.stdout.starts_with("0 of 24 values differ"),
        "{}",
        same.stdout
    );
    let other = gpusched(folder.path(), "study diff @x @y --format csv");
    let clear = other.stdout.lines().any(|line| line.ends_with(",true"));
    assert_eq!(other.code, i32::from(clear));
    let rows: Vec<&str> = other.stdout.lines().collect();
    assert_eq!(
        (rows[0], rows.len()),
        ("row,before,after,difference,low,high,clear", 25)
    );
    for row in &rows[1..] {
        let cells: Vec<&str> = row.rsplit(',').collect();
        let [clear, high, low, difference, after, before] = cells[..6] else {
            panic!("{row}")
        };
        let number = |cell: &str| cell.parse::<f64>().unwrap();
        assert!(
            (number(after) - number(before) - number(difference)).abs() < 2e-6,
            "{row}"
        );
        assert!(
            number(low) <= number(difference) && number(difference) <= number(high),
            "{row}"
        );
        assert_eq!(clear == "true", number(low) > 0.0 || number(high) < 0.0, "{row}");
    }
    // Every committed result equals itself, also with empty cells.
    for entry in std::fs::read_dir(crate::support::root().join("analysis")).unwrap() {
        let results = entry.unwrap().path();
        if results.is_dir() {
            let same = run(&format!("study diff {0} {0}", results.display()));
            assert_eq!(same.code, 0, "{} {}", same.stdout, same.stderr);
            assert!(same.stdout.starts_with("0 of "), "{}", same.stdout);
        }
    }
    for line in [
        "study diff @x @none",
        "study diff @ @x",
        "study diff @mine.toml @x",
    ] {
        assert_eq!(gpusched(folder.path(), line).code, 2, "{line}");
    }
}

/// Without the feature `parquet`, gpusched refuses columns before it computes. With the feature, it writes them.
#[test]
fn columns_are_written_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, file) in [
        ("generate --tasks 3 --utilization 2 -o @sets.jsonl", "sets.jsonl"),
        (
            "test @sets.jsonl --sms 8 -o @verdicts.parquet",
            "verdicts.parquet",
        ),
        ("test @sets.jsonl --sms 8 -o @verdicts.arrow", "verdicts.arrow"),
        (
            "study run analysis/smoke.toml --sets 1 --columns parquet -o @small",
            "small/smoke.parquet",
        ),
        (
            "study merge @small --columns arrow -o @whole",
            "whole/smoke.arrow",
        ),
    ] {
        let answer = gpusched(folder.path(), line);
        let written = fs::read(folder.path().join(file));
        if file.ends_with("jsonl") || cfg!(feature = "parquet") {
            assert!(answer.code < 2, "{}", answer.stderr);
            assert!(
                ["{", "PAR1", "ARROW1"]
                    .iter()
                    .any(|start| written.as_ref().unwrap().starts_with(start.as_bytes()))
            );
        } else {
            assert!(written.is_err() && answer.code == 2, "{line}");
            let hint = "hint: build gpusched with `--features parquet`";
            assert!(answer.stderr.contains(hint), "{}", answer.stderr);
        }
    }
    if cfg!(feature = "parquet") {
        let answer = gpusched(
            folder.path(),
            "test @sets.jsonl --sms 8 --format json -o @verdicts.parquet",
        );
        assert!(
            answer.code == 2 && answer.stderr.contains("writes no table"),
            "{}",
            answer.stderr
        );
    }
}
