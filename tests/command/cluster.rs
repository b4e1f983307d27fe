//! Promise: a study on a cluster has the results of one machine, also after killed shards. Commands of the test replace the
//! commands of Slurm; `tests/slurm/run.sh` uses a real Slurm.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

use crate::support::{Answer, answer, files, gpusched, is_one_complaint, root, run};

const STUDY: &str = "analysis/smoke.toml";

/// A folder with commands named like the commands of Slurm. They write their arguments to `calls`, and count jobs from 100.
struct Slurm {
    folder: tempfile::TempDir,
}

impl Slurm {
    fn new() -> Slurm {
        let slurm = Slurm {
            folder: tempfile::tempdir().unwrap(),
        };
        slurm.command(
            "sbatch",
            r#"[ "$1" = --version ] && exit 0
echo "sbatch $*" >> calls
job=$((100 + $(wc -l < jobs)))
[ "$(cat refuse)" = $job ] && { echo "sbatch: error: Invalid account" >&2; exit 1; }
echo $job >> jobs
echo "$job;here""#,
        );
        slurm.command("squeue", "cat queue");
        slurm.command("scancel", "echo \"scancel $*\" >> calls");
        for file in ["calls", "jobs", "queue", "refuse"] {
            slurm.set(file, "");
        }
        slurm
    }

    fn command(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let folder = self.folder.path().display();
        fs::write(&path, format!("#!/bin/sh\ncd {folder}\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn set(&self, file: &str, content: &str) {
        fs::write(self.path(file), content).unwrap();
    }

    /// Arguments of all calls since the last request.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path("calls")).unwrap();
        self.set("calls", "");
        calls.lines().map(str::to_owned).collect()
    }

    fn on_path(&self, command: &mut Command) -> Answer {
        let path = std::env::var_os("PATH").unwrap();
        let folders = std::iter::once(self.path("bin")).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command.env_remove("SLURM_JOB_ID");
        answer(command)
    }

    /// Runs `gpusched study` with `line`. The word `DIR` stands for the folder of the submission.
    fn study(&self, line: &str) -> Answer {
        let folder = self.path("cluster").display().to_string();
        let words = line.split_whitespace().map(|word| word.replace("DIR", &folder));
        self.on_path(&mut gpusched(std::iter::once("study".to_owned()).chain(words)))
    }

    /// Runs a script of the submission as Slurm does.
    fn script(&self, name: &str, shard: u32) -> Answer {
        let mut command = Command::new("bash");
        command.arg(name).current_dir(self.path("cluster"));
        command.env("SLURM_ARRAY_TASK_ID", shard.to_string());
        self.on_path(&mut command)
    }

    /// Error message of `gpusched study` with `line`.
    fn refusal(&self, line: &str) -> String {
        let refused = self.study(line);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{line}");
        assert!(is_one_complaint(&refused.stderr), "{line}: {}", refused.stderr);
        let folder = self.folder.path().display().to_string();
        refused.stderr.replace(&folder, "")
    }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let slurm = Slurm::new();
    let line = format!(
        "submit {STUDY} --shards 8 --partition short --account rt --time 1:00:00 --memory 2G --modules gcc/12,x --threads 4 --dry-run -o DIR"
    );
    let shown = slurm.study(&line);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    for expected in [
        "#SBATCH --partition=short\n#SBATCH --account=rt\n#SBATCH --time=1:00:00\n#SBATCH --mem=2G\n",
        "#SBATCH --cpus-per-task=4\n",
        "#SBATCH --requeue\n",
        "module load gcc/12\nmodule load x\n",
        "--shard \"$SLURM_ARRAY_TASK_ID/8\" --threads 4 --quiet -o shards\n",
        "study submit smoke.toml --retries 2 -o .\n",
        "\nsbatch --parsable --array=1-8 shard.sh\nsbatch --parsable --dependency=afterany:ARRAY_JOB merge.sh\n",
    ] {
        assert!(shown.stdout.contains(expected), "{expected}:\n{}", shown.stdout);
    }
    let json = slurm.study(&format!(
        "submit {STUDY} --shards 8 --dry-run --format json -o DIR"
    ));
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["shards"].as_array().unwrap().len(), 8);
    assert_eq!(json["dry_run"]["commands"].as_array().unwrap().len(), 2);
    assert!(slurm.calls().is_empty() && !slurm.path("cluster").exists());
}

