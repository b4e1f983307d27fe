//! Invalid traces: exit code 2, and a message with file, line, the value found and the value expected.

use std::fmt::{Display, Write as _};

use insta::assert_snapshot;

use crate::block_traces::reading::EXAMINER;
use crate::support::transcript::{Transcript, variants};
use crate::support::{Answer, answer, gpusched};

const HEADER: &str = "run,block,start_ns,duration_ns,q\n";

/// Returns two runs of two blocks at both levels; line 2 is the first data line.
fn good() -> String {
    let mut text = HEADER.to_owned();
    for (run, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for block in 0..2 {
            writeln!(text, "{run},{block},{},{},{q}", 10 * block, 100 + run).unwrap();
        }
    }
    text
}

/// Returns `good()` with `line` (from 1) replaced by `text`; an empty text removes the line.
fn with(line: usize, text: &str) -> String {
    let lines = good();
    let lines = lines
        .lines()
        .enumerate()
        .map(|(index, old)| match index + 1 == line {
            true if text.is_empty() => String::new(),
            true => format!("{text}\n"),
            false => format!("{old}\n"),
        });
    lines.collect()
}

fn cluster(name: &str, text: &str, arguments: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let mut command = gpusched(format!("wcet cluster {arguments}").split_whitespace());
    let answer = answer(command.current_dir(folder.path()).args(["-o", "kernel.json"]));
    assert_eq!(
        folder.path().join("kernel.json").exists(),
        answer.code == 0,
        "{name}"
    );
    answer
}

/// Checks that all traces are rejected. Each case has a label, its content, and the arguments.
fn refused(
    name: &str,
    cases: impl IntoIterator<Item = (impl Display, impl AsRef<str>, impl AsRef<str>)>,
) -> Transcript {
    let mut told = Transcript::default();
    for (given, text, arguments) in cases {
        told.refusal(given, &cluster(name, text.as_ref(), arguments.as_ref()));
    }
    told
}

#[test]
fn bad_rows_are_named() {
    let rows = [
        (4, "0,0,0,-5,1"),
        (4, "0,0,0,0,1"),
        (4, "0,0,0,NaN,1"),
        (4, "0,0,0,inf,1"),
        (4, "0,0,0,,1"),
        (4, "0,0,0,1099511627777,1"),
        (4, "0,0,0,99999999999999999999999,1"),
        (4, "0,0,-1,5,1"),
        (4, "0,1.5,0,5,1"),
        (4, "0,-1,0,5,1"),
        (4, "x,0,0,5,1"),
        (4, ",0,0,5,1"),
        (4, "0,0,0,5,2"),
        (4, "0,0,0,5,0.13"),
        (4, "0,0,0,5"),
        (4, "0,0,0,5,1,1"),
        (3, "0,0,0,5,0"),
        (4, "0,7,0,5,1"),
        (2, "0,4,0,5,0"),
        (5, ""),
        (9, ""),
        (8, "0,0,0,5,1"),
        (4, "0,99999999,0,5,0"),
        (5, "0,1,\"0,5,1"),
    ];
    let mut cases = rows
        .map(|(line, row)| (format!("line {line}: {row}"), with(line, row), "t.csv"))
        .to_vec();
    cases.push(("q = 0 only".to_owned(), good().replace(",1\n", ",0\n"), "t.csv"));
    let told = refused("t.csv", cases);
    assert_snapshot!(told);
}

#[test]
fn bad_headers_are_named() {
    let headers = [
        "run,block,start_ns,duration,q\n",
        "run,block,start_ns,duration_ns,level\n",
        "0,0,0,100,0\n",
        "run,block,duration_ns,end_ns,q\n",
        "run,block,start_ns,start_us,q\n",
        "run,run,start_ns,duration_ns,q\n",
    ];
    let texts = [
        "run,start_ns,q\n0,0,0\n",
        "",
        HEADER,
        "run,block,end_ns,q\n0,0,5,0\n",
        "run,block,start_ns,end_ns,q\n0,0,5,5,0\n",
        &format!("{HEADER}{}", "1".repeat(1 << 20)),
    ];
    let headers = headers.map(|header| (header, good().replace(HEADER, header), "t.csv"));
    let texts = texts.map(|text| (text, text.to_owned(), "t.csv"));
    let told = refused("t.csv", headers.into_iter().chain(texts));
    assert_snapshot!(told);
}

