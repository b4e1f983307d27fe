//! Peers: plain programs in C++ that compute the same results as gpusched.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clock::measured;

/// Least processor time of one measurement [ns]. It is large against the resolution of the clock.
const LEAST: f64 = 2e8;

/// Number of measurements of each program, alternately.
const ROUNDS: usize = 5;

/// Compiler and folder of the compiled peers.
pub struct Peers {
    compiler: String,
    folder: tempfile::TempDir,
}

impl Peers {
    /// Returns `None` if no C++ compiler is there. The environment variable `CXX` names another compiler.
    pub fn find() -> Option<Peers> {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let known = Command::new(&compiler).arg("--version").output();
        known.ok().filter(|answer| answer.status.success())?;
        Some(Peers {
            compiler,
            folder: tempfile::tempdir().unwrap(),
        })
    }

    /// Compiles the peer `name`.
    pub fn compile(&self, name: &str) -> Peer<'_> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/peers/cpp/{name}.cpp"));
        let program = self.folder.path().join(name);
        let status = Command::new(&self.compiler)
            .args(["-std=c++17", "-O3", "-march=native", "-o"])
            .args([&program, &source])
            .status();
        assert!(status.unwrap().success(), "{} does not compile", source.display());
        Peer {
            program,
            folder: self.folder.path(),
        }
    }
}

/// A compiled program in C++.
pub struct Peer<'a> {
    program: PathBuf,
    folder: &'a Path,
}

impl Peer<'_> {
    /// Runs gpusched and the peer in turn, and prints their times for one run and the ratio. `input` is the input of the
    /// peer, `options` are its further arguments, and `ours` does the same work with gpusched. All numbers that the two
    /// programs return must be equal.
    pub fn compare(&self, case: &str, input: &str, options: &[String], mut ours: impl FnMut() -> Vec<i64>) {
        let file = self.folder.join("input");
        std::fs::write(&file, input).unwrap();
        let theirs = |runs: u64| {
            let mut command = Command::new(&self.program);
            let answer = command
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
