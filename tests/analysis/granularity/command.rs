//! `--gpu`, `--granularity` and `--export` on the command line.

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, root, run, run_with};

#[test]
fn plans_of_all_devices_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    for (device, granularities) in [
        ("xavier", "sm tpc gpc green-context"),
        ("orin", "sm tpc gpc green-context mps"),
        ("a100", "sm tpc gpc green-context mps mig"),
        ("tasksets/devices/h100.json", "sm tpc gpc green-context mps mig"),
    ] {
        for granularity in granularities.split_whitespace() {
            let options = format!("--gpu {device} --granularity {granularity} -o {}", plan.display());
            let answer = run(&format!("partition {ADAS} {options}"));
            let verified = run(&format!("verify {} {ADAS}", plan.display()));
            assert_eq!(answer.code, verified.code, "{options}: {}", verified.stdout);
            assert!(
                verified.stdout.contains("VERIFIED"),
                "{options}: {}",
                verified.stdout
            );
            if !["xavier", "orin"].contains(&device) {
                assert_eq!(answer.code, 0, "{options}");
            }
        }
    }
}

/// A task needs 105 ms of work every ms. All SMs of an A100 suffice, but the largest instance has
/// only 98 SMs.
#[test]
fn the_largest_partition_is_named() {
    let set = r#"{"tasks":[{"period":"1ms","wcet":{"amdahl":{"work":"105ms","serial":0,"conflict":1}}}]}"#;
    let by = |granularity: &str| {
        let line = format!("partition - --gpu a100 --granularity {granularity}");
        run_with(&line, set)
    };
    assert_eq!(by("gpc").code, 0);
    let mig = by("mig");
    assert_eq!(mig.code, 1);
    assert!(
        mig.stdout
            .contains("; the largest supported partition has 98 SMs"),
        "{}",
        mig.stdout
    );
}

/// A device with granularity `sm` gives the same result as its number of SMs, except for the description of the device,
/// the assumption on ports and the text on WCETs.
#[test]
fn any_sms_of_a_device_are_so_many_sms() {
    let by = |gpu: &str| -> serde_json::Value {
        serde_json::from_str(&run(&format!("partition {ADAS} {gpu} --format json")).stdout).unwrap()
    };
    let (mut device, mut platform) = (by("--gpu orin --granularity sm"), by("--sms 16"));
    assert_eq!(device["hardware"]["granularity"], "sm");
    assert_eq!(device["hardware"]["device"]["name"], "orin");
    device.as_object_mut().unwrap().remove("hardware");
    for plan in [&mut device, &mut platform] {
        plan["stats"] = serde_json::Value::Null;
        // The options and the device differ.
        plan.as_object_mut().unwrap().remove("identity");
        // Only a device states which SMs share ports.
        let ports = |one: &serde_json::Value| one["id"].as_str().unwrap().starts_with("ports-");
        plan["assumptions"]
            .as_array_mut()
            .unwrap()
            .retain(|one| !ports(one));
        // Only with a device, the text on WCETs states whether they are from this GPU.
        for one in plan["assumptions"].as_array_mut().unwrap() {
            if one["id"].as_str().unwrap().starts_with("wcet-") {
                one["text"] = serde_json::Value::Null;
            }
        }
        for partition in plan["partitions"].as_array_mut().unwrap() {
            partition.as_object_mut().unwrap().remove("place");
        }
    }
    assert_eq!(device, platform);
    assert_eq!(
        run(&format!("test {ADAS} --gpu orin")).code,
        run(&format!("test {ADAS} --sms 16")).code
    );
}

