//! Scenarios of several kernels.

use serde_json::Value;

use crate::support::{gpusched, run};
use crate::warp_runs::{SMALL, json, write};

const PAIR: &str = "tasksets/runs/pc-copyl-spatial.json";

fn finish(answer: &Value) -> Vec<u64> {
    let kernels = answer["kernels"].as_array().unwrap().iter();
    kernels.map(|kernel| kernel["finish"].as_u64().unwrap()).collect()
}

/// Returns the result for `text` as a scenario, under `options`.
fn scenario(text: &str, options: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "scenario.json", text);
    write(folder.path(), "small.json", SMALL);
    json(&format!("simulate warps {path} {options}"))
}

#[test]
fn the_contract() {
    let answer = json(&format!("simulate warps {PAIR}"));
    assert_eq!(
        (&answer["machine"], &answer["sms"]),
        (&Value::from("rtx2060"), &Value::from(30))
    );
    let (k1, k2) = (&answer["kernels"][0], &answer["kernels"][1]);
    assert_eq!(
        (&k1["name"], &k2["name"]),
        (&Value::from("K1"), &Value::from("K2"))
    );
    assert_eq!((&k1["launch"], &k2["launch"]), (&Value::from(0), &Value::from(1)));
    let number = |value: &Value| value.as_u64().unwrap();
    assert_eq!(number(&k2["response"]), number(&k2["finish"]) - 1);
    let blocks = answer["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 240);
    for (index, kernel) in [k1, k2].into_iter().enumerate() {
        let own: Vec<&Value> = blocks.iter().filter(|block| block["kernel"] == index).collect();
        assert_eq!(own.len(), 120);
        let first = own.iter().map(|block| number(&block["start"])).min().unwrap();
        let last = own.iter().map(|block| number(&block["end"])).max().unwrap();
        assert_eq!(
            (first, last),
            (number(&kernel["first_block"]), number(&kernel["finish"]))
        );
    }
    // An SM runs one kernel at a time.
    for a in blocks.iter().filter(|block| block["kernel"] == 0) {
        for b in blocks.iter().filter(|b| b["kernel"] == 1 && b["sm"] == a["sm"]) {
            assert!(number(&a["end"]) <= number(&b["start"]), "{a} {b}");
        }
    }
    let stalls = &answer["stalls"];
    let issued: u64 = [k1, k2]
        .map(|kernel| number(&kernel["warp_instructions"]))
        .iter()
        .sum();
    assert_eq!(number(&stalls["issued"]), issued);
    let csv = run(&format!("simulate warps {PAIR} --format csv"));
    assert_eq!(csv.stdout.lines().count(), 3);
    assert!(
        csv.stdout
            .starts_with("kernel,name,blocks,launch,first_block,finish,response,warp_instructions,")
    );
    let text = run(&format!("simulate warps {PAIR}"));
    assert!(
        text.stdout.contains("GB/s at L2") && text.stdout.contains("waiting for registers"),
        "{text:?}"
    );
}

#[test]
fn kernels_share_sms_if_asked_to() {
    let both = |share: &str| {
        scenario(
            &format!(
                r#"{{"machine":"rtx2060","sms":1,{share}"kernels":[{{"program":"small.json"}},{{"program":"small.json"}}]}}"#
            ),
            "",
        )
    };
    let (spatial, shared) = (both(r#""share":"spatial","#), both(r#""share":"sm","#));
    assert_eq!(finish(&both("")), finish(&spatial), "as the machine says");
    let start = |answer: &Value| answer["kernels"][1]["first_block"].as_u64().unwrap();
    assert!(start(&spatial) >= finish(&spatial)[0]);
    assert!(start(&shared) < finish(&shared)[0]);
    // Kernels are named after their programs.
    assert_eq!(spatial["kernels"][1]["name"], "small-2");
}

#[test]
fn the_same_program_twice_has_two_sets_of_buffers() {
    // L2 is empty at the start. With shared buffers, the second kernel would find its data in L2.
    let text = r#"{"machine":"rtx2060","warm":false,"kernels":[{"program":"small.json"},{"program":"small.json","launch":5000}]}"#;
    let one = scenario(
        &text.replace(r#",{"program":"small.json","launch":5000}"#, ""),
        "",
    );
    let two = scenario(text, "");
    let reads = |answer: &Value| answer["traffic"]["dram_reads"].as_u64().unwrap();
    assert!(reads(&one) > 0);
    assert_eq!(reads(&two), 2 * reads(&one));
    // A program with fixed buffer addresses keeps its addresses.
    let fixed = SMALL.replace("\"a\":2048", "\"a\":{\"bytes\":2048,\"address\":3221225472}");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "small.json", &fixed);
    let path = write(folder.path(), "scenario.json", text);
    assert_eq!(reads(&json(&format!("simulate warps {path}"))), reads(&one));
}

#[test]
fn partitions() {
    let text = r#"{"machine":"rtx2060","sms":4,"kernels":[{"program":"small.json","sms":"0-1"},{"name":"other","program":"small.json","sms":[3]}]}"#;
    let answer = scenario(text, "");
    for block in answer["blocks"].as_array().unwrap() {
        let (kernel, sm) = (block["kernel"].as_u64().unwrap(), block["sm"].as_u64().unwrap());
        assert!(if kernel == 0 { sm <= 1 } else { sm == 3 }, "{block}");
    }
}

#[test]
fn launches_are_overridden_and_delayed() {
    let kernel = |fields: &str| {
        scenario(
            &format!(r#"{{"machine":"rtx2060","kernels":[{{"program":{SMALL}{fields}}}]}}"#),
            "",
        )
    };
    let (plain, larger) = (
        kernel(""),
        kernel(r#","grid":16,"block":32,"parameters":{"n":5,"a":4096}"#),
    );
    assert_eq!(
        (&plain["kernels"][0]["blocks"], &larger["kernels"][0]["blocks"]),
        (&Value::from(8), &Value::from(16))
    );
    let per_warp =
        |answer: &Value, warps: u64| answer["kernels"][0]["warp_instructions"].as_u64().unwrap() / warps;
    assert!(per_warp(&larger, 16) > per_warp(&plain, 16));
    let late = kernel(r#","launch":700"#);
    assert_eq!(finish(&late)[0], finish(&plain)[0] + 700);
    assert_eq!(late["kernels"][0]["response"], plain["kernels"][0]["response"]);
    // The launch latency of the machine is 5000 cycles.
    let text = format!(r#"{{"machine":"rtx2060","launch_latency":true,"kernels":[{{"program":{SMALL}}}]}}"#);
    let latency = scenario(&text, "");
    assert_eq!(latency["kernels"][0]["first_block"], 5001);
    assert_eq!(latency["kernels"][0]["response"], finish(&plain)[0] + 5000);
}

/// Tests that a kernel of a scenario takes the time of its run in isolation if the clocks restart at its launch.
#[test]
fn clocks_restart_at_a_launch_on_an_idle_gpu() {
    let kernel = r#"{"name":"compute","grid":30,"block":64,"body":[
        {"loop":"9","body":[{"op":"mad.single","to":"f1","from":["f1","f2"]}]}]}"#;
    let text = |restarts: bool, second: &str| {
        format!(
            r#"{{"machine":"rtx2060","restart_clocks":{restarts},"launch_latency":true,
                "kernels":[{{"program":{kernel}}}{second}]}}"#
        )
    };
    let alone = scenario(&text(true, ""), "");
    let second = format!(r#",{{"program":{kernel},"launch":9001}}"#);
    for restarts in [false, true] {
        let both = scenario(&text(restarts, &second), "");
        assert_eq!(both["kernels"][1]["response"], alone["kernels"][0]["response"]);
    }
}

#[test]
fn budgets_and_schedulers() {
    let text = r#"{"machine":"rtx2060","sms":1,"share":"sm","scheduler":"qaws","kernels":[
        {"name":"K1","program":"small.json","budget":1},{"name":"K2","program":"small.json","budget":4}]}"#;
    let answer = scenario(text, "");
    assert_eq!(
        (&answer["scheduler"], &answer["kernels"][1]["budget"]),
        (&Value::from("qaws"), &Value::from(4))
    );
    let other = scenario(text, "--budget K2=9 --budget K1=2");
    assert_eq!(
        (&other["kernels"][0]["budget"], &other["kernels"][1]["budget"]),
        (&Value::from(2), &Value::from(9))
    );
    let lrr = scenario(text, "--scheduler lrr");
    assert_eq!(
        (&lrr["scheduler"], lrr["kernels"][0].get("budget")),
        (&Value::from("lrr"), None)
    );
    let fewer = scenario(text, "--sms 4 --scheduler gto --machine titanv");
    assert_eq!(
        (&fewer["sms"], &fewer["machine"]),
        (&Value::from(4), &Value::from("titanv"))
    );
}

#[test]
fn traces_run_beside_programs() {
    let trace = crate::support::root().join("tasksets/traces/accelsim/kernel-1.traceg");
    let text = format!(
        r#"{{"machine":"titanv","kernels":[{{"name":"t","program":{{"trace":{:?}}}}},{{"program":"small.json"}}]}}"#,
        trace.display().to_string()
    );
    let both = scenario(&text, "");
    assert_eq!(both["kernels"][0]["warp_instructions"], 120);
    let alone = json("simulate warps tasksets/traces/accelsim/kernel-1.traceg --machine titanv");
    assert_eq!(alone["kernels"][0]["warp_instructions"], 120);
}

#[test]
fn standard_input_and_threads() {
    let mut command = gpusched([
        "simulate",
        "warps",
        "-",
        "--machine",
        "rtx2060",
        "--format",
        "json",
    ]);
    let answer = crate::support::answer(command.write_stdin(SMALL));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let again = crate::support::run_with(
        "simulate warps - --machine rtx2060 --format json --threads 1",
        SMALL,
    );
    assert_eq!(answer, again);
}

/// The traffic of each kernel adds up to the traffic of the run, and in the window of a kernel, the others count, too.
#[test]
fn each_kernel_has_its_traffic() {
    let answer = json("simulate warps tests/simulators/closure/runs/12-rand-copyl-cold.json");
    let kernels = answer["kernels"].as_array().unwrap();
    let sum = |name: &str| -> u64 {
        let counts = kernels
            .iter()
            .map(|kernel| kernel["traffic"][name].as_u64().unwrap());
        counts.sum()
    };
    let total = &answer["traffic"];
    assert_eq!(
        sum("l2_reads") + sum("l2_writes"),
        total["l2_accesses"].as_u64().unwrap()
    );
    for name in ["l2_misses", "dram_reads", "dram_writes"] {
        assert_eq!(sum(name), total[name].as_u64().unwrap(), "{name}");
    }
    for (index, kernel) in kernels.iter().enumerate() {
        let window = kernel["window"].as_array().unwrap();
        assert_eq!(window.len(), kernels.len());
        for (other, traffic) in window.iter().enumerate() {
            let reads = traffic["l2_reads"].as_u64().unwrap();
            let all = kernels[other]["traffic"]["l2_reads"].as_u64().unwrap();
            // A kernel reads nothing outside its own window.
            assert!(reads <= all && (other != index || reads == all), "{kernel}");
        }
    }
    // `x-rand` ends first, so `copyl` reads less in its window than in the whole run.
    assert!(kernels[1]["window"][0]["l2_reads"].as_u64() < kernels[0]["traffic"]["l2_reads"].as_u64());
    let text = run("simulate warps tests/simulators/closure/runs/12-rand-copyl-cold.json");
    assert!(text.stdout.contains("rows opened"), "{}", text.stdout);
}

/// Values in a file, relative to the folder of the program, have the effect of values in the program. They determine the
/// addresses: with equal indices, all lanes read one sector.
#[test]
fn values_are_read_from_files() {
    let program = |values: &str| {
        format!(
            r#"{{"name":"k","grid":1,"block":32,"buffers":{{"a":4096,"idx":{{"bytes":128,"values":{values}}}}},
               "body":[{{"op":"load","to":"x","address":"a + 32*value(idx, thread)","bytes":4}}]}}"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("kernels")).unwrap();
    let list = |step: u32| format!("{:?}", (0..32).map(|lane| lane * step).collect::<Vec<u32>>());
    write(&folder.path().join("kernels"), "spread.json", &list(3));
    let simulated = |values: &str| {
        write(&folder.path().join("kernels"), "k.json", &program(values));
        let text = r#"{"machine":"rtx2060","warm":false,"kernels":[{"program":"kernels/k.json"}]}"#;
        let path = write(folder.path(), "scenario.json", text);
        json(&format!("simulate warps {path}"))
    };
    let (spread, inline, equal) = (
        simulated("\"spread.json\""),
        simulated(&list(3)),
        simulated(&list(0)),
    );
    assert_eq!(spread, inline);
    let reads = |answer: &Value| answer["traffic"]["dram_reads"].as_u64().unwrap();
    assert_eq!((reads(&spread), reads(&equal)), (32, 1));
}

#[test]
fn numbers_are_lists_or_ranges() {
    let read = |text: &str| {
        serde_json::from_str::<gpusched_gpu::warp_run::IndexSet>(text).map(|set| set.indices().to_vec())
    };
    assert_eq!(read("[5, 0]").unwrap(), [0, 5]);
    assert_eq!(read("\"0-2,7\"").unwrap(), [0, 1, 2, 7]);
    for bad in [
        "[]",
        "[1, 1]",
        "\"\"",
        "\"3-1\"",
        "\"0-2,1\"",
        "\"0-\"",
        "\"0-4294967295\"",
        "[4096]",
        "7",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
