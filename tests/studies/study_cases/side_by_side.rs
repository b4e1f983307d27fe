//! Concurrent kernels: the simulations equal simulated scenarios, and the prediction errors equal the errors of the
//! models.

use std::collections::BTreeMap;

use gpusched::gpu::WarpRun;
use gpusched::gpu::scenario::{Options, Setup};
use gpusched::model::Group;
use gpusched::prediction::{Model, predict};

use super::*;
use crate::support::root;
use insta::assert_snapshot;

/// Core cycles at 1.365 GHz, rounded up [ns].
fn ns(cycles: u64) -> u64 {
    (cycles * 1_000_000).div_ceil(1_365_000)
}

/// Returns the finishing time of each kernel [ns], the sectors at L2, and the instructions of all threads for the
/// kernels on these SMs.
fn simulate(kernels: &[(&str, &str)]) -> (Vec<u64>, u64, u64) {
    let kernel = |(program, sms): &(&str, &str)| {
        format!(
            r#"{{"program":"tasksets/kernels/programs/masola23/{program}.json","grid":300,"sms":"{sms}"}}"#
        )
    };
    let kernels: Vec<String> = kernels.iter().map(kernel).collect();
    let text = format!(
        r#"{{"machine":"rtx2060","warm":false,"kernels":[{}]}}"#,
        kernels.join(",")
    );
    let run: WarpRun = serde_json::from_str(&text).unwrap();
    let setup = Setup::new(&run, &Path::new(env!("CARGO_MANIFEST_DIR")).join("run.json")).unwrap();
    let (results, _) = setup.run(Options::default(), &mut |_| ()).unwrap();
    let finishes = results.kernels.iter().map(|kernel| ns(kernel.finish)).collect();
    let instructions = results
        .kernels
        .iter()
        .map(|kernel| kernel.thread_instructions)
        .sum();
    (finishes, results.traffic.l2_accesses, instructions)
}

