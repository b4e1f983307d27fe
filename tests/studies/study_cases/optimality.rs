//! The optimality gap of plans, against a simple loop over the same sets.

use super::*;
use gpusched::generation::{Kernels, Recipe, Source, WcetModel};
use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::device::Granularity;
use gpusched::model::{Device, Policy};
use gpusched::partitioning::{Heuristic, HeuristicKind, Offer, Problem, partition};
use insta::assert_snapshot;

const CASE: &str = r#"
kind = "cases"
name = "few"
seed = 7

[[case]]
name = "few SMs"
measure = "optimality"
tasks = 6
utilization = [3, 5.5]
sms = 6
policy = "edf"
wcet = "proportional"
algorithms = ["sms-ina", "savings", "auto"]
sets = 30
weighted = true
"#;

#[test]
fn optimality_is_that_of_a_plain_loop() {
    let folder = temporary();
    run(&parse(CASE).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("few.csv")).unwrap();
    let value = |algorithm: &str, utilization: &str, quantity: &str| -> String {
        let column = |name: &str| table.column(name).unwrap();
        let row = (0..table.len()).find(|&row| {
            column("algorithm").text(row) == algorithm
                && column("utilization").text(row) == utilization
                && column("quantity").text(row) == quantity
        });
        column("value").text(row.unwrap()).to_owned()
    };
    let share = |part: u32, whole: u32| format!("{:.6}", f64::from(part) / f64::from(whole.max(1)));
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let (mut infeasible_sets, mut worse) = (0, 0);
    let mut weighted = [0.0; 4]; // Σ U·schedulable
    for (point, utilization) in [(0, 3.0), (1, 5.5)] {
        let source = Source::new(&recipe, 6, utilization, 7).unwrap();
        let (mut plans, mut infeasible, mut fewest) = (0, 0, 0);
        let mut schedulable = [0; 4];
        let mut needed = [0; 4];
        let mut gap = [0; 4];
        let kinds = [
            HeuristicKind::Sms,
            HeuristicKind::Savings,
            HeuristicKind::Auto,
            HeuristicKind::Optimal,
        ];
        for index in 0..30 {
            let set = source.draw(point, index).unwrap();
            let on = |sms| Problem::new(&set, sms, Policy::Edf, model_of(Interference::Conflict)).unwrap();
            let best = partition(&on(6), &HeuristicKind::Optimal.into());
            let Some(bound) = &best.bound else {
                infeasible += 1;
                continue;
            };
            infeasible += u32::from(bound.sms > 6);
            plans += 1;
            fewest += bound.sms;
            for (place, kind) in kinds.into_iter().enumerate() {
                let plan = partition(&on(6), &Heuristic::from(kind));
                // SMS stops when a plan fits, so it runs on smaller and smaller GPUs until no plan fits.
                let smaller = (1..6)
                    .rev()
                    .map(|sms| partition(&on(sms), &Heuristic::from(kind)))
                    .take_while(|plan| plan.schedulable);
                let sms = match kind {
                    HeuristicKind::Sms => smaller.last().map_or(plan.sms_used, |plan| plan.sms_used),
                    _ => plan.sms_used,
                };
                schedulable[place] += u32::from(plan.schedulable);
                needed[place] += sms;
                gap[place] += sms - bound.sms;
            }
        }
        for (sum, count) in weighted.iter_mut().zip(schedulable) {
            *sum += utilization * f64::from(count);
        }
        let utilization = utilization.to_string();
        for (place, name) in ["sms-ina", "savings", "auto", "optimal"].into_iter().enumerate() {
            assert_eq!(
                value(name, &utilization, "schedulable"),
                share(schedulable[place], 30)
            );
            assert_eq!(value(name, &utilization, "SMs"), share(needed[place], plans));
            assert_eq!(value(name, &utilization, "gap"), share(gap[place], plans));
        }
        assert_eq!(value("optimal", &utilization, "bound"), share(fewest, plans));
        assert_eq!(
            value("optimal", &utilization, "infeasible"),
            share(infeasible, 30)
        );
        assert_eq!(
            value("auto", &utilization, "reached"),
            share(schedulable[2], schedulable[3])
        );
        infeasible_sets += infeasible;
        worse += gap[0];
    }
    for (name, sum) in ["sms-ina", "savings", "auto", "optimal"]
        .into_iter()
        .zip(weighted)
    {
        let of_all: f64 = value(name, "", "weighted schedulability").parse().unwrap();
        let expected: f64 = sum / (30.0 * (3.0 + 5.5));
        assert!(
            (of_all - expected).abs() < 1e-6 && of_all > 0.0,
            "{name}: {of_all} {expected}"
        );
    }
    assert!(infeasible_sets > 0 && worse > 0, "{infeasible_sets} {worse}");
}

