//! Estimated WCETs beyond the longest measured time.

use gpusched::kernel_wcet::clustering::Wcets;
use gpusched::kernel_wcet::fit::tail;
use gpusched::model::kernel::TailFamily;
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::scenario::{clustering, trace_of};
use crate::support::{answer, gpusched, run};

/// Returns blocks of 1000 ns with an exponential excess of mean 100 ns. The probability p is exceeded at 1000 +
/// 100·ln(1/p).
fn runs() -> Vec<Vec<u64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut time = || 1000 + (-100.0 * (1.0 - rng.random::<f64>()).ln()).ceil() as u64;
    (0..200).map(|_| (0..50).map(|_| time()).collect()).collect()
}

#[test]
fn tails_reach_beyond_the_longest_time() {
    let runs = runs();
    let longest = runs.iter().flatten().copied().max().unwrap();
    let trace = trace_of(&runs);
    let found = clustering(&trace);
    assert_eq!(found.clusters(), 1);
    let profile = |wcets| found.profile(&trace, 4, Time::from_ns(1_000_000), wcets).unwrap();
    let plain = profile(Wcets::Longest);
    assert_eq!(plain.kernel.clusters()[0].isolated().ns(), longest);
    assert!(plain.warnings.is_empty());
    for family in [TailFamily::Gev, TailFamily::Gpd] {
        let exceedance = 1e-7;
        let profile = profile(Wcets::Tail { family, exceedance });
        let cluster = &profile.kernel.clusters()[0];
        let fitted = cluster.isolated_distribution().unwrap().tail.clone().unwrap();
        assert_eq!((fitted.family, fitted.exceedance), (family, exceedance));
        let expected = 1000.0 + 100.0 * 1e7f64.ln();
        let wcet = cluster.isolated().ns();
        assert!(wcet > longest, "{family:?}: {wcet}");
        assert!(
            (wcet as f64 / expected - 1.0).abs() < 0.35,
            "{family:?}: {wcet} {expected}"
        );
        assert!(cluster.contended() >= cluster.isolated());
        // The same times, in the same order.
        let times: Vec<Time> = runs.iter().flatten().copied().map(Time::from_ns).collect();
        assert_eq!(
            tail::estimate(&times, family, exceedance).unwrap().wcet,
            cluster.isolated()
        );
    }
}

/// A sample of the runs is unordered, so the independence of the runs cannot be tested.
#[test]
fn independence_needs_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    let mut text = "run,block,duration_ns,q\n".to_owned();
    for (run, durations) in runs().iter().enumerate() {
        for q in [0, 1] {
            for (block, duration) in durations.iter().enumerate() {
                text += &format!("{run},{block},{duration},{q}\n");
            }
        }
    }
    std::fs::write(&path, text).unwrap();
    for (samples, all) in [("200", true), ("100", false)] {
        let args = [
            "wcet",
            "cluster",
            "--active-blocks",
            "4",
            "--estimate",
            "gpd",
            "--format",
            "json",
            "--samples",
            samples,
        ];
        let answer = answer(gpusched(args).arg(&path));
        assert_eq!(answer.code, 0, "{answer:?}");
        assert_eq!(
            answer
                .stderr
                .contains("no test shows whether the runs are independent"),
            !all,
            "{answer:?}"
        );
        let kernel: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let tail = &kernel["clusters"][0]["isolated"]["tail"];
        assert_eq!(
            (tail["trustworthy"].as_bool(), tail["independence_p"].is_number()),
            (Some(all), all),
            "{tail}"
        );
    }
}

#[test]
fn tails_come_with_warnings() {
    let trace = "tasksets/traces/two-paths.csv";
    let answer = run(&format!("wcet cluster {trace} --estimate gpd --format json"));
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer
            .stderr
            .contains("warning: cluster 1 at q = 0: only 20 extreme values"),
        "{answer:?}"
    );
    // `--quiet` suppresses notes but not warnings.
    let quiet = run(&format!(
        "wcet cluster {trace} --estimate gpd --format json --quiet"
    ));
    assert_eq!(quiet.stdout, answer.stdout);
    assert!(
        quiet.stderr.contains("warning: cluster 1 at q = 0") && !quiet.stderr.contains("note:"),
        "{quiet:?}"
    );
    let csv = run(&format!("wcet cluster {trace} --estimate gpd --format csv")).stdout;
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",max")), "{csv}");
    let text = run(&format!("wcet cluster {trace} --estimate gpd")).stdout;
    assert!(
        text.starts_with("e0, e1: estimates from a generalized Pareto distribution")
            && text.contains("of 4 fits, 4 were not possible"),
        "{text}"
    );
    for (options, expected) in [
        (
            "--exceedance 1e-9",
            "--exceedance: found no --estimate gev or gpd",
        ),
        (
            "--estimate gev --exceedance 0",
            "expected a probability above 0, at most 0.5",
        ),
        (
            "--estimate gpd --exceedance NaN",
            "expected a probability above 0, at most 0.5",
        ),
        ("--estimate weibull", "weibull"),
    ] {
        let answer = run(&format!("wcet cluster {trace} {options}"));
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{options}: {answer:?}"
        );
        assert!(answer.stderr.contains(expected), "{options}: {answer:?}");
    }
}