#[test]
fn files_that_were_cut_off_are_refused() {
    let good = good();
    let ends: Vec<usize> = good.match_indices('\n').map(|(at, _)| at).collect();
    for cut in 1..good.len() {
        // If the file is cut after the last block of a run, the missing runs are undetectable. If
        // the file is cut after the first block of the first run, the missing blocks are
        // undetectable.
        let whole = |&line: &usize| cut == ends[line] || cut == ends[line] + 1;
        let run_is_whole = [1, 2, 4, 6, 8].iter().any(whole);
        let answer = cluster("t.csv", &good[..cut], "t.csv");
        assert_eq!(answer.code, 2, "{cut}: {}", answer.stderr);
        let read =
            answer.stderr.contains("measurements of each block") || answer.stderr.contains("found no run");
        assert_eq!(read, run_is_whole, "{cut}: {}", answer.stderr);
    }
    // Only the line break is missing. No digit can be lost if q is last, because q has a single digit.
    let last = "block,q,run,duration_ns\n0,0,0,100\n0,1,0,100";
    let told = refused("t.csv", [good.trim_end(), last].map(|text| (text, text, "t.csv")));
    assert_snapshot!(told);
}

#[test]
fn jsonl_is_checked_as_well() {
    let row = |block: u32, rest: &str| format!("{{\"run\":0,\"block\":{block},{rest}}}\n");
    let fine = row(0, "\"duration_ns\":5,\"q\":0");
    let texts = [
        row(0, "\"duration_ns\":\"5\",\"q\":0"),
        row(0, "\"duration_ns\":null,\"q\":0"),
        row(0, "\"duration_ns\":-5,\"q\":0"),
        row(0, "\"duration_ns\":5"),
        row(0, "\"q\":1"),
        row(0, "\"duration_ns\":5,\"q\":0,\"warp\":1"),
        row(0, "\"duration_ns\":5,\"end_ns\":5"),
        format!("{fine}\n{fine}"),
        format!(
            "{fine}{}",
            row(0, "\"duration_ns\":5,\"q\":0")
                .trim_end()
                .trim_end_matches('}')
        ),
        format!("{fine}[0]\n"),
        format!("{fine}{} x\n", fine.trim_end()),
        fine.clone(),
        "\n\n".to_owned(),
        " ".repeat(70_000),
    ];
    let told = refused("t.jsonl", texts.map(|text| (text.clone(), text, "t.jsonl")));
    assert_snapshot!(told);
}

#[test]
fn the_examiner_is_checked_as_well() {
    let whole = [
        "--isolated t.json",
        "--isolated t.json --kernel none",
        "t.json --kernel work",
    ];
    let whole = whole.map(|arguments| (arguments.to_owned(), EXAMINER.to_owned(), arguments));
    let changed = variants(
        EXAMINER,
        r#"
1.5, → 0.5,
2.6, →
[1,0,0]}\n] → [1,0]}\n]
2.6, → -2.6,
2.6, → "2.6",
2.6, → NaN,
 "block_times": [2.0 →  "block_ends": [2.0
"times": [{}, → "timing": [{},
]}\n →
"#,
    );
    let changed = changed
        .into_iter()
        .map(|(given, text)| (given, text, "--isolated t.json --kernel work"));
    let told = refused("t.json", whole.into_iter().chain(changed));
    assert_snapshot!(told);
}

#[test]
fn levels_and_runs_must_be_there() {
    let only = |q: char| -> String {
        good()
            .lines()
            .filter(|line| line.ends_with(['q', q]))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let without: String = good()
        .lines()
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            format!("{},{},{},{}\n", values[0], values[1], values[3], values[4])
        })
        .collect();
    let levels = [
        ("only q = 0", only('0'), "t.csv"),
        ("only q = 1", only('1'), "t.csv"),
        ("no start", without, "t.csv"),
    ];
    let arguments = [
        "--isolated t.csv",
        "t.csv --isolated ./t.csv",
        "t.csv",
        "",
        "u.csv",
        "t.csv --alpha 0 ",
        "t.csv --samples 0",
        "t.csv --active-blocks 0",
        "t.csv --regulation-period 5",
    ];
    let arguments = arguments.map(|arguments| (arguments, good(), arguments));
    let told = refused("t.csv", levels.into_iter().chain(arguments));
    assert_snapshot!(told);
}

/// Unusual but valid content gives a note on standard error, which `--quiet` suppresses.
#[test]
fn doubts_are_noted() {
    let mut text = String::from("run,block,duration_ns,q\n");
    for run in 0..30 {
        writeln!(text, "{run},0,{},0\n{run},1,{},0", 100 + run, 900 + run).unwrap();
    }
    text += "0,0,50,1\n0,1,2000,1\n";
    let run = |arguments: &str| cluster("t.csv", &text, &format!("t.csv --active-blocks 2 {arguments}"));
    let mut told = Transcript::default();
    for arguments in ["--samples 20", "--max-clusters 1"] {
        let answer = run(arguments);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        told.case(arguments, answer.stderr);
    }
    assert_snapshot!(told);
    assert_eq!(run("--quiet").stderr, "");
}
