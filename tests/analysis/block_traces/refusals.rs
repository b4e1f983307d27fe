//! Bad traces: exit code 2, and a message with file, line, what was found and what was expected.

use std::fmt::Write as _;

use crate::block_traces::reading::EXAMINER;
use crate::support::{Answer, answer, gpusched};

const HEADER: &str = "run,block,start_ns,duration_ns,q\n";

/// Two runs of two blocks at both levels; line 2 is the first.
fn good() -> String {
    let mut text = HEADER.to_owned();
    for (run, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for block in 0..2 {
            writeln!(text, "{run},{block},{},{},{q}", 10 * block, 100 + run).unwrap();
        }
    }
    text
}

/// `good()` with `line` (from 1) replaced by `text`; nothing if that is empty.
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

fn refused(name: &str, text: &str, arguments: &str, expected: &str) {
    let answer = cluster(name, text, arguments);
    assert_eq!(
        (answer.code, answer.stdout.as_str()),
        (2, ""),
        "{expected}: {}",
        answer.stderr
    );
    assert!(answer.stderr.starts_with("error: "), "{}", answer.stderr);
    assert!(
        answer.stderr.contains(expected),
        "{expected:?} is not in\n{}",
        answer.stderr
    );
    assert!(answer.stderr.len() < 600, "{}", answer.stderr);
}

#[test]
fn bad_rows_are_named() {
    for (text, expected) in [
        (
            with(4, "0,0,0,-5,1"),
            "t.csv:4: at duration: found \"-5\", expected a positive time",
        ),
        (
            with(4, "0,0,0,0,1"),
            "t.csv:4: at duration: found \"0\", expected a positive time",
        ),
        (with(4, "0,0,0,NaN,1"), "t.csv:4: at duration: found \"NaN\""),
        (with(4, "0,0,0,inf,1"), "t.csv:4: at duration: found \"inf\""),
        (with(4, "0,0,0,,1"), "t.csv:4: at duration: found \"\""),
        (
            with(4, "0,0,0,1099511627777,1"),
            "t.csv:4: at duration: found \"1099511627777\", expected a positive time up to 2^40 ns",
        ),
        (
            with(4, "0,0,0,99999999999999999999999,1"),
            "t.csv:4: at duration: found",
        ),
        (
            with(4, "0,0,-1,5,1"),
            "t.csv:4: at start: found \"-1\", expected a time",
        ),
        (
            with(4, "0,1.5,0,5,1"),
            "t.csv:4: at block: found \"1.5\", expected a number",
        ),
        (with(4, "0,-1,0,5,1"), "t.csv:4: at block: found \"-1\""),
        (with(4, "x,0,0,5,1"), "t.csv:4: at run: found \"x\""),
        (with(4, ",0,0,5,1"), "t.csv:4: at run: found \"\""),
        (
            with(4, "0,0,0,5,2"),
            "t.csv:4: at q: found \"2\", expected 0 (no interference) or 1",
        ),
        (with(4, "0,0,0,5,0.13"), "t.csv:4: at q: found \"0.13\""),
        (
            with(4, "0,0,0,5"),
            "t.csv:4: found 4 values, expected 5, as in the header",
        ),
        (with(4, "0,0,0,5,1,1"), "t.csv:4: found 6 values, expected 5"),
        (
            with(3, "0,0,0,5,0"),
            "t.csv:3: found block 0 twice in run 0 at q = 0, expected it once",
        ),
        (
            with(4, "0,7,0,5,1"),
            "t.csv:4: found block 7 in run 0 at q = 1, expected 0 to 1, as in the runs before",
        ),
        (
            with(2, "0,4,0,5,0"),
            "t.csv:4: run 0 at q = 0 ends without block 0; expected each block from 0 to 4, its highest",
        ),
        (
            with(5, ""),
            "t.csv:5: run 0 at q = 1 ends without block 1; expected each block from 0 to 1, as in the runs before",
        ),
        (with(9, ""), "t.csv:8: run 1 at q = 1 ends without block 1"),
        (
            with(8, "0,0,0,5,1"),
            "t.csv:8: found run 0 at q = 1 again, after another one; expected its rows together",
        ),
        (
            with(4, "0,99999999,0,5,0"),
            "t.csv:4: found block 99999999, expected a number below 16777216",
        ),
        (with(5, "0,1,\"0,5,1"), "t.csv:5: found"),
        (
            good().replace(",1\n", ",0\n"),
            "t.csv:4: found block 0 twice in run 0",
        ),
    ] {
        refused("t.csv", &text, "t.csv", expected);
    }
}

