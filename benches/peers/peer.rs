//! Peers: plain programs in C++ or Python that compute the same results as gpusched.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clock::measured;

/// Least processor time of one measurement [ns]. It is large against the resolution of the clock.
const LEAST: f64 = 2e8;

/// Number of measurements of each program, alternately.
const ROUNDS: usize = 5;

/// Compiler and folder of the compiled peers.
pub struct Peers {
    compiler: Option<String>,
    folder: tempfile::TempDir,
}

impl Peers {
    /// Finds the C++ compiler. The environment variable `CXX` names another compiler.
    pub fn find() -> Peers {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        Peers {
            compiler: Some(compiler).filter(|compiler| runs(compiler)),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns the peer `name` in Python. `None` if there is no Python.
    pub fn script(&self, name: &str) -> Option<Peer<'_>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/peers/{name}.py"));
        runs("python3").then(|| Peer {
            command: vec!["python3".into(), script],
            folder: self.folder.path(),
        })
    }

    /// Compiles the peer `name`. `None` if there is no compiler.
    pub fn compile(&self, name: &str) -> Option<Peer<'_>> {
        let compiler = self.compiler.as_ref()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/peers/cpp/{name}.cpp"));
        let program = self.folder.path().join(name);
        let status = Command::new(compiler)
            .args(["-std=c++17", "-O3", "-march=native", "-o"])
            .args([&program, &source])
            .status();
        assert!(status.unwrap().success(), "{} does not compile", source.display());
        Some(Peer {
            command: vec![program],
            folder: self.folder.path(),
        })
    }
}

/// Whether `program` is there.
fn runs(program: &str) -> bool {
    let known = Command::new(program).arg("--version").output();
    known.is_ok_and(|answer| answer.status.success())
}

/// A program that the benchmark compares with gpusched.
pub struct Peer<'a> {
    /// The program, and its first arguments.
    command: Vec<PathBuf>,
    folder: &'a Path,
}

impl Peer<'_> {
    /// Runs gpusched and the peer in turn, and prints their times for one run and the ratio. `input` is the input of the
    /// peer, `options` are its further arguments, and `ours` does the same work with gpusched. All numbers that the two
    /// programs return must be equal.
    pub fn compare(&self, case: &str, input: &str, options: &[String], ours: impl FnMut() -> Vec<i64>) {
        std::fs::write(self.input(), input).unwrap();
        self.compare_on(case, options, ours);
    }

    /// The file with the input of the peer.
    pub fn input(&self) -> PathBuf {
        self.folder.join("input")
    }

    /// Does the same with the input that is already in the file.
    pub fn compare_on(&self, case: &str, options: &[String], mut ours: impl FnMut() -> Vec<i64>) {
        let file = self.input();
        let theirs = |runs: u64| {
            let mut command = Command::new(&self.command[0]);
            let answer = command
                .args(&self.command[1..])
                .arg(&file)
                .arg(runs.to_string())
                .args(options)
                .output()
                .unwrap();
            let text = String::from_utf8(answer.stdout).unwrap();
            let numbers = text.split_whitespace().map(|number| number.parse().unwrap());
            let numbers: Vec<i64> = numbers.collect();
            (numbers[1..].to_vec(), numbers[0] as f64 / runs as f64)
        };
        let mut ours = |runs: u64| {
            let (numbers, time) = measured(|| (0..runs).map(|_| ours()).last().unwrap_or_default());
            (numbers, time / runs as f64)
        };
        let enough = |time: f64| (LEAST / time.max(1.0)).ceil().clamp(1.0, 1e5) as u64;
        let start = std::time::Instant::now(); // the processor time is too coarse for one run
        let (ours_first, _) = ours(1);
        let our_time = start.elapsed().as_nanos() as f64;
        let (theirs_first, their_time) = theirs(1);
        assert_eq!(ours_first, theirs_first, "{case}: the results differ");
        let rounds = (0..ROUNDS).map(|_| (ours(enough(our_time)).1, theirs(enough(their_time)).1));
        let rounds: Vec<(f64, f64)> = rounds.collect();
        let median = |of: fn(&(f64, f64)) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            (values[ROUNDS / 2], values[0], values[ROUNDS - 1])
        };
        let (ratio, low, high) = median(|(ours, theirs)| theirs / ours);
        println!(
            "{case:<44} {:>12.1} {:>12.1} {ratio:>7.2} ({low:.2} to {high:.2})",
            median(|rounds| rounds.0).0 / 1e3,
            median(|rounds| rounds.1).0 / 1e3
        );
    }
}
