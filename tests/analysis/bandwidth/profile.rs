//! Synthetic kernels: their agreement with the published figures, and the equality of repository files and generated
//! kernels.

use std::path::PathBuf;

use gpusched::bandwidth::{BudgetPolicy, BudgetResults, Recipe, nominal, profile};
use gpusched::kernel_wcet::list_scheduling;
use gpusched::model::{Benchmarks, Factor, Kind, Straddling};
use gpusched::time::Time;
use insta::assert_snapshot;

use crate::support::transcript::{Transcript, variants};

const SYNTHETIC: [&str; 6] = ["sad", "bfs", "spmv", "stencil", "lbm", "sgemm"];

fn kernels() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(kernels().join(path)).unwrap()
}

fn benchmarks() -> Benchmarks {
    serde_json::from_str(&read("aghilinasab20-table2.json")).unwrap()
}

fn factor(value: f64) -> Factor {
    Factor::from_f64(value).unwrap()
}

fn recipe(seed: u64) -> Recipe {
    Recipe {
        active_blocks: 4,
        period: Time::from_ns(1_000_000),
        slowdown: factor(0.1),
        seed,
    }
}

#[test]
fn committed_kernels_are_those_that_are_made() {
    for name in SYNTHETIC {
        let made = profile(&benchmarks(), name, recipe(1)).unwrap();
        let text = serde_json::to_string(&made).unwrap() + "\n";
        assert!(
            text == read(&format!("synthetic/{name}.json")),
            "synthetic/{name}.json: make it again"
        );
    }
    let files = std::fs::read_dir(kernels().join("synthetic")).unwrap();
    let json = files.filter(|file| {
        file.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "json")
    });
    assert_eq!(json.count(), SYNTHETIC.len(), "a kernel that nobody makes");
}

/// For several seeds and values of M, the generated kernel of every benchmark has the published
/// figures. The test checks counts and results of the estimator.
#[test]
fn made_up_kernels_have_the_published_figures() {
    let benchmarks = benchmarks();
    for benchmark in benchmarks.benchmarks() {
        for (seed, active_blocks) in [(1, 4), (2, 4), (3, 8), (4, 1)] {
            let recipe = Recipe {
                active_blocks,
                ..recipe(seed)
            };
            let kernel = profile(&benchmarks, &benchmark.name, recipe).unwrap();
            let what = format!("{} {seed} {active_blocks}", benchmark.name);
            assert_eq!(
                kernel.name(),
                Some(format!("{} (synthetic)", benchmark.name).as_str())
            );
            assert_eq!(Some(kernel.blocks()), benchmark.blocks, "{what}");
            assert_eq!(Some(kernel.clusters().len() as u32), benchmark.clusters, "{what}");
            assert_eq!(
                Some(kernel.intervals().len() as u64),
                benchmark.intervals,
                "{what}"
            );
            let found = nominal(&kernel, factor(0.1), false, Straddling::End).unwrap();
            let q = benchmark.nominal_q.unwrap().as_f64();
            assert!(
                (found.nominal_q.as_f64() - q).abs() <= 0.0005,
                "{what}: {}",
                found.nominal_q
            );
            if benchmark.bound == Some(Kind::Compute) {
                let (alone, full) = (
                    list_scheduling::isolated(&kernel),
                    list_scheduling::contended(&kernel),
                );
                let slowdown = full.ns() as f64 / alone.ns() as f64 - 1.0;
                assert!(slowdown <= 0.05 && slowdown > 0.049, "{what}: {slowdown}");
            }
            for cluster in kernel.clusters() {
                let over = |time: Time, mean: f64| time.ns() as f64 / mean - 1.0;
                let alone = over(
                    cluster.isolated(),
                    cluster.isolated_distribution().unwrap().mean_ns,
                );
                let full = over(
                    cluster.contended(),
                    cluster.interference_distribution().unwrap().mean_ns,
                );
                assert!(
                    (alone - benchmark.overestimation_isolated.unwrap().as_f64()).abs() < 1e-4,
                    "{what}"
                );
                assert!(
                    (full - benchmark.overestimation_contended.unwrap().as_f64()).abs() < 1e-4,
                    "{what}"
                );
            }
            let sources = kernel.sources();
            for field in [
                "active_blocks",
                "clusters.e0",
                "clusters.e1",
                "clusters.isolated",
                "clusters.interference",
            ] {
                assert!(
                    sources[field].starts_with("synthetic"),
                    "{field}: {}",
                    sources[field]
                );
            }
        }
    }
    let of = |seed| profile(&benchmarks, "lbm", recipe(seed)).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).clusters(), of(2).clusters());
}