#[test]
fn rows_are_those_of_simulations_and_models() {
    let folder = temporary();
    run(&parse(DRAWN).unwrap(), folder.path(), "1/1", 2).unwrap();
    let table = Table::read(folder.path().join("drawn.csv")).unwrap();
    let values = |filters: &[(&str, &str)]| -> Vec<f64> {
        let passes = |row: &usize| {
            filters
                .iter()
                .all(|(column, text)| table.column(column).unwrap().text(*row) == *text)
        };
        let rows = (0..table.len()).filter(passes);
        rows.map(|row| table.column("value").unwrap().text(row).parse().unwrap())
            .collect()
    };
    let given =
        |quantity: &str, model: &str| values(&[("case", "given"), ("quantity", quantity), ("model", model)]);

    let alone = [("vadd", "0-14"), ("copy", "0-14")].map(|kernel| simulate(&[kernel]));
    let all = [("vadd", "0-29"), ("copy", "0-29")].map(|kernel| simulate(&[kernel]));
    let (together, ..) = simulate(&[("vadd", "0-14"), ("copy", "15-29")]);
    let times = |found: &[(Vec<u64>, u64, u64); 2]| found.clone().map(|(finishes, ..)| finishes[0] as f64);
    assert_eq!(given("time alone", ""), times(&alone));
    assert_eq!(
        given("time together", ""),
        together.iter().map(|&time| time as f64).collect::<Vec<_>>()
    );

    let point = |sms: u32, (finishes, sectors, _): &(Vec<u64>, u64, u64)| {
        let rate = u128::from(*sectors) * 32 * 1_000_000_000 / u128::from(finishes[0]);
        format!(
            r#"{{"sms":{sms},"time":{},"bandwidth":{}.{:09}}}"#,
            finishes[0],
            rate / 1_000_000_000,
            rate % 1_000_000_000
        )
    };
    let kernels = alone.iter().zip(&all).map(|(alone, all)| {
        format!(
            r#"{{"sms":15,"profile":{{"name":"k","instructions":{},"l2_accesses":{},"points":[{},{}]}}}}"#,
            all.2,
            all.1,
            point(15, alone),
            point(30, all)
        )
    });
    let kernels: Vec<String> = kernels.collect();
    let group: Group = serde_json::from_str(&format!(r#"{{"kernels":[{}]}}"#, kernels.join(","))).unwrap();
    for model in Model::ALL {
        let prediction = predict(model, &group).unwrap();
        let name = model.to_string();
        let errors = given("error", &name);
        assert_eq!(errors.len(), 2);
        for ((error, kernel), &time) in errors.iter().zip(&prediction.kernels).zip(&together) {
            let expected = kernel.predicted / time as f64 - 1.0;
            assert!((error - expected).abs() < 1e-6, "{model}: {error} {expected}");
        }
    }
    // The memory transfers 100 bytes per ns, and each of the two kernels uses this rate in isolation. So the time of
    // blocks depends only on their bytes. Each kernel gets half of the rate until the kernel with fewer bytes ends.
    let blocks = |quantity: &str| values(&[("case", "blocks"), ("quantity", quantity), ("model", "")]);
    let bytes = alone.each_ref().map(|(_, sectors, _)| *sectors as f64 * 32.0);
    for (found, expected) in [
        (blocks("time alone"), bytes.map(|bytes| bytes / 100.0)),
        (
            blocks("time together"),
            bytes.map(|own| (own + bytes[0].min(bytes[1])) / 100.0),
        ),
    ] {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
    }
    // The times in isolation equal the other metric, which also has a case with all SMs.
    let profiles = |sms: &str| values(&[("case", "profiles"), ("quantity", "time alone"), ("sms", sms)]);
    assert_eq!(profiles("15")[..2], times(&alone));
    assert_eq!(profiles("30")[..2], times(&all));
    // Random groups: two of each size, five models, and a mean per model.
    let groups = |quantity: &str| values(&[("case", "groups"), ("quantity", quantity)]);
    assert_eq!(
        (groups("error").len(), groups("mean error").len()),
        (10 * 5, 2 * 5)
    );
    assert!(given("mean error", "fluid").is_empty());
    let fluid = values(&[
        ("case", "groups"),
        ("quantity", "error"),
        ("model", "fluid"),
        ("size", "2"),
    ]);
    let mean = values(&[
        ("case", "groups"),
        ("quantity", "mean error"),
        ("model", "fluid"),
        ("size", "2"),
    ]);
    assert!((fluid.iter().sum::<f64>() / 4.0 - mean[0]).abs() < 1e-6);
}

#[test]
fn bad_groups_are_refused() {
    let told = refused(
        DRAWN,
        r#"
sms = [5, 15] → sms = [5, 31]
sms = [5, 15] → sms = [5]\nplatform = { sms = 8 }
sms = [5, 15] → sms = [5]\nplatform = { l2_banks = 0 }
study_support/run.json"\nsms → study_support/kernel.json"\nsms
"COPY", sms = 15 → "COPI", sms = 15
"COPY", sms = 15 → "VADD", sms = 15
"COPY", sms = 15 → "COPY", sms = 16
"COPY", sms = 15 → "COPY", sms = 0
"masola-penalty", "naive"] → "masola-penalty", "fluid"]
["fluid", "masola", "masola-repaired", "masola-penalty", "naive"] → []
"masola-penalty", "naive"] → "masola-twice"]
dram_bandwidth = 327 → dram_bandwidth = 0
dram_bandwidth = 327\n → groups = []\n
drawn = { → # {
sizes = [2, 3] → sizes = [4]
sizes = [2, 3] → sizes = []
groups = 2, → groups = 0,
sms = [5, 10] } → sms = [0, 10] }
sms = [5, 10] } → sms = [11] }
"#,
    );
    assert_snapshot!(told);
}

