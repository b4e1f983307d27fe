//! Guarantee: memory models count the delay at ports with known rates, and `verify` recomputes it. A missing value never
//! leads to a better verdict.

use gpusched::interference::bandwidth::{PortModel, Shared};
use gpusched::interference::{Interference, model_of};
use gpusched::model::device::{Device, Granularity, Place};
use gpusched::model::{
    Arbitration, Bandwidth, Evidence, MemoryTime, Plan, Policy, RateForm, Sectors, SharedMemory, TaskSet,
};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use serde_json::{Value, json};

use super::VECTORS;
use crate::support::run_with;

const SHARED: Shared = Shared {
    tpc: true,
    gpc: false,
};

/// A device of 4 SMs in 2 TPCs, with ports of one packet per ns.
fn device() -> Device {
    let port = json!({"level": "tpc", "read": "32GB/s", "write": "32GB/s"});
    serde_json::from_value(json!({"name": "pair", "sms": 4, "sms_per_tpc": 2, "ports": [port]})).unwrap()
}

fn rate(gigabytes: u64) -> Bandwidth {
    Bandwidth::new(gigabytes * 1_000_000_000).unwrap()
}

/// Memory times where a sector takes 1 ns at L2 and 1 ns at DRAM.
fn times() -> SharedMemory {
    let time = MemoryTime {
        form: RateForm::Universal,
        l2_bytes_per_second: rate(32),
        dram_bytes_per_second: rate(32),
        variation_percent: 0,
        own_l2: false,
        camping_limit: None,
    };
    time.into()
}

/// Returns the response time of the first of two tasks on SMs `places`.
fn response(set: &TaskSet, memory: SharedMemory, places: [u32; 2]) -> Option<u64> {
    let offer = Offer::new(&device(), Granularity::Sm).unwrap();
    let dm: Policy = "dm".parse().unwrap();
    let problem = Problem::new(set, 4, dm, model_of(Interference::None)).unwrap();
    let problem = problem.offered(&offer).unwrap().sharing(memory).unwrap();
    let places = places.map(|sm| Place::Sms(vec![sm]));
    let verdicts = problem.verdicts_at(&[(&[0], 1, Some(&places[0])), (&[1], 1, Some(&places[1]))]);
    match &verdicts[0].evidence {
        Evidence::ResponseTimes {
            response_times_ns, ..
        } => Some(response_times_ns[0].ns()),
        _ => None,
    }
}

fn pair(sectors: Value) -> TaskSet {
    let victim = json!({"period": "1ms", "wcet": {"table": [[1, "10us"]]}, "sectors": {"reads": 0, "writes": 0, "accepting": true}});
    let other = json!({"period": "400us", "wcet": {"table": [[1, "20us"]]}, "sectors": sectors});
    serde_json::from_value(json!({"tasks": [victim, other]})).unwrap()
}

/// By hand: M = (1000 + 2000) + (1000 + 4000) = 8 us and H = 5 us delay in any case. On one TPC, 3000 packets and 7 blocks
/// add 3.007 us. Two jobs overlap a window below 400 us. With H below R + W, R + W counts.
#[test]
fn golden_numbers_by_hand() {
    let hold = |hold: Value| {
        let mut sectors = json!({"reads": 1000, "writes": 2000, "blocks": 7});
        for (field, value) in hold.as_object().unwrap() {
            sectors[field] = value.clone();
        }
        pair(sectors)
    };
    let long = hold(json!({"hold": 5000}));
    assert_eq!(response(&long, times(), [0, 2]), Some(10_000 + 2 * 13_000));
    assert_eq!(response(&long, times(), [0, 1]), Some(10_000 + 2 * 16_007));
    assert_eq!(response(&long, times(), [3, 1]), Some(10_000 + 2 * 13_000));
    for short in [
        json!({"accepting": true}),
        json!({"hold": 0}),
        json!({"hold": 12, "accepting": true}),
    ] {
        assert_eq!(response(&hold(short), times(), [0, 2]), Some(10_000 + 2 * 11_000));
    }
}