#[test]
fn lost_shards_are_submitted_again_and_the_results_are_equal() {
    let slurm = Slurm::new();
    let whole = slurm.path("whole");
    assert_eq!(
        run(&format!("study run {STUDY} -q -o {}", whole.display())).code,
        0
    );
    let submitted = slurm.study(&format!("submit {STUDY} --shards 5 --time 30 -o DIR"));
    assert_eq!(submitted.code, 0, "{submitted:?}");
    assert!(
        submitted
            .stdout
            .starts_with("smoke: submitted 5 shards as job 100, and the merge as job 101\n")
    );
    let arrays = [
        "sbatch --parsable --array=1-5 shard.sh",
        "sbatch --parsable --dependency=afterany:100 merge.sh",
    ];
    assert_eq!(slurm.calls(), arrays);

    // Shard 1 is finished, 2 runs, 3 waits, 4 ended in the middle, and 5 ended before its start.
    slurm.set(
        "queue",
        "100_2 RUNNING\n100_3 PENDING\n101 PENDING\n7_4 RUNNING\n",
    );
    for shard in [1, 4] {
        assert_eq!(slurm.script("shard.sh", shard).code, 0);
    }
    let part = |ending: &str| slurm.path(&format!("cluster/shards/smoke.shard-4-of-5.{ending}"));
    fs::remove_file(part("provenance.json")).unwrap();
    let journal = read(&part("checkpoint.jsonl"));
    fs::write(part("checkpoint.jsonl"), &journal[..journal.len() / 2]).unwrap();
    let status = slurm.study("status DIR");
    assert_eq!(status.code, 1);
    assert_eq!(
        status.stdout,
        "smoke: 1 of 5 shards finished\n  running: 1 (shards 2)\n  waiting: 1 (shards 3)\n  lost: 2 (shards 4-5)\nmerge: waiting\n"
    );
    let json = slurm.study("status DIR --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["lost"], serde_json::json!([4, 5]));
    let csv = slurm.study("status DIR --format csv").stdout;
    assert!(
        csv.starts_with("study,shard,state\nsmoke,1,finished\nsmoke,2,running\n"),
        "{csv}"
    );

    // The command again submits only the lost shards, with the settings of the first submission.
    let again = slurm.study(&format!("submit {STUDY} -o DIR"));
    assert_eq!(again.code, 0, "{again:?}");
    let arrays = [
        "sbatch --parsable --array=4-5 shard.sh",
        "sbatch --parsable --dependency=afterany:100:102 merge.sh",
    ];
    assert_eq!(slurm.calls(), arrays);
    assert!(
        fs::read_to_string(slurm.path("cluster/shard.sh"))
            .unwrap()
            .contains("--time=30")
    );
    slurm.set(
        "queue",
        "100_2 RUNNING\n100_3 PENDING\n102_4 PENDING\n102_5 PENDING\n103 PENDING\n",
    );
    let again = slurm.study(&format!("submit {STUDY} -o DIR"));
    assert!(again.stdout.contains("nothing to submit"), "{again:?}");
    assert!(slurm.calls().is_empty());

    // All jobs end, but shard 3 was killed. The merge submits it again, and the next merge writes the results.
    slurm.set("queue", "103 RUNNING\n");
    for shard in [2, 4, 5] {
        assert_eq!(slurm.script("shard.sh", shard).code, 0);
    }
    let lines = |journal: &[u8]| journal.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines(&read(&part("checkpoint.jsonl"))), lines(&journal));
    let merge = slurm.script("merge.sh", 0);
    assert_eq!(merge.code, 0, "{merge:?}");
    assert_eq!(slurm.calls()[0], "sbatch --parsable --array=3 shard.sh");
    assert_eq!(slurm.script("shard.sh", 3).code, 0);
    let merge = slurm.script("merge.sh", 0);
    assert_eq!(merge.code, 0, "{merge:?}");
    assert!(merge.stdout.contains("5 of 5 shards finished"), "{merge:?}");
    for file in [
        "smoke.csv",
        "smoke.claims.json",
        "smoke.provenance.json",
        "smoke.toml",
        "smoke.svg",
    ] {
        let merged = slurm.path("cluster").join(file);
        assert!(read(&whole.join(file)) == read(&merged), "{file}");
    }
    slurm.set("queue", "");
    let status = slurm.study("status DIR");
    assert_eq!(
        (status.code, status.stdout.as_str()),
        (0, "smoke: 5 of 5 shards finished\nmerge: finished\n")
    );
    let again = slurm.study(&format!("submit {STUDY} -o DIR"));
    assert!(
        again.stdout.contains("nothing to submit") && slurm.calls().is_empty(),
        "{again:?}"
    );
}