#[test]
fn what_cannot_be_made_is_refused() {
    let text = r#"{"benchmarks":[{"name":"a","blocks":100,"clusters":2,"intervals":4,"nominal_q":0.2,"overestimation_isolated":0,
        "overestimation_contended":0.1}],"sources":{"blocks":"","clusters":"","intervals":"","nominal_q":"",
        "overestimation_isolated":"","overestimation_contended":""}}"#;
    let make = |text: &str, name: &str, recipe: Recipe| {
        let benchmarks: Benchmarks = serde_json::from_str(text).unwrap();
        profile(&benchmarks, name, recipe).map_err(|error| error.to_string())
    };
    let short = Recipe {
        period: Time::from_ns(100_000),
        ..recipe(1)
    };
    let mut told = Transcript::default();
    told.case("another benchmark", make(text, "b", short).unwrap_err());
    let changes = r#"
"blocks":100 → "blocks":15
"clusters":2 → "clusters":0
"intervals":4 → "intervals":1
"intervals":4 → "intervals":101
"#;
    for (given, text) in variants(text, changes) {
        told.case(given, make(&text, "a", short).unwrap_err());
    }
    // The period is shorter than every block, so every budget can delay all blocks partly.
    let hasty = Recipe {
        period: Time::from_ns(1_000),
        ..short
    };
    told.case("a short period", make(text, "a", hasty).unwrap_err());
    let bare = r#"{"benchmarks":[{"name":"a","blocks":100}],"sources":{"blocks":""}}"#;
    told.case(bare, make(bare, "a", short).unwrap_err());
    for active_blocks in [0, u32::MAX] {
        let recipe = Recipe {
            active_blocks,
            ..short
        };
        told.case(
            format!("{active_blocks} active blocks"),
            make(text, "a", recipe).unwrap_err(),
        );
    }
    assert_snapshot!(told);
}

/// Compares the repository files with the figures of the paper, typed a second time.
#[test]
fn tables_iii_and_iv_are_those_of_the_paper() {
    let results: BudgetResults = serde_json::from_str(&read("aghilinasab20-table3-table4.json")).unwrap();
    let kernels = ["histo", "sad", "bfs", "spmv", "stencil", "lbm"];
    let rows: [(&str, [[f64; 6]; 3]); 4] = [
        (
            "bandwidth",
            [
                [61., 88., 46., 129., 115., 95.],
                [57., 76., 44., 127., 113., 93.],
                [62., 92., 47., 131., 116., 97.],
            ],
        ),
        (
            "libquantum",
            [
                [106., 193., 78., 167., 143., 121.],
                [104., 187., 74., 166., 142., 119.],
                [108., 195., 79., 169., 145., 123.],
            ],
        ),
        (
            "gcc",
            [
                [35., 41., 23., 35., 26., 29.],
                [34., 38., 21., 38., 22., 25.],
                [37., 42., 24., 40., 27., 29.],
            ],
        ),
        (
            "sjeng",
            [
                [13., 12., 7., 0., 0., 3.],
                [11., 11., 6., 0., 0., 4.],
                [13., 13., 8., 0., 0., 6.],
            ],
        ),
    ];
    let policies = [BudgetPolicy::Fair, BudgetPolicy::Greedy, BudgetPolicy::Smooth];
    for (demand, table) in rows {
        for (policy, row) in policies.into_iter().zip(table) {
            for (kernel, percent) in kernels.into_iter().zip(row) {
                let found = results.find(kernel, demand, policy).unwrap().improvement.unwrap();
                assert_eq!(
                    (found.as_f64() * 100.0).round(),
                    percent,
                    "{kernel} {demand} {policy}"
                );
            }
        }
    }
    let q: [[(f64, f64); 6]; 3] = [
        [
            (39.37, 12.89),
            (47.65, 20.00),
            (34.30, 9.67),
            (72.31, 21.24),
            (67.86, 20.67),
            (58.60, 14.78),
        ],
        [
            (38.94, 20.77),
            (47.54, 14.04),
            (33.96, 9.69),
            (72.30, 14.01),
            (67.76, 10.78),
            (58.18, 11.26),
        ],
        [
            (39.58, 8.71),
            (47.87, 8.72),
            (34.79, 3.62),
            (72.45, 13.65),
            (68.63, 10.01),
            (59.34, 7.10),
        ],
    ];
    for (policy, row) in policies.into_iter().zip(q) {
        for (kernel, (mean, std)) in kernels.into_iter().zip(row) {
            let found = results.find(kernel, "SPEC", policy).unwrap();
            let percent = |share: Option<Factor>| (share.unwrap().as_f64() * 1e4).round() / 100.0;
            assert_eq!(
                (percent(found.q_mean), percent(found.q_std)),
                (mean, std),
                "{kernel} {policy}"
            );
        }
    }
    assert_eq!(results.results().len(), 6 * 3 * 5 + 1);
}