/// H and g are cycles of the clock of the measurement. At 0.5 GHz, 5000 cycles last 10 us, and 7 cycles 14 ns. At 2 GHz, the rate of the
/// port, 1 packet per ns, is the limit. The search and `verify` agree.
#[test]
fn cycles_last_as_long_as_in_the_measurement() {
    let sectors = json!({"reads": 1000, "writes": 2000, "hold": 5000, "blocks": 7});
    for (khz, hold, blocks) in [(500_000, 10_000, 14), (2_000_000, 5_000, 7)] {
        let on = json!({"gpu": "pair", "clocks": {"core_khz": khz}});
        let mut of_set = serde_json::to_value(pair(sectors.clone())).unwrap();
        let mut of_task = of_set.clone();
        of_task["tasks"][1]["measured_on"] = on.clone();
        // The statement of a task replaces the statement of its set.
        of_task["measured_on"] = json!({"gpu": "pair", "clocks": {"core_khz": 1}});
        of_set["measured_on"] = on;
        for set in [of_set, of_task] {
            let set: TaskSet = serde_json::from_value(set).unwrap();
            let own = 10_000 + 2 * (8_000 + hold);
            assert_eq!(response(&set, times(), [0, 2]), Some(own));
            assert_eq!(response(&set, times(), [0, 1]), Some(own + 2 * (3_000 + blocks)));
            let offer = Offer::new(&device(), Granularity::Sm).unwrap();
            let problem = Problem::new(&set, 4, "dm".parse().unwrap(), model_of(Interference::None)).unwrap();
            let problem = problem.offered(&offer).unwrap().sharing(times()).unwrap();
            let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
            assert!(plan.schedulable);
            gpusched::verification::verify(&plan, &set).unwrap();
        }
    }
}

/// A GPU with more SMs has no known ports, so no explanation suggests one: here, H alone exceeds the deadline on every GPU.
#[test]
fn no_explanation_suggests_a_gpu_without_ports() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, content: Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, content.to_string()).unwrap();
        path.display().to_string()
    };
    let gpu = path("gpu.json", serde_json::to_value(device()).unwrap());
    let rate = |l2: &str, dram: &str| json!({"l2_bytes_per_second": l2, "dram_bytes_per_second": dram});
    let rates = json!({"machine": "pair", "patterns": [], "universal": rate("28GB/s", "586MB/s"), "balanced": rate("642GB/s", "56GB/s")});
    let rates = path("rates.json", rates);
    let set = json!({"tasks": [
        {"period": "50us", "wcet": {"table": [[1, "3us"]]}, "sectors": {"reads": 0, "writes": 0, "accepting": true, "blocks": 1}},
        {"period": "800us", "wcet": {"table": [[1, "161us"]]}, "sectors": {"reads": 16, "writes": 0, "hold": 191858, "blocks": 1}},
    ]});
    let line = format!(
        "partition - --gpu {gpu} --granularity sm --policy dm --interference memory-time --memory-rates {rates} \
         --heuristic one-per-partition"
    );
    let told = run_with(&line, set.to_string());
    assert_eq!(told.code, 1, "{told:?}");
    assert!(
        told.stdout.contains("makes the task set schedulable") && !told.stdout.contains("SMs instead of"),
        "{}",
        told.stdout
    );
}

/// The second server of the bandwidth models: 1000 + 2000 packets and 7 blocks of each of two jobs. No byte moves at DRAM.
#[test]
fn bandwidth_models_count_packets() {
    let mut set = serde_json::to_value(pair(json!({"reads": 1000, "writes": 2000, "blocks": 7}))).unwrap();
    for task in set["tasks"].as_array_mut().unwrap() {
        task["traffic"] = 0.into();
    }
    let memory = SharedMemory::new(rate(1), Arbitration::Any);
    let of = |set: &Value, places| response(&serde_json::from_value(set.clone()).unwrap(), memory, places);
    assert_eq!(of(&set, [0, 2]), Some(10_000));
    assert_eq!(of(&set, [0, 1]), Some(10_000 + 2 * 3_007));
    // Without the packets or the blocks, the other task may occupy the port all the time.
    for field in ["blocks", "reads"] {
        let mut unknown = set.clone();
        match field {
            "blocks" => unknown["tasks"][1]["sectors"]
                .as_object_mut()
                .unwrap()
                .remove("blocks"),
            _ => unknown["tasks"][1].as_object_mut().unwrap().remove("sectors"),
        };
        assert_eq!((of(&unknown, [0, 2]), of(&unknown, [0, 1])), (Some(10_000), None));
    }
}

