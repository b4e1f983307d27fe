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
        "study,point,utilization,tasks,variant,algorithm,policy,interference,sms,sets,schedulable,rate,ci_low,ci_high,\
         mean_sms,mean_merges,mean_prefill_merges\n",
    );
    for variant in ["literal", "proportional"] {
        for point in 0..5 {
            for (index, algorithm) in ["SMS-INA", "BF-INA", "1G"].into_iter().enumerate() {
                let schedulable = 100_usize.saturating_sub(point * (index + 1) * 15);
                let rate = schedulable as f64 / 100.0;
                let (low, high) = ((rate - 0.05).max(0.0), (rate + 0.05).min(1.0));
                let sms = if schedulable > 0 { "42.5" } else { "" };
                csv += &format!(
                    "fig-a,{point},{},50,{variant},{algorithm},edf,conflict,68,100,{schedulable},{rate},{low},{high},{sms},7,0\n",
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

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// Returns the texts of a figure, in order.
pub fn texts(svg: &str) -> Vec<&str> {
    let pieces = svg.split("<text ").skip(1);
    pieces
        .map(|piece| piece.split_once('>').unwrap().1.split_once('<').unwrap().0.trim())
        .collect()
}

/// Returns the points of the lines of series, in pixels.
pub fn lines(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<polyline") && line.contains("stroke-width=\"1.6\""));
    let number = |text: &str| text.parse::<f64>().unwrap();
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
    for text in ["fig-a", "literal", "proportional", "SMS-INA", "BF-INA", "1G"] {
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
        "variant=literal",
        "--where",
        "algorithm=1G",
    ]);
    let lines = lines(&svg);
    let line = lines.iter().find(|line| line.len() == 5).unwrap();
    // U = 10, 20, …, 50 is evenly spaced. The ratios are 1, 0.55, 0.1, 0 and 0.
    let steps: Vec<f64> = line.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(
        steps
            .iter()
            .all(|step| (step - steps[0]).abs() <= 0.02 && *step > 0.0),
        "{steps:?}"
    );
    let (top, bottom) = (line[0].1, line[4].1);
    assert_eq!(line[3].1, bottom);
    let share = |index: usize| (bottom - line[index].1) / (bottom - top);
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
        "variant",
        "--title",
        "Fig. 7 <&\"'>\u{7}",
        "--where",
        "algorithm=1G",
        "--where",
        "algorithm=BF-INA",
        "--log-y",
    ]);
    let texts = texts(&svg);
    for text in ["1G", "BF-INA", "literal", "proportional", "SMs used (mean)", "50"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert!(!texts.contains(&"SMS-INA"));
    assert!(
        texts.contains(&"Fig. 7 &lt;&amp;&quot;'&gt;\u{fffd}"),
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
        "results.csv --where variant=liberal -o figure.svg",
        "results.csv --where variant -o figure.svg",
        "results.csv --panel tasks -o figure.svg",
        "results.csv results.csv -o figure.svg",
        "results.csv --y algorithm -o figure.svg",
        "empty.csv -o figure.svg",
        "header.csv -o figure.svg",
        "text.csv -o figure.svg",
        "nan.csv -o figure.svg",
        "ragged.csv -o figure.svg",
        "zero.csv --log-y -o figure.svg",
        "results.csv --kind pie -o figure.svg",
        "results.csv --kind bar --log-x -o figure.svg",
        "results.csv --normalize MIG -o figure.svg",
        "results.csv --y mean_sms --normalize 1G -o figure.svg",
        "results.csv --y-range 1..0 -o figure.svg",
        "results.csv --log-y --y-range 0..1 -o figure.svg",
        "results.csv --reference one -o figure.svg",
        "results.csv --size 200x150 -o figure.svg",
        "results.csv --size 800 -o figure.svg",
        "missing.csv -o figure.svg",
        "results.csv --format json -o figure.svg",
        "-o figure.svg",
        "results.csv -o figure.jpg",
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
    assert_eq!(circles("0.5"), circles("") + 1);
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

/// Returns the height and the tooltip of each bar, in the order of the figure.
fn bars(svg: &str) -> Vec<(f64, String)> {
    let bars = svg.lines().filter(|line| line.starts_with("<rect class=\"bar\""));
    let between = |line: &str, before: &str, after: &str| -> String {
        let (_, rest) = line.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.to_owned()
    };
    bars.map(|line| {
        let height = between(line, " height=\"", "\"").parse().unwrap();
        (height, between(line, "<title>", "</title>"))
    })
    .collect()
}

const TIMES: &str = "\
kernel,scheduler,value
pc,lrr,200
pc,gto,150
mm,lrr,1000
mm,gto,1100
";

#[test]
fn bars_are_as_high_as_the_values() {
    let workplace = Workplace::new();
    workplace.write("times.csv", TIMES);
    let found = bars(&workplace.figure(&["times.csv"]));
    let words: Vec<&str> = found.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(
        words,
        ["pc, lrr: 200", "mm, lrr: 1000", "pc, gto: 150", "mm, gto: 1100"]
    );
    for ((height, _), value) in found.iter().zip([200.0, 1000.0, 150.0, 1100.0]) {
        assert!((height / found[1].0 - value / 1000.0).abs() < 1e-3, "{found:?}");
    }
    let found = bars(&workplace.figure(&["times.csv", "--normalize", "lrr"]));
    let words: Vec<&str> = found.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(
        words,
        ["pc, lrr: 1", "mm, lrr: 1", "pc, gto: 0.75", "mm, gto: 1.1"]
    );
    assert!((found[2].0 / found[0].0 - 0.75).abs() < 1e-3, "{found:?}");
    // On a logarithmic axis from 100 to 2000, the difference of two heights is the logarithm of the quotient.
    let found = bars(&workplace.figure(&["times.csv", "--log-y"]));
    let decade = (found[1].0 - found[0].0) / 5.0_f64.log10();
    assert!(
        ((found[3].0 - found[1].0) / decade - 1.1_f64.log10()).abs() < 1e-3,
        "{found:?}"
    );
}

/// Cells of a heat map have only the decimals that the confidence intervals support.
#[test]
fn cells_have_the_digits_of_their_intervals() {
    let workplace = Workplace::new();
    let table = |half: f64| {
        let values = [0.4567, 0.1234, 0.5, 0.9876];
        let rows = values.iter().enumerate().map(|(index, value)| {
            format!(
                "{},{},{value},{},{}\n",
                index % 2,
                index / 2,
                value - half,
                value + half
            )
        });
        format!("a,b,rate,ci_low,ci_high\n{}", rows.collect::<String>())
    };
    for (half, expected) in [
        (0.1, ["0.5", "0.1", "0.5", "1"]),
        (0.03, ["0.46", "0.12", "0.5", "0.99"]),
        (0.004, ["0.457", "0.123", "0.5", "0.988"]),
        (0.0, ["0.4567", "0.1234", "0.5", "0.9876"]),
    ] {
        workplace.write("rates.csv", &table(half));
        let svg = workplace.figure(&[
            "rates.csv",
            "--kind",
            "heat",
            "--x",
            "a",
            "--series",
            "b",
            "--y",
            "rate",
        ]);
        let texts = texts(&svg);
        for word in expected {
            assert!(texts.contains(&word), "{half}: {word} in {texts:?}");
        }
    }
}

#[test]
fn every_kind_draws_its_shapes() {
    let workplace = Workplace::new();
    let rows = (0..40).map(|index| format!("{},{},{}\n", index % 4, ["a", "b"][index % 2], index * index));
    let samples = format!("x,model,value\n{}", rows.collect::<String>());
    workplace.write("samples.csv", &samples);
    workplace.write("times.csv", TIMES);
    let count = |arguments: &str, shape: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        workplace.figure(&arguments).matches(shape).count()
    };
    assert_eq!(count("samples.csv --x x --kind box", "<rect class=\"box\""), 4);
    // Model a has circles, and model b has squares. The legend shows each once.
    assert_eq!(count("samples.csv --x x --kind point", "<circle"), 20 + 1);
    assert_eq!(count("samples.csv --x x --kind point", "<polygon"), 20 + 1);
    assert_eq!(count("times.csv --kind heat", "class=\"cell\""), 4 + 40); // 40 steps of the color scale
    let svg = workplace.figure(&["samples.csv", "--kind", "cdf", "--panel", "", "--series", "model"]);
    for line in lines(&svg).iter().filter(|line| line.len() > 2) {
        assert!(
            line.windows(2)
                .all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 >= pair[1].1),
            "{line:?}"
        );
    }
    let titles = ["--x-title", "", "--y-title", "time"];
    let svg = workplace.figure(
        &[
            &["times.csv", "--kind", "heat", "--color-title", "cycles"],
            &titles[..],
        ]
        .concat(),
    );
    let found = texts(&svg);
    assert!(
        found.contains(&"cycles") && found.contains(&"time") && !found.contains(&"Kernel"),
        "{found:?}"
    );
}

