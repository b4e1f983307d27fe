//! Guarantee: every verdict lists its assumptions, in the same words everywhere, and `verify` checks the complete list.

use std::collections::BTreeSet;

use gpusched::model::assumptions::{
    Assumption, AssumptionId, Basis, BudgetBasis, Consequence, Ports, Runs, of_predictions,
};
use gpusched::model::device::Granularity;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;
use gpusched::model::{
    Device, Factor, Interference, Kernel, Overheads, Policy, PredictionModel, SharedMemory, Straddling,
    TaskSet,
};
use gpusched::time::Time;
use insta::assert_snapshot;

use crate::granularity::GRANULARITIES;
use crate::support::transcript::Transcript;
use crate::support::{ADAS, files, root, run, run_with};

/// A task set that has every feature that any assumption is about.
const MIXED: &str = r#"{"measured_on":{"gpu":"NVIDIA Orin","sms":16,"margin":1.2},"tasks":[
    {"period":"10ms","kind":"memory","jitter":"1ms","block":"1ms","traffic":"1MB","wcet":{"amdahl":{"work":"2ms","serial":0,"conflict":1}}},
    {"period":"10ms","wcet_source":"fitted","wcet":{"affine":{"isolated":{"a":"1ms","b":"1ms"}}}},
    {"period":"10ms","wcet_source":"measured","measured_on":{"gpu":"NVIDIA Orin","sms":16,"margin":1.2,"kernels":9,
        "left_out_gaps":"999.999999ms","left_out_copies":"1us","warm_up":3,"incomplete":true,"size_stated":true},"wcet":{"table":[[1,"1ms"]]}},
    {"period":"10ms","wcet_source":"estimated","measured_on":{"tool":"nsys","size_stated":true,"size_signs":["file-name","processes","no-green-context"]},"wcet":{"table":{"isolated":[[1,"1ms"]],"conflict":[[1,"2ms"]]}}}],
    "other_traffic":[{"traffic":"1kB","period":"1ms"}]}"#;

const MODELS: [Option<Interference>; 7] = [
    Some(Interference::Conflict),
    Some(Interference::None),
    Some(Interference::ConflictBandwidth),
    Some(Interference::Bandwidth),
    Some(Interference::ConflictMemoryTime),
    Some(Interference::MemoryTime),
    None,
];

fn memory(model: Option<Interference>, arbitration: &str) -> Option<SharedMemory> {
    // One of the models is universal, and the other one is only tested.
    let form = match model {
        Some(Interference::ConflictMemoryTime) => "universal",
        _ => "own-drain",
    };
    let memory = match model.is_some_and(Interference::counts_memory_time) {
        false => format!(r#"{{"bandwidth":"100GB/s","arbitration":"{arbitration}"}}"#),
        true => format!(
            r#"{{"memory_time":{{"form":"{form}","l2_bytes_per_second":"999.9GB/s","dram_bytes_per_second":"999.9GB/s","variation_percent":100}}}}"#
        ),
    };
    let memory = serde_json::from_str(&memory).unwrap();
    model.filter(|model| model.counts_memory()).map(|_| memory)
}

fn list(policy: Policy, model: Option<Interference>, granularity: Granularity) -> Vec<Assumption> {
    let set: TaskSet = serde_json::from_str(MIXED).unwrap();
    let device = Device::named("thor").unwrap();
    let basis = Basis {
        set: &set,
        policies: vec![policy],
        interference: model,
        memory: memory(model, "max-min"),
        overheads: policy.is_dispatchable().then_some(Overheads {
            occupancy_ns: Time::from_ns(999_999_999),
            wake_ns: Time::from_ns(999_999_999),
        }),
        unmeasured_overheads: true,
        variation_percent: Policy::VARIATION,
        granularity: Some(granularity),
        device: Some(&device),
        several: true,
        ports: Ports::Unknown,
    };
    basis.of_one_run()
}

/// Returns the assumptions of results on kernels: bounds, simulations and predictions.
fn lists_of_kernels() -> Vec<Vec<Assumption>> {
    let text = std::fs::read_to_string(root().join("tasksets/kernels/histo-m4.json")).unwrap();
    let kernel: Kernel = serde_json::from_str(&text).unwrap();
    let estimated = text.replacen(
        "\"clusters\": [",
        r#""clusters": [{"blocks":1,"e0":"1us","e1":"2us","isolated":{"mean_ns":1.0,"std_ns":1.0,"tail":{
            "family":"gpd","location_ns":1.0,"scale_ns":1.0,"shape":0.0,"executions":1.0,"exceedance":1e-9,"fit_p":0.5,"trustworthy":true}}},"#,
        1,
    );
    let estimated: Kernel = serde_json::from_str(&estimated).unwrap();
    let mut lists = vec![of_predictions(PredictionModel::ALL)];
    for q in [None, Some(Factor::ZERO), Some(Factor::ONE)] {
        for kernels in [vec![(&kernel, q)], vec![(&estimated, q), (&kernel, q)]] {
            for (sync, straddling) in [(true, Straddling::End), (false, Straddling::Both)] {
                let basis = BudgetBasis {
                    kernels: kernels.clone(),
                    sync,
                    straddling,
                };
                lists.push(basis.assumptions());
                for dispatch in [None, Some(Policy::NpFifo), Some(Policy::NpEdf)] {
                    let runs = Runs {
                        dynamic: dispatch.is_some(),
                        process_requests: 60_000,
                        lead: Time::from_ns(999_999),
                        dispatch,
                    };
                    lists.push(basis.of_runs(runs));
                }
            }
        }
    }
    lists
}

