//! A study survives a kill at every moment, a damaged journal, a full disk and a concurrent run, and gives the same
//! bytes.

use std::fs::{self, File};
use std::path::Path;

use gpusched::study::{Progress, Shards};

use crate::study_support::files::{stable_files, temporary};
use crate::study_support::{SMALL, parse, run, small};

const JOURNAL: &str = "small.checkpoint.jsonl";

/// Returns a study with two points of one chunk each, so the journal has a few hundred bytes.
fn tiny() -> gpusched::study::Spec {
    let text = SMALL
        .replace("tasks = [5, 8]", "tasks = [5]")
        .replace("to = 10", "to = 4")
        .replace("sets = 9", "sets = 1");
    parse(&text)
}

/// Runs the study with an existing `journal`; returns the results or the message.
fn run_with(journal: &[u8]) -> Result<Vec<u8>, String> {
    let folder = temporary();
    fs::write(folder.path().join(JOURNAL), journal).unwrap();
    run(&tiny(), folder.path(), "1/1", 1).map_err(|error| error.to_string())?;
    Ok(fs::read(folder.path().join("small.csv")).unwrap())
}

#[test]
fn a_journal_cut_anywhere_resumes_to_the_same_bytes() {
    let folder = temporary();
    run(&tiny(), folder.path(), "1/1", 1).unwrap();
    let expected = fs::read(folder.path().join("small.csv")).unwrap();
    let journal = fs::read(folder.path().join(JOURNAL)).unwrap();
    assert_eq!(journal.split(|&byte| byte == b'\n').count(), 1 + 2 + 1);
    for length in 0..=journal.len() {
        assert_eq!(
            run_with(&journal[..length]).as_ref(),
            Ok(&expected),
            "{length} bytes"
        );
    }
}