/// Ten co-runs at the cycle level: (H, R + W, blocks, whether the kernels share a cluster) of the other kernel, and by how many
/// cycles its time at ports lengthens each bound. The numbers were counted in a patched simulator, not by gpusched.
#[test]
fn golden_co_runs() {
    let runs = [
        (3_072, 3_072, 32, true, 6_176),
        (3_072, 3_072, 32, false, 3_072),
        (99_912, 49_152, 64, true, 149_128),
        (221_164, 49_152, 64, true, 270_380),
        (191_858, 16, 1, true, 191_875),
        (129_525, 1_536, 16, false, 129_525),
        (138_703, 49_152, 64, false, 138_703),
        (147_456, 147_456, 64, false, 147_456),
        (0, 0, 1, false, 0),
        (196_595, 49_152, 64, true, 245_811),
    ];
    // A port of one packet per ns: a cycle is a nanosecond.
    let model = PortModel::of(&device());
    let titanv = PortModel::of(&Device::named("titanv").unwrap());
    for (hold, packets, blocks, shared, cycles) in runs {
        let sectors = Sectors {
            hold: Some(hold),
            blocks: Some(blocks),
            ..Sectors::new(packets, 0, None).unwrap()
        };
        let shared = if shared { SHARED } else { Shared::default() };
        let time = |model: PortModel| model.hold_time(sectors) + model.shared_time(Some(sectors), shared);
        assert_eq!(time(model), cycles);
        // Each of three terms is rounded up to a nanosecond at 1.2 GHz.
        let exact = (cycles * 10).div_ceil(12);
        assert!((exact..=exact + 2).contains(&time(titanv)), "{cycles}");
    }
}

/// More replies, packets or blocks, and shared ports never shorten the time, and absent values count as unlimited.
#[test]
fn more_is_never_better() {
    let model = PortModel::of(&device());
    let values = [0, 1, 7, 1_000_000, Sectors::LIMIT];
    let time = |(reads, writes, hold, blocks): (u64, u64, Option<u64>, Option<u64>), tpc| {
        let sectors = Sectors {
            hold,
            blocks,
            ..Sectors::new(reads, writes, None).unwrap()
        };
        let shared = Shared { tpc, gpc: true };
        model
            .hold_time(sectors)
            .saturating_add(model.shared_time(Some(sectors), shared))
    };
    for reads in values {
        for writes in values {
            for hold in values {
                for blocks in values {
                    let base = time((reads, writes, Some(hold), Some(blocks)), true);
                    assert!(base >= time((reads, writes, Some(hold), Some(blocks)), false));
                    assert!(base >= time((reads / 2, writes, Some(hold / 2), Some(blocks)), true));
                    assert!(base >= time((reads, writes / 2, Some(hold), Some(blocks / 2)), true));
                    assert!(base >= 2 * u128::from(reads + writes) + u128::from(blocks));
                    assert_eq!(time((reads, writes, None, Some(blocks)), true), u128::MAX);
                    assert_eq!(time((reads, writes, Some(hold), None), true), u128::MAX);
                }
            }
        }
    }
    assert_eq!(
        PortModel::default().hold_time(Sectors::new(5, 5, None).unwrap()),
        0
    );
    assert_eq!(PortModel::default().shared_time(None, SHARED), 0);
}

const GOLDEN: &str =
    "--gpu titanv --granularity sm --policy edf --interference conflict+bandwidth --memory-bandwidth 300GB/s";

/// The plan of two vector additions uses SMs of two TPCs. `verify` refuses the plan on one TPC, where a job misses its
/// deadline in the simulation.
#[test]
fn two_vector_additions_get_own_ports() {
    let answer = run_with(&format!("partition - {GOLDEN} --format json"), VECTORS);
    assert_eq!(answer.code, 0, "{answer:?}");
    let plan: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(plan["schedulable"], true);
    assert_eq!(plan["partitions"][0]["place"], json!({"sms": [0]}));
    assert_eq!(plan["partitions"][1]["place"], json!({"sms": [2]}));
    assert_eq!(plan.get("shared_ports"), None);
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.json");
    std::fs::write(&set, VECTORS).unwrap();
    let verify = |plan: &Value| run_with(&format!("verify - {}", set.display()), plan.to_string());
    assert_eq!(verify(&plan).code, 0);
    let mut united = plan.clone();
    united["partitions"][1]["place"] = json!({"sms": [1]});
    let refused = verify(&united);
    assert!(
        refused.code == 1 && refused.stdout.contains("assumptions"),
        "{refused:?}"
    );
    // Without the list of assumptions, the recomputed delay still refuses the plan.
    united.as_object_mut().unwrap().remove("assumptions");
    let refused = verify(&united);
    assert!(
        refused.code == 1 && refused.stdout.contains("partitions[0].verdict.evidence"),
        "{refused:?}"
    );
    let mut other = united.clone();
    other["shared_ports"] = json!([{"level": "tpc", "number": 1, "partitions": [0, 1]}]);
    let refused = verify(&other);
    assert!(
        refused
            .stdout
            .contains("shared_ports[0]: found tpc 1 of partitions [0, 1], expected tpc 0"),
        "{refused:?}"
    );
    // A plan for a device without its ports is no plan for `titanv`.
    let mut blind = united;
    blind["hardware"]["device"]
        .as_object_mut()
        .unwrap()
        .remove("ports");
    assert!(
        verify(&blind).stdout.contains("hardware.device"),
        "{:?}",
        verify(&blind)
    );
}