/// Every policy and every interference model has a list of assumptions. Assumptions with equal
/// names have equal texts.
#[test]
fn every_policy_and_model_has_its_list() {
    let (mut told, mut words) = (Transcript::default(), BTreeSet::new());
    for policy in Policy::all() {
        for model in MODELS {
            let list = list(policy, model, Granularity::Sm);
            let names: Vec<String> = list.iter().map(|one| one.id.to_string()).collect();
            let model = model.map_or("unnamed".to_owned(), |model| model.to_string());
            told.case(format!("{policy}, {model}"), names.join(" "));
            words.extend(list.iter().map(ToString::to_string));
        }
    }
    for granularity in GRANULARITIES {
        let list = list(Policy::Edf, MODELS[0], granularity);
        words.extend(list.iter().map(ToString::to_string));
    }
    told.case("words", words.into_iter().collect::<Vec<_>>().join("\n"));
    assert_snapshot!(told);
}

/// Each text of an assumption is one line that is valid in a comment of a shell script and of C.
/// Every assumption occurs in some list.
#[test]
fn words_are_short_and_harmless() {
    let mut seen = BTreeSet::new();
    for policy in Policy::all() {
        for model in MODELS {
            for granularity in GRANULARITIES {
                for one in list(policy, model, granularity) {
                    let text = one.text.clone().unwrap();
                    assert!(text.chars().count() <= 140, "{text}");
                    assert!(
                        !text.contains(['\n', '\r', '\\']) && !text.contains("*/"),
                        "{text}"
                    );
                    assert!(text.ends_with('.'), "{text}");
                    assert_eq!(one.if_violated, one.id.if_violated());
                    seen.insert(one.id);
                }
            }
        }
    }
    // Other tests check the texts about ports.
    seen.extend([Ports::Own, Ports::SomeGpcs].map(|ports| ports.id()));
    seen.insert(AssumptionId::PortRates);
    for one in lists_of_kernels().into_iter().flatten() {
        let text = one.text.unwrap();
        assert!(text.chars().count() <= 140 && text.ends_with('.'), "{text}");
        seen.insert(one.id);
    }
    for name in [
        "waters2019-iii-alt-fp-avg",
        "waters2019-i-file-fifo",
        "two-programs",
        "camera-pipeline",
    ] {
        let path = root().join(format!("tasksets/end_to_end/{name}.json"));
        let draft = Draft::from_json(&std::fs::read_to_string(path).unwrap())
            .map_err(|(_, refusal)| refusal)
            .unwrap();
        for one in System::new(&draft, Interference::Conflict)
            .unwrap()
            .assumptions(true)
            .iter()
            .chain(
                &System::new(&draft, Interference::Conflict)
                    .unwrap()
                    .assumptions(false),
            )
        {
            let text = one.text.clone().unwrap();
            assert!(text.chars().count() <= 160 && text.ends_with('.'), "{text}");
            seen.insert(one.id);
        }
    }
    let all: BTreeSet<AssumptionId> = AssumptionId::all().collect();
    assert_eq!(seen, all);
}

