//! Guarantee: files about a GPU contain what kernels observed, and omit what they did not observe. The kernels run on the model of a GPU in
//! the stand-in for the driver.

use serde_json::{Value, json};

use super::{Case, numbers, on_fake};
use crate::support::run;

/// GPC of each TPC of the stand-in: two GPCs of 9 TPCs and six of 8, with their TPCs in turn.
fn model() -> Vec<u64> {
    let rows = (0..9).flat_map(|row| (0..8).filter(move |gpc| row < 8 || *gpc < 2));
    rows.collect()
}

/// Measures the device with `options`.
fn device(case: &Case, options: &str, faults: &[(&str, &str)]) -> (Value, String) {
    let file = case.path("device.json");
    let answer = on_fake(&format!("measure device {options} -o {}", file.display()), faults);
    assert_eq!(answer.code, 0, "{faults:?}: {}", answer.stderr);
    let text = std::fs::read_to_string(file).unwrap();
    (serde_json::from_str(&text).unwrap(), answer.stderr)
}

#[test]
fn clusters_show_tpcs_and_gpcs() {
    let case = Case::new();
    let (found, said) = device(&case, "", &[]);
    assert_eq!(found["sms_per_tpc"], 2);
    assert_eq!(numbers(&found["gpc_of_tpc"]), model());
    assert_eq!(numbers(&found["tpcs_per_gpc"]), [9, 9, 8, 8, 8, 8, 8, 8]);
    assert!(!said.contains("unknown"), "{said}");
    let file = case.path("device.json");
    let set = r#"{"tasks":[{"name":"a","period":"10ms","wcet":{"table":[[16,"6ms"]]}},{"name":"b","period":"10ms","wcet":{"table":[[16,"6ms"]]}}]}"#;
    std::fs::write(case.path("set.json"), set).unwrap();
    let set = case.path("set.json");
    let line = |granularity: &str| {
        format!(
            "partition {} --gpu {} --granularity {granularity} -q --format json",
            set.display(),
            file.display()
        )
    };
    let planned = run(&line("gpc"));
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    // With the map, partitions of whole GPCs have their own ports.
    assert!(planned.stdout.contains("ports-own"), "{}", planned.stdout);

    for (faults, tpc, reason) in [
        // As on one H100: on some SMs, only clusters of two blocks ran.
        (
            &[("FAKE_LONELY", "124")][..],
            json!(2),
            "sets of 2 and 2 SMs may be in one GPC, which has up to 18 SMs",
        ),
        (
            &[("FAKE_GPCS", "66,66")],
            json!(2),
            "a set of 66 SMs is larger than a GPC of 18 SMs",
        ),
        (
            &[("FAKE_MAJOR", "8")],
            Value::Null,
            "no cluster of thread blocks ran",
        ),
        (
            &[("FAKE_FAIL", "cuLaunchKernelEx")],
            Value::Null,
            "no cluster of thread blocks ran",
        ),
        (
            &[("FAKE_MAJOR", "10")],
            json!(2),
            "the largest GPC of this compute capability is unknown",
        ),
    ] {
        let (found, said) = device(&case, "", faults);
        assert_eq!(
            (
                &found["sms_per_tpc"],
                &found["gpc_of_tpc"],
                &found["tpcs_per_gpc"]
            ),
            (&tpc, &Value::Null, &Value::Null),
            "{faults:?}"
        );
        assert!(
            said.contains(&format!("the GPCs are unknown, because {reason}")),
            "{said}"
        );
        assert!(found["source"].as_str().unwrap().contains(reason), "{found}");
        assert_eq!(run(&format!("gpus {}", file.display())).code, 0);
    }
    // Without the map, no plan for whole GPCs exists, and partitions may share ports.
    let refused = run(&line("gpc"));
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    let planned = run(&line("green-context"));
    assert!(
        planned.stdout.contains("ports-unknown"),
        "{}{}",
        planned.stdout,
        planned.stderr
    );
}

