//! Definitions of studies: values on axes, splits of blocks, algorithms, and shares of work.

use gpusched::model::Factor;
use gpusched::model::{Cluster, Kernel};
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use gpusched::partitioning::{Objective, Options};
use gpusched::time::Time;
use gpusched_study::measures::Row;
use gpusched_study::measures::{Splits, Variant, variants};
use gpusched_study::{Algorithm, Level, Levels, Overrides, Shard, Spec, Values, Work};

use crate::study_support::SMALL;

#[derive(serde::Deserialize)]
struct Axis {
    u: Values,
}

fn values(text: &str) -> Result<Vec<String>, String> {
    toml::from_str::<Axis>(&format!("u = {text}"))
        .map(|axis| axis.u.as_slice().iter().map(Factor::to_string).collect())
        .map_err(|error| error.message().to_owned())
}

#[test]
fn ranges_are_exact() {
    assert_eq!(
        values("{ from = 0.1, to = 0.45, step = 0.1 }").unwrap(),
        ["0.1", "0.2", "0.3", "0.4"]
    );
    assert_eq!(values("{ from = 2, to = 6, step = 2 }").unwrap(), ["2", "4", "6"]);
    assert_eq!(values("{ from = 3, to = 3, step = 1 }").unwrap(), ["3"]);
    assert_eq!(values("[5, 1.5]").unwrap(), ["5", "1.5"]);
    assert_eq!(values("7").unwrap(), ["7"]);
}

