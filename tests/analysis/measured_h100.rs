//! Measurements on one H100 (`tasksets/measurements/h100`): sizes and SMs of green contexts, times of kernels, and runs of
//! two plans.

use std::collections::BTreeSet;

use gpusched::model::Device;
use gpusched::model::device::Granularity;
use gpusched::partitioning::Offer;
use serde_json::Value;

use crate::support::{root, run};

const FOLDER: &str = "tasksets/measurements/h100";

fn json(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

fn hardware() -> Value {
    json(&format!("{FOLDER}/gpu/hardware.json"))
}

/// Returns the sizes of green contexts on `device`, and the largest total [SMs].
fn offered(device: &Device) -> (BTreeSet<u64>, u32) {
    let offer = Offer::new(device, Granularity::GreenContext).unwrap();
    let sizes = (1..=offer.shares()).map(|v| u64::from(offer.sms_of(v)));
    (sizes.filter(|&sms| sms > 0).collect(), offer.shares())
}

/// Returns the sizes that the driver granted with a kind of split, without the whole GPU [SMs].
fn granted(split: &str) -> BTreeSet<u64> {
    let splits = hardware()["splits"][split].as_array().unwrap().clone();
    let sizes = splits.iter().map(|entry| entry["size"].as_u64().unwrap());
    sizes.filter(|&size| size < 132).collect()
}

fn sets(value: &Value) -> Vec<BTreeSet<u64>> {
    let sets = value.as_array().unwrap().iter();
    sets.map(|set| {
        set.as_array()
            .unwrap()
            .iter()
            .map(|sm| sm.as_u64().unwrap())
            .collect()
    })
    .collect()
}

#[test]
fn device_files_have_the_sizes_that_the_driver_granted() {
    let default = granted("default");
    let (sizes, _) = offered(&Device::named("h100").unwrap());
    assert_eq!(sizes, default);

    let device = |name| serde_json::from_value::<Device>(json(&format!("{FOLDER}/{name}"))).unwrap();
    let (sizes, total) = offered(&device("device.json"));
    let groups = hardware()["splits"]["default"][0]["groups"].as_u64().unwrap();
    assert_eq!(u64::from(total), groups * 8);
    assert_eq!(
        sizes,
        default.into_iter().filter(|&sms| sms <= groups * 8).collect()
    );

    let (sizes, total) = offered(&device("device-fine.json"));
    let fine = granted("ignore_sm_coscheduling");
    assert!(fine.is_subset(&sizes) && fine.first() == sizes.first());
    assert_eq!(total, 132);
}

#[test]
fn green_contexts_of_one_split_share_no_sm() {
    let hardware = hardware();
    for (name, groups) in hardware["sms_of_groups"].as_object().unwrap() {
        let groups = sets(groups);
        let all: BTreeSet<u64> = groups.iter().flatten().copied().collect();
        assert_eq!(
            all.len(),
            groups.iter().map(BTreeSet::len).sum::<usize>(),
            "{name}"
        );
        let has_tpcs = |group: &BTreeSet<u64>| group.iter().all(|sm| group.contains(&(sm ^ 1)));
        assert!(groups.iter().all(has_tpcs), "{name}");
    }
    // Each group of 8 SMs is in one GPC, except for the rest of the split.
    let gpcs = sets(&hardware["sms_joined_by_clusters"]);
    let groups = sets(&hardware["sms_of_groups"]["groups-of-8"]);
    let (rest, groups) = groups.split_last().unwrap();
    assert!(
        groups
            .iter()
            .all(|group| group.len() == 8 && gpcs.iter().any(|gpc| group.is_subset(gpc)))
    );
    assert_eq!((rest.len(), gpcs.iter().map(BTreeSet::len).sum()), (12, 132));
}

#[test]
fn the_wcets_alone_are_those_of_the_measured_times() {
    let set = json("tasksets/tasksets/h100-alone.json");
    for task in set["tasks"].as_array().unwrap() {
        let name = task["name"].as_str().unwrap();
        let fitted = run(&format!(
            "wcet fit {FOLDER}/{name}.csv --form table --format json -q"
        ));
        let fitted: Value = serde_json::from_str(&fitted.stdout).unwrap();
        assert_eq!(fitted["wcet"], task["wcet"], "{name}");
        assert_eq!(fitted["wcet_source"], task["wcet_source"], "{name}");
    }
}

#[test]
fn the_measured_task_sets_have_verified_plans() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    for (set, policy, ran) in [("alone", "np-edf", "plan-a"), ("beside", "np-fp", "plan-b")] {
        let set = format!("tasksets/tasksets/h100-{set}.json");
        let options = format!(
            "--gpu {FOLDER}/device.json --policy {policy} -o {}",
            plan.display()
        );
        assert_eq!(run(&format!("partition {set} {options}")).code, 0, "{set}");
        for plan in [plan.display().to_string(), format!("{FOLDER}/{ran}.json")] {
            let verified = run(&format!("verify {plan} {set}"));
            assert_eq!(verified.code, 0, "{plan}: {}{}", verified.stdout, verified.stderr);
        }
    }
}

