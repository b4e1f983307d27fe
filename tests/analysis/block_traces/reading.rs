//! All formats of a trace give the same content.

use std::path::{Path, PathBuf};

use gpusched::kernel_wcet::trace::{Level, Recorder, Trace};
use gpusched::recording::block_trace::{Format, Input};

/// Returns start, duration and level of each block of four runs.
fn rows() -> Vec<[u64; 5]> {
    let mut rows = Vec::new();
    for run in 0..4u64 {
        for block in [2, 0, 1] {
            rows.push([
                run,
                block,
                7 + 1_000 * block,
                1_001 + 250 * (run + block),
                run % 2,
            ]);
        }
    }
    rows
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn read(files: &[(PathBuf, Input<'_>)]) -> Trace {
    let mut recorder = Recorder::new(8, 1);
    for (path, input) in files {
        input.read(path, &mut recorder, &mut |_| {}).unwrap();
    }
    recorder.finish().unwrap()
}

#[test]
fn all_variants_are_the_same_trace() {
    let folder = tempfile::tempdir().unwrap();
    let each = |header: &str, line: &dyn Fn([u64; 5]) -> String| {
        let lines: Vec<String> = rows().into_iter().map(line).collect();
        format!("{header}{}\n", lines.join("\n"))
    };
    let micro = |ns: u64| format!("{}.{:03}", ns / 1_000, ns % 1_000);
    let files = [
        (
            "plain.csv",
            each("run,block,start_ns,duration_ns,q\n", &|[r, b, s, d, q]| {
                format!("{r},{b},{s},{d},{q}")
            }),
        ),
        (
            "order.csv",
            each("q,duration_us,block,start_us,run\n", &|[r, b, s, d, q]| {
                format!("{q},{},{b},{},{r}", micro(d), micro(s))
            }),
        ),
        (
            "end.csv",
            each("run,block,start_ns,end_us,q\r\n", &|[r, b, s, d, q]| {
                format!("{r}, {b},{s} ,{},{q}\r", micro(s + d))
            }),
        ),
        (
            "seconds",
            each("\n run , block,start_s,duration_s,q\n\n", &|[r, b, s, d, q]| {
                format!("{r},\"{b}\",{s}e-9,{}e-6,{q}\n", micro(d))
            }),
        ),
        (
            "lines.jsonl",
            each("", &|[r, b, s, d, q]| {
                format!(r#"{{"run":{r},"block":{b},"start_ns":{s},"duration_ns":{d},"q":{q}}}"#)
            }),
        ),
        (
            "lines.json",
            each("\n", &|[r, b, s, d, q]| {
                format!(
                    r#"{{ "q": {q}, "end_ms": {}e-6, "bl\u006fck": {b}, "start_ns": {s}, "run": {r} }}"#,
                    s + d
                )
            }),
        ),
    ];
    let traces: Vec<Trace> = files
        .iter()
        .map(|(name, text)| read(&[(write(folder.path(), name, text), Input::default())]))
        .collect();
    let [first, ..] = traces.as_slice() else { panic!() };
    assert_eq!(
        (first.blocks(), first.isolated.runs(), first.interference.runs()),
        (3, 2, 2)
    );
    // There are pauses, so only M = 1 explains the length of run 0.
    assert_eq!(first.active, Some(1));
    assert_eq!(first.isolated.summary(1).max, 1_001 + 250 * 3);
    assert_eq!(first.isolated.sample(1).collect::<Vec<_>>(), [1_251, 1_751]);
    for ((name, _), trace) in files.iter().zip(&traces) {
        assert_eq!(trace, first, "{name}");
    }

    // Without column q there is one file per level. The files also have no starts.
    let of = |level: u64| {
        let rows = rows().into_iter().filter(|row| row[4] == level);
        let rows: Vec<String> = rows.map(|[r, b, s, d, _]| format!("{d},{s},{r},{b}\n")).collect();
        write(
            folder.path(),
            &format!("{level}.txt"),
            &format!("duration_ns,start_ns,run,block\n{}", rows.concat()),
        )
    };
    let given = |level| Input {
        level: Some(level),
        ..Input::default()
    };
    let split = [
        (of(0), given(Level::Isolated)),
        (of(1), given(Level::Interference)),
    ];
    assert_eq!(read(&split), *first);
    for (path, _) in &split {
        let text = std::fs::read_to_string(path).unwrap();
        let cut: Vec<String> = text
            .lines()
            .map(|line| {
                line.split(',')
                    .enumerate()
                    .filter(|(at, _)| *at != 1)
                    .map(|(_, v)| v)
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect();
        std::fs::write(path, cut.join("\n") + "\n").unwrap();
    }
    let without = read(&split);
    assert_eq!((without.active, &without.isolated), (None, &first.isolated));
}

/// Two executions of `work` on two SMs, and one execution of another kernel.
pub const EXAMINER: &str = r#"{
"scenario_name": "fixture",
"times": [{},
{"copy_in_times": [0.1, 0.2], "cpu_times": [0.1, 3.5]},
{"kernel_name": "work", "block_count": 3, "thread_count": 64, "block_times": [1.000000001,1.5,1.0,1.25,1.25,2.5e0], "block_smids": [1,0,0], "cpu_core": 3},
{"kernel_name": "other", "block_times": [1.0,2.0], "block_smids": [0]},
{"kernel_name": "work",
 "block_times": [2.0,2.6,2.0,2.3,2.3,3.4],
 "block_smids": [1,0,0]}
]}
"#;

#[test]
fn the_examiner_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let given = |level| Input {
        level: Some(level),
        kernel: Some("work"),
        ..Input::default()
    };
    let path = write(folder.path(), "k.json", EXAMINER);
    let minified = EXAMINER.replace('\n', "");
    let other = write(folder.path(), "m.json", &minified);
    let trace = read(&[
        (path, given(Level::Isolated)),
        (other, given(Level::Interference)),
    ]);
    assert_eq!(
        (trace.blocks(), trace.isolated.runs(), trace.active),
        (3, 2, Some(2))
    );
    assert_eq!(
        trace.isolated.sample(0).collect::<Vec<_>>(),
        [499_999_999, 600_000_000]
    );
    assert_eq!(trace.interference.summary(2).max, 1_250_000_000);
}

#[test]
fn formats_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let text = "run,block,duration_ns,q\n0,0,5,0\n0,0,9,1\n";
    let path = write(folder.path(), "trace.jsonl", text);
    let mut recorder = Recorder::new(8, 1);
    assert!(Input::default().read(&path, &mut recorder, &mut |_| {}).is_err());
    let input = Input {
        format: Some(Format::Csv),
        ..Input::default()
    };
    assert_eq!(read(&[(path, input)]).interference.summary(0).max, 9);
}

#[test]
fn the_observer_sees_progress() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("run,block,duration_ns,q\n");
    for block in 0..200_000 {
        text += &format!("0,{block},5,0\n");
    }
    let path = write(folder.path(), "long.csv", &text);
    let mut seen = Vec::new();
    let mut recorder = Recorder::new(8, 1);
    Input::default()
        .read(&path, &mut recorder, &mut |bytes| seen.push(bytes))
        .unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen.is_sorted() && *seen.last().unwrap() <= text.len() as u64);
}