/// Each merge states fewer retries to the next merge, so the jobs end also if a shard never finishes.
#[test]
fn the_merge_submits_again_only_so_many_times() {
    let slurm = Slurm::new();
    assert_eq!(
        slurm
            .study(&format!("submit {STUDY} --shards 2 --retries 2 -o DIR"))
            .code,
        0
    );
    for left in [1, 0] {
        assert_eq!(slurm.script("merge.sh", 0).code, 0);
        let script = fs::read_to_string(slurm.path("cluster/merge.sh")).unwrap();
        assert_eq!(script.contains("--retries 0"), left == 1, "{script}");
    }
    assert_eq!(slurm.calls().len(), 6);
    let last = slurm.script("merge.sh", 0);
    assert_eq!(last.code, 1, "{last:?}");
    assert!(last.stdout.contains("lost: 2 (shards 1-2)"), "{last:?}");
    assert!(slurm.calls().is_empty());
}

#[test]
fn a_refused_submission_leaves_no_file_and_no_job() {
    for (refused, calls) in [("100", 1), ("101", 3)] {
        let slurm = Slurm::new();
        slurm.set("refuse", refused);
        let message = slurm.refusal(&format!("submit {STUDY} --shards 4 -o DIR"));
        assert!(
            message.contains("failed: sbatch: error: Invalid account"),
            "{message}"
        );
        let made = slurm.calls();
        assert_eq!(made.len(), calls, "{made:?}");
        assert!(calls == 1 || made[2] == "scancel 100", "{made:?}");
        assert!(!slurm.path("cluster").exists());
    }
}

#[test]
fn wrong_submissions_are_refused() {
    let slurm = Slurm::new();
    let submit = |options: &str| slurm.refusal(&format!("submit {options}"));
    assert_eq!(
        submit(&format!("{STUDY} --shards 4")),
        "error: --output: found none, expected -o DIR, the folder for the submission\n"
    );
    assert_eq!(
        submit(&format!("{STUDY} -o DIR")),
        "error: --shards: found no number of shards, expected --shards N for the first submission\n"
    );
    assert_eq!(
        submit(&format!("{STUDY} --shards 151 -o DIR")),
        "error: --shards: found 151, expected at most 150, the number of chunks of the study\n"
    );
    assert!(submit(&format!("{STUDY} --shards 4 --time 1;ls -o DIR")).contains("--time"));
    let site = slurm.path("site.toml");
    for (text, expected) in [
        ("partiton = \"a\"", "partiton"),
        (
            "account = \"a b\"",
            "at account: found a b, expected letters, digits",
        ),
        (
            "options = [\"qos\"]",
            "at options: found qos, expected options of sbatch such as --qos=low",
        ),
        ("threads = 0", "at threads: found 0, expected at least 1"),
        ("time = ", "site.toml:1: "),
    ] {
        fs::write(&site, text).unwrap();
        let message = submit(&format!("{STUDY} --shards 4 --site {} -o DIR", site.display()));
        assert!(
            message.contains("site.toml") && message.contains(expected),
            "{message}"
        );
    }
    fs::write(
        &site,
        "partition = \"long\"\ntime = \"10\"\noptions = [\"--qos=low\"]\nthreads = 2\n",
    )
    .unwrap();
    let dry = slurm.study(&format!(
        "submit {STUDY} --shards 4 --site {} --time 20 --dry-run -o DIR",
        site.display()
    ));
    for expected in [
        "--partition=long\n",
        "--time=20\n",
        "#SBATCH --qos=low\n",
        "--cpus-per-task=2\n",
    ] {
        assert!(dry.stdout.contains(expected), "{dry:?}");
    }
    assert!(!slurm.path("cluster").exists() && slurm.calls().is_empty());

    assert_eq!(slurm.study(&format!("submit {STUDY} --shards 4 -o DIR")).code, 0);
    let message = submit(&format!("{STUDY} --shards 5 -o DIR"));
    assert!(
        message.contains("--shards: found 5 for a study that was submitted with 4 shards, expected 4"),
        "{message}"
    );
    let message = submit(&format!("{STUDY} --seed 2 -o DIR"));
    assert!(message.contains("submission.json: at experiment: "), "{message}");
    assert!(
        message.contains("hint: choose another folder with `-o`"),
        "{message}"
    );
    let message = submit("analysis/policies.toml -o DIR");
    assert!(
        message.contains("at study: found a submission of study smoke, expected policies"),
        "{message}"
    );
    fs::write(slurm.path("cluster/submission.json"), "{}").unwrap();
    assert!(submit(&format!("{STUDY} -o DIR")).contains("submission.json:1: "));
    fs::remove_file(slurm.path("cluster/submission.json")).unwrap();
    let message = submit(&format!("{STUDY} --shards 4 -o DIR"));
    assert!(
        message.contains("found a folder with files, without a submission"),
        "{message}"
    );
    assert!(slurm.refusal("status DIR").contains("found no shard of a study"));
}