#[test]
fn bad_headers_are_named() {
    for (header, expected) in [
        (
            "run,block,start_ns,duration,q\n",
            "t.csv:1: found column \"duration\", expected run, block, duration_ns or end_ns",
        ),
        (
            "run,block,start_ns,duration_ns,level\n",
            "t.csv:1: found column \"level\"",
        ),
        ("0,0,0,100,0\n", "t.csv:1: found column \"0\""),
        (
            "run,block,duration_ns,end_ns,q\n",
            "t.csv:1: found column \"end_ns\", expected one column with duration or end only",
        ),
        (
            "run,block,start_ns,start_us,q\n",
            "t.csv:1: found column \"start_us\", expected one column with start only",
        ),
        (
            "run,run,start_ns,duration_ns,q\n",
            "t.csv:1: found column \"run\", expected one",
        ),
    ] {
        refused("t.csv", &good().replace(HEADER, header), "t.csv", expected);
    }
    refused(
        "t.csv",
        "run,start_ns,q\n0,0,0\n",
        "t.csv",
        "t.csv:1: found no column with block",
    );
    refused("t.csv", "", "t.csv", "t.csv: found nothing, expected a header");
    refused("t.csv", HEADER, "t.csv", "t.csv:1: found no row after the header");
    refused(
        "t.csv",
        "run,block,end_ns,q\n0,0,5,0\n",
        "t.csv",
        "t.csv:2: at start: found none, expected one, since there is an end",
    );
    let ends = "run,block,start_ns,end_ns,q\n0,0,5,5,0\n";
    refused(
        "t.csv",
        ends,
        "t.csv",
        "t.csv:2: at end: found 5 ns after a start at 5 ns, expected 1 ns",
    );
    let endless = format!("{HEADER}{}", "1".repeat(1 << 20));
    refused(
        "t.csv",
        &endless,
        "t.csv",
        "found a line of more than 65536 bytes",
    );
}

#[test]
fn files_that_were_cut_off_are_refused() {
    let good = good();
    let ends: Vec<usize> = good.match_indices('\n').map(|(at, _)| at).collect();
    for cut in 1..good.len() {
        // After the last block of a run nothing shows that another run followed; after the first block of the first run
        // nothing shows that there are more blocks.
        let whole = |&line: &usize| cut == ends[line] || cut == ends[line] + 1;
        let run_is_whole = [1, 2, 4, 6, 8].iter().any(whole);
        let answer = cluster("t.csv", &good[..cut], "t.csv");
        assert_eq!(answer.code, 2, "{cut}: {}", answer.stderr);
        let read =
            answer.stderr.contains("measurements of each block") || answer.stderr.contains("found no run");
        assert_eq!(read, run_is_whole, "{cut}: {}", answer.stderr);
    }
    // The line break alone is missing: nothing can be lost where q, a single digit, is last.
    refused(
        "t.csv",
        good.trim_end(),
        "t.csv",
        "found 2 measurements of each block at q = 0, expected at least",
    );
    let last = "block,q,run,duration_ns\n0,0,0,100\n0,1,0,100";
    refused(
        "t.csv",
        last,
        "t.csv",
        "t.csv:3: found no line break at the end, expected one: the last number may be cut off",
    );
}

#[test]
fn jsonl_is_checked_as_well() {
    let row = |block: u32, rest: &str| format!("{{\"run\":0,\"block\":{block},{rest}}}\n");
    let fine = row(0, "\"duration_ns\":5,\"q\":0");
    for (text, expected) in [
        (
            row(0, "\"duration_ns\":\"5\",\"q\":0"),
            "t.jsonl:1: at duration: found \"\\\"5\\\"\"",
        ),
        (
            row(0, "\"duration_ns\":null,\"q\":0"),
            "t.jsonl:1: at duration: found \"null\"",
        ),
        (
            row(0, "\"duration_ns\":-5,\"q\":0"),
            "t.jsonl:1: at duration: found \"-5\"",
        ),
        (
            row(0, "\"duration_ns\":5"),
            "t.jsonl:1: at q: found none, expected 0 or 1",
        ),
        (row(0, "\"q\":1"), "t.jsonl:1: at duration: found none"),
        (
            row(0, "\"duration_ns\":5,\"q\":0,\"sm\":1"),
            "t.jsonl:1: found field \"sm\", expected run, block",
        ),
        (
            row(0, "\"duration_ns\":5,\"end_ns\":5"),
            "t.jsonl:1: found field \"end_ns\", expected one with duration or end only",
        ),
        (format!("{fine}\n{fine}"), "t.jsonl:3: found block 0 twice"),
        (
            format!(
                "{fine}{}",
                row(0, "\"duration_ns\":5,\"q\":0")
                    .trim_end()
                    .trim_end_matches('}')
            ),
            "t.jsonl:2: EOF",
        ),
        (
            format!("{fine}[0]\n"),
            "t.jsonl:2: invalid type: sequence, expected an object with run",
        ),
        (
            format!("{fine}{} x\n", fine.trim_end()),
            "t.jsonl:2: trailing characters (column",
        ),
        (fine.clone(), "found no run at q = 1"),
        (
            "\n\n".to_owned(),
            "t.jsonl: found nothing, expected one object per line",
        ),
        (
            " ".repeat(70_000),
            "t.jsonl:1: found a line of more than 65536 bytes",
        ),
    ] {
        refused("t.jsonl", &text, "t.jsonl", expected);
    }
}

