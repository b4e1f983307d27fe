//! Guarantee: memory models count the packets of other partitions at the port of a shared GPC, and need no blocks there.

use gpusched::interference::{Interference, model_of};
use gpusched::model::device::{Device, Granularity};
use gpusched::model::{Bandwidth, Evidence, MemoryTime, RateForm, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use serde_json::{Value, json};

/// A device of 4 SMs in 2 TPCs of one GPC. A sector of a read takes 1 ns at the port of the GPC, and a sector of a write
/// 2 ns. With `tpc`, the ports of TPCs are known, too. With `map`, the device states the GPC of each TPC.
fn device(tpc: bool, map: bool) -> Device {
    let port = |level: &str| json!({"level": level, "read": "32GB/s", "write": "16GB/s"});
    let ports = [port("gpc"), port("tpc")];
    let mut device = json!({"name": "pair", "sms": 4, "sms_per_tpc": 2, "tpcs_per_gpc": [2]});
    device["ports"] = json!(ports[..1 + usize::from(tpc)]);
    if map {
        device["gpc_of_tpc"] = json!([0, 0]);
    }
    serde_json::from_value(device).unwrap()
}

/// Memory times where a sector takes 1 ns at L2 and 1 ns at DRAM.
fn times() -> SharedMemory {
    let rate = Bandwidth::new(32_000_000_000).unwrap();
    let time = MemoryTime {
        form: RateForm::Universal,
        l2_bytes_per_second: rate,
        dram_bytes_per_second: rate,
        variation_percent: 0,
        own_l2: false,
        camping_limit: None,
    };
    time.into()
}

/// By hand: M = (1000 + 2000) + (1000 + 4000) = 8 us. At the port of the GPC, the packets take 1 + 4 us. With known ports of
/// TPCs, H = 3000 cycles of the slower direction take 6 us more. Two jobs overlap the window.
#[test]
fn a_shared_gpc_counts_packets_without_blocks() {
    let set = |sectors: Value| -> TaskSet {
        let tasks = json!([
            {"period": "1ms", "wcet": {"table": [[1, "10us"]]}, "sectors": {"reads": 0, "writes": 0, "accepting": true}},
            {"period": "400us", "wcet": {"table": [[1, "20us"]]}, "sectors": sectors},
        ]);
        serde_json::from_value(json!({"tasks": tasks})).unwrap()
    };
    let dm = || "dm".parse().unwrap();
    for (tpc, map, each) in [
        (false, false, 13_000),
        (false, true, 13_000),
        (true, false, 19_000),
        (true, true, 19_000),
    ] {
        for blocks in [None, Some(7)] {
            let mut sectors = json!({"reads": 1000, "writes": 2000, "accepting": true});
            if let Some(blocks) = blocks {
                sectors["blocks"] = json!(blocks);
            }
            let set = set(sectors);
            let offer = Offer::new(&device(tpc, map), Granularity::Sm).unwrap();
            let problem = Problem::new(&set, 4, dm(), model_of(Interference::None)).unwrap();
            let problem = problem.offered(&offer).unwrap().sharing(times()).unwrap();
            let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
            assert!(plan.schedulable, "{tpc} {map} {blocks:?}");
            gpusched::verification::verify(&plan, &set).unwrap();
            let verdict = plan.partitions.iter().find(|part| part.tasks == [0]).unwrap();
            let Evidence::ResponseTimes {
                response_times_ns, ..
            } = &verdict.verdict.evidence
            else {
                panic!("{:?}", verdict.verdict);
            };
            assert_eq!(
                response_times_ns[0].ns(),
                10_000 + 2 * each,
                "{tpc} {map} {blocks:?}"
            );
        }
    }
}
