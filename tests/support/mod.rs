//! Runs the command as a user does.

pub mod checkout;
pub mod neutrino;
pub mod schema;
pub mod transcript;
pub mod xml;

use std::ops::{Div, Mul};
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A task set for the examples of the documentation.
pub const ADAS: &str = "tasksets/tasksets/adas.json";

/// A task of utilization 1/10 on one SM, in isolation and in conflict.
pub const TASK: &str = r#"{"period":"10ms","wcet":{"table":[[1,"1ms"]]}}"#;

/// The command, run in the root of the repository.
pub fn gpusched<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusched"));
    command
        .args(args)
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        // A line about the progress would change the messages on a busy computer.
        .env("GPUSCHED_PROGRESS", "3600s");
    command.timeout(std::time::Duration::from_secs(60));
    command
}

/// Runs the command with the arguments of one string in the root of the repository.
pub fn run(line: &str) -> Answer {
    answer(&mut gpusched(line.split_whitespace()))
}

/// Runs the command with `stdin` as standard input.
pub fn run_with(line: &str, stdin: impl Into<Vec<u8>>) -> Answer {
    answer(gpusched(line.split_whitespace()).write_stdin(stdin))
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    /// Asserts that `line` was refused with an error that contains `expected`, and without a result.
    pub fn assert_refused(&self, line: &str, expected: &str) {
        assert!(
            self.code == 2 && self.stdout.is_empty(),
            "{line}: {}",
            self.stderr
        );
        assert!(self.stderr.contains(expected), "{line}: {}", self.stderr);
    }
}

impl From<std::process::Output> for Answer {
    fn from(output: std::process::Output) -> Answer {
        Answer {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub fn answer(command: &mut Command) -> Answer {
    command.output().unwrap().into()
}

/// Whether `message` is one line, optionally with a hint of one line after a blank line.
pub fn is_one_complaint(message: &str) -> bool {
    let (error, hint) = message.split_once("\n\nhint: ").unwrap_or((message, ""));
    error.lines().count() == 1 && hint.lines().count() <= 1
}

/// A set of `count` tasks of utilization 1/10 each, all in conflict.
pub fn tenths(count: usize) -> String {
    format!(r#"{{"tasks":[{}]}}"#, vec![TASK; count].join(","))
}

/// The number of rounds of a random campaign whose full size is `full`: a tenth of it, but at least one. The rounds have the
/// same seeds in both cases. With `GPUSCHED_TESTS=full`, the campaign has its full size; with `GPUSCHED_TESTS=50`, 50 times
/// this size. A test that expects `n` findings of a full campaign expects `rounds(n)`.
pub fn rounds<N: From<u8> + Ord + Div<Output = N> + Mul<Output = N>>(full: N) -> N {
    match std::env::var("GPUSCHED_TESTS").as_deref() {
        Err(_) | Ok("") => (full / 10.into()).max(1.into()),
        Ok("full") => full,
        Ok(times) => full * times.parse::<u8>().unwrap().into(),
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the sorted names of all files in `folder`, including hidden files.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into())
        .collect();
    files.sort();
    files
}
