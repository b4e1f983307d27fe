//! Promise: `verify` states in plain words what is confirmed, and what is not.
#![cfg(feature = "cli")]

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, root, run, run_with};

/// `verify` states which part of a bound is confirmed, and which option continues the check.
#[test]
fn verify_says_what_a_larger_budget_is_for() {
    let plan = run(&format!(
        "partition {ADAS} --sms 8 --heuristic optimal --format json"
    ))
    .stdout;
    let by = |budget: &str| run_with(&format!("verify - {ADAS} {budget}"), plan.clone());
    let (all, little) = (by(""), by("--search-effort 1"));
    assert_eq!((all.code, all.stderr.as_str()), (0, ""));
    assert_eq!((little.code, little.stderr.as_str()), (0, "")); // the plan is still proven
    let mut told = Transcript::default();
    told.case("no limit", all.stdout);
    told.case("--search-effort 1", little.stdout);
    assert_snapshot!(told);
}

/// Until the lower bound is confirmed, `verify` calls the statement that no plan fits a claim.
#[test]
fn verify_says_that_a_claim_is_not_confirmed() {
    let none = run(&format!(
        "partition {ADAS} --sms 6 --heuristic optimal --format json"
    ));
    assert!(none.code == 1 && none.stdout.contains(r#""reason":"bound-exceeds-gpu""#));
    let by = |options: &str| run_with(&format!("verify - {ADAS} {options}"), none.stdout.clone());
    let (all, little) = (by(""), by("--search-effort 1"));
    assert_eq!((all.code, little.code), (1, 1));
    let mut told = Transcript::default();
    told.case("no limit", all.stdout);
    told.case("--search-effort 1", little.stdout);
    assert_snapshot!(told);
    assert!(!by("--search-effort 1 --format json").stdout.contains("failure"));
}

/// An interval that is longer than necessary still proves the verdict, as `--help` states.
/// `verify` rejects an interval that is too short.
#[test]
fn an_interval_may_be_longer_than_need_be() {
    let plan = run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    let stated = |interval: u64| format!("\"interval_ns\":{interval},");
    assert!(plan.contains(&stated(39_000_001)), "{plan}");
    let with = |interval: u64| {
        let changed = plan.replace(&stated(39_000_001), &stated(interval));
        run_with(&format!("verify - {ADAS}"), changed)
    };
    assert_eq!((with(39_000_001).code, with(39_000_002).code), (0, 0));
    let short = with(38_000_000);
    assert!(
        short.code == 1
            && short
                .stdout
                .contains("verdict.evidence.interval_ns: found 38ms, which is too short"),
        "{short:?}"
    );
    let help = run("verify --help").stdout;
    assert!(help.contains("(`interval_ns`) that is long enough"), "{help}");
}

/// The limit of `--sms` also applies to the number of SMs in a plan.
#[test]
fn a_plan_for_no_gpu_is_no_plan() {
    let plan = run(&format!("partition {ADAS} --sms 8 --format json")).stdout;
    for (sms, code) in [(0u64, 2), (8, 0), (65_536, 0), (65_537, 2), (4_294_967_295, 2)] {
        let changed = plan.replace("\"gpu_sms\":8", &format!("\"gpu_sms\":{sms}"));
        for command in ["verify -", "export --as csv -"] {
            let answer = run_with(&format!("{command} {ADAS}"), changed.clone());
            let refused = format!("error: -:1: at gpu_sms: found {sms}, expected 1 to 65536\n");
            assert_eq!(answer.stderr == refused, code == 2, "{command} {sms}: {answer:?}");
            if command.starts_with("verify") || code == 2 {
                assert_eq!(answer.code, code, "{command} {sms}: {answer:?}");
            }
        }
    }
}

/// The verdict of `test` for a task set is refused, and the hint names the command that writes a plan with the same verdict.
#[test]
fn verdicts_of_task_sets_are_refused_with_a_way_to_a_plan() {
    let verdict = run(&format!("test {ADAS} --sms 24 --format json")).stdout;
    let refused = run_with(&format!("verify - {ADAS}"), verdict.clone());
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    let expected = "the document looks like a verdict of one partition\n\nhint: write a plan of one partition with \
                    `gpusched partition SET --sms M --heuristic 1g --format json`\n";
    assert!(refused.stderr.ends_with(expected), "{refused:?}");
    let plan = run(&format!("partition {ADAS} --sms 24 --heuristic 1g --format json")).stdout;
    let evidence = |text: &str| {
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        let verdict = document.pointer("/partitions/0/verdict").unwrap_or(&document);
        verdict["evidence"].clone()
    };
    assert_eq!(evidence(&verdict), evidence(&plan));
    assert_eq!(run_with(&format!("verify - {ADAS}"), plan).code, 0);
}

/// Each difference between the set of the plan and another set is named. Renamed tasks only refuse the plan under the strict check.
#[test]
fn a_plan_knows_its_task_set() {
    let options = "--sms 12 --heuristic savings --format json";
    let plan = run(&format!("partition {ADAS} {options}")).stdout;
    let stated: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let identity = &stated["identity"];
    assert_eq!(
        identity["options"],
        serde_json::json!({"sms": "12", "heuristic": "savings"})
    );
    assert_eq!(identity["tasks"].as_array().unwrap().len(), 8);
    let text = std::fs::read_to_string(root().join(ADAS)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("set.json");
    let with = |change: &dyn Fn(&mut serde_json::Value), options: &str| {
        let mut set: serde_json::Value = serde_json::from_str(&text).unwrap();
        change(&mut set);
        std::fs::write(&file, set.to_string()).unwrap();
        run_with(&format!("verify - {} {options}", file.display()), plan.clone())
    };
    let same = with(&|_| (), "");
    assert!(
        same.code == 0
            && same
                .stdout
                .contains("identity: agrees with the task set (SHA-256 "),
        "{same:?}"
    );
    // The text of the file does not matter, only its values.
    let other_units = with(&|set| set["tasks"][0]["period"] = 33_000_000.into(), "");
    assert_eq!(other_units.code, 0, "{other_units:?}");
    type Change = (&'static str, &'static dyn Fn(&mut serde_json::Value), i32);
    let changes: [Change; 7] = [
        (
            "identity.tasks[3]: found `other`, expected",
            &|set| set["tasks"][3]["name"] = "other".into(),
            0,
        ),
        (
            "identity: found `other`, expected",
            &|set| set["name"] = "other".into(),
            0,
        ),
        (
            "identity.tasks[1]: found another period",
            &|set| set["tasks"][1]["period"] = "40.001ms".into(),
            -1,
        ),
        (
            "identity.tasks[2]: found another WCET",
            &|set| set["tasks"][2]["wcet"] = "1ms".into(),
            -1,
        ),
        (
            "identity.tasks[4]: found another kind",
            &|set| set["tasks"][4]["traffic"] = 1000.into(),
            0,
        ),
        (
            "identity.tasks[5]: found another source",
            &|set| set["tasks"][5]["wcet_source"] = "estimated".into(),
            1,
        ),
        (
            "identity: found another SHA-256",
            &|set| set["times"] = "occupancy".into(),
            0,
        ),
    ];
    for (told, change, logical) in changes {
        let strict = with(change, "");
        assert_eq!(strict.code, 1, "{told}: {strict:?}");
        assert!(
            strict.stdout.contains(told) && strict.stdout.contains("REFUSED at identity"),
            "{told}: {strict:?}"
        );
        let answer = with(change, "--identity logical");
        // The evidence alone may or may not survive another period or WCET.
        assert!(logical == -1 || answer.code == logical, "{told}: {answer:?}");
        if answer.code == 0 {
            assert!(
                answer.stdout.contains("only logically compatible"),
                "{told}: {answer:?}"
            );
            assert!(answer.stdout.contains(told), "{told}: {answer:?}");
        }
    }
    // A changed identity is refused, although the set is the set of the plan.
    for (from, to) in [
        (identity["set_sha256"].as_str().unwrap(), "0".repeat(64)),
        (identity["tasks"][6]["wcet"].as_str().unwrap(), "0".repeat(16)),
    ] {
        let forged = run_with(&format!("verify - {ADAS}"), plan.replace(from, &to));
        assert!(
            forged.code == 1 && forged.stdout.contains("REFUSED at identity"),
            "{forged:?}"
        );
    }
    // Older plans state no identity.
    let mut old = stated.clone();
    old.as_object_mut().unwrap().remove("identity");
    assert_eq!(run_with(&format!("verify - {ADAS}"), old.to_string()).code, 0);
}

/// Verdicts, budgets and bounds state their input, too. The commands that read them refuse another input, and show it on demand.
#[test]
fn results_know_their_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let system = "tasksets/end_to_end/camera-budgets.json";
    let pipeline = "tasksets/end_to_end/camera-pipeline.json";
    let kernel = "tasksets/kernels/histo-m4.json";
    let results = [
        ("test", "", pipeline, "verify", "VERIFIED"),
        ("budget nominal", "--deadlines", system, "verify", "VERIFIED"),
        ("wcet bound", "--q 0.13", kernel, "wcet verify", "PROVEN"),
    ];
    for (command, options, input, verify, good) in results {
        let result = run(&format!("{command} {input} {options} --format json")).stdout;
        let file = path("result.json");
        std::fs::write(&file, &result).unwrap();
        let checked = run(&format!("{verify} {file} {input}"));
        assert!(
            checked.code == 0 && checked.stdout.contains("identity: agrees with the "),
            "{checked:?}"
        );
        assert!(
            run(&format!("show {file}")).stdout.contains("SHA-256 "),
            "{command}"
        );
        // These changes do not change the proof.
        let text = std::fs::read_to_string(root().join(input)).unwrap();
        let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
        match command {
            "test" => other["name"] = "another".into(),
            "budget nominal" => other["budgets"]["q"] = 0.25.into(),
            _ => other["sources"]["clusters.e0"] = "another".into(),
        }
        let renamed = path("other.json");
        std::fs::write(&renamed, other.to_string()).unwrap();
        let refused = run(&format!("{verify} {file} {renamed}"));
        assert!(
            refused.code == 1 && refused.stdout.contains("identity"),
            "{refused:?}"
        );
        let logical = run(&format!("{verify} {file} {renamed} --identity logical"));
        assert!(logical.code == 0 && logical.stdout.contains(good), "{logical:?}");
        assert!(
            logical.stdout.contains("only logically compatible"),
            "{logical:?}"
        );
        let page = run(&format!("report {file} {renamed}"));
        assert!(page.code == 2 && page.stderr.contains("identity"), "{page:?}");
        // Older results state no identity.
        let mut old: serde_json::Value = serde_json::from_str(&result).unwrap();
        old.as_object_mut().unwrap().remove("identity").unwrap();
        std::fs::write(&file, old.to_string()).unwrap();
        assert_eq!(run(&format!("{verify} {file} {renamed}")).code, 0);
    }
    // A plan of a system knows its GPU.
    let sizes = "tasksets/end_to_end/camera-sizes.json";
    let plan = path("plan.json");
    assert_eq!(run(&format!("partition {sizes} --gpu orin -o {plan}")).code, 0);
    assert_eq!(run(&format!("verify {plan} {sizes} --gpu orin")).code, 0);
    let other = run(&format!("verify {plan} {sizes} --gpu h100"));
    assert!(
        other.code == 1 && other.stdout.contains("identity.device_sha256"),
        "{other:?}"
    );
    // A verdict on a task set states its set, and a simulation refuses the plan of another set.
    let verdict = run(&format!("test {ADAS} --sms 24 --format json")).stdout;
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    assert_eq!(verdict["identity"]["set_name"], "adas");
    assert_eq!(run(&format!("partition {ADAS} --sms 12 -o {plan}")).code, 0);
    let text = std::fs::read_to_string(root().join(ADAS)).unwrap();
    std::fs::write(path("set.json"), text.replace("\"33ms\"", "\"34ms\"")).unwrap();
    let refused = run(&format!("simulate tasks {} --plan {plan}", path("set.json")));
    assert!(
        refused.code == 2 && refused.stderr.contains("identity.tasks[0]: found another period"),
        "{refused:?}"
    );
}

/// The device of a plan has a digest, too. Results for several sets state only the digest of each set.
#[test]
fn identities_of_devices_and_of_many_sets() {
    let plan = run(&format!("partition {ADAS} --gpu orin --format json")).stdout;
    let mut forged: serde_json::Value = serde_json::from_str(&plan).unwrap();
    forged["identity"]["device_sha256"] = "0".repeat(64).into();
    let answer = run_with(&format!("verify - {ADAS}"), forged.to_string());
    assert!(
        answer.code == 1 && answer.stdout.contains("identity.device_sha256"),
        "{answer:?}"
    );

    let text = std::fs::read_to_string(root().join(ADAS)).unwrap();
    let one: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut other = one.clone();
    other["tasks"][0]["name"] = "other".into();
    let sets = format!("{one}\n{other}\n");
    let plans = run_with("partition - --sms 12 --format json", sets);
    let digests: Vec<serde_json::Value> = { plans.stdout.lines() }
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["identity"].clone())
        .collect();
    assert!(
        digests.iter().all(|identity| identity.get("tasks").is_none()),
        "{digests:?}"
    );
    assert_ne!(digests[0]["set_sha256"], digests[1]["set_sha256"]);
}

/// `show` names each kind of file, states what it claims, and prints the command that checks the claim.
#[test]
fn a_file_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let written = |command: &str, name: &str| {
        let file = path(name);
        let answer = run(&format!("{command} --format json -q -o {file}"));
        assert!(answer.code <= 1, "{command}: {answer:?}");
        file
    };
    let system = "tasksets/end_to_end/waters2019-iv-split-2x.json";
    let kernel = "tasksets/kernels/histo-m4.json";
    let cases = [
        (
            written(&format!("partition {ADAS} --gpu orin"), "plan.json"),
            "a plan of ",
            "gpusched verify ",
        ),
        (
            written(&format!("wcet bound {kernel} --q 0.13"), "bound.json"),
            "a WCET bound: ",
            "gpusched wcet verify ",
        ),
        (
            written(&format!("test {system}"), "verdict.json"),
            "the verdict on an end-to-end system: ",
            "gpusched verify ",
        ),
        (
            ADAS.to_owned(),
            "a task set `adas` with 8 tasks",
            "gpusched partition ",
        ),
        (system.to_owned(), "an end-to-end system", "gpusched test "),
    ];
    for (file, claim, check) in &cases {
        let answer = run(&format!("show {file}"));
        assert_eq!(
            (answer.code, answer.stderr.as_str()),
            (0, ""),
            "{file}: {answer:?}"
        );
        assert!(answer.stdout.starts_with(claim), "{answer:?}");
        assert!(answer.stdout.contains(&format!("{check}{file}")), "{answer:?}");
        let json: serde_json::Value =
            serde_json::from_str(&run(&format!("show {file} --format json")).stdout).unwrap();
        assert!(json["claim"].as_str().unwrap().starts_with(claim), "{json}");
    }
    let plan = run(&format!("show {}", cases[0].0)).stdout;
    for part in [
        "`adas`, SHA-256 ",
        "--gpu orin",
        "lane-detection",
        "assumptions, which gpusched does not check",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    // A plan without identity does not know its set.
    let text = std::fs::read_to_string(&cases[0].0).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap();
    old.as_object_mut().unwrap().remove("identity");
    let answer = run_with("show -", old.to_string());
    assert!(
        answer.code == 0 && answer.stdout.contains("does not state its identity"),
        "{answer:?}"
    );

    let recording = run("show tasksets/recordings/bert-h100.json.gz");
    assert!(
        recording.code == 0 && recording.stdout.contains("kineto"),
        "{recording:?}"
    );
    for (text, told) in [
        ("{}", "expected a file with a format of"),
        (r#"{"tpcs": 3}"#, "a document that `show` does not describe"),
        ("{", "rest of an object"),
        ("[1]", "expected"),
    ] {
        let answer = run_with("show -", text.to_owned());
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{text}: {answer:?}"
        );
        assert!(answer.stderr.contains(told), "{text}: {answer:?}");
    }
    assert_eq!(run("show no-such-file.json").code, 2);
}

/// One file of each folder of inputs, results of a study from each of their files, studies, and streams of documents.
#[test]
fn all_kinds_of_files_are_described() {
    let mut folders = vec![root().join("tasksets")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = { std::fs::read_dir(&folder).unwrap() }
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        folders.extend(entries.iter().filter(|path| path.is_dir()).cloned());
        let document = entries
            .iter()
            .find(|path| path.extension().is_some_and(|ending| ending == "json"));
        // Files of other tools, and descriptions of the machine of a measurement, have no format of gpusched.
        let unknown =
            |path: &&std::path::PathBuf| path.ends_with("spin-1.json") || path.ends_with("hardware.json");
        let Some(file) = document.filter(|path| !unknown(path)) else {
            continue;
        };
        let answer = run(&format!("show {}", file.display()));
        assert_eq!(answer.code, 0, "{}: {answer:?}", file.display());
        files += 1;
    }
    assert!(files > 15, "{files}");
    for ending in ["csv", "claims.json", "provenance.json", "svg"] {
        let answer = run(&format!("show analysis/concurrent/concurrent.{ending}"));
        assert!(
            answer.code == 0 && answer.stdout.starts_with("concurrent, ours: "),
            "{ending}: {answer:?}"
        );
    }
    for (file, told) in [
        ("tasksets/devices/orin.json", "device with its partition rules"),
        ("tasksets/machines/rtx2060.json", "next: gpusched schema machine"),
        ("tasksets/groups/masola23-experiment-1.json", "input of `predict`"),
        (
            "tasksets/measurements/stencil.csv",
            "next: gpusched wcet fit tasksets/measurements/stencil.csv",
        ),
        ("tasksets/traces/two-paths.csv", "next: gpusched wcet cluster "),
        ("tasksets/tasksets/camera.csv", "a task set"),
        (
            "analysis/concurrent.toml",
            "next: gpusched study run analysis/concurrent.toml",
        ),
    ] {
        let answer = run(&format!("show {file}"));
        assert!(
            answer.code == 0 && answer.stdout.contains(told),
            "{file}: {answer:?}"
        );
    }
    let sets = run("generate --tasks 3 --utilization 1 --count 4").stdout;
    let answer = run_with("show -", sets);
    assert!(
        answer.code == 0 && answer.stdout.contains("the first of 4 documents in this file"),
        "{answer:?}"
    );
}

/// The budgets that a search chose have a verdict, and the reason why each next larger budget fails.
#[test]
fn chosen_budgets_are_verified_shown_and_reported() {
    let system = "tasksets/end_to_end/camera-budgets.json";
    let line = format!("budget nominal {system} --deadlines --per kind --search-effort 50 --format json");
    let found = run(&line).stdout;
    let answer = run_with(&format!("verify - {system}"), found.clone());
    assert!(
        answer.code == 0 && answer.stdout.contains("each next larger budget fails"),
        "{answer:?}"
    );
    let shown = run_with("show -", found.clone());
    assert!(
        shown.code == 0
            && shown
                .stdout
                .contains("budgets of the end-to-end system `camera with budgets`"),
        "{shown:?}"
    );
    let page = run_with(&format!("report - {system}"), found.clone());
    let parts = [
        "No budget can grow alone: with 1 ns more memory time",
        "best-effort cores access memory for at most its budget",
        "WCET G under the budget",
    ];
    for part in parts {
        assert!(
            page.code == 0 && page.stdout.contains(part),
            "{part}: {}",
            page.stderr
        );
    }
    // Without a stated reason, with another reason, and with a larger budget
    let value: serde_json::Value = serde_json::from_str(&found).unwrap();
    let last = value["groups"].as_array().unwrap().len() - 1;
    let group = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = value.clone();
        change(&mut changed["groups"][last]);
        run_with(&format!("verify - {system}"), changed.to_string())
    };
    for (answer, told) in [
        (
            group(&|group| drop(group.as_object_mut().unwrap().remove("next"))),
            "groups[2].next: found none",
        ),
        (
            group(&|group| group["next"]["late_tasks"] = serde_json::json!([1])),
            "groups[2].next.late_tasks: found [1], expected [0]",
        ),
        (
            group(&|group| group["memory_time_ns"] = serde_json::json!(734_058)),
            "groups[2].q: found 0.734057, expected 0.734058",
        ),
    ] {
        assert!(
            answer.code == 1 && answer.stdout.contains(told),
            "{told}: {answer:?}"
        );
    }
    let other = run_with("verify - tasksets/end_to_end/camera-sizes.json", found);
    assert_eq!(other.code, 1, "{other:?}");
}