/// A copy of the folder on another machine has a status.
#[test]
fn without_a_queue_the_files_state_the_progress() {
    let slurm = Slurm::new();
    assert_eq!(slurm.study(&format!("submit {STUDY} --shards 3 -o DIR")).code, 0);
    assert_eq!(slurm.script("shard.sh", 2).code, 0);
    slurm.command("squeue", "echo 'squeue: error: no controller' >&2; exit 1");
    let status = slurm.study("status DIR");
    let expected = "smoke: 1 of 3 shards finished\n  unfinished: 2 (shards 1,3)\nmerge: missing\n";
    assert_eq!((status.code, status.stdout.as_str()), (1, expected));
    assert!(
        status.stderr.starts_with("note: the queue is unknown: `squeue "),
        "{status:?}"
    );
    assert!(
        slurm
            .refusal(&format!("submit {STUDY} -o DIR"))
            .contains("squeue: error: no controller")
    );
}

#[test]
fn slurm_is_necessary_only_for_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = folder.path().join("cluster");
    let line = format!("study submit {STUDY} --shards 4 -o {}", cluster.display());
    let without = |line: &str| answer(gpusched(line.split_whitespace()).env("PATH", folder.path()));
    let refused = without(&line);
    assert_eq!(refused.code, 2);
    assert_eq!(
        refused.stderr,
        "error: --engine: found no command `sbatch`, expected the commands of Slurm\n\nhint: submit on a login node of the cluster, or look at the scripts with `--dry-run`\n"
    );
    assert_eq!(without(&format!("{line} --dry-run")).code, 0);
    assert!(!cluster.exists());

    // Shards that a user runs by hand have a status, too.
    let parts = folder.path().join("parts");
    let shard = |shard: &str| format!("study run {STUDY} --shard {shard} -q -o {}", parts.display());
    assert_eq!(without(&shard("2/3")).code, 0);
    let status = without(&format!("study status {}", parts.display()));
    let expected = "smoke: 1 of 3 shards finished\n  unfinished: 2 (shards 1,3)\n";
    assert_eq!((status.code, status.stdout.as_str()), (1, expected));
    assert_eq!(without(&shard("1/2")).code, 0);
    let status = without(&format!("study status {}", parts.display()));
    assert!(
        status
            .stderr
            .contains("shards of smoke (of 2) and of smoke (of 3)"),
        "{}",
        status.stderr
    );
    assert_eq!(files(&parts).len(), 5);
    assert!(root().join(STUDY).exists());
}

#[test]
fn a_trial_limits_the_number_of_shards() {
    let slurm = Slurm::new();
    let trial = slurm.path("look").display().to_string();
    assert_eq!(run(&format!("study run {STUDY} --sets 4 -q -o {trial}")).code, 0);
    let submit = |study: &str, shards: u32| {
        format!("submit {study} --shards {shards} --trial {trial} --dry-run -o DIR")
    };
    let shown = slurm.study(&submit(STUDY, 1));
    assert!(
        shown.stdout.starts_with("estimate: 0.00 hours of one core"),
        "{shown:?}"
    );
    let message = slurm.refusal(&submit(STUDY, 105));
    assert!(
        message.starts_with("error: --shards: found 105, expected at most "),
        "{message}"
    );
    assert!(
        message.ends_with(", so that no shard takes more than twice the mean\n"),
        "{message}"
    );

    let other = slurm.path("other.toml");
    let text = fs::read_to_string(root().join(STUDY)).unwrap();
    fs::write(&other, text.replace("deadline = 0.75", "deadline = 0.5")).unwrap();
    let message = slurm.refusal(&submit(&other.display().to_string(), 1));
    assert!(
        message.contains("found another study, expected a trial of"),
        "{message}"
    );
    let message = slurm.refusal(&submit("analysis/optimality.toml", 1));
    assert!(
        message.contains("--trial: found study `optimality` of experiment cases"),
        "{message}"
    );
    let journal = slurm.path("look/smoke.checkpoint.jsonl");
    let lines = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &lines[..=lines.find('\n').unwrap()]).unwrap();
    let message = slurm.refusal(&submit(STUDY, 1));
    assert!(
        message.contains("found an unfinished trial, expected all task sets of the trial"),
        "{message}"
    );
}