#[test]
fn observations_are_those_of_the_model() {
    let case = Case::new();
    let file = case.path("observations.json");
    let options = format!("--observations {}", file.display());
    let read = || -> Value { serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap() };
    device(&case, &options, &[("FAKE_TICK", "32")]);
    let found = read();
    let sizes: Vec<u64> = (8..=128).step_by(8).chain([132]).collect();
    assert_eq!(
        (numbers(&found["sizes"]), &found["sms"]),
        (sizes.clone(), &132.into())
    );
    let contexts = found["green_contexts"].as_array().unwrap();
    let ids: Vec<u64> = contexts.iter().flat_map(numbers).collect();
    assert_eq!((contexts.len(), ids.len()), (16, 128));
    assert_eq!(found["cluster_sets"].as_array().unwrap().len(), 8);
    assert_eq!(
        (&found["sm_order"], &found["timer_ns"]),
        (&"ascending".into(), &32.into())
    );
    let starts = found["first_blocks"].as_array().unwrap();
    assert!(
        starts.len() == 5
            && starts
                .iter()
                .all(|start| numbers(start) == (0..132).collect::<Vec<u64>>())
    );
    // A kernel of the highest priority waits for running blocks, and not for all eight rounds of blocks.
    let priority = &found["priority"];
    let of = |field: &str| priority[field].as_u64().unwrap();
    assert_eq!(of("other_ns"), 8 * of("block_ns"));
    assert!(
        (of("block_ns")..8 * of("block_ns")).contains(&of("start_ns")),
        "{priority}"
    );
    let slices = &found["time_slices"];
    for (times, wanted, count) in [("away", 2_400_000, 80), ("on", 2_000_000, 78)] {
        for field in ["shortest_ns", "median_ns", "longest_ns"] {
            assert_eq!(slices[times][field], wanted, "{slices}");
        }
        assert_eq!(slices[times]["count"], count);
    }
    for times in ["launch", "empty_kernel", "host_timer"] {
        let of = |field: &str| found[times][field].as_u64().unwrap();
        assert_eq!(of("count"), 200);
        assert!(
            of("shortest_ns") <= of("median_ns") && of("median_ns") <= of("longest_ns"),
            "{found}"
        );
    }
    let rates = found["rates"].as_array().unwrap();
    assert_eq!(
        rates
            .iter()
            .map(|rate| rate["sms"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        sizes
    );
    for rate in rates {
        let sms = rate["sms"].as_u64().unwrap();
        let dram = (20 * sms).min(1000) * 1_000_000_000;
        for (field, model) in [
            ("dram_read", dram),
            ("dram_write", dram / 2),
            ("l2_read", 40 * sms * 1_000_000_000),
        ] {
            let range = numbers(&rate[field]);
            // The stand-in needs some time between the events. The rate of a long kernel shows the model.
            assert!(
                range[0] <= range[1] && range[1] <= model + model / 1000,
                "{field}: {rate}"
            );
            let least = if field == "l2_read" {
                model / 100
            } else {
                model * 3 / 4
            };
            assert!(range[1] >= least, "{field}: {rate}");
        }
    }
    // Kernels on the same pipe take twice as long, and kernels with 32-bit numbers half as long again.
    let pipes = &found["pipes"];
    assert_eq!(pipes["sms"], 8);
    let names = ["float", "integer", "special", "double", "shared"];
    let mut kernels = pipes["kernels"].as_array().unwrap().iter();
    for (own, name) in names.iter().enumerate() {
        let alone = kernels.next().unwrap();
        assert_eq!((&alone["pipe"], alone.get("beside")), (&json!(name), None));
        let time = alone["times"]["median_ns"].as_u64().unwrap();
        assert!((990_000..=1_000_000).contains(&time), "{alone}");
        for (other, beside) in names.iter().enumerate() {
            let pair = kernels.next().unwrap();
            assert_eq!((&pair["pipe"], &pair["beside"]), (&json!(name), &json!(beside)));
            let factor = match (own, other) {
                (own, other) if own == other => 2000,
                (0 | 1, 0 | 1) => 1500,
                _ => 1000,
            };
            assert_eq!(pair["factor_permille"], factor, "{pair}");
            assert_eq!(pair["times"]["count"], 5, "{pair}");
        }
    }
    assert!(kernels.next().is_none());
    // A value that cannot be observed is absent.
    device(
        &case,
        &options,
        &[
            ("FAKE_APART", "1"),
            ("FAKE_PRIORITIES", "0"),
            ("FAKE_SLICE", "0"),
            ("FAKE_FAIL", "cuEventRecord"),
            ("FAKE_ORDER", "gpcs"),
            ("FAKE_MAJOR", "8"),
        ],
    );
    let found = read();
    for absent in [
        "pipes",
        "priority",
        "time_slices",
        "sm_order",
        "sms_per_tpc",
        "gpc_of_tpc",
    ] {
        assert_eq!(found[absent], Value::Null, "{absent}");
    }
    assert_eq!(found["rates"][0], json!({"sms": 8}));
    assert_eq!(found["gpcs_unknown"], "no cluster of thread blocks ran");
    for (fault, expected) in [
        (
            "cuMemAlloc:60:2",
            "cuMemAlloc: found CUDA_ERROR_OUT_OF_MEMORY, expected CUDA_SUCCESS",
        ),
        (
            "cuCtxGetStreamPriorityRange",
            "cuCtxGetStreamPriorityRange: found CUDA_ERROR_NOT_SUPPORTED",
        ),
        (
            "cuCtxCreate",
            "cuCtxCreate: found CUDA_ERROR_NOT_SUPPORTED, expected CUDA_SUCCESS",
        ),
        (
            "cuStreamSynchronize:300:700",
            "cuStreamSynchronize: found CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
    ] {
        std::fs::remove_file(&file).ok();
        let answer = on_fake(&format!("measure device {options}"), &[("FAKE_FAIL", fault)]);
        answer.assert_refused(fault, expected);
        assert!(!file.exists(), "{fault}");
    }
    // A kernel that waits for a timer at rest ends with an error of the driver.
    let answer = on_fake(&format!("measure device {options}"), &[("FAKE_TICK", "0")]);
    answer.assert_refused(
        "a timer at rest",
        "found CUDA_ERROR_LAUNCH_FAILED, expected CUDA_SUCCESS",
    );
    assert!(!file.exists());
}

#[test]
fn a_platform_has_the_observed_order_of_the_sms() {
    let platform = |faults: &[(&str, &str)]| {
        let answer = on_fake("measure platform", faults);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let platform: Value = serde_json::from_str(&answer.stdout).unwrap();
        (platform, answer.stderr)
    };
    for order in ["even-odd", "ascending", "descending"] {
        let (found, said) = platform(&[("FAKE_ORDER", order)]);
        assert_eq!(found["sm_order"], order);
        assert!(!said.contains("sm_order"), "{said}");
        assert_eq!(found["peak_memory_bandwidth"], 3_352_320_000_000_u64);
        assert_eq!(found["sms_per_gpc"], Value::Null);
    }
    let (found, said) = platform(&[("FAKE_ORDER", "gpcs")]);
    assert_eq!(found["sm_order"], "even-odd");
    assert!(
        said.contains("start in another order than `sm_order` can state"),
        "{said}"
    );
    assert!(
        found["source"]
            .as_str()
            .unwrap()
            .contains("Order of the SMs: not measured"),
        "{found}"
    );
    // GPCs of equal sizes.
    let (found, _) = platform(&[("FAKE_GPCS", "12,12,12,12,12,12,12,12,12,12,12")]);
    assert_eq!(found["sms_per_gpc"], 12);
    let (found, _) = platform(&[("FAKE_LONELY", "124")]);
    assert_eq!(found["sms_per_gpc"], Value::Null);
    // A driver without this attribute.
    let (found, _) = platform(&[("FAKE_CLOCKLESS", "1")]);
    assert_eq!(found["peak_memory_bandwidth"], Value::Null, "{found}");
}

#[test]
fn built_in_kernels_load_the_memory_beside_a_kernel() {
    let case = Case::new();
    let line = |beside: &str| {
        let plugin = case.path("libjobs.so");
        format!(
            "measure interference --plugin {} --sms 8,64 --samples 20 --format json -q {beside}",
            plugin.display()
        )
    };
    let loads = ["dram-read", "dram-write", "l2-read", "l2-write"];
    for (index, load) in loads.iter().enumerate() {
        let answer = on_fake(&line(&format!("--beside {load}")), &[("FAKE_MOVED", "1")]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let moved = answer.stderr.lines().find_map(|line| line.strip_prefix("moved "));
        let words: Vec<u64> = { moved.unwrap().split_whitespace() }
            .filter_map(|word| word.parse().ok())
            .collect();
        let [counts @ .., sms] = words.as_slice() else {
            panic!("{words:?}");
        };
        // The kernel runs on the remaining SMs, again and again, and no other kernel moves memory.
        assert_eq!(*sms, 132 - 64, "{load}");
        for (other, count) in counts.iter().enumerate() {
            assert_eq!(*count > 2 * 16, other == index, "{load}: {counts:?}");
        }
    }
    let both = on_fake(&line("--beside dram-read,l2-write --beside dram-write"), &[]);
    let document: Value = serde_json::from_str(&both.stdout).unwrap_or_else(|_| panic!("{}", both.stderr));
    let found: Vec<String> = { document["factors"].as_array().unwrap().iter() }
        .map(|of| {
            format!(
                "{} {} {}",
                of["sms"],
                of["aggressor"].as_str().unwrap(),
                of["aggressor_sms"]
            )
        })
        .collect();
    let expected = [(8, 124), (64, 68)].map(|(sms, others)| {
        ["dram-read", "l2-write", "dram-write"].map(|load| format!("{sms} {load} {others}"))
    });
    assert_eq!(found, expected.concat());
    for (beside, fault, expected) in [
        ("--beside dram-read,none", "", "dram-read,none: "),
        (
            "--beside dram-read",
            "cuMemAlloc:10:2",
            "cuMemAlloc: found CUDA_ERROR_OUT_OF_MEMORY",
        ),
        (
            "--beside dram-read",
            "cuLaunchKernel:60:700",
            "CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
    ] {
        let answer = on_fake(&line(beside), &[("FAKE_FAIL", fault)]);
        assert!(
            answer.code == 2 && answer.stdout.is_empty() && answer.stderr.contains(expected),
            "{beside} {fault}: {}",
            answer.stderr
        );
    }
}