/// With too few TPCs, the partitions share one, and the plan fails because of the port. A note names a task without blocks.
#[test]
fn a_shared_port_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("device.json");
    let port = json!({"level": "tpc", "read": "38.4GB/s", "write": "38.4GB/s"});
    std::fs::write(
        &path,
        json!({"name": "one-tpc", "sms": 2, "sms_per_tpc": 2, "ports": [port]}).to_string(),
    )
    .unwrap();
    let request = GOLDEN.replace("titanv", &path.display().to_string());
    let request = format!("partition - {request} --heuristic one-per-partition --format json");
    let with = |blocks: &str, deadline: &str| {
        let set = VECTORS.replace(r#""writes":1024"#, &format!(r#""writes":1024{blocks}"#));
        run_with(&request, set.replace("5500ns", deadline))
    };
    let failed = with("", "8us");
    assert_eq!(failed.code, 1);
    assert!(
        failed.stderr.contains("states no `sectors` with `blocks`"),
        "{}",
        failed.stderr
    );
    // Two jobs of 2560 ns and 27 ns at the port, and 1.2 to 1.3 jobs of 328 ns at the memory.
    let (short, long) = (with(r#","blocks":32"#, "9ms"), with(r#","blocks":32"#, "5500ns"));
    assert_eq!((short.code, long.code), (1, 1), "{short:?}");
    let slower = VECTORS
        .replace("8us", "80us")
        .replace(r#""writes":1024"#, r#""writes":1024,"blocks":32"#);
    let slower = slower.replace("5500ns", "11us");
    let passed = run_with(&request, slower.clone());
    let plan: Value = serde_json::from_str(&passed.stdout).unwrap();
    assert_eq!(
        (passed.code, &plan["schedulable"]),
        (0, &json!(true)),
        "{passed:?}"
    );
    assert_eq!(
        plan["shared_ports"],
        json!([{"level": "tpc", "number": 0, "partitions": [0, 1]}])
    );
    assert!(
        passed
            .stderr
            .contains("the verdict counts the delay at TPC ports, but no delay at GPC ports"),
        "{}",
        passed.stderr
    );
    let rates = { plan["assumptions"].as_array().unwrap().iter() }.find(|one| one["id"] == "port-rates");
    let text = "Busy ports move at least: TPC 38.4GB/s/38.4GB/s (read/write).";
    assert_eq!(rates.unwrap()["text"], text);
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let set: TaskSet = serde_json::from_str(&slower).unwrap();
    gpusched::verification::verify(&plan, &set).unwrap();
    let tight = run_with(&request, slower.replace("11us", "5500ns"));
    assert_eq!(tight.code, 1);
}

/// Memory times on a device with ports require H. If any two partitions may share a port, they also require the blocks.
#[test]
fn missing_values_are_errors() {
    let set = |sectors: Value| pair(sectors);
    let ask = |set: &TaskSet, device: &Device, granularity| {
        let offer = Offer::new(device, granularity).unwrap();
        let sms = device.sms();
        let problem = Problem::new(set, sms, "edf".parse().unwrap(), model_of(Interference::None)).unwrap();
        let first = problem.offered(&offer).unwrap().sharing(times()).map(|_| ());
        let last = problem.sharing(times()).unwrap().offered(&offer).map(|_| ());
        let told = [first, last].map(|result| result.map_err(|error| error.to_string()));
        assert_eq!(told[0], told[1]);
        told[0].clone()
    };
    let unknown = set(json!({"reads": 1, "writes": 1}));
    let message = ask(&unknown, &device(), Granularity::Sm).unwrap_err();
    assert!(
        message.contains("tasks[1].sectors.hold: found none") && message.contains("simulate profile"),
        "{message}"
    );
    let known = set(json!({"reads": 1, "writes": 1, "hold": 2}));
    assert_eq!(ask(&known, &device(), Granularity::Sm), Ok(()));
    let without = device().without_ports();
    assert_eq!(ask(&unknown, &without, Granularity::Sm), Ok(()));
    // Green contexts of single SMs may share TPCs, and the driver chooses their SMs.
    let green = |step: u32| -> Device {
        let mut value = serde_json::to_value(device()).unwrap();
        value["green_context"] = json!({"min": step, "step": step});
        serde_json::from_value(value).unwrap()
    };
    let message = ask(&known, &green(1), Granularity::GreenContext).unwrap_err();
    assert!(
        message.contains("tasks[0].sectors.blocks: found none"),
        "{message}"
    );
    assert_eq!(ask(&known, &green(2), Granularity::GreenContext), Ok(()));
}