#[test]
fn a_damaged_journal_never_changes_the_results() {
    let folder = temporary();
    run(&tiny(), folder.path(), "1/1", 1).unwrap();
    let expected = fs::read(folder.path().join("small.csv")).unwrap();
    let journal = fs::read(folder.path().join(JOURNAL)).unwrap();
    let mut refused = 0;
    for position in 0..journal.len() {
        let mut damaged = journal.clone();
        damaged[position] ^= 1;
        match run_with(&damaged) {
            Ok(results) => assert_eq!(results, expected, "byte {position}"),
            Err(message) => {
                assert!(
                    message.contains(JOURNAL) && message.contains("delete this file"),
                    "{message}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > journal.len() * 9 / 10, "{refused} of {}", journal.len());
}

#[test]
fn finished_chunks_are_not_repeated() {
    let folder = temporary();
    run(&small(), folder.path(), "1/1", 2).unwrap();
    let expected = stable_files(folder.path());
    let path = folder.path().join(JOURNAL);
    let journal = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    assert_eq!(lines.len(), 1 + 50);
    let half = format!("{}\n{}", lines[..26].join("\n"), &lines[26][..10]);
    fs::write(&path, &half).unwrap();
    let summary = run(&small(), folder.path(), "1/1", 2).unwrap();
    assert_eq!(summary.units, 90);
    assert!((25..90).contains(&summary.resumed), "{summary:?}");
    let resumed = fs::read_to_string(&path).unwrap();
    assert!(resumed.starts_with(&half[..half.len() - 10]));
    assert_eq!(resumed.lines().count(), 1 + 50);
    assert_eq!(stable_files(folder.path()), expected);
}

#[test]
fn journals_of_something_else_are_refused_and_left_alone() {
    let folder = temporary();
    run(&small(), folder.path(), "1/3", 2).unwrap();
    let shard = folder.path().join("small.shard-1-of-3.checkpoint.jsonl");
    let journal = fs::read_to_string(&shard).unwrap();
    let other = parse(&SMALL.replace("sets = 9", "sets = 8"));
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let hashes = [small().experiment().unwrap(), other.experiment().unwrap()];
    let whole = journal.replace("\"1/3\"", "\"1/1\"");
    let (_, second) = whole.split_once('\n').unwrap();
    let first_twice = format!("{whole}{}\n", second.lines().next().unwrap());
    for (text, parts) in [
        (journal.clone(), vec!["shard 1/3, expected 1/1"]),
        (
            whole.replace("\"seed\":7", "\"seed\":8"),
            vec!["seed 8, expected 7"],
        ),
        (
            whole.replace(&version, "\"version\":\"0.0.1\""),
            vec!["version 0.0.1, expected"],
        ),
        (
            whole.replace("\"journal\":1", "\"journal\":2"),
            vec!["journal 2, expected 1"],
        ),
        (
            whole.replace(&hashes[0], &hashes[1]),
            vec![&hashes[0], &hashes[1]],
        ),
        (first_twice, vec![" twice, expected each chunk once"]),
        ("my notes\n".to_owned(), vec!["not the first line of a journal"]),
        ("my notes".to_owned(), vec!["expected the beginning of a journal"]),
    ] {
        let folder = temporary();
        let path = folder.path().join(JOURNAL);
        fs::write(&path, &text).unwrap();
        let message = run(&small(), folder.path(), "1/1", 2).unwrap_err().to_string();
        assert!(message.contains("delete this file"), "{message}");
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing else is written"
        );
    }
}

/// Results of another study are refused with the fields that differ. Fields without an effect do not differ.
#[test]
fn results_of_another_study_are_told_by_their_fields() {
    let folder = temporary();
    let first = tiny();
    run(&first, folder.path(), "1/1", 1).unwrap();
    let told = |from: &str, to: &str| {
        let text = first.text().replacen(from, to, 1);
        assert_ne!(text, first.text(), "{from}");
        let again = run(&parse(&text), folder.path(), "1/1", 1);
        again.map(drop).map_err(|error| error.to_string())
    };
    let tasks: Vec<String> = (5..65).map(|tasks| tasks.to_string()).collect();
    for (from, to, expected) in [
        (
            "sets = 1\n",
            "sets = 12\n",
            "at sets: found results of a study with 1, expected results of this study, with 12",
        ),
        (
            "to = 4",
            "to = 6",
            "at axis.utilization.to: found results of a study with 4, expected results of this study, with 6",
        ),
        (
            "policy = \"edf\"",
            "policy = \"lp-edf\"\nblocks = 3",
            "at variant[0].policy: found results of a study with \"edf\", expected results of this study, with \"lp-edf\"; \
             further differences: variant[0].blocks",
        ),
        (
            "interference = \"conflict\"",
            "interference = \"none\"",
            ".interference: found results of a study with \"conflict\", expected results of this study, with \"none\"",
        ),
        (
            "forbidden = \"act\"\n",
            "",
            ".forbidden: found results of a study with \"act\", expected results of this study, with no such field",
        ),
        ("tasks = [5]", &format!("tasks = [{}]", tasks.join(", ")), "…"),
    ] {
        let message = told(from, to).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(told("must_hold = true", "must_hold = false"), Ok(()));
    assert_eq!(told("sets = 1\n", "sets = 1 # a comment\n"), Ok(()));
}

/// The name of a file states the study and the shard, even if the name of the study looks like a shard.
#[test]
fn shards_are_found_by_the_names_of_their_files() {
    let folder = temporary();
    let spec = parse(&SMALL.replace("name = \"small\"", "name = \"small.shard-x\""));
    run(&spec, folder.path(), "2/8", 1).unwrap();
    for other in [
        "small.shard-x.checkpoint.jsonl",
        "small.shard-x.provenance.json",
        "small.shard-x.shard-9-of-8.checkpoint.jsonl",
        "small.shard-x.shard-1-of-8.csv",
    ] {
        fs::write(folder.path().join(other), "").unwrap();
    }
    let found = Shards::find(folder.path()).unwrap();
    let mut progress = vec![Progress::Missing; 8];
    progress[1] = Progress::Finished;
    assert_eq!(
        (found.study.as_str(), found.progress),
        ("small.shard-x", progress.clone())
    );
    fs::write(
        folder.path().join("small.shard-x.shard-3-of-8.checkpoint.jsonl"),
        "",
    )
    .unwrap();
    progress[2] = Progress::Started;
    assert_eq!(Shards::of(&spec, folder.path(), 8).unwrap().progress, progress);
}

#[test]
fn a_study_is_run_by_one_process_at_a_time() {
    let folder = temporary();
    run(&small(), folder.path(), "1/1", 2).unwrap();
    let expected = stable_files(folder.path());
    let rival = File::open(folder.path().join(JOURNAL)).unwrap();
    rival.lock().unwrap();
    let refused = run(&small(), folder.path(), "1/1", 2).unwrap_err().to_string();
    assert!(
        refused.contains("another process uses, also after 2 s"),
        "{refused}"
    );
    let merged = gpusched::study::merge(&[folder.path()], folder.path().join("out"));
    let refused = merged.map(drop).unwrap_err().to_string();
    assert!(refused.contains("another process uses, expected"), "{refused}");
    // A killed process may have the lock for some milliseconds more, so a run waits.
    let released = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        rival.unlock().unwrap();
    });
    run(&small(), folder.path(), "1/1", 2).unwrap();
    released.join().unwrap();
    run(&small(), folder.path(), "1/1", 2).unwrap();
    assert_eq!(stable_files(folder.path()), expected);
}

#[test]
fn folders_that_cannot_be_made_are_errors() {
    let root = temporary();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [&root.path().join("missing/below"), &file, &file.join("below")] {
        let message = run(&small(), path, "1/1", 1).unwrap_err().to_string();
        assert!(message.contains("cannot create folder"), "{message}");
    }
    let folder = root.path().join("folder");
    fs::create_dir_all(folder.join(JOURNAL)).unwrap();
    let message = run(&small(), &folder, "1/1", 1).unwrap_err().to_string();
    assert!(message.contains("expected a regular file"), "{message}");
}

/// Tests that need a separate process.
#[cfg(all(unix, feature = "cli"))]
mod process {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    const BINARY: &str = env!("CARGO_BIN_EXE_gpusched");

    const KILLS: u64 = 20;

    /// Returns a study that takes about half a second on two cores.
    fn lengthy() -> String {
        SMALL
            .replace("tasks = [5, 8]", "tasks = [40, 60]")
            .replace("sms = 12", "sms = 30")
            .replace("to = 10, step = 2", "to = 20, step = 2")
            .replace("sets = 9", "sets = 12")
    }

    fn start(spec: &Path, output: &Path) -> Child {
        let mut command = Command::new(BINARY);
        command
            .args(["study", "run", "--quiet", "--threads", "2", "-o"])
            .arg(output)
            .arg(spec);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Returns the current size of the file [bytes].
    fn length(path: &Path) -> u64 {
        fs::metadata(path).map_or(0, |metadata| metadata.len())
    }

    /// Waits for the end of the process; returns exit code and standard error.
    fn finish(child: Child) -> (Option<i32>, String) {
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    /// Returns a random number below `limit` (SplitMix64), with the same sequence in every run of the test.
    fn random(state: &mut u64, limit: u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    #[test]
    fn twenty_kills_leave_no_trace() {
        let root = temporary();
        let spec = root.path().join("spec.toml");
        fs::write(&spec, lengthy()).unwrap();
        let undisturbed = root.path().join("undisturbed");
        assert_eq!(finish(start(&spec, &undisturbed)), (Some(0), String::new()));
        let expected = stable_files(&undisturbed);
        assert!(expected.contains_key("small.csv") && expected.keys().any(|name| name.ends_with(".svg")));
        let whole = length(&undisturbed.join(JOURNAL));

        let output = root.path().join("killed");
        let mut state = 1;
        for kill in 0..KILLS {
            // The journal then ends after a line or within a line.
            let least = (whole * kill + random(&mut state, whole)) / (KILLS + 2);
            let mut child = start(&spec, &output);
            while length(&output.join(JOURNAL)) < least && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_micros(100));
            }
            child.kill().unwrap(); // SIGKILL
            let (code, message) = finish(child);
            assert!(
                code.is_none() || (code, message.as_str()) == (Some(0), ""),
                "{message}"
            );
        }
        assert_eq!(finish(start(&spec, &output)), (Some(0), String::new()));
        assert_eq!(stable_files(&output), expected);
    }

    #[test]
    fn a_rival_process_is_refused() {
        let root = temporary();
        let spec = root.path().join("spec.toml");
        fs::write(&spec, lengthy()).unwrap();
        let output = root.path().join("out");
        let first = start(&spec, &output);
        let journal = output.join(JOURNAL);
        while length(&journal) == 0 {
            sleep(Duration::from_millis(1));
        }
        let signal = |name: &str| {
            let kill = Command::new("kill")
                .args([name, &first.id().to_string()])
                .status()
                .unwrap();
            assert!(kill.success());
        };
        signal("-STOP");
        let (code, message) = finish(start(&spec, &output));
        signal("-CONT");
        assert_eq!(code, Some(2));
        assert!(message.contains("another process"), "{message}");
        assert_eq!(finish(first), (Some(0), String::new()));
    }

    /// A limit on the file size simulates a full disk.
    #[test]
    fn a_full_disk_is_an_error_and_the_study_resumes() {
        let root = temporary();
        let spec = root.path().join("spec.toml");
        fs::write(&spec, SMALL).unwrap();
        let output = root.path().join("out");
        let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" study run --quiet \"$1\" -o \"$2\"";
        let limited = Command::new("bash")
            .args(["-c", script, BINARY])
            .args([&spec, &output])
            .output()
            .unwrap();
        let message = String::from_utf8(limited.stderr).unwrap();
        assert_eq!(limited.status.code(), Some(2), "{message}");
        assert!(message.contains("cannot write"), "{message}");
        assert!(!output.join("small.csv").exists());
        assert!(fs::metadata(output.join(JOURNAL)).unwrap().len() >= 4096);

        assert_eq!(finish(start(&spec, &output)), (Some(0), String::new()));
        let undisturbed = root.path().join("undisturbed");
        assert_eq!(finish(start(&spec, &undisturbed)), (Some(0), String::new()));
        assert_eq!(stable_files(&output), stable_files(&undisturbed));
    }
}
