//! `--device`, `--granularity`, `--export` on the command line.

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, root, run};

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
            let options = format!(
                "--device {device} --granularity {granularity} -o {}",
                plan.display()
            );
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

/// 105 ms of work every ms: all SMs of an A100 would do, but no instance has more than 98.
#[test]
fn the_largest_partition_is_named() {
    let set = r#"{"tasks":[{"period":"1ms","wcet":{"amdahl":{"work":"105ms","serial":0,"conflict":1}}}]}"#;
    let by = |granularity: &str| {
        let line = format!("partition - --device a100 --granularity {granularity}");
        crate::support::run_with(&line, set)
    };
    assert_eq!(by("gpc").code, 0);
    let mig = by("mig");
    assert_eq!(mig.code, 1);
    assert!(
        mig.stdout.contains("; the largest partition has 98 SMs"),
        "{}",
        mig.stdout
    );
}

/// A device without granularity leaves the answer as it is with so many SMs, but for what it says of the device.
#[test]
fn any_sms_of_a_device_are_the_sms_of_its_platform() {
    let by = |gpu: &str| -> serde_json::Value {
        serde_json::from_str(&run(&format!("partition {ADAS} {gpu} --format json")).stdout).unwrap()
    };
    let (mut device, mut platform) = (by("--device orin"), by("--platform orin"));
    assert_eq!(device["hardware"]["granularity"], "sm");
    device.as_object_mut().unwrap().remove("hardware");
    for plan in [&mut device, &mut platform] {
        plan["stats"] = serde_json::Value::Null;
        for partition in plan["partitions"].as_array_mut().unwrap() {
            partition.as_object_mut().unwrap().remove("place");
        }
    }
    assert_eq!(device, platform);
    assert_eq!(
        run(&format!("test {ADAS} --device orin")).code,
        run(&format!("test {ADAS} --sms 16")).code
    );
}

#[test]
fn exports_go_where_they_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (masks, plan) = (folder.path().join("masks.h"), folder.path().join("plan.json"));
    let line = format!("partition {ADAS} --device a100 --granularity tpc --export libsmctrl");
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
    // A table in a file with that ending is the export alone.
    let table = folder.path().join("table.csv");
    run(&format!(
        "partition {ADAS} --device a100 --granularity mig --export csv -o {}",
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
        let line = format!("partition - --device a100 --granularity {granularity} --export {target}");
        for options in [
            String::new(),
            format!(" -o {}", file("out")),
            format!(" -o {} --export-to {}", file("plan.json"), file("out")),
        ] {
            let answer = crate::support::run_with(&format!("{line}{options}"), overload);
            assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{options}");
            assert!(answer.stderr.contains("nothing is exported"), "{}", answer.stderr);
        }
    }
    // The answer beside it is there; the export is not.
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
        format!("--device {}", device(name, &good.replacen(from, to, 1)))
    };
    let wide = r#"{"name":"w","sms":258,"sms_per_tpc":2,"tpcs_per_gpc":[129]}"#;
    let wide = device("wide.json", wide);
    let traffic = "--interference bandwidth --memory-bandwidth 1GB/s";
    let mut told = Transcript::in_folder(folder.path());
    for options in [
        "--granularity tpc --sms 8".into(),
        "--device xavier --sms 8".into(),
        "--device xavier --platform xavier".into(),
        "--device gtx1".into(),
        "--device none.json".into(),
        "--device xavier --granularity mig".into(),
        format!("--device orin --granularity tpc {traffic}"),
        "--sms 8 --export csv".into(),
        "--device a100 --granularity tpc --export mig".into(),
        "--device a100 --export libsmctrl".into(),
        "--device h100 --granularity tpc --export libsmctrl".into(),
        format!("--device {wide} --granularity tpc --export libsmctrl"),
        "--device a100 --export csv --export-to -".into(),
        "--device a100 --export csv --export-to x.csv -o x.csv".into(),
        "--device a100 --export-to x.csv".into(),
        "--device a100 --export csv --format json".into(),
        "--device a100 --export csv --sensitivity".into(),
        "--device a100 --granularity tpc --export libsmctrl -o no.csv".into(),
        "--device a100 --export csv -o no.json".into(),
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
    ] {
        told.refusal(&options, &run(&format!("partition {ADAS} {options}")));
    }
    assert_snapshot!(told);
    let many = crate::support::run_with(
        "partition - --device a100 --export csv",
        "{\"tasks\":[]}\n{\"tasks\":[]}\n",
    );
    assert_eq!(many.code, 2);
}

#[test]
fn known_devices_are_documented_with_their_sources() {
    let mut rows = String::from("| device | source |\n|---|---|\n");
    for device in gpusched::model::Device::all() {
        rows += &format!("| `{}` | {} |\n", device.name(), device.source());
    }
    let readme = std::fs::read_to_string(root().join("tasksets/README.md")).unwrap();
    assert!(readme.contains(&rows), "expected in tasksets/README.md:\n{rows}");
    let files = std::fs::read_dir(root().join("tasksets/devices"))
        .unwrap()
        .count();
    assert_eq!(gpusched::model::Device::all().count(), files);
}