#[test]
fn the_merge_states_the_longest_shard() {
    let folder = tempfile::tempdir().unwrap();
    let parts = folder.path().join("parts").display().to_string();
    for shard in ["1/2", "2/2"] {
        assert_eq!(
            run(&format!("study run {STUDY} --shard {shard} -q -o {parts}")).code,
            0
        );
    }
    let merged = run(&format!(
        "study merge {parts} -o {}",
        folder.path().join("whole").display()
    ));
    assert_eq!(merged.code, 0);
    let (_, balance) = merged
        .stderr
        .split_once("; the longest of 2 shards took ")
        .unwrap();
    let ratio: f64 = balance
        .strip_suffix(" times the mean\n")
        .unwrap()
        .parse()
        .unwrap();
    assert!((1.0..=2.0).contains(&ratio), "{}", merged.stderr);
}

/// Times and sizes of memory have the forms of Slurm.
#[test]
fn times_and_sizes_are_those_of_slurm() {
    let slurm = Slurm::new();
    let submit = |option: &str, value: &str| {
        let answer = slurm.study(&format!(
            "submit {STUDY} --shards 2 --dry-run --{option}={value} -o DIR"
        ));
        (answer.code, answer.stderr)
    };
    for (option, good, bad) in [
        (
            "time",
            &["30", "10:30", "2:00:00", "1-12", "1-12:30", "1-12:00:00"][..],
            &["", "30m", "2h", "1:2:3:4", ":30", "-1", "1--2", "1;ls"][..],
        ),
        (
            "memory",
            &["500", "500M", "2G", "1T", "10K"],
            &["", "lots", "G", "2GB", "1.5G", "-1"],
        ),
    ] {
        for value in good {
            assert_eq!(submit(option, value), (0, String::new()), "{value}");
        }
        for value in bad {
            let (code, message) = submit(option, value);
            assert!(
                code == 2 && message.starts_with(&format!("error: --{option}: ")),
                "{value}: {message}"
            );
        }
    }
}

/// Each line of the queue states a job and its state. Lines about arrays, ended jobs and other jobs are skipped. Consecutive
/// shards are a range.
#[test]
fn the_queue_is_read_line_by_line() {
    let slurm = Slurm::new();
    assert_eq!(slurm.study(&format!("submit {STUDY} --shards 12 -o DIR")).code, 0);
    let status = |queue: &str| {
        slurm.set("queue", queue);
        slurm.study("status DIR").stdout
    };
    assert_eq!(
        status(
            "100_1 RUNNING\n100_2 RUNNING\n100_3 COMPLETING\n100_7 RUNNING\n100_9 RUNNING\n100_10 RUNNING\n 101 PENDING \n\n\
             100_4 CANCELLED\n100_[5-6] PENDING\nx RUNNING\n"
        ),
        "smoke: 0 of 12 shards finished\n  running: 6 (shards 1-3,7,9-10)\n  lost: 6 (shards 4-6,8,11-12)\nmerge: waiting\n"
    );
    let lost = status("");
    assert!(lost.contains("\n  lost: 12 (shards 1-12)\n"), "{lost}");
}

/// The scripts call gpusched as one word for the shell.
#[test]
fn programs_are_one_word() {
    let slurm = Slurm::new();
    for (program, word) in [
        ("/usr/bin/gpusched", "exec /usr/bin/gpusched study run"),
        ("/a b/it's", r"exec '/a b/it'\''s' study run"),
    ] {
        let mut command = gpusched([
            "study",
            "submit",
            STUDY,
            "--shards",
            "2",
            "--dry-run",
            "--program",
            program,
        ]);
        let shown = slurm.on_path(command.arg("-o").arg(slurm.path("cluster")));
        assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
        assert!(shown.stdout.contains(word), "{word}: {}", shown.stdout);
    }
}