#[test]
fn absurd_cases_are_refused() {
    let told = refused(
        CASE,
        r#"
tasks = 6 → tasks = 0
sms = 6 → sms = 0
sms = 6 → # no GPU
sms = 6 → device = "xavyer"
sms = 6 → sms = 6\ngranularity = "tpc"
sms = 6 → sms = 6\ndevice = "xavier"
sms = 6 → device = "xavier"\ngranularity = "mig"
sets = 30 → sets = 0
[3, 5.5] → []
[3, 5.5] → [3, 0]
"edf" → "lp-edf"
"savings" → "ffd"
"#,
    );
    assert_snapshot!(told);
}

/// On a device, partitions have the sizes of the granularity, and SMS merges until no merge is possible.
#[test]
fn a_device_restricts_the_sizes() {
    let text = CASE
        .replace("sms = 6", "device = \"xavier\"\ngranularity = \"tpc\"")
        .replace("[3, 5.5]", "[4]");
    let folder = temporary();
    run(&parse(&text).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("few.csv")).unwrap();
    let column = |name: &str| table.column(name).unwrap();
    let value = |algorithm: &str| {
        let row = (0..table.len())
            .find(|&row| column("algorithm").text(row) == algorithm && column("quantity").text(row) == "SMs");
        column("value").text(row.unwrap()).to_owned()
    };
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let source = Source::new(&recipe, 6, 4.0, 7).unwrap();
    let offer = Offer::new(&Device::named("xavier").unwrap(), Granularity::Tpc).unwrap();
    let (mut plans, mut merged, mut fewest) = (0, 0, 0);
    for index in 0..30 {
        let set = source.draw(0, index).unwrap();
        let problem = Problem::new(&set, 8, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.offered(&offer).unwrap();
        let best = partition(&problem, &HeuristicKind::Optimal.into());
        if best.bound.is_none() {
            continue;
        }
        plans += 1;
        fewest += best.sms_used;
        let first = partition(&problem, &HeuristicKind::Sms.into());
        let longer = partition(&problem.with_fewest_sms(), &HeuristicKind::Sms.into());
        assert!(longer.sms_used <= first.sms_used && longer.sms_used.is_multiple_of(2));
        merged += longer.sms_used;
    }
    assert_eq!(
        value("optimal"),
        format!("{:.6}", f64::from(fewest) / f64::from(plans))
    );
    assert_eq!(
        value("sms-ina"),
        format!("{:.6}", f64::from(merged) / f64::from(plans))
    );
    assert!(fewest < merged);
}

/// Weighted schedulability adds rows only on request. Without it, the other rows and the identity of the experiment
/// stay unchanged.
#[test]
fn weighted_schedulability_is_added_where_it_is_asked_for() {
    let small = CASE.replace("sets = 30", "sets = 3");
    let rows = |text: &str| {
        let folder = temporary();
        let spec = parse(text).unwrap();
        run(&spec, folder.path(), "1/1", 1).unwrap();
        let rows = fs::read_to_string(folder.path().join("few.csv")).unwrap();
        (spec.experiment().unwrap(), rows)
    };
    let (asked, with) = rows(&small);
    let (silent, without) = rows(&small.replace("weighted = true\n", ""));
    assert_eq!(
        rows(&small.replace("weighted = true", "weighted = false")),
        (silent.clone(), without.clone())
    );
    assert_ne!(asked, silent);
    let added: Vec<&str> = with.strip_prefix(without.as_str()).unwrap().lines().collect();
    assert_eq!(added.len(), 4);
    assert!(
        added.iter().all(|row| row.contains(",weighted schedulability,")),
        "{added:?}"
    );
}

/// With `from`, the tasks have the WCET functions of the tasks in a file. The content of the file is a part of the
/// experiment.
#[test]
fn functions_from_a_file_are_those_of_a_plain_loop() {
    const KERNELS: &str = r#"{"tasks": [
      {"period": "1s", "wcet": {"table": {"isolated": [[2, 900], [4, 500]], "conflict": [[2, 1100], [4, 600]]}}},
      {"period": "1s", "wcet": {"table": {"isolated": [[1, 700], [3, 400]]}}}]}"#;
    let root = temporary();
    let text = CASE.replace(r#""proportional""#, r#"{ from = "kernels.json" }"#);
    let file = root.path().join("few.toml");
    fs::write(&file, &text).unwrap();
    fs::write(root.path().join("kernels.json"), KERNELS).unwrap();
    let spec = Spec::read(&file, Overrides::default()).unwrap();
    let folder = temporary();
    run(&spec, folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("few.csv")).unwrap();
    let column = |name: &str| table.column(name).unwrap();
    let kernels = Kernels::new(&serde_json::from_str(KERNELS).unwrap()).unwrap();
    let mut plans = 0;
    for (point, utilization) in [(0, 3.0), (1, 5.5)] {
        let source = Source::new(&Recipe::default(), 6, utilization, 7).unwrap();
        let source = source.with_kernels(kernels.clone()).unwrap();
        let schedulable = (0..30).filter(|&index| {
            let set = source.draw(point, index).unwrap();
            let problem = Problem::new(&set, 6, Policy::Edf, model_of(Interference::Conflict)).unwrap();
            partition(&problem, &HeuristicKind::Optimal.into()).schedulable
        });
        let schedulable = schedulable.count();
        let row = (0..table.len()).find(|&row| {
            column("algorithm").text(row) == "optimal"
                && column("utilization").text(row) == utilization.to_string()
                && column("quantity").text(row) == "schedulable"
        });
        assert_eq!(
            column("value").text(row.unwrap()),
            format!("{:.6}", schedulable as f64 / 30.0)
        );
        plans += schedulable;
    }
    assert!(plans > 0 && plans < 60, "{plans}");
    fs::write(root.path().join("kernels.json"), KERNELS.replace("900", "901")).unwrap();
    let changed = Spec::read(&file, Overrides::default()).unwrap();
    assert_ne!(changed.experiment().unwrap(), spec.experiment().unwrap());
}

#[test]
fn functions_from_a_bad_file_are_refused() {
    let root = temporary();
    let file = root.path().join("few.toml");
    let affine = r#"{"tasks": [{"period": "1s", "wcet": "1ms"}]}"#;
    fs::write(root.path().join("affine.json"), affine).unwrap();
    fs::write(root.path().join("broken.json"), "{}").unwrap();
    for (wcet, expected) in [
        (r#"{ from = "affine.json" }"#, "affine.json: tasks[0].wcet: found"),
        (r#"{ from = "broken.json" }"#, "broken.json:1"),
        (r#"{ from = "missing.json" }"#, "found \"missing.json\""),
        (r#"{ form = "affine.json" }"#, "unknown field `form`"),
        (r#""affine""#, "unknown variant `affine`"),
        ("3", "expected \"amdahl\", \"proportional\", or a file"),
    ] {
        fs::write(&file, CASE.replace(r#""proportional""#, wcet)).unwrap();
        let message = Spec::read(&file, Overrides::default()).unwrap_err().to_string();
        assert!(
            message.contains("case[0]") && message.contains("wcet") && message.contains(expected),
            "{wcet}: {message}"
        );
    }
}