#[test]
fn references_ranges_and_sizes_are_respected() {
    let workplace = Workplace::new();
    workplace.write("times.csv", TIMES);
    let svg = workplace.figure(&[
        "times.csv",
        "--reference",
        "500=limit",
        "--reference",
        "700",
        "--y-range",
        "0..800",
        "--size",
        "600x350",
    ]);
    assert!(svg.starts_with("<svg width=\"600\" height=\"350\""), "{svg}");
    let found = texts(&svg);
    assert!(
        found.contains(&"limit") && found.contains(&"800") && !found.contains(&"900"),
        "{found:?}"
    );
    assert_eq!(svg.matches("stroke-dasharray=\"5 3\"").count(), 2);
    // The part of a bar outside the range is invisible.
    assert_eq!(svg.matches("<svg ").count(), 2);
}

/// Without the feature `pdf-png`, gpusched refuses these formats. With the feature, it writes them.
#[test]
fn other_formats_are_written_or_refused() {
    let workplace = Workplace::new();
    for (name, start) in [("f.pdf", &b"%PDF-"[..]), ("f.png", &b"\x89PNG"[..])] {
        let arguments = ["results.csv", "-o", name];
        if cfg!(feature = "pdf-png") {
            let picture = || {
                workplace.command(&arguments).assert().success();
                fs::read(workplace.path(name)).unwrap()
            };
            let first = picture();
            assert!(first.starts_with(start) && first.len() > 5000);
            assert!(first == picture(), "{name}");
            fs::remove_file(workplace.path(name)).unwrap();
        } else {
            let message = workplace.failure(&arguments);
            assert!(
                message.contains("hint: build gpusched with `--features pdf-png`"),
                "{message}"
            );
        }
    }
}

/// A table with more rows than a figure may show is refused, unless `--where` selects fewer rows.
#[test]
fn large_tables_need_a_selection() {
    use std::fmt::Write as _;
    let workplace = Workplace::new();
    let mut csv = String::from("time,value,kind\n");
    for row in 0..=1_000_000 {
        let kind = if row % 1000 == 0 { "some" } else { "most" };
        writeln!(csv, "{row},{},{kind}", row % 17).unwrap();
    }
    workplace.write("large.csv", &csv);
    let message = workplace.failure(&["large.csv", "--x", "time"]);
    assert_eq!(
        message,
        "error: large.csv:1000002: found more than 1000000 rows, expected at most 1000000 rows\n\n\
         hint: choose rows with `--where COLUMN=VALUE`, or other columns with `--series` or `--panel`\n"
    );
    let svg = workplace.figure(&["large.csv", "--x", "time", "--where", "kind=some"]);
    assert_eq!(lines(&svg)[0].len(), 1001);
}