/// analysis/README.md states the errors of `masola-penalty` for the groups of masola23-fig5-fig18. The study did not
/// compare this model, so this test predicts from the isolated runs in the committed results. The test also computes
/// the errors of the other models, which must equal the committed errors.
#[test]
fn the_penalty_alone_is_nearly_as_good_as_fluids() {
    let table = Table::read(root().join("analysis/masola23-fig5-fig18/masola23-fig5-fig18.csv")).unwrap();
    let cell = |row: usize, name: &str| table.column(name).unwrap().text(row);
    let value = |row: usize| cell(row, "value").parse::<f64>().unwrap();
    let mut alone: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
    // Kernel, number of SMs and time of the members of a group.
    type Members<'a> = Vec<(&'a str, &'a str, f64)>;
    let mut groups: BTreeMap<(&str, usize), Members> = BTreeMap::new();
    let mut committed: BTreeMap<(&str, usize, &str, &str), f64> = BTreeMap::new();
    for row in 0..table.len() {
        let (case, kernel, sms) = (cell(row, "case"), cell(row, "kernel"), cell(row, "sms"));
        let group = cell(row, "group").parse().unwrap_or(0);
        match cell(row, "quantity") {
            "time together" => groups
                .entry((case, group))
                .or_default()
                .push((kernel, sms, value(row))),
            "error" if group > 0 => {
                committed.insert((case, group, kernel, cell(row, "model")), value(row));
            }
            quantity @ ("time alone" | "bandwidth" | "KAI") if case == "alone" => {
                alone.insert((kernel, sms, quantity), value(row));
            }
            _ => {}
        }
    }
    let mut errors: BTreeMap<(Model, bool), Vec<f64>> = BTreeMap::new();
    for (&(case, group), members) in &groups {
        let kernels = members.iter().map(|&(kernel, sms, _)| {
            let points = if sms == "30" { vec!["30"] } else { vec![sms, "30"] };
            let of = |sms: &str, quantity: &str| {
                let found = alone
                    .iter()
                    .find(|(key, _)| (key.0, key.1, key.2) == (kernel, sms, quantity));
                *found.unwrap().1
            };
            let accesses = (of("30", "time alone") * of("30", "bandwidth") / 32.0).round();
            let points: Vec<String> = points
                .iter()
                .map(|sms| {
                    let (time, bandwidth) = (of(sms, "time alone"), of(sms, "bandwidth"));
                    format!(r#"{{"sms":{sms},"time":{time},"bandwidth":{bandwidth}}}"#)
                })
                .collect();
            format!(
                r#"{{"sms":{sms},"profile":{{"name":"k","kai":{},"l2_accesses":{accesses},"points":[{}]}}}}"#,
                of("", "KAI"),
                points.join(",")
            )
        });
        let kernels: Vec<String> = kernels.collect();
        let platform = r#"{"bandwidth":348,"effective_bandwidth":330}"#;
        let text = format!(r#"{{"platform":{platform},"kernels":[{}]}}"#, kernels.join(","));
        let read: Group = serde_json::from_str(&text).unwrap();
        for model in Model::ALL {
            let prediction = predict(model, &read).unwrap();
            for (found, &(kernel, _, time)) in prediction.kernels.iter().zip(members) {
                let error = found.predicted / time - 1.0;
                if let Some(committed) = committed.get(&(case, group, kernel, model.to_string().as_str())) {
                    assert!((error - committed).abs() < 2e-5, "{model}: {error} {committed}");
                } else {
                    assert_eq!(model, Model::MasolaPenalty);
                }
                errors
                    .entry((model, case == "experiments"))
                    .or_default()
                    .push(error.abs());
            }
        }
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let rounded = |error: f64| format!("{:.1} %", 100.0 * error);
    let of = |model: Model| {
        let (seven, random) = (&errors[&(model, true)], &errors[&(model, false)]);
        assert_eq!(seven.len() + random.len(), 420);
        let all: Vec<f64> = seven.iter().chain(random).copied().collect();
        (rounded(mean(&all)), rounded(mean(seven)))
    };
    let (all, seven) = of(Model::MasolaPenalty);
    assert_eq!((all.as_str(), seven.as_str()), ("5.8 %", "11.7 %"));
    let (all, seven) = of(Model::Fluid);
    assert_eq!((all.as_str(), seven.as_str()), ("5.6 %", "10.3 %"));
}