/// The plan with times beside other partitions kept all WCETs, except next to a kernel that wrote to DRAM all the time.
#[test]
fn audits_say_which_runs_kept_their_wcets() {
    for (run_of, ran, set, kept) in [
        ("a-quiet", "plan-a", "alone", false),
        ("a-write", "plan-a", "alone", false),
        ("b-quiet", "plan-b", "beside", true),
        ("b-read", "plan-b", "beside", true),
        ("b-write", "plan-b", "beside", false),
    ] {
        let set = format!("--set tasksets/tasksets/h100-{set}.json --plan {FOLDER}/{ran}.json");
        let audit = run(&format!(
            "recording audit {FOLDER}/gpu/run-{run_of}.json.gz {set} --format json"
        ));
        let audit: Value = serde_json::from_str(&audit.stdout).unwrap();
        assert_eq!(audit["verdict"] == "kept", kept, "{run_of}");
        let late = audit.to_string().contains("deadline-miss");
        assert_eq!(late, run_of == "a-write", "{run_of}");
    }
}

/// `gpusched run` kept both plans on the card. In a third run, job 100 of `lidar` exceeded its WCET.
#[test]
fn runs_on_the_card_kept_their_plans() {
    for (name, policy, kept) in [
        ("np-edf", "np-edf", true),
        ("np-fp", "np-fp", true),
        ("overrun", "np-edf", false),
    ] {
        let plan = format!("{FOLDER}/runs/plan-{policy}.json");
        let set = format!("{FOLDER}/runs/set.json");
        assert_eq!(run(&format!("verify {plan} {set} -q")).code, 0, "{policy}");
        let trace = format!("{FOLDER}/runs/{name}.json.gz");
        let audit = run(&format!("recording audit {trace} --set {set} --plan {plan}"));
        assert_eq!(audit.code, i32::from(!kept), "{name}: {}", audit.stdout);
        let late = "wcet-exceeded of lidar job 100 ";
        assert_eq!(audit.stdout.contains(late), !kept, "{}", audit.stdout);

        // The observed SMs of the partitions have the sizes of the plan, and are disjoint.
        let mut text = String::new();
        let file = std::fs::File::open(root().join(trace)).unwrap();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).unwrap();
        let trace: Value = serde_json::from_str(&text).unwrap();
        let contexts = trace["gpusched"]["contexts"].as_array().unwrap();
        let sizes = json(&plan)["partitions"].clone();
        let mut all = BTreeSet::new();
        for (context, planned) in contexts.iter().zip(sizes.as_array().unwrap()) {
            let sms = context["granted"]["sm_ids"].as_array().unwrap();
            assert_eq!(sms.len() as u64, planned["sms"].as_u64().unwrap());
            assert!(sms.iter().all(|sm| all.insert(sm.as_u64().unwrap())), "{name}");
        }
        assert_eq!(contexts.len(), 4);
    }
}

/// 16 tasks need a green context of 8 SMs each, but one split of the measured card has only 15 groups.
#[test]
fn plans_use_at_most_the_total_of_all_green_contexts() {
    let folder = tempfile::tempdir().unwrap();
    let (set, plan) = (folder.path().join("set.json"), folder.path().join("plan.json"));
    let partition = |tasks: usize, gpu: &str| {
        let task = r#"{"period":"1ms","wcet":{"table":[[8,900000]]}}"#;
        std::fs::write(&set, format!(r#"{{"tasks":[{}]}}"#, vec![task; tasks].join(","))).unwrap();
        let options = format!("--gpu {gpu} --granularity green-context -o {}", plan.display());
        let code = run(&format!("partition {} {options}", set.display())).code;
        let verified = run(&format!("verify {} {}", plan.display(), set.display()));
        let confirmed = verified.stdout.contains("VERIFIED") && !verified.stdout.contains("not confirmed");
        assert!(confirmed, "{}", verified.stdout);
        code
    };
    let device = format!("{FOLDER}/device.json");
    assert_eq!(partition(16, "h100"), 0);
    assert_eq!(partition(16, &device), 1);
    assert_eq!(partition(15, &device), 0);

    // A plan that claims more is refused.
    let claimed = std::fs::read_to_string(&plan)
        .unwrap()
        .replace("\"total\":120", "\"total\":112");
    std::fs::write(&plan, claimed.replace("\"total\": 120", "\"total\": 112")).unwrap();
    let refused = run(&format!("verify {} {}", plan.display(), set.display()));
    assert!(refused.stdout.contains("REFUSED"), "{}", refused.stdout);
}
