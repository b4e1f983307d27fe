//! The numbers of all metrics against simple loops, and the declared columns.

use super::*;
use insta::assert_snapshot;

/// Compares the results with loops without a study.
#[test]
fn results_are_those_of_plain_loops() {
    let folder = temporary();
    run(&cases(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("cases.csv")).unwrap();
    let keys = "kernel active_blocks split slowdown sync straddling q cluster bound";
    let (before, after) = CASE_COLUMNS.split_at(3);
    assert_eq!(
        table.columns(),
        [before, &keys.split(' ').collect::<Vec<_>>(), after].concat()
    );
    let mut expected: Vec<String> = Vec::new();

    let histo = kernel("histo-m4.json");
    let tenth = Factor::from_f64(0.1).unwrap();
    for active in [4, 8] {
        for (a, b, c) in (0..=4u64).flat_map(|a| (0..=4 - a).map(move |b| (a, b, 4 - a - b))) {
            // The loop divides 37,627 blocks into quarters and gives the remaining blocks to the clusters with the
            // largest remainders.
            let mut blocks = [a, b, c].map(|share| share * 37_627 / 4);
            let missing = [a, b, c].map(|share| share * 37_627 % 4);
            for _ in 0..37_627 - blocks.iter().sum::<u64>() {
                let most = (0..3).rev().max_by_key(|&i| {
                    let given = blocks[i] > [a, b, c][i] * 37_627 / 4;
                    if given { 0 } else { missing[i] }
                });
                blocks[most.unwrap()] += 1;
            }
            let clusters = histo.clusters().iter().zip(blocks);
            let clusters = clusters.filter(|(_, blocks)| *blocks > 0);
            let clusters = clusters.map(|(cluster, blocks)| {
                Cluster::new(blocks, cluster.isolated(), cluster.contended()).unwrap()
            });
            let variant = Kernel::new(active, histo.regulation_period(), clusters.collect()).unwrap();
            let q = nominal(&variant, tenth, false, Straddling::End)
                .unwrap()
                .nominal_q;
            let deviation = format!("{:.6}", q.as_f64() - 0.13);
            let deviation = deviation.replace("-0.000000", "0.000000");
            expected.push(format!(
                "cases,budget,nominal,histo,{active},{a}:{b}:{c},0.1,false,end,,,,nominal_q,{q},share,0.13,{deviation}"
            ));
        }
    }
    let curve = |case: &str, budgets: &[f64], sync: bool, rows: &mut Vec<String>| {
        let estimator = Estimator::new(&histo);
        let alone = estimator.bound(Factor::ZERO, sync).unwrap().wcet_ns.ns() as f64;
        for &q in budgets {
            let wcet = estimator.bound(Factor::from_f64(q).unwrap(), sync).unwrap();
            let ns = wcet.wcet_ns.ns();
            let key = format!("cases,{case},curve,histo,4,12543:12542:12542,,{sync},end,{q},,");
            rows.push(format!("{key},wcet,{:.6},ms,,", ns as f64 / 1e6));
            rows.push(format!("{key},slowdown,{:.6},share,,", ns as f64 / alone - 1.0));
        }
    };
    curve("curve", &[0.0, 0.13, 1.0], false, &mut expected);
    let shares = |value: &str| value.parse::<f64>().unwrap();
    let percentiles = ["0.995", "0.999", "0.99", "0.997", "0.994", "0.997"];
    expected.extend(percentiles.map(|_| String::new()));
    let rows: Vec<Vec<&str>> = (0..table.len())
        .map(|row| {
            let cells = table.columns().iter();
            cells.map(|name| table.column(name).unwrap().text(row)).collect()
        })
        .collect();
    let of_table = rows.iter().filter(|row| row[1] == "table").count();
    assert_eq!(of_table, 11 * 8);
    expected.extend(vec![String::new(); of_table]);
    curve("\"curve, sync\"", &[0.0, 0.5, 1.0], true, &mut expected);

    assert_eq!(rows.len(), expected.len());
    let csv = fs::read_to_string(folder.path().join("cases.csv")).unwrap();
    let mut percentile = percentiles.iter();
    for ((line, row), expected) in csv.lines().skip(1).zip(&rows).zip(&expected) {
        match row[1] {
            "percentiles" => {
                let published = *percentile.next().unwrap();
                assert_eq!((row[12], row[14], row[15]), ("percentile", "share", published));
                assert!((shares(row[13]) - shares(published)).abs() <= 0.001, "{line}");
            }
            "table" => assert_eq!(row[15], "", "{line}"),
            _ => assert_eq!(line, expected),
        }
    }
    assert_eq!(percentile.next(), None);
    let cell = |kernel: &str, quantity: &str| {
        let row = rows
            .iter()
            .find(|row| row[1] == "table" && row[3] == kernel && row[12] == quantity);
        let row = row.unwrap();
        (row[11], row[13], row[14])
    };
    assert_eq!(cell("lbm", "adjusted_nominal_q"), ("memory", "0.2022", "share"));
    assert_eq!(cell("tpacf", "intervals"), ("compute", "22", "intervals"));
}

/// Each metric returns exactly its declared columns. An undeclared column would be lost.
#[test]
fn measures_declare_their_columns() {
    let declared: Vec<&str> = measures::all()
        .flat_map(|measure| measure.keys.iter().copied())
        .collect();
    let folder = temporary();
    let tables = [("cases.csv", cases()), ("drawn.csv", parse(DRAWN).unwrap())].map(|(file, spec)| {
        for column in spec.cases().unwrap().columns() {
            assert!(
                declared.contains(column) || CASE_COLUMNS.contains(column),
                "{column}"
            );
        }
        run(&spec, folder.path(), "1/1", 1).unwrap();
        Table::read(folder.path().join(file)).unwrap()
    });
    for measure in measures::all() {
        let of = |table: &Table| -> Vec<usize> {
            let kind = table.column("measure").unwrap();
            (0..table.len())
                .filter(|&row| kind.text(row) == measure.name)
                .collect()
        };
        let found = tables
            .iter()
            .map(|table| (table, of(table)))
            .find(|found| !found.1.is_empty());
        let (table, rows) =
            found.unwrap_or_else(|| panic!("{}: add it to cases.toml or drawn.toml", measure.name));
        for key in measure.keys {
            let column = table.column(key).unwrap();
            let filled = |row: &usize| !column.text(*row).is_empty();
            let right = match measure.partial.contains(key) {
                true => rows.iter().any(filled) && !rows.iter().all(filled),
                false => rows.iter().all(filled),
            };
            assert!(right, "{}: {key}", measure.name);
        }
    }
}

/// Synthetic runs: the same bytes for every number of threads, and the numbers of a simple loop.
#[test]
fn drawn_measures_are_those_of_plain_loops() {
    let (one, three) = (temporary(), temporary());
    let spec = parse(DRAWN).unwrap();
    run(&spec, one.path(), "1/1", 1).unwrap();
    run(&spec, three.path(), "1/1", 3).unwrap();
    assert_eq!(stable_files(one.path()), stable_files(three.path()));
    let table = Table::read(one.path().join("drawn.csv")).unwrap();
    let values = |quantity: &str| -> Vec<String> {
        let (quantities, values) = (table.column("quantity").unwrap(), table.column("value").unwrap());
        let rows = (0..table.len()).filter(|&row| quantities.text(row) == quantity);
        rows.map(|row| values.text(row).to_owned()).collect()
    };
    assert_eq!(values("clusters found"), ["2"; 3]);
    assert_eq!(values("intervals found"), ["4"; 3]);
    assert_eq!(values("blocks right"), ["1.000000"; 3]);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/traces/two-paths.json");
    let kernel: Kernel = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let synthesizer = Synthesizer::new(&kernel, 7).unwrap();
    let bounds = [
        list_scheduling::isolated(&kernel),
        list_scheduling::contended(&kernel),
    ];
    for (index, level) in Level::ALL.into_iter().enumerate() {
        let mut longest = 0;
        for run in 0..20 {
            for row in synthesizer.draw(level, run) {
                longest = longest.max(row.start.unwrap() + row.duration);
            }
        }
        assert!(longest <= bounds[index].ns());
        assert_eq!(
            values("longest execution")[index],
            format!("{:.6}", longest as f64 / 1e6)
        );
        let share = bounds[index].ns() as f64 / longest as f64 - 1.0;
        assert_eq!(values("overestimation")[index], format!("{share:.6}"));
    }

    let told = refused(
        DRAWN,
        r#"
runs = 40 → runs = 0
traces = 3 → traces = 1001
intervals = 4 → intervals = 1
runs = 20 → runs = 0
[0.05, 0.3] → [0.05, inf]
[0.05, 0.3] → [0.05]
traces/two-paths.json"\nruns → kernels/histo-m4.json"\nruns
"#,
    );
    assert_snapshot!(told);
}