#[test]
fn absurd_axes_are_refused() {
    for (text, part) in [
        ("[]", "empty list"),
        ("[1, 2, 1.0]", "1 twice"),
        ("{ from = 1, to = 2, step = 0 }", "positive step"),
        ("{ from = 2, to = 1, step = 1 }", "from ≤ to"),
        ("{ from = 0, to = 1e6, step = 0.001 }", "at most 100000"),
        ("{ from = 0, to = 1 }", "missing field `step`"),
        ("{ from = 0, to = 1, step = 1, by = 2 }", "unknown field `by`"),
        ("[1, nan]", "expected a number from 0"),
        ("[-1]", "expected a number from 0"),
        ("inf", "expected a number from 0"),
        ("\"2..68\"", "expected a list of numbers"),
    ] {
        let message = values(text).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}

fn levels(text: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = toml::from_str(&format!("x = {text}")).unwrap();
    let levels = Levels::new(&table["x"])?;
    Ok(levels.as_slice().iter().map(Level::to_string).collect())
}

#[test]
fn lists_ranges_and_single_values() {
    assert_eq!(
        levels("[0.5, 'uniform:0.5:1']").unwrap(),
        ["0.5", "uniform:0.5:1"]
    );
    assert_eq!(
        levels("{ from = 0.5, to = 1.5, step = 0.5 }").unwrap(),
        ["0.5", "1", "1.5"]
    );
    assert_eq!(levels("'edf'").unwrap(), ["edf"]);
    assert_eq!(levels("7").unwrap(), ["7"]);
    for (text, part) in [
        ("[]", "empty list"),
        ("['a', 'b', 'a']", "a twice"),
        ("[1, 1.0]", "1 twice"),
        ("[true]", "found true"),
        ("[[1]]", "expected a list of numbers or texts"),
        ("{ from = 2, to = 1, step = 1 }", "from ≤ to"),
    ] {
        let message = levels(text).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[derive(serde::Deserialize)]
struct Case {
    s: Splits,
}

fn splits(text: &str, clusters: usize) -> Result<Vec<String>, String> {
    let case: Case = toml::from_str(&format!("s = {text}")).map_err(|error| error.message().to_owned())?;
    let splits = case.s.of(clusters)?.into_iter();
    Ok(splits
        .map(|split| split.iter().map(Factor::to_string).collect::<Vec<_>>().join(":"))
        .collect())
}

#[test]
fn grids_are_complete() {
    assert_eq!(
        splits("[[1, 1, 1], [0.5, 0, 2]]", 3).unwrap(),
        ["1:1:1", "0.5:0:2"]
    );
    assert_eq!(splits("{ parts = 2 }", 2).unwrap(), ["0:2", "1:1", "2:0"]);
    assert_eq!(
        splits("{ parts = 4, least = 1 }", 3).unwrap(),
        ["1:1:2", "1:2:1", "2:1:1"]
    );
    assert_eq!(splits("{ parts = 3, least = 3 }", 1).unwrap(), ["3"]);
    assert_eq!(splits("{ parts = 10 }", 3).unwrap().len(), 66);
    let plain = (0..=7u32).flat_map(|a| (0..=7).flat_map(move |b| (0..=7).map(move |c| (a, b, c))));
    let plain: Vec<_> = plain.filter(|(a, b, c)| a + b + c <= 7).collect();
    assert_eq!(splits("{ parts = 7 }", 4).unwrap().len(), plain.len());
}

#[test]
fn absurd_splits_are_refused() {
    for (text, part) in [
        ("[]", "empty list"),
        ("[[1, 1]]", "found 2 shares, expected 3"),
        ("[[0, 0, 0]]", "only shares of 0"),
        ("[[1, -1, 1]]", "expected a number from 0"),
        ("{ parts = 0 }", "expected at least 0 for each of 3 clusters"),
        (
            "{ parts = 5, least = 2 }",
            "expected at least 2 for each of 3 clusters",
        ),
        (
            "{ parts = 4294967295, least = 4294967295 }",
            "expected at least 4294967295 for each of 3 clusters",
        ),
        ("{ parts = 4000000000 }", "more than 10000 splits"),
        ("{ parts = 4000000000, least = 1333333333 }", "at most 1000000"),
        ("{ least = 2 }", "missing field `parts`"),
        ("{ parts = 2, most = 1 }", "unknown field `most`"),
        ("\"all\"", "a list of splits"),
    ] {
        let message = splits(text, 3).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}

/// Checks that the written algorithm has all fields of the options. As a result, the hash input of the experiment
/// stays unchanged.
#[test]
fn an_algorithm_has_the_fields_of_the_options() {
    let text = r#"{"name":"x","heuristic":"bf","forbidden":"act","order":"increasing","sms_ties":"position",
        "bf_measure":"demand","bf_direction":"descending","split":3,"objective":"feasible","improve":true,"budget":7,"gap":2}"#;
    let fields: serde_json::Value = serde_json::from_str(text).unwrap();
    let algorithm: Algorithm = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&algorithm).unwrap(), fields);
    let options: Options = serde_json::from_str(text).unwrap();
    let written = Options {
        improve: true,
        objective: Some(Objective::Feasible),
        search_effort: Some(7),
        forbidden: Some(Forbidden::Act),
        order: Some(ListOrder::Increasing),
        sms_ties: Some(SmsTies::Position),
        bf_measure: Some(BfMeasure::Demand),
        bf_direction: Some(BfDirection::Descending),
        split: Some(3),
        gap: Some(2),
        ..Options::default()
    };
    assert_eq!(options, written);
    // The hash uses the former names of the fields.
    let (former, names): (Algorithm, Algorithm) = (
        serde_json::from_str(r#"{"name":"x","heuristic":"sms","budget":7}"#).unwrap(),
        serde_json::from_str(r#"{"name":"x","heuristic":"fewest-sms","search_effort":7}"#).unwrap(),
    );
    assert_eq!(former, names);
    let hashed = serde_json::to_value(&names).unwrap();
    assert_eq!(
        (&hashed["heuristic"], &hashed["budget"]),
        (&"sms".into(), &7.into())
    );
    let plain: Algorithm = serde_json::from_str(r#"{"name":"x","heuristic":"bf"}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&plain).unwrap(),
        r#"{"name":"x","heuristic":"bf","forbidden":"ina","order":"decreasing","bf_measure":"utilization","bf_direction":"ascending"}"#
    );
}

#[test]
fn chunks_cover_every_set_once() {
    for (points, sets) in [(1, 1), (3, 2), (2, 20), (5, 100), (2, 1001)] {
        let work = Work::new(points, sets).unwrap();
        let mut covered = vec![0u64; points];
        for index in 0..work.len() {
            let chunk = work.chunk(index).unwrap();
            assert_eq!((chunk.index, chunk.sets.start), (index, covered[chunk.point]));
            assert!(!chunk.sets.is_empty());
            covered[chunk.point] = chunk.sets.end;
        }
        assert!(covered.iter().all(|&end| end == sets));
        assert_eq!(work.chunk(work.len()), None);
    }
    assert_eq!(Work::new(34, 100).unwrap().chunk(0).unwrap().sets, 0..5);
    assert_eq!(Work::new(usize::MAX, 2), None);
}

#[test]
fn shards_share_the_chunks_out() {
    let work = Work::new(3, 20).unwrap();
    for count in [1, 3, 7, 1000] {
        let mut seen = vec![0; work.len()];
        for index in 1..=count {
            let shard = Shard::new(index, count).unwrap();
            for chunk in work.of_shard(shard) {
                assert!(shard.contains(chunk.index));
                seen[chunk.index] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times == 1));
    }
}

#[test]
fn shards_read_as_written() {
    assert_eq!("2/8".parse::<Shard>().unwrap().to_string(), "2/8");
    for bad in [
        "0/3",
        "4/3",
        "1/0",
        "1",
        "",
        "a/b",
        "-1/3",
        "1/3/5",
        "1/99999999999",
    ] {
        let message = bad.parse::<Shard>().unwrap_err().to_string();
        assert!(message.contains("1 ≤ i ≤ n"), "{message}");
    }
}

fn kernel() -> Kernel {
    let cluster = |blocks, e0| Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(2 * e0)).unwrap();
    let clusters = vec![cluster(1, 10), cluster(2, 20), cluster(4, 30)];
    Kernel::new(4, Time::from_ns(1000), clusters).unwrap()
}

/// Returns the clusters with blocks of each variant: blocks, and time in isolation.
fn blocks(splits: &str) -> Vec<Vec<(u64, u64)>> {
    let splits: Splits = serde_json::from_str(splits).unwrap();
    let variants = variants(&kernel(), None, Some(&splits), 1).unwrap();
    let of = |variant: Variant| {
        let clusters = variant.kernel.clusters().iter();
        clusters
            .map(|cluster| (cluster.blocks(), cluster.isolated().ns()))
            .collect()
    };
    variants.into_iter().map(of).collect()
}

#[test]
fn no_block_is_lost() {
    assert_eq!(blocks("[[1, 1, 1]]"), [[(3, 10), (2, 20), (2, 30)]]);
    assert_eq!(blocks("[[1, 2, 4]]"), [[(1, 10), (2, 20), (4, 30)]]);
    assert_eq!(blocks("[[0, 0.5, 0.5]]"), [[(4, 20), (3, 30)]]);
    assert_eq!(blocks("[[0, 0, 9]]"), [[(7, 30)]]);
    assert_eq!(blocks("[[1, 1, 1000000]]"), [[(7, 30)]]);
    for variant in blocks(r#"{"parts": 9}"#) {
        assert_eq!(variant.iter().map(|(blocks, _)| blocks).sum::<u64>(), 7);
    }
}

#[test]
fn a_kernel_is_a_variant_of_itself() {
    let own = variants(&kernel(), None, None, 1).unwrap();
    assert_eq!(
        (own.len(), own[0].split.as_str(), &own[0].kernel),
        (1, "1:2:4", &kernel())
    );
    let splits = Splits::List(vec![vec![Factor::ONE; 3]; 2]);
    let many = variants(&kernel(), Some(&[4, 8]), Some(&splits), 1).unwrap();
    assert_eq!(
        many.iter().map(|v| v.kernel.active_blocks()).collect::<Vec<_>>(),
        [4, 4, 8, 8]
    );
    for (active, rows, field) in [
        (vec![], 1, "active_blocks"),
        (vec![0], 1, "active_blocks"),
        (vec![4], 100_001, ""),
    ] {
        let refusal = variants(&kernel(), Some(&active), None, rows).unwrap_err();
        assert_eq!(refusal.field(), field, "{refusal:?}");
    }
}

#[test]
fn malformed_text_is_an_error_with_its_line() {
    for (text, part) in [
        ("name = 'x'\nb = = 2\n", ""),
        ("name = 'x'\nname = 'y'\n", "duplicate"),
    ] {
        let message = Spec::parse("a.toml", text, Overrides::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("a.toml:2: ") && message.contains(part),
            "{message}"
        );
    }
}

#[test]
fn overrides_change_one_number() {
    let overrides = Overrides {
        sets: Some(2),
        seed: Some(11),
    };
    let text = SMALL
        .replace("sets = 9", "sets = 9 # per point")
        .replace("seed = 7\n", "");
    let spec = Spec::parse("a.toml", &text, overrides).unwrap();
    let expected = text.replace("sets = 9 #", "sets = 2 #");
    assert_eq!(spec.text(), format!("seed = 11\n{expected}"));
}

/// Before a study runs, gpusched checks the claims on a table with arbitrary numbers. So this table must differ
/// from the results only in its numbers.
#[test]
fn outlines_are_the_rows_but_for_their_numbers() {
    let spec = Spec::read("tests/study_support/cases.toml", Overrides::default()).unwrap();
    let labels = |rows: &[Row]| -> Vec<_> {
        rows.iter()
            .map(|row| (row.keys().to_vec(), row.quantity, row.unit, row.published))
            .collect()
    };
    for case in spec.cases().unwrap().cases() {
        let (rows, outline) = (case.metric().rows(7).unwrap(), case.metric().outline(7).unwrap());
        assert_eq!(labels(&rows), labels(&outline), "{}", case.name());
    }
}
