//! Factors for groups of kernels that share an SM: cases by hand, and the matrix of `simulate matrix`.

use gpusched::simulator::blocks::{Record, simulate};
use serde_json::Value;

use crate::block_level::scenario::{read, run, spans};
use crate::support::{answer, gpusched};

const MS: u64 = 1_000_000;

/// Returns a scenario of kernels (name, time of its block [ms]) on SM 0, with `same_sm`.
fn on_one_sm(kernels: &[(&str, u64)], same_sm: &str) -> String {
    let kernels = (0..).zip(kernels).map(|(stream, (name, time)): (u32, _)| {
        format!(r#"{{"name":"{name}","stream":{stream},"sms":[0],"blocks":1,"threads":32,"block_time":"{time}ms"}}"#)
    });
    let kernels: Vec<String> = kernels.collect();
    let kernels = kernels.join(",");
    format!(r#"{{"platform":"xavier","interference":{{"same_sm":{same_sm}}},"kernels":[{kernels}]}}"#)
}

#[test]
fn each_pair_of_kernels_on_one_sm_has_its_own_factor() {
    let ends = |kernels: &[(&str, u64)], same_sm: &str| -> Vec<u64> {
        let spans = spans(&run(&read(&on_one_sm(kernels, same_sm))));
        spans.into_iter().map(|(_, end)| end / 1000).collect()
    };
    let pairs = r#"{"kernel":"a","beside":["b"],"factor":2},{"kernel":"b","beside":["a"],"factor":4}"#;
    // a takes 2·1 ms. Until then, b has completed 2/4 ms. Its other 2.5 ms run alone.
    assert_eq!(
        ends(&[("a", 1), ("b", 3)], &format!(r#"{{"factors":[{pairs}]}}"#)),
        [2000, 4500]
    );
    // The pair of a kernel with another launch of the same kernel has a factor, too.
    let same = r#"{"factors":[{"kernel":"a","beside":["a"],"factor":1.5}]}"#;
    assert_eq!(ends(&[("a", 1), ("a", 2)], same), [1500, 2500]);
    // With c, each group of three has a factor: a takes 3·1 ms, b completes 3/6 ms, c completes 3/1 ms of 6 ms. Then b
    // needs 2.5 ms beside c with factor 2, until 8 ms, and c completes 5/5 ms. Its last 2 ms run alone.
    let groups = r#"{"kernel":"a","beside":["c","b"],"factor":3},{"kernel":"b","beside":["a","c"],"factor":6},
        {"kernel":"c","beside":["a","b"],"factor":1},{"kernel":"b","beside":["c"],"factor":2},{"kernel":"c","beside":["b"],"factor":5}"#;
    let three = [("a", 1), ("b", 3), ("c", 6)];
    assert_eq!(
        ends(&three, &format!(r#"{{"factors":[{groups}]}}"#)),
        [3000, 8000, 10000]
    );
    // Sum: a has 1 + 1 + 0.5, b has 1 + 3 + 1, c has 1 + 4 + 0. So a ends at 2.5 ms, with 0.5 ms of b and of c complete.
    // Then b needs 2·2.5 ms, until 7.5 ms, and c completes 1 ms. Its last 4.5 ms run alone.
    let sum = r#"{"kernel":"a","beside":["c"],"factor":1.5},{"kernel":"b","beside":["c"],"factor":2},
        {"kernel":"c","beside":["a"],"factor":1},{"kernel":"c","beside":["b"],"factor":5}"#;
    let estimate = format!(r#"{{"several":"sum","factors":[{pairs},{sum}]}}"#);
    assert_eq!(ends(&three, &estimate), [2500, 7500, 12000]);
    // A group with a factor of its own replaces the sum: a ends at 3 ms, with 3/5 ms of b and of c complete.
    let own = format!(
        r#"{{"several":"sum","factors":[{pairs},{sum},{{"kernel":"a","beside":["b","c"],"factor":3}}]}}"#
    );
    assert_eq!(ends(&three, &own), [3000, 7800, 12240]);
}

#[test]
fn kernels_on_one_sm_without_a_factor_are_an_error() {
    let fails = |kernels: &[(&str, u64)], same_sm: &str| {
        let scenario = read(&on_one_sm(kernels, same_sm));
        simulate(&scenario, 1, &mut Record::default())
            .unwrap_err()
            .to_string()
    };
    let one = r#"{"factors":[{"kernel":"a","beside":["b"],"factor":2}]}"#;
    let error = fails(&[("a", 1), ("b", 3)], one);
    assert!(
        error.contains("no factor of `b` beside `a`, which have blocks on SM 0 at 0ns"),
        "{error}"
    );
    let pairs: Vec<String> = [
        ("a", "b"),
        ("b", "a"),
        ("a", "c"),
        ("c", "a"),
        ("b", "c"),
        ("c", "b"),
    ]
    .map(|(kernel, other)| format!(r#"{{"kernel":"{kernel}","beside":["{other}"],"factor":2}}"#))
    .to_vec();
    let three = [("a", 1), ("b", 3), ("c", 6)];
    let error = fails(&three, &format!(r#"{{"factors":[{}]}}"#, pairs.join(",")));
    assert!(error.contains("no factor of `a` beside `b` and `c`"), "{error}");
    // The sum needs each pair.
    let error = fails(
        &three,
        &format!(r#"{{"several":"sum","factors":[{}]}}"#, pairs[..2].join(",")),
    );
    assert!(error.contains("no factor of `a` beside `c`"), "{error}");
    // Kernels on different SMs need no factor.
    let apart = on_one_sm(&[("a", 1), ("b", 3)], "{}").replacen("[0]", "[1]", 1);
    assert_eq!(spans(&run(&read(&apart))), [(0, MS), (0, 3 * MS)]);
}

#[test]
fn a_matrix_states_the_factors_of_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = folder.path().join("matrix.csv");
    let simulated = |scenario: &str, options: &[&str]| {
        let path = folder.path().join("scenario.json");
        std::fs::write(&path, scenario).unwrap();
        let mut command = gpusched(["simulate", "blocks", "--format", "json"]);
        answer(command.arg(path).arg("--matrix").arg(&matrix).args(options))
    };
    let ends = |scenario: &str| -> Vec<u64> {
        let found = simulated(scenario, &[]);
        assert_eq!((found.code, found.stderr.as_str()), (0, ""));
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let blocks = found["blocks"].as_array().unwrap().iter();
        blocks
            .map(|block| block["end_ns"].as_u64().unwrap() / 1000)
            .collect()
    };
    // Largest slowdowns: a beside b 2, and b beside a 1, because 0.9 counts as 1. c is not in the scenario.
    let rows = "kernel,other,sms,scheduler,slowdown\na,b,4,lrr,1.5\na,b,16,lrr,2\na,b,4,gto,1.9\nb,a,4,lrr,0.9\nc,a,4,lrr,9\n";
    std::fs::write(&matrix, rows).unwrap();
    let two = [("a", 1), ("b", 3)];
    assert_eq!(ends(&on_one_sm(&two, "{}")), [2000, 3000]);
    // The factor of the scenario replaces the row of the matrix.
    let own = r#"{"factors":[{"kernel":"a","beside":["b"],"factor":3}]}"#;
    assert_eq!(ends(&on_one_sm(&two, own)), [3000, 3000]);
    for (scenario, text, part) in [
        (
            on_one_sm(&[("a", 1), ("a", 3)], "{}"),
            rows,
            "no factor of `a` beside `a`",
        ),
        (on_one_sm(&two, "{}"), "kernel,other\na,b\n", "slowdown"),
        (
            on_one_sm(&two, "{}"),
            "kernel,other,slowdown\na,b,-1\n",
            "matrix.csv:2: at slowdown: found \"-1\"",
        ),
        (
            on_one_sm(&two, "{}").replacen(r#""name":"b","#, "", 1),
            rows,
            "at kernels[1].name: found no value",
        ),
    ] {
        std::fs::write(&matrix, text).unwrap();
        let found = simulated(&scenario, &["-q"]);
        assert_eq!((found.code, found.stdout.as_str()), (2, ""), "{part}");
        assert!(found.stderr.contains(part), "{}", found.stderr);
    }
}

/// The output of `simulate matrix` is a matrix for `simulate blocks`. Both kernels need the units for double precision.
#[test]
fn simulate_matrix_writes_what_simulate_blocks_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for name in ["d", "e"] {
        let add = |to: &str| format!(r#"{{"op":"mad.double","to":"{to}","from":["{to}","a","b"]}}"#);
        let program = format!(
            r#"{{"name":"{name}","grid":2,"block":256,"body":[{{"loop":8,"body":[{},{}]}},{{"op":"exit"}}]}}"#,
            add("f"),
            add("g")
        );
        std::fs::write(file(name), program).unwrap();
    }
    let mut command = gpusched(["simulate", "matrix", "--machine", "titanv", "--sms", "2", "-o"]);
    let found = answer(command.arg(file("matrix.csv")).args([file("d"), file("e")]));
    assert_eq!(found.code, 0, "{}", found.stderr);
    let text = std::fs::read_to_string(file("matrix.csv")).unwrap();
    let row = text.lines().find(|row| row.starts_with("d,e,")).unwrap();
    let slowdown: f64 = row.rsplit(',').next().unwrap().parse().unwrap();
    assert!(slowdown > 1.5, "{row}");
    std::fs::write(
        file("scenario.json"),
        on_one_sm(&[("d", 1000), ("e", 100_000)], "{}"),
    )
    .unwrap();
    let mut command = gpusched(["simulate", "blocks", "--format", "json", "--matrix"]);
    let found = answer(command.args([file("matrix.csv"), file("scenario.json")]));
    assert_eq!(found.code, 0, "{}", found.stderr);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let end = found["blocks"][0]["end_ns"].as_u64().unwrap() as f64 / 1e9;
    assert!((end - slowdown).abs() < 1e-6, "{end} {row}");
}

#[test]
fn invalid_factors_are_refused() {
    let refused = |same_sm: &str| {
        let found =
            serde_json::from_str::<gpusched::model::Scenario>(&on_one_sm(&[("a", 1), ("b", 3)], same_sm));
        found.unwrap_err().to_string()
    };
    let factors = |rows: &str| format!(r#"{{"factors":[{rows}]}}"#);
    let good = r#"{"kernel":"a","beside":["b","a"],"factor":2}"#;
    for (rows, part) in [
        (
            r#"{"kernel":"c","beside":["b"],"factor":2}"#,
            r#"factors[0].kernel: found "c", expected the name of a kernel"#,
        ),
        (
            r#"{"kernel":"a","beside":["b","c"],"factor":2}"#,
            r#"factors[0].beside[1]: found "c""#,
        ),
        (
            r#"{"kernel":"a","beside":[],"factor":2}"#,
            "factors[0].beside: found no name",
        ),
        (
            r#"{"kernel":"a","beside":["b"],"factor":0.9}"#,
            "factors[0].factor: found 0.9",
        ),
        (
            &format!(r#"{good},{{"kernel":"a","beside":["a","b"],"factor":3}}"#),
            "factors[1].beside: found the same group",
        ),
    ] {
        let error = refused(&factors(rows));
        assert!(error.contains(part), "{rows}: {error}");
    }
    assert!(refused(r#"{"several":"product"}"#).contains("product"));
    let both =
        on_one_sm(&[("a", 1)], "{}").replacen(r#""same_sm""#, r#""factors":{"intra_sm":2},"same_sm""#, 1);
    let error = serde_json::from_str::<gpusched::model::Scenario>(&both)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("interference.factors.intra_sm: found 2 beside `same_sm`"),
        "{error}"
    );
}
