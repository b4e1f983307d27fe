//! The metrics of memory bandwidth budgets at run time against simple loops over the simulator.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::kernel_wcet::synthesis::alternate;
use gpusched::simulator::regulation::{AccessPattern, BlockTimes, Run, Setting, Simulator};
use gpusched::time::Time;

use super::*;
use insta::assert_snapshot;

const RUNS: usize = 70;

fn short() -> Kernel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study_support/kernel.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the kernel in five intervals, as in the experiment case.
fn kernel() -> Kernel {
    let kernel = short();
    let intervals = alternate(kernel.clusters(), 5).unwrap();
    kernel.with_intervals(intervals).unwrap()
}

/// Returns the runs of one scenario, by policy.
fn simulate(kernel: &Kernel, setting: Setting, runs: u64) -> Vec<Vec<Run>> {
    let tenth = Factor::from_f64(0.1).unwrap();
    let q = nominal(kernel, tenth, false, Straddling::End).unwrap().nominal_q;
    let simulator = Simulator::new(kernel, setting, 7).unwrap();
    let of = |policy| {
        let mut allocator = Allocator::new(kernel, q, policy, Straddling::End).unwrap();
        let each =
            (0..runs).map(|run| simulator.run(&simulator.execution(run), policy, &mut allocator, true));
        each.collect()
    };
    BudgetPolicy::ALL.map(of).into()
}