/// The options of earlier versions name the same hardware, so the results are equal byte for byte. Only the identity states
/// the option as given.
#[test]
fn earlier_options_are_aliases() {
    for line in [
        "test GPU --format json",
        "test GPU --policy dm",
        "partition GPU --format csv",
        "partition GPU --heuristic ffd --split 2 --format csv",
        "partition GPU --granularity tpc --export libsmctrl",
    ] {
        let by = |option: &str| run(&format!("{} {ADAS}", line.replace("GPU", option)));
        let answer = by("--gpu orin");
        assert!(!answer.stdout.is_empty(), "{line}: {}", answer.stderr);
        for option in [
            "--platform orin",
            "--device orin",
            "--gpu tasksets/devices/orin.json",
        ] {
            let mut same = by(option);
            same.stdout = same.stdout.replace(r#""gpu":"orin.json""#, r#""gpu":"orin""#);
            assert_eq!(
                (same.code, &same.stdout),
                (answer.code, &answer.stdout),
                "{line}: {option}"
            );
        }
    }
    let help = run("partition --help").stdout;
    assert!(
        !help.contains("--platform") && !help.contains("--device"),
        "{help}"
    );
}

/// Without a granularity, each GPU gets the finest one that an export reserves, and the export accepts the plan. A GPU
/// without such a granularity gets single SMs and a warning, also with `--quiet`.
#[test]
fn default_plans_are_exported() {
    let set = r#"{"tasks":[{"period":"10ms","wcet":"1ms"}]}"#;
    let mut without = Vec::new();
    for device in gpusched::model::Device::all() {
        let line = format!("partition - --gpu {} --format json -q", device.name());
        let answer = run_with(&line, set);
        assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
        let plan: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let granularity = plan["hardware"]["granularity"].as_str().unwrap();
        let tool = match granularity {
            "sm" => {
                assert!(
                    answer.stderr.starts_with("warning: gpusched knows no tool"),
                    "{answer:?}"
                );
                without.push(device.name().to_owned());
                continue;
            }
            "tpc" => "libsmctrl",
            other => other,
        };
        assert_eq!(answer.stderr, "", "{line}");
        let exported = run_with(
            &format!("{} --export {tool}", line.replace("--format json ", "")),
            set,
        );
        assert_eq!(exported.code, 0, "{line} --export {tool}: {}", exported.stderr);
        let text = run_with(&format!("partition - --gpu {}", device.name()), set).stdout;
        let first = text.lines().next().unwrap();
        let end =
            format!(" with granularity {granularity}, under np-edf: one kernel at a time, never preempted");
        assert!(first.ends_with(&end), "{first}");
    }
    assert_eq!(without, ["tx2", "k5000", "gb10"]);
}

/// A plan for a GPU contains the GPU at every granularity, so that a later export is possible.
/// `verify` still accepts a plan of an earlier version without the GPU.
#[test]
fn plans_of_any_sms_know_their_gpu() {
    let plan = run(&format!("partition {ADAS} --gpu gb10 --format json")).stdout;
    let exported = run_with(&format!("export - {ADAS} --as csv"), plan.as_str());
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert!(exported.stdout.contains("\ngb10,sm,0,"), "{}", exported.stdout);
    let mut plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let verified = |plan: &serde_json::Value| run_with(&format!("verify - {ADAS}"), plan.to_string());
    let mut wrong = plan.clone();
    wrong["hardware"]["granularity"] = "tpc".into();
    assert_eq!(verified(&wrong).code, 1);
    plan.as_object_mut().unwrap().remove("hardware");
    plan["identity"].as_object_mut().unwrap().remove("device_sha256");
    for partition in plan["partitions"].as_array_mut().unwrap() {
        partition.as_object_mut().unwrap().remove("place");
    }
    // The text on WCETs depends on the GPU.
    for one in plan["assumptions"].as_array_mut().unwrap() {
        one.as_object_mut().unwrap().remove("text");
    }
    assert_eq!(verified(&plan).code, 0);
}

#[test]
fn exports_go_where_they_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (masks, plan) = (folder.path().join("masks.h"), folder.path().join("plan.json"));
    let line = format!("partition {ADAS} --gpu a100 --granularity tpc --export libsmctrl");
    let answer = run(&line);
    assert_eq!(answer.code, 0);
    assert!(answer.stdout.contains("gpusched_tpc_mask"), "{}", answer.stdout);
    run(&format!(
        "{line} --export-to {} -o {}",
        masks.display(),
        plan.display()
    ));
    assert_eq!(std::fs::read_to_string(&masks).unwrap(), answer.stdout);
    assert!(std::fs::read_to_string(&plan).unwrap().starts_with('{'));
    // With the extension `.csv`, the file contains only the export.
    let table = folder.path().join("table.csv");
    run(&format!(
        "partition {ADAS} --gpu a100 --granularity mig --export csv -o {}",
        table.display()
    ));
    assert!(
        std::fs::read_to_string(&table)
            .unwrap()
            .starts_with("device,granularity,")
    );
}