/// Two published results of different kinds.
const TWO: &str = r#"{"results":[{"benchmark":"histo","policy":"fair","demand":"gcc","improvement":0.35,"q_mean":0.3937},
    {"demand":"bandwidth","requests_per_ms":60000}],
    "sources":{"improvement":"Table IV","q_mean":"Table IV","requests_per_ms":"§VII"}}"#;

#[test]
fn results_are_found_by_their_subject() {
    let results: BudgetResults = serde_json::from_str(TWO).unwrap();
    let found = results.find("histo", "gcc", BudgetPolicy::Fair).unwrap();
    let figures: Vec<_> = found.figures().into_iter().map(|figure| figure.value).collect();
    assert_eq!(figures, ["0.35", "0.3937"]);
    assert_eq!(results.find("histo", "gcc", BudgetPolicy::Smooth), None);
    assert_eq!(results.find("sad", "gcc", BudgetPolicy::Fair), None);
    let json = serde_json::to_string(&results).unwrap();
    assert_eq!(serde_json::from_str::<BudgetResults>(&json).unwrap(), results);
    assert!(!json.contains("q_std") && !json.contains("null"), "{json}");
}

#[test]
fn what_is_no_result_is_refused() {
    for (from, to, expected) in [
        ("0.3937", "1.3", "results[0].q_mean: found 1.3"),
        ("\"gcc\"", "\"\"", "results[0].demand: found \"\""),
        ("\"histo\"", "\"\"", "results[0].benchmark: found \"\""),
        (
            "\"benchmark\":\"histo\",\"policy\":\"fair\",\"demand\":\"gcc\"",
            "\"demand\":\"bandwidth\"",
            "results[1]: found a second result for the same benchmark, policy and demand",
        ),
        ("\"fair\"", "\"fairer\"", "unknown variant `fairer`"),
        ("\"q_mean\":\"Table IV\",", "", "sources: found no q_mean"),
        ("\"§VII\"", "\"§VII\",\"q_std\":\"\"", "sources.q_std"),
        (
            "\"requests_per_ms\":60000",
            "\"requests\":60000",
            "unknown field `requests`",
        ),
    ] {
        let text = TWO.replacen(from, to, 1);
        assert_ne!(text, TWO, "{from}");
        let message = serde_json::from_str::<BudgetResults>(&text)
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{to}: {message}");
    }
    let none = serde_json::from_str::<BudgetResults>(r#"{"results":[],"sources":{}}"#).unwrap_err();
    assert!(none.to_string().contains("at least one"), "{none}");
}