fn setting(blocks: BlockTimes, offset_ns: Option<Time>, pattern: AccessPattern, demand: f64) -> Setting {
    Setting {
        pattern,
        demand: Factor::from_f64(demand).unwrap(),
        blocks,
        offset_ns,
        lead_ns: Time::from_ns(50_000),
        process_requests: 470,
        ..Setting::default()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the mean of Q over one of `parts` equal parts of the periods.
fn part(run: &Run, parts: usize, last: bool) -> f64 {
    let q: Vec<f64> = run.periods.iter().map(|period| period.q).collect();
    let count = (0..q.len()).filter(|index| index * parts < q.len()).count();
    mean(
        if last {
            q[q.len() - count..].to_vec()
        } else {
            q[..count].to_vec()
        }
        .into_iter(),
    )
}

#[test]
fn gains_are_those_of_plain_loops() {
    let folder = temporary();
    run(&parse(DRAWN).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("drawn.csv")).unwrap();
    let find = |filters: &[(&str, &str)]| {
        let passes = |row: usize| {
            filters
                .iter()
                .all(|(name, text)| table.column(name).unwrap().text(row) == *text)
        };
        let rows: Vec<usize> = (0..table.len()).filter(|&row| passes(row)).collect();
        assert_eq!(rows.len(), 1, "{filters:?}");
        rows[0]
    };
    let kernel = kernel();
    let mut compared = 0;
    for (blocks, offset, offset_ns) in [
        (BlockTimes::Drawn, "random", None),
        (BlockTimes::Drawn, "30us", Some(Time::from_ns(30_000))),
        (BlockTimes::Wcet, "random", None),
        (BlockTimes::Wcet, "30us", Some(Time::from_ns(30_000))),
    ] {
        for pattern in [AccessPattern::Front, AccessPattern::Random] {
            for (demand, share) in [("bandwidth", 1.0), ("libquantum", 0.6), ("0.3", 0.3)] {
                let runs = simulate(&kernel, setting(blocks, offset_ns, pattern, share), RUNS as u64);
                let (blocks, pattern) = (blocks.to_string(), pattern.to_string());
                for (policy, own) in BudgetPolicy::ALL.into_iter().zip(&runs) {
                    let policy = policy.to_string();
                    let cell = |quantity: &str, column: &str| {
                        let row = find(&[
                            ("case", "gains"),
                            ("blocks", &blocks),
                            ("offset", offset),
                            ("pattern", &pattern),
                            ("demand", demand),
                            ("policy", &policy),
                            ("quantity", quantity),
                        ]);
                        table.column(column).unwrap().text(row).to_owned()
                    };
                    assert_eq!(cell("q_mean", "share").parse::<f64>().unwrap(), share);
                    let mut same = |quantity: &str, expected: f64| {
                        let found: f64 = cell(quantity, "value").parse().unwrap();
                        assert!(
                            (found - expected).abs() < 1e-6 * expected.abs().max(1.0) + 1e-6,
                            "{quantity} {found} {expected}"
                        );
                        compared += 1;
                    };
                    let length = |run: &Run| run.periods.len() as f64;
                    let pairs = || own.iter().zip(&runs[0]);
                    same(
                        "q_mean",
                        mean(own.iter().map(|run| mean(run.periods.iter().map(|p| p.q)))),
                    );
                    same("q_first_third", mean(own.iter().map(|run| part(run, 3, false))));
                    same("q_last_third", mean(own.iter().map(|run| part(run, 3, true))));
                    same(
                        "q_rise",
                        mean(own.iter().map(|run| part(run, 3, true) - part(run, 3, false))),
                    );
                    same("q_first_fifth", mean(own.iter().map(|run| part(run, 5, false))));
                    same("periods", mean(own.iter().map(length)));
                    same("finish", mean(own.iter().map(|run| run.finish / 1e6)));
                    same("late_runs", own.iter().filter(|run| run.late).count() as f64);
                    let extra = pairs().map(|(run, nominal)| length(run) - length(nominal));
                    same("periods_over_nominal", extra.clone().fold(0.0, f64::max));
                    same(
                        "runs_of_other_length",
                        mean(extra.map(|extra| f64::from(u8::from(extra != 0.0)))),
                    );
                    same(
                        "q_peak",
                        mean(own.iter().map(|run| {
                            let (mut at, mut most) = (0, 0.0);
                            for (index, period) in run.periods.iter().enumerate() {
                                if period.q > most {
                                    (at, most) = (index, period.q);
                                }
                            }
                            at as f64 / (run.periods.len() - 1).max(1) as f64
                        })),
                    );
                    if policy != "nominal" {
                        let gains = pairs().map(|(run, nominal)| run.requests / nominal.requests - 1.0);
                        same("improvement", mean(gains));
                        let low: f64 = cell("improvement_low", "value").parse().unwrap();
                        let high: f64 = cell("improvement_high", "value").parse().unwrap();
                        let middle: f64 = cell("improvement", "value").parse().unwrap();
                        assert!(low <= middle && middle <= high);
                        let others = |of: &dyn Fn(&Run) -> f64| -> Vec<f64> {
                            let others = BudgetPolicy::ALL.into_iter().zip(&runs).skip(1);
                            let others = others.filter(|(other, _)| other.to_string() != policy);
                            others.map(|(_, runs)| mean(runs.iter().map(of))).collect()
                        };
                        let std = |run: &Run| run.q_std;
                        let least = others(&std).into_iter().fold(f64::INFINITY, f64::min);
                        same("q_std_lead", least - mean(own.iter().map(std)));
                        let early = |run: &Run| part(run, 5, false);
                        let most = others(&early).into_iter().fold(0.0, f64::max);
                        same("q_first_fifth_lead", mean(own.iter().map(early)) - most);
                    }
                }
            }
        }
    }
    assert_eq!(compared, 24 * (4 * 11 + 3 * 3));
    let published = |policy: &str, demand: &str, quantity: &str| {
        let row = find(&[
            ("case", "gains"),
            ("blocks", "drawn"),
            ("offset", "random"),
            ("pattern", "front"),
            ("demand", demand),
            ("policy", policy),
            ("quantity", quantity),
        ]);
        table.column("published").unwrap().text(row).to_owned()
    };
    assert_eq!(published("fair", "bandwidth", "improvement"), "0.61");
    assert_eq!(published("smooth", "libquantum", "improvement"), "1.08");
    assert_eq!(published("greedy", "libquantum", "q_std"), "0.2077");
    assert_eq!(published("fair", "bandwidth", "q_mean"), "");
    assert_eq!(published("fair", "0.3", "improvement"), "");
}

/// Q over time equals Q of the first run, period by period. Claims accept every period number that can occur.
#[test]
fn periods_are_those_of_the_first_run() {
    let folder = temporary();
    let spec = parse(DRAWN).unwrap();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("drawn.csv")).unwrap();
    let column = |name: &str| table.column(name).unwrap();
    let rows = (0..table.len()).filter(|&row| column("case").text(row) == "over time");
    let found: Vec<[String; 3]> = rows
        .map(|row| ["policy", "period", "value"].map(|name| column(name).text(row).to_owned()))
        .collect();
    let runs = simulate(
        &short(),
        setting(BlockTimes::Drawn, None, AccessPattern::Uniform, 0.5),
        1,
    );
    let mut expected = Vec::new();
    for (policy, runs) in BudgetPolicy::ALL.into_iter().zip(&runs) {
        for (index, period) in runs[0].periods.iter().enumerate() {
            expected.push([policy.to_string(), index.to_string(), format!("{:.6}", period.q)]);
        }
    }
    assert!(expected.len() >= 8, "{expected:?}");
    assert_eq!(found, expected);
}

#[test]
fn absurd_budget_cases_are_refused() {
    let told = refused(
        DRAWN,
        r#"
runs = 70 → runs = 0
intervals = 5\nblocks → intervals = 1\nblocks
"30us" → "30"
"30us" → "2s"
"0.3" → "1.3"
"0.3" → "lbm"
["drawn", "wcet"] → []
["drawn", "wcet"] → ["worst"]
benchmark = "histo"\n →
benchmark = "histo" → benchmark = "mcf"
runs = 70 → runs = 70\nquantities = ["q_men"]
runs = 70 → runs = 70\nquantities = []
runs = 70 → runs = 70\nslowdown = -1
kernel.json"\nintervals = 5\nblocks → kernels.json"\nintervals = 5\nblocks
demand = "0.5" → demand = "-1"
demand = "0.5" → offset = "1s"
results = "tasksets/kernels/aghilinasab20-table3-table4 → results = "tasksets/kernels/histo-m4
"#,
    );
    assert_snapshot!(told);
}

/// The study reports only the requested quantities, and claims check the quantities before the run.
#[test]
fn quantities_can_be_chosen() {
    let text = DRAWN.replacen(
        "runs = 70",
        "runs = 1\nquantities = [\"q_mean\", \"improvement\"]",
        1,
    );
    let folder = temporary();
    run(&parse(&text).unwrap(), folder.path(), "1/1", 1).unwrap();
    let table = Table::read(folder.path().join("drawn.csv")).unwrap();
    let (cases, quantities) = (table.column("case").unwrap(), table.column("quantity").unwrap());
    let rows = (0..table.len()).filter(|&row| cases.text(row) == "gains");
    let found: Vec<&str> = rows.map(|row| quantities.text(row)).collect();
    assert_eq!(found.len(), 24 * (4 + 3));
    assert_eq!(found[..3], ["q_mean", "improvement", "q_mean"]);
    let claim = |quantity: &str| {
        let claim = format!(
            "{text}\n[[claim]]\nid = \"a\"\ntext = \"b\"\nholds = 'min(value, quantity = \"{quantity}\") >= 0'\n"
        );
        parse(&claim).map(drop)
    };
    claim("improvement").unwrap();
    assert!(claim("q_std").is_ok(), "tables have it");
    assert!(claim("finish").unwrap_err().to_string().contains("finish"));
}