#[test]
fn no_plan_no_export() {
    let overload = r#"{"tasks":[{"period":"10ms","wcet":{"table":[[1,"11ms"]]}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    for (granularity, target) in [("tpc", "libsmctrl"), ("mig", "mig"), ("sm", "csv")] {
        let line = format!("partition - --gpu a100 --granularity {granularity} --export {target}");
        for options in [
            String::new(),
            format!(" -o {}", file("out")),
            format!(" -o {} --export-to {}", file("plan.json"), file("out")),
        ] {
            let answer = run_with(&format!("{line}{options}"), overload);
            assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{options}");
            assert!(
                answer.stderr.contains("gpusched does not export the plan"),
                "{}",
                answer.stderr
            );
        }
    }
    // The result file exists, but the export does not.
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["plan.json"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let device = |name: &str, json: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, json).unwrap();
        path.display().to_string()
    };
    let good = std::fs::read_to_string(root().join("tasksets/devices/a100.json")).unwrap();
    let changed = |name: &str, from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        format!("--gpu {}", device(name, &good.replacen(from, to, 1)))
    };
    let wide = r#"{"name":"w","sms":258,"sms_per_tpc":2,"tpcs_per_gpc":[129]}"#;
    let wide = device("wide.json", wide);
    let mut told = Transcript::in_folder(folder.path());
    for options in [
        "--granularity tpc --sms 8".into(),
        "--gpu xavier --sms 8".into(),
        "--gpu xavier --platform xavier".into(),
        "--gpu gtx1".into(),
        "--gpu RTX-4090".into(),
        "--gpu gb10 --granularity tpc".into(),
        "--gpu l4 --granularity gpc".into(),
        "--gpu b200 --granularity mig".into(),
        "--gpu none.json".into(),
        "--gpu xavier --granularity mig".into(),
        "--sms 8 --export csv".into(),
        "--gpu a100 --granularity tpc --export mig".into(),
        "--gpu a100 --granularity sm --export libsmctrl".into(),
        "--gpu h100 --granularity tpc --export libsmctrl".into(),
        format!("--gpu {wide} --granularity tpc --export libsmctrl"),
        "--gpu a100 --export csv --export-to -".into(),
        "--gpu a100 --export csv --export-to x.csv -o x.csv".into(),
        "--gpu a100 --export-to x.csv".into(),
        "--gpu a100 --export csv --format json".into(),
        "--gpu a100 --export csv --sensitivity".into(),
        "--gpu a100 --granularity tpc --export libsmctrl -o no.csv".into(),
        "--gpu a100 --export csv -o no.json".into(),
        changed("a.json", "108", "107"),
        changed("b.json", "\"name\": \"a100\"", "\"name\": \"a b\""),
        changed("c.json", "\"min\": 4", "\"min\": 0"),
        changed("d.json", "\"chunk\": 4", "\"chunk\": 400"),
        changed("e.json", "[0, 4]", "[0, 5]"),
        changed("f.json", "1g.10gb", "1g.5gb"),
        changed("g.json", "\"8.0\"", "\"eight\""),
        changed("h.json", "\"chunk\"", "\"lump\""),
        changed("i.json", "\"sms\": 42", "\"sms\": 420"),
        changed(
            "j.json",
            "\"sms_per_tpc\": 2,",
            "\"sms_per_tpc\": 2, \"gpc_of_tpc\": [0],",
        ),
        changed("k.json", "\"sms_per_tpc\": 2,", ""),
        changed(
            "l.json",
            "\"tpcs_per_gpc\": [8, 8, 8, 8, 8, 7, 7],",
            "\"gpc_of_tpc\": [0],",
        ),
        changed("m.json", "[8, 8, 8, 8, 8, 7, 7]", "[]"),
        changed("n.json", "2,\n  \"tpcs_per_gpc\": [8, 8, 8, 8, 8, 7, 7],", "5,"),
    ] {
        told.refusal(&options, &run(&format!("partition {ADAS} {options}")));
    }
    assert_snapshot!(told);
    let many = run_with(
        "partition - --gpu a100 --export csv",
        "{\"tasks\":[]}\n{\"tasks\":[]}\n",
    );
    assert_eq!(many.code, 2);
}

#[test]
fn known_devices_are_documented_with_their_sources() {
    let readme = std::fs::read_to_string(root().join("tasksets/README.md")).unwrap();
    for device in gpusched::model::Device::all() {
        assert!(!device.source().is_empty(), "{}", device.name());
        assert!(
            readme.contains(&format!("`{}`", device.name())),
            "{}",
            device.name()
        );
    }
    let files = std::fs::read_dir(root().join("tasksets/devices"))
        .unwrap()
        .count();
    assert_eq!(gpusched::model::Device::all().count(), files);
}