/// A task set that states all values has no pessimistic assumptions. A missing value that the
/// model does not use also causes no assumption.
#[test]
fn what_is_stated_is_not_assumed() {
    let pessimistic = |model| {
        let found = list(Policy::LpEdf, model, Granularity::Sm);
        let found = found
            .into_iter()
            .filter(|one| one.if_violated == Consequence::Pessimistic);
        found.map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(
        pessimistic(MODELS[2]),
        [
            AssumptionId::TrafficUnknown,
            AssumptionId::KindUnknown,
            AssumptionId::BlockUnknown
        ]
    );
    assert_eq!(pessimistic(MODELS[1]), [AssumptionId::BlockUnknown]);
    let task = r#"{"period":"9ms","kind":"memory","wcet":{"amdahl":{"work":"1ms","serial":0,"conflict":1}}}"#;
    let stated = run_with(
        "test - --sms 2 --format json",
        format!(r#"{{"tasks":[{task},{task}]}}"#),
    )
    .stdout;
    assert!(
        stated.contains("wcet-stated") && !stated.contains("pessimistic"),
        "{stated}"
    );
}

/// The page on limits names every assumption, and all names of assumptions on the page exist. An item or row of a list
/// on the page begins with the assumptions that it explains.
#[test]
fn limits_explain_every_assumption() {
    let page = std::fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let names: BTreeSet<String> = AssumptionId::all().map(|id| id.to_string()).collect();
    for name in &names {
        assert!(
            page.contains(&format!("`{name}`")),
            "not in docs/limits.md: {name}"
        );
    }
    let is_name = |word: &&str| {
        word.contains('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.ends_with('-')
    };
    let starts = page.lines().filter_map(|line| match line.strip_prefix("* `") {
        Some(item) => Some(item.split_once(':').map_or(item, |(start, _)| start)),
        None => line
            .strip_prefix("| `interference-")
            .map(|_| line.split(" | ").next().unwrap_or(line)),
    });
    let started: BTreeSet<&str> = starts
        .flat_map(|start| start.split(['`', ',', ' ', '|']))
        .filter(is_name)
        .collect();
    assert!(started.len() > 30, "{started:?}");
    for word in started {
        assert!(
            names.contains(word),
            "docs/limits.md explains an unknown assumption: {word}"
        );
    }
    assert!(page.lines().count() <= 220);
}

/// For one task set, text output has the list of assumptions below the verdict. With `--quiet`,
/// in CSV and for many sets, the output has no list.
#[test]
fn text_has_the_list_unless_it_is_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json").display().to_string();
    assert_eq!(run(&format!("partition {ADAS} --gpu orin -o {plan}")).code, 0);
    let commands = [
        format!("test {ADAS} --sms 24"),
        format!("partition {ADAS} --gpu orin"),
        format!("verify {plan} {ADAS}"),
        format!("simulate tasks {ADAS} --plan {plan}"),
    ];
    for command in commands {
        let lists = |options: &str| {
            let answer = run(&format!("{command} {options}"));
            assert_eq!(answer.code, 0, "{answer:?}");
            let lines = answer
                .stdout
                .lines()
                .filter(|line| line.contains(". unsafe if violated: "));
            assert!(
                lines.clone().all(|line| line.chars().count() <= 160),
                "{answer:?}"
            );
            lines.count()
        };
        assert!((7..=9).contains(&lists("")), "{command}: {}", lists(""));
        assert_eq!((lists("--quiet"), lists("--format csv")), (0, 0), "{command}");
        let json = run(&format!("{command} --format json")).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["assumptions"][0]["id"], "dispatch-edf", "{command}: {json}");
    }
    let set = std::fs::read_to_string(root().join(ADAS))
        .unwrap()
        .replace('\n', " ");
    let two = run_with("test - --sms 16", format!("{set}\n{set}\n")).stdout;
    assert_eq!(two.lines().count(), 2, "{two}");
    // A stream of results contains only the names.
    for command in ["test", "partition"] {
        let json = run_with(
            &format!("{command} - --sms 16 --format json"),
            format!("{set}\n{set}\n"),
        )
        .stdout;
        assert_eq!(
            json.matches(r#"[{"id":"dispatch-edf","if_violated":"unsafe"},"#)
                .count(),
            2,
            "{json}"
        );
    }
}

/// `verify` rejects a plan with a wrong list of assumptions. It accepts a plan without a list,
/// because older versions wrote no list.
#[test]
fn verify_compares_the_list() {
    let plan = run(&format!(
        "partition {ADAS} --gpu xavier --granularity sm --policy edf --format json"
    ))
    .stdout;
    let changed = |change: &dyn Fn(&mut Vec<serde_json::Value>)| {
        let mut plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
        change(plan["assumptions"].as_array_mut().unwrap());
        run_with(&format!("verify - {ADAS}"), plan.to_string())
    };
    assert_eq!(changed(&|_| ()).code, 0);
    assert_eq!(
        changed(&|list| list
            .iter_mut()
            .for_each(|one| one["text"] = serde_json::Value::Null))
        .code,
        0
    );
    let mut told = Transcript::default();
    told.case("another order", changed(&|list| list.swap(0, 1)).stdout);
    told.case(
        "another text",
        changed(&|list| list[0]["text"] = "Other words.".into()).stdout,
    );
    let extra = serde_json::json!({"id": "preemption-none", "if_violated": "unsafe"});
    told.case("one is missing", changed(&|list| drop(list.remove(1))).stdout);
    told.case("no list at all", changed(&|list| list.clear()).stdout);
    told.case("one too many", changed(&|list| list.push(extra.clone())).stdout);
    let harmless = changed(&|list| list[1]["if_violated"] = "pessimistic".into());
    told.case("another consequence", harmless.stdout);
    assert_snapshot!(told);
    assert_eq!(changed(&|list| list[1]["id"] = "luck".into()).code, 2);
    let mut old: serde_json::Value = serde_json::from_str(&plan).unwrap();
    old.as_object_mut().unwrap().remove("assumptions").unwrap();
    let old = run_with(&format!("verify - {ADAS}"), old.to_string());
    assert!(
        old.code == 0 && old.stdout.contains("  1. unsafe if violated: "),
        "{old:?}"
    );
}

/// `verify` compares the user's statements about the system with the plan, and names all statements that it takes from
/// the plan.
#[test]
fn verify_takes_nothing_silently_from_a_plan() {
    let set = "tasksets/tasksets/shared-memory.json";
    let memory = "--interference conflict+bandwidth --memory-bandwidth 100GB/s";
    let sms = "--granularity sm --policy edf --format json";
    let shared = run(&format!("partition {set} --gpu xavier {memory} {sms}")).stdout;
    let l4 = run(&format!("partition {ADAS} --gpu l4 {sms}")).stdout;
    let by_sms = run(&format!("partition {ADAS} --sms 8 --policy edf --format json")).stdout;
    let forged = l4
        .replace(r#""sms":58"#, r#""sms":580"#)
        .replace(r#""gpu_sms":58"#, r#""gpu_sms":580"#);
    assert_ne!(l4, forged);
    let mut told = Transcript::default();
    for (name, set, plan, options) in [
        ("l4", ADAS, &l4, ""),
        (
            "l4",
            ADAS,
            &l4,
            "--gpu l4 --granularity sm --interference conflict --policy edf",
        ),
        ("l4", ADAS, &l4, "--gpu h100"),
        ("l4", ADAS, &l4, "--sms 580"),
        ("l4", ADAS, &l4, "--granularity tpc"),
        ("l4", ADAS, &l4, "--interference none"),
        ("l4", ADAS, &l4, "--policy np-edf"),
        ("l4", ADAS, &l4, "--memory-bandwidth 100GB/s"),
        ("l4 with 580 SMs", ADAS, &forged, ""),
        ("l4 with 580 SMs", ADAS, &forged, "--gpu l4"),
        ("8 SMs", ADAS, &by_sms, ""),
        ("8 SMs", ADAS, &by_sms, "--sms 8"),
        ("8 SMs", ADAS, &by_sms, "--gpu xavier"),
        ("shared memory", set, &shared, ""),
        (
            "shared memory",
            set,
            &shared,
            "--memory-bandwidth 100GB/s --arbitration any",
        ),
        ("shared memory", set, &shared, "--memory-bandwidth 90GB/s"),
        ("shared memory", set, &shared, "--arbitration max-min"),
    ] {
        let answer = run_with(&format!("verify - {set} {options}"), plan.clone());
        let (verdict, _) = answer
            .stdout
            .split_once("assumptions, ")
            .unwrap_or((&answer.stdout, ""));
        assert_eq!(answer.code == 1, verdict.contains("REFUSED"), "{answer:?}");
        told.case(format!("{name} {options}"), verdict);
    }
    assert_snapshot!(told);
    let forged = run_with(&format!("export - {ADAS} --as csv"), forged);
    assert!(
        forged.code == 2
            && forged
                .stderr
                .contains("at hardware.device: found GPU l4 with 580 SMs"),
        "{forged:?}"
    );
}

/// An exported file contains the list of assumptions as comments. The test checks that a shell
/// accepts scripts, and that C comments are valid.
#[test]
fn exports_have_the_list_as_comments() {
    let folder = tempfile::tempdir().unwrap();
    for (tool, granularity, mark) in [
        ("libsmctrl", "tpc", Some("// ")),
        ("green-context", "green-context", Some("// ")),
        ("mig", "mig", Some("# ")),
        ("mps", "mps", Some("# ")),
        ("csv", "sm", None),
    ] {
        let gpu = if tool == "mps" { "h100" } else { "a100" };
        let text = run(&format!(
            "partition {ADAS} --gpu {gpu} --granularity {granularity} --export {tool}"
        ));
        assert_eq!(text.code, 0, "{text:?}");
        let listed: Vec<&str> = text
            .stdout
            .lines()
            .filter(|line| line.contains("if violated"))
            .collect();
        let Some(mark) = mark else {
            assert!(
                listed.is_empty() && text.stdout.starts_with("device,"),
                "{listed:?}"
            );
            continue;
        };
        assert!(
            listed.len() >= 6 && listed.iter().all(|line| line.starts_with(mark)),
            "{listed:?}"
        );
        assert_eq!(text.stdout.starts_with("#!/bin/sh\n"), mark == "# ");
        if mark == "# " {
            let script = folder.path().join(tool);
            std::fs::write(&script, &text.stdout).unwrap();
            let parsed = std::process::Command::new("sh")
                .arg("-n")
                .arg(script)
                .status()
                .unwrap();
            assert!(parsed.success());
        }
    }
    assert_eq!(files(folder.path()).len(), 2);
}

/// An estimated WCET is marked as an estimate in every step, from the profile to the export.
#[test]
fn an_estimate_shows_in_the_verdict() {
    let points = "sms,time_us,estimate_rounds\n1,20,4\n2,10,4\n4,8,4\n";
    let set = run_with("wcet fit - --period 1ms -q", points).stdout;
    assert!(set.contains(r#""wcet_source":"estimated""#), "{set}");
    let told = run_with("test - --sms 4", set.clone()).stdout;
    assert!(
        told.contains("although an estimate is not a bound (1 of 1 task)"),
        "{told}"
    );
    let measured = points.replace(",estimate_rounds", "").replace(",4\n", "\n");
    for (form, source) in [("table", "measured"), ("envelope", "fitted")] {
        let set = run_with(
            &format!("wcet fit - --period 1ms -q --form {form}"),
            measured.clone(),
        )
        .stdout;
        assert!(set.contains(&format!(r#""wcet_source":"{source}""#)), "{set}");
    }
    // The notes name both ends of the measurements.
    let notes = run_with("wcet fit - --form envelope", measured.replace("1,20\n", "")).stderr;
    assert!(
        notes.contains("below 2 SMs") && notes.contains("above 4 SMs is extrapolated"),
        "{notes}"
    );
    assert_eq!(
        run_with("test - --sms 4", set.replace("estimated", "guessed")).code,
        2
    );
}
