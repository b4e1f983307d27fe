//! `gpusched plot`: the figure shows the data of the table, is well-formed SVG and has the same bytes every time. It is
//! written completely or not at all.

#![cfg(feature = "cli")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::transcript::Transcript;
use crate::support::xml::check_xml;
use assert_cmd::Command;
use insta::assert_snapshot;
use tempfile::TempDir;

/// Returns a table with two analysis variants, five utilizations and three algorithms. Where the schedulability ratio
/// is 0, no schedulable set and therefore no mean exists.
fn results() -> String {
    let mut csv = String::from(
        "study,point,utilization,tasks,reading,algorithm,policy,interference,sms,sets,schedulable,rate,ci_low,ci_high,\
         mean_sms,mean_merges,mean_prefill_merges\n",
    );
    for reading in ["literal", "proportional"] {
        for point in 0..5 {
            for (index, algorithm) in ["SMS-INA", "BF-INA", "1G"].into_iter().enumerate() {
                let schedulable = 100_usize.saturating_sub(point * (index + 1) * 15);
                let rate = schedulable as f64 / 100.0;
                let (low, high) = ((rate - 0.05).max(0.0), (rate + 0.05).min(1.0));
                let sms = if schedulable > 0 { "42.5" } else { "" };
                csv += &format!(
                    "fig-a,{point},{},50,{reading},{algorithm},edf,conflict,68,100,{schedulable},{rate},{low},{high},{sms},7,0\n",
                    10 + 10 * point
                );
            }
        }
    }
    csv
}

struct Workplace(TempDir);

impl Workplace {
    fn new() -> Workplace {
        let workplace = Workplace(tempfile::tempdir().unwrap());
        workplace.write("results.csv", &results());
        workplace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpusched"));
        command.current_dir(self.0.path()).arg("plot").args(arguments);
        command
    }

    /// Returns the figure from standard output.
    fn figure(&self, arguments: &[&str]) -> String {
        let output = self
            .command(arguments)
            .assert()
            .success()
            .get_output()
            .stdout
            .clone();
        let svg = String::from_utf8(output).unwrap();
        check_xml(&svg);
        svg
    }

    /// Runs a command that must fail with exit code 2 without writing a file, and returns its message.
    fn failure(&self, arguments: &[&str]) -> String {
        let before = files(self.0.path());
        let output = self.command(arguments).assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty());
        assert_eq!(files(self.0.path()), before, "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// Returns the texts of a figure, in order.
fn texts(svg: &str) -> Vec<&str> {
    let pieces = svg.split("<text ").skip(1);
    pieces
        .map(|piece| piece.split_once('>').unwrap().1.split_once('<').unwrap().0.trim())
        .collect()
}

/// Returns the points of the lines with width `width`, in drawing units.
fn lines(svg: &str) -> Vec<Vec<(i32, i32)>> {
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<polyline") && line.contains("stroke-width=\"16\""));
    let number = |text: &str| text.parse::<i32>().unwrap();
    let points = |line: &str| {
        let (_, points) = line.split_once("points=\"").unwrap();
        let points = points.split_once('"').unwrap().0.split_whitespace();
        points
            .map(|point| point.split_once(',').unwrap())
            .map(|(x, y)| (number(x), number(y)))
            .collect()
    };
    lines.map(points).collect()
}

#[test]
fn the_figure_says_what_it_shows() {
    let svg = Workplace::new().figure(&["results.csv"]);
    let texts = texts(&svg);
    for text in [
        "fig-a",
        "reading: literal",
        "reading: proportional",
        "SMS-INA",
        "BF-INA",
        "1G",
    ] {
        assert_eq!(texts.iter().filter(|found| **found == text).count(), 1, "{text}");
    }
    assert_eq!(texts.iter().filter(|text| **text == "Utilization U").count(), 2);
    // The vertical axis is shared, so the figure has one title and one set of labels.
    assert_eq!(
        texts
            .iter()
            .filter(|text| **text == "Share of sets schedulable")
            .count(),
        1
    );
    for label in ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"] {
        assert_eq!(texts.iter().filter(|text| **text == label).count(), 1, "{label}");
    }
    assert!(svg.starts_with("<svg width=\""));
    assert_eq!(svg.matches("stroke-dasharray").count(), 4 + 2); // two of three lines are dashed, in two panels and the legend
}