#[test]
fn the_examiner_is_checked_as_well() {
    let given = "--isolated t.json --kernel work";
    for (from, to, arguments, expected) in [
        (
            "",
            "",
            "--isolated t.json",
            "t.json: found the kernels other, work, expected one kernel, or the name of one of them",
        ),
        (
            "",
            "",
            "--isolated t.json --kernel none",
            "t.json: found no execution of kernel \"none\"",
        ),
        (
            "",
            "",
            "t.json --kernel work",
            "t.json:5: at q: found none, expected 0 or 1, or the file as one without",
        ),
        (
            "1.5,",
            "0.5,",
            given,
            "t.json:5: at end: found 500000000 ns after a start at 1000000001 ns",
        ),
        (
            "2.6,",
            "",
            given,
            "t.json:8: at block_times: found 5 times in run 1, expected start and end of each block",
        ),
        (
            "[1,0,0]}\n]",
            "[1,0]}\n]",
            given,
            "t.json:8: at block_smids: found 2 SMs in run 1, expected one per block, 3",
        ),
        ("2.6,", "-2.6,", given, "t.json:8: at end: found \"-2.6\""),
        (
            "2.6,",
            "\"2.6\",",
            given,
            "t.json:8: at end: found \"\\\"2.6\\\"\"",
        ),
        ("2.6,", "NaN,", given, "t.json:8: "),
        (
            " \"block_times\": [2.0",
            " \"block_ends\": [2.0",
            given,
            "at block_times: found 0 times in run 1",
        ),
        (
            "\"times\": [{},",
            "\"timing\": [{},",
            given,
            "t.json:10: missing field `times`",
        ),
        ("]}\n", "", given, "t.json:"),
    ] {
        let text = EXAMINER.replacen(from, to, usize::from(!from.is_empty()));
        assert!(from.is_empty() || text != EXAMINER, "{from}");
        refused("t.json", &text, arguments, expected);
    }
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
    refused(
        "t.csv",
        &only('0'),
        "t.csv",
        "found no run at q = 1 in the trace, expected runs without interference",
    );
    refused("t.csv", &only('1'), "t.csv", "found no run at q = 0");
    refused(
        "t.csv",
        &good(),
        "--isolated t.csv",
        "t.csv:4: at q: found 1, expected 0: the whole file was given as such",
    );
    refused(
        "t.csv",
        &good(),
        "t.csv --isolated ./t.csv",
        "./t.csv: found twice on the command line",
    );
    refused(
        "t.csv",
        &good(),
        "t.csv",
        "found 2 measurements of each block at q = 0, expected at least 9: with fewer, no two of 2",
    );
    refused("t.csv", &good(), "", "required arguments were not provided");
    refused("t.csv", &good(), "u.csv", "u.csv: cannot open");
    refused(
        "t.csv",
        &good(),
        "t.csv --alpha 0 ",
        "--alpha: found 0, expected a number between 0 and 1",
    );
    refused("t.csv", &good(), "t.csv --samples 0", "--samples");
    refused("t.csv", &good(), "t.csv --active-blocks 0", "--active-blocks");
    refused(
        "t.csv",
        &good(),
        "t.csv --regulation-period 5",
        "--regulation-period",
    );
    let without: String = good()
        .lines()
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            format!("{},{},{},{}\n", values[0], values[1], values[3], values[4])
        })
        .collect();
    refused(
        "t.csv",
        &without,
        "t.csv",
        "--active-blocks: found none, expected how many blocks run at a time",
    );
}

/// What is unusual, but no error, is said on standard error, and not if nobody wants to hear it.
#[test]
fn doubts_are_noted() {
    let mut text = String::from("run,block,duration_ns,q\n");
    for run in 0..30 {
        writeln!(text, "{run},0,{},0\n{run},1,{},0", 100 + run, 900 + run).unwrap();
    }
    text += "0,0,50,1\n0,1,2000,1\n";
    let run = |arguments: &str| cluster("t.csv", &text, &format!("t.csv --active-blocks 2 {arguments}"));
    let answer = run("--samples 20");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for expected in [
        "note: blocks were compared by 20 of their 30 runs",
        "note: e1 is the largest of fewer runs (1 under interference) than e0 (30 in isolation)",
        "note: cluster 0: the longest time under interference, 50ns, is shorter than that in isolation, which therefore is e1",
    ] {
        assert!(answer.stderr.contains(expected), "{expected}: {}", answer.stderr);
    }
    assert_eq!(run("--quiet").stderr, "");
    let limited = run("--max-clusters 1");
    assert!(
        limited
            .stderr
            .contains("note: 2 blocks are unlike the others of their cluster: 1 clusters"),
        "{}",
        limited.stderr
    );
}
