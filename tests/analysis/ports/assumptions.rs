//! Guarantee: each verdict states which ports of TPCs and GPCs its partitions share, and a field that a device file omits
//! never leads to a stronger statement or to an export for another GPU.

use gpusched::model::assumptions::Ports;
use gpusched::model::device::{Device, Granularity, Hardware, Place};
use gpusched::model::plan::SearchStats;
use gpusched::model::{Evidence, Interference, Partition, Plan, Verdict};
use serde_json::{Value, json};

use super::VECTORS;
use crate::support::{ADAS, run, run_with};

/// Two tasks that each need one TPC of two SMs, so that a plan has two partitions.
const PAIR: &str = r#"{"tasks":[{"period":"10ms","wcet":{"table":[[2,"9ms"]]}},{"period":"10ms","wcet":{"table":[[2,"9ms"]]}}]}"#;

/// Three tasks that each need one GPC of a GPU like an H100.
const THREE: &str = r#"{"tasks":[{"period":"10ms","wcet":{"table":[[16,"9ms"]]}},
    {"period":"10ms","wcet":{"table":[[34,"9ms"]]}},{"period":"10ms","wcet":{"table":[[17,"9ms"]]}}]}"#;

const UNKNOWN: &str = "gpusched does not know which ports they share.";

/// Returns the name and the text of the only assumption on ports in `value`.
fn ports(value: &Value) -> (String, String) {
    let list = value["assumptions"].as_array().unwrap();
    let of_ports = |one: &&Value| one["id"].as_str().unwrap().starts_with("ports-");
    let found: Vec<&Value> = list.iter().filter(of_ports).collect();
    let [one] = found[..] else { panic!("{list:?}") };
    assert_eq!(one["if_violated"], "unsafe");
    (
        one["id"].as_str().unwrap().to_owned(),
        one["text"].as_str().unwrap().to_owned(),
    )
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Writes a device file of 8 SMs in 4 TPCs and 2 GPCs, with the map `gpc_of_tpc`.
fn device(folder: &tempfile::TempDir, gpc_of_tpc: Option<[u32; 4]>) -> String {
    let mut device = json!({"name": "four", "compute_capability": "8.6", "sms": 8, "sms_per_tpc": 2, "tpcs_per_gpc": [2, 2]});
    if let Some(map) = gpc_of_tpc {
        device["gpc_of_tpc"] = map.to_vec().into();
    }
    let path = folder.path().join("device.json");
    std::fs::write(&path, device.to_string()).unwrap();
    path.display().to_string()
}

/// The placement of a plan decides which ports its partitions share. Without a placement or a map of the card, a plan
/// never states that partitions have their own ports. `partition` warns about shared ports of a device.
#[test]
fn the_placement_decides() {
    let folder = tempfile::tempdir().unwrap();
    let interleaved = [0, 1, 0, 1];
    for (set, gpu, map, granularity, id, text) in [
        (
            VECTORS,
            "titanv",
            None,
            "sm",
            "ports-shared",
            "Any two partitions may share GPC ports.",
        ),
        (
            PAIR,
            "titanv",
            None,
            "sm",
            "ports-shared",
            "Any two partitions may share GPC ports.",
        ),
        (
            PAIR,
            "titanv",
            None,
            "tpc",
            "ports-shared",
            "Any two partitions may share GPC ports.",
        ),
        (
            PAIR,
            "titanv",
            None,
            "gpc",
            "ports-shared",
            "Any two partitions may share GPC ports.",
        ),
        // This GPU has one TPC per GPC in the literature, but no published map of a card.
        (
            PAIR,
            "xavier",
            None,
            "gpc",
            "ports-shared",
            "Any two partitions may share GPC ports.",
        ),
        (PAIR, "titanv", None, "green-context", "ports-unknown", UNKNOWN),
        (PAIR, "orin", None, "mps", "ports-unknown", UNKNOWN),
        (
            PAIR,
            "a100",
            None,
            "mig",
            "ports-own",
            "No two partitions have SMs in one TPC or GPC",
        ),
        (PAIR, "l4", None, "tpc", "ports-unknown", UNKNOWN),
        (VECTORS, "l4", None, "sm", "ports-unknown", UNKNOWN),
        (PAIR, "gb10", None, "sm", "ports-unknown", UNKNOWN),
        (
            PAIR,
            "",
            Some(interleaved),
            "tpc",
            "ports-own",
            "No two partitions",
        ),
        (
            PAIR,
            "",
            Some(interleaved),
            "sm",
            "ports-own",
            "No two partitions",
        ),
        (
            PAIR,
            "",
            Some(interleaved),
            "gpc",
            "ports-own",
            "No two partitions",
        ),
        (
            PAIR,
            "",
            Some([0, 0, 1, 1]),
            "tpc",
            "ports-own",
            "No two partitions",
        ),
        (
            PAIR,
            "",
            Some([0, 0, 1, 1]),
            "gpc",
            "ports-own",
            "No two partitions",
        ),
    ] {
        let gpu = match map {
            None => gpu.to_owned(),
            Some(_) => device(&folder, map),
        };
        let request = format!("partition - --gpu {gpu} --granularity {granularity} --policy np-edf");
        let answer = run_with(&format!("{request} --format json"), set);
        assert_eq!(answer.code, 0, "{request}: {answer:?}");
        let plan = json_of(&answer.stdout);
        assert_eq!(plan["partitions"].as_array().unwrap().len(), 2, "{request}");
        let found = ports(&plan);
        assert_eq!(found.0, id, "{request}");
        assert!(found.1.contains(text), "{request}: {}", found.1);
        assert_eq!(
            answer.stderr.contains("warning: partitions"),
            id != "ports-own",
            "{answer:?}"
        );
        // `verify` computes the same assumption, and refuses another one.
        let path = folder.path().join("set.json");
        std::fs::write(&path, set).unwrap();
        let verify = format!("verify - {} --format json", path.display());
        let verified = json_of(&run_with(&verify, answer.stdout.clone()).stdout);
        assert_eq!(
            (verified["verified"].clone(), ports(&verified)),
            (json!(true), found)
        );
        let other = ["ports-own", "ports-shared", "ports-unknown"]
            .into_iter()
            .find(|&other| other != id);
        let changed = answer.stdout.replace(id, other.unwrap());
        assert_eq!(
            json_of(&run_with(&verify, changed).stdout)["verified"],
            false,
            "{request}"
        );
    }
}

/// Each verdict about a GPU has an assumption on ports, under every interference model, also for one partition.
#[test]
fn each_verdict_states_its_ports() {
    for interference in ["none", "conflict", "bandwidth --memory-bandwidth 300GB/s"] {
        let request = format!("--policy np-edf --format json --interference {interference}");
        let of = |command: &str| ports(&json_of(&run_with(&format!("{command} {request}"), PAIR).stdout)).0;
        assert_eq!(of("partition - --sms 4"), "ports-unknown");
        assert_eq!(of("test - --sms 4"), "ports-unknown");
        assert_eq!(of("test - --gpu a100"), "ports-unknown");
    }
    let one = PAIR.replace("[2,\"9ms\"]", "[2,\"1ms\"]");
    let one = run_with("partition - --sms 4 --policy np-edf --format json", one).stdout;
    assert_eq!(ports(&json_of(&one)).0, "ports-own");
    let simulated = run(&format!(
        "simulate tasks {ADAS} --sms 16 --policy edf --format json"
    ));
    assert_eq!(ports(&json_of(&simulated.stdout)).0, "ports-unknown");
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json").display().to_string();
    let request = "--gpu xavier --granularity tpc --policy edf";
    assert_eq!(run(&format!("partition {ADAS} {request} -o {plan}")).code, 0);
    let simulated = run(&format!("simulate tasks {ADAS} --plan {plan} --format json"));
    assert_eq!(ports(&json_of(&simulated.stdout)).0, "ports-shared");
    // A system with one partition, with two partitions, and without a GPU.
    let system = |partitions: &str, segments: &str| {
        let text = format!(
            r#"{{"cores":[{{"name":"c","policy":"fp"}}],"partitions":[{partitions}],"tasks":[{{"name":"t","period":"10ms","segments":[{segments}]}}]}}"#
        );
        let answer = run_with("test - --format json", text);
        assert_eq!(answer.code, 0, "{answer:?}");
        json_of(&answer.stdout)
    };
    let (g, h) = (
        r#"{"name":"g","sms":2,"policy":"np-fp"}"#,
        r#"{"name":"h","sms":2,"policy":"np-fp"}"#,
    );
    let (on_g, on_h) = (r#"{"on":"g","wcet":"1ms"}"#, r#"{"on":"h","wcet":"1ms"}"#);
    assert_eq!(ports(&system(g, on_g)).0, "ports-own");
    let both = system(&format!("{g},{h}"), &format!("{on_g},{on_h}"));
    assert_eq!(ports(&both).0, "ports-unknown");
    let cpu = system("", r#"{"on":"c","wcet":"1ms"}"#).to_string();
    assert!(
        cpu.contains("core-scheduling") && !cpu.contains("ports-"),
        "{cpu}"
    );
}

/// Masks for libsmctrl require a known compute capability from 3.5 to 8.x. Masks of GPCs also require the map of the card.
#[test]
fn what_a_device_omits_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (path, set) = (folder.path().join("device.json"), folder.path().join("set.json"));
    let of_tpc: Vec<u32> = (0..8).flat_map(|_| 0..8).chain([1, 4]).collect();
    let hopper = json!({"name": "hopper-nocc", "sms": 132, "sms_per_tpc": 2, "tpcs_per_gpc": [8, 9, 8, 8, 9, 8, 8, 8],
        "gpc_of_tpc": of_tpc});
    std::fs::write(&set, THREE).unwrap();
    let refused = |change: &dyn Fn(&mut Value), granularity: &str, expected: Option<&str>| {
        let mut device = hopper.clone();
        change(&mut device);
        std::fs::write(&path, device.to_string()).unwrap();
        let request = format!(
            "partition {} --gpu {} --granularity {granularity} --policy np-edf",
            set.display(),
            path.display()
        );
        let at_once = run(&format!("{request} --export libsmctrl"));
        let plan = run(&format!("{request} --format json"));
        assert_eq!(plan.code, 0, "{plan:?}");
        let later = run_with(&format!("export - {} --as libsmctrl", set.display()), plan.stdout);
        for answer in [&at_once, &later] {
            match expected {
                None => assert_eq!(answer.code, 0, "{answer:?}"),
                Some(words) => {
                    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
                    assert!(answer.stderr.contains(words), "{answer:?}");
                }
            }
        }
        later.stdout
    };
    let capability =
        |text: &'static str| move |device: &mut Value| device["compute_capability"] = text.into();
    let without = Some("without `compute_capability`");
    refused(&|_| (), "tpc", without);
    refused(&|_| (), "gpc", without);
    // A device file of an AMD GPU has no compute capability.
    refused(&|device| device["name"] = "mi210".into(), "tpc", without);
    refused(&capability("9.0"), "tpc", Some("of compute capability 9.0"));
    refused(&capability("12.1"), "tpc", Some("of compute capability 12.1"));
    refused(&capability("3.0"), "tpc", Some("of compute capability 3.0"));
    refused(&capability("3.5"), "tpc", None);
    refused(&capability("8.9"), "tpc", None);
    let without_map = |device: &mut Value| {
        capability("8.0")(device);
        device.as_object_mut().unwrap().remove("gpc_of_tpc");
    };
    refused(&without_map, "tpc", None);
    refused(&without_map, "gpc", Some("gpc_of_tpc"));
    // Partition 0 has 34 SMs in two GPCs of 9 and 8 TPCs, as the map states: no mask is a run of bits.
    let masks = refused(&capability("8.0"), "gpc", None);
    let words: Vec<u64> = masks
        .split("UINT64_C(0x")
        .skip(1)
        .map(|word| u64::from_str_radix(&word[..16], 16).unwrap())
        .collect();
    let mut enabled = 0;
    for mask in words.chunks(2) {
        let on = |tpc: usize| mask[tpc / 64] >> (tpc % 64) & 1 == 0;
        let tpcs: Vec<usize> = (0..66).filter(|&tpc| on(tpc)).collect();
        assert!(tpcs.windows(2).any(|pair| pair[1] > pair[0] + 1), "{tpcs:?}");
        for gpc in 0..8 {
            let own = of_tpc.iter().enumerate().filter(|&(_, &of)| of == gpc);
            let (all, taken) = (own.clone().count(), own.filter(|&(tpc, _)| on(tpc)).count());
            assert!(taken == 0 || taken == all, "GPC {gpc}: {taken} of {all}");
        }
        enabled += tpcs.len();
    }
    assert_eq!((words.len(), enabled >= 8 + 17 + 9), (6, true), "{masks}");
    // Without a map, the table and the comments state GPCs, but no SMs.
    std::fs::write(&set, PAIR).unwrap();
    let table = run(&format!(
        "partition {} --gpu titanv --granularity gpc --policy np-edf --export csv",
        set.display()
    ));
    let row = table
        .stdout
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .collect::<Vec<_>>();
    assert_eq!(row[..6], ["titanv", "gpc", "0", "12", "4", ""], "{table:?}");
}

/// Returns the ports that partitions share. `units` contains the TPCs or GPCs of each partition.
fn ports_of(units: &[Vec<u32>], granularity: Granularity) -> Ports {
    let text = r#"{"name":"four","compute_capability":"8.6","sms":8,"sms_per_tpc":2,"tpcs_per_gpc":[2,2],"gpc_of_tpc":[0,1,0,1]}"#;
    let place = match granularity {
        Granularity::Gpc => Place::Gpcs,
        _ => Place::Tpcs,
    };
    let partitions = units.iter().map(|units| Partition {
        sms: 2,
        tasks: vec![0],
        place: Some(place(units.clone())),
        verdict: Verdict::new("edf".parse().unwrap(), Evidence::BoundHolds),
    });
    Ports::of_plan(&Plan {
        schedulable: true,
        identity: None,
        gpu_sms: 8,
        hardware: Some(Hardware {
            granularity,
            device: serde_json::from_str::<Device>(text).unwrap(),
        }),
        interference: Some(Interference::Conflict),
        memory: None,
        overheads: None,
        overheads_origin: None,
        variation_percent: None,
        sms_used: 8,
        partitions: partitions.collect(),
        shared_ports: None,
        assumptions: None,
        failure: None,
        bound: None,
        margin: None,
        stats: SearchStats::default(),
        sensitivity: None,
    })
}

#[test]
fn pairs_are_found_once_and_counted() {
    assert_eq!(
        ports_of(&[vec![0, 2], vec![1], vec![3]], Granularity::Gpc),
        Ports::Own
    );
    let found = |units: &[Vec<u32>]| match ports_of(units, Granularity::Tpc) {
        Ports::SharedTpcs(pairs) => pairs.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(found(&[vec![0, 1], vec![1, 2], vec![2, 0]]), "0+1, 0+2, 1+2");
    assert_eq!(found(&[vec![7, 7], vec![7], vec![0]]), "0+1");
    assert_eq!(found(&vec![vec![0]; 4]), "0+1, 0+2, 0+3 and others");
    // The time is linear in the number of partitions.
    assert_eq!(found(&vec![vec![0, 1]; 60_000]), "0+1, 0+2, 0+3 and others");
}

#[test]
fn texts_are_short() {
    // The last four of the most partitions that a plan can have share a unit.
    let units: Vec<Vec<u32>> = (0..65_536).map(|partition| vec![partition.min(65_532)]).collect();
    let shared = [Granularity::Tpc, Granularity::Gpc].map(|granularity| ports_of(&units, granularity));
    assert!(matches!(shared, [Ports::SharedTpcs(_), Ports::SharedGpcs(_)]));
    for ports in [Ports::Own, Ports::SomeGpcs, Ports::Unknown]
        .iter()
        .chain(&shared)
    {
        let text = ports.to_string();
        assert!(text.chars().count() <= 140 && text.ends_with('.'), "{text}");
    }
}