#[test]
fn points_stand_where_the_table_says() {
    let svg = Workplace::new().figure(&[
        "results.csv",
        "--where",
        "reading=literal",
        "--where",
        "algorithm=1G",
    ]);
    let lines = lines(&svg);
    let line = lines.iter().find(|line| line.len() == 5).unwrap();
    // U = 10, 20, …, 50 is evenly spaced. The ratios are 1, 0.55, 0.1, 0 and 0.
    let steps: Vec<i32> = line.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(
        steps.iter().all(|step| (step - steps[0]).abs() <= 1 && *step > 0),
        "{steps:?}"
    );
    let (top, bottom) = (line[0].1, line[4].1);
    assert_eq!(line[3].1, bottom);
    let share = |index: usize| f64::from(bottom - line[index].1) / f64::from(bottom - top);
    assert!(
        (share(1) - 0.55).abs() < 0.001 && (share(2) - 0.1).abs() < 0.001,
        "{line:?}"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let workplace = Workplace::new();
    workplace
        .command(&["results.csv", "-o", "a.svg"])
        .assert()
        .success()
        .stdout("");
    workplace
        .command(&["results.csv", "-o", "b.svg", "--threads", "2"])
        .assert()
        .success();
    let figure = fs::read(workplace.path("a.svg")).unwrap();
    assert_eq!(figure, fs::read(workplace.path("b.svg")).unwrap());
    assert_eq!(figure, workplace.figure(&["results.csv", "-o", "-"]).into_bytes());
    let piped = workplace
        .command(&["-"])
        .write_stdin(results())
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    assert_eq!(figure, piped);
}

#[test]
fn split_results_give_the_figure_of_the_whole() {
    let workplace = Workplace::new();
    let results = results();
    let (header, rows) = results.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let (first, second) = rows.split_at(17);
    workplace.write("1.csv", &format!("{header}\n{}\n", first.join("\n")));
    workplace.write("2.csv", &format!("{header}\n{}\n", second.join("\n")));
    assert_eq!(
        workplace.figure(&["1.csv", "2.csv"]),
        workplace.figure(&["results.csv"])
    );
}

#[test]
fn options_choose_columns_rows_and_words() {
    let workplace = Workplace::new();
    let svg = workplace.figure(&[
        "results.csv",
        "--y",
        "mean_sms",
        "--panel",
        "algorithm",
        "--series",
        "reading",
        "--title",
        "Fig. 7 <&\"'>\u{7}",
        "--where",
        "algorithm=1G",
        "--where",
        "algorithm=BF-INA",
        "--log-y",
    ]);
    let texts = texts(&svg);
    for text in [
        "algorithm: 1G",
        "algorithm: BF-INA",
        "literal",
        "proportional",
        "SMs used (mean)",
        "100",
    ] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert!(!texts.contains(&"algorithm: SMS-INA"));
    assert!(
        texts.contains(&"Fig. 7 &lt;&amp;&quot;&apos;&gt;\u{fffd}"),
        "{texts:?}"
    );
    // Only the schedulability ratio has confidence intervals.
    assert!(!texts.iter().any(|text| text.contains("confidence")));
}

#[test]
fn bad_input_is_an_error_and_leaves_no_file() {
    let workplace = Workplace::new();
    workplace.write("empty.csv", "");
    workplace.write("header.csv", "utilization,algorithm,rate\n");
    workplace.write("text.csv", "utilization,algorithm,rate\n2,SMS,high\n");
    workplace.write("nan.csv", "utilization,algorithm,rate\n2,SMS,NaN\n");
    workplace.write("ragged.csv", "utilization,algorithm,rate\n2,SMS,1\n4,SMS\n");
    workplace.write("zero.csv", "utilization,algorithm,rate\n2,SMS,0\n");
    let mut told = Transcript::in_folder(workplace.0.path());
    for line in [
        "results.csv --y speed -o figure.svg",
        "results.csv --series speed -o figure.svg",
        "results.csv --panel speed -o figure.svg",
        "results.csv --where speed=1 -o figure.svg",
        "results.csv --where reading=liberal -o figure.svg",
        "results.csv --where reading -o figure.svg",
        "results.csv --panel tasks -o figure.svg",
        "results.csv results.csv -o figure.svg",
        "results.csv --y algorithm -o figure.svg",
        "empty.csv -o figure.svg",
        "header.csv -o figure.svg",
        "text.csv -o figure.svg",
        "nan.csv -o figure.svg",
        "ragged.csv -o figure.svg",
        "zero.csv --log-y -o figure.svg",
        "missing.csv -o figure.svg",
        "results.csv --format json -o figure.svg",
        "-o figure.svg",
        "results.csv -o figure.png",
        "results.csv -o figure",
        "results.csv -o missing/figure.svg",
    ] {
        let message = workplace.failure(&line.split(' ').collect::<Vec<_>>());
        assert!(message.lines().count() < 20, "{message}");
        told.case(line, message);
    }
    assert_snapshot!(told);
}

#[test]
fn a_value_between_gaps_is_visible() {
    let workplace = Workplace::new();
    let rows = |alone: &str| -> String {
        let row = |x| {
            if x < 20 {
                format!("{x},A,1\n")
            } else {
                format!("{x},A,\n")
            }
        };
        (0..30)
            .map(|x| {
                if x == 25 {
                    format!("{x},A,{alone}\n")
                } else {
                    row(x)
                }
            })
            .collect()
    };
    let circles = |alone: &str| {
        workplace.write("gap.csv", &format!("utilization,algorithm,rate\n{}", rows(alone)));
        workplace.figure(&["gap.csv"]).matches("<circle").count()
    };
    assert_eq!(circles("0.5"), circles("") + 2); // fill and outline
}

#[test]
fn an_older_figure_survives_a_failure() {
    let workplace = Workplace::new();
    workplace.write("figure.svg", "old");
    workplace.failure(&["results.csv", "--y", "speed", "-o", "figure.svg"]);
    assert_eq!(fs::read_to_string(workplace.path("figure.svg")).unwrap(), "old");
}

#[test]
fn extreme_tables_are_drawn() {
    let workplace = Workplace::new();
    let many: String = (0..24)
        .map(|index| format!("2,algorithm-with-a-long-name-{index},{index}\n"))
        .collect();
    for (name, rows) in [
        ("one.csv", "2,A,1\n"),
        ("same.csv", "2,A,5\n4,A,5\n"),
        ("huge.csv", "-1e15,A,1e15\n1e15,A,-1e15\n"),
        ("tiny.csv", "1e-300,A,1e-300\n2e-300,A,3e-300\n"),
        ("close.csv", "1e15,A,1\n999999999999999.875,A,2\n"),
        ("gap.csv", "2,A,5\n4,A,\n6,A,7\n"),
        ("many.csv", many.as_str()),
        ("unnamed.csv", "2,,5\n"),
    ] {
        workplace.write(name, &format!("utilization,algorithm,rate\n{rows}"));
        workplace.figure(&[name]);
    }
    workplace.write("small.csv", "utilization,algorithm,rate\n1,A,5e-324\n2,A,1e15\n");
    workplace.figure(&["small.csv", "--log-y"]);
}
