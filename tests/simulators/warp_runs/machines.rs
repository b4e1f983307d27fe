//! Machines with an unsupported feature are rejected, field by field.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::run_with;
use crate::support::transcript::Transcript;

/// Runs a kernel on the machine with `value` at `path`; returns exit code and message.
fn run_on(path: &str, value: Value) -> (i32, String) {
    let text = std::fs::read_to_string("tasksets/machines/rtx2060.json").unwrap();
    let mut machine: Value = serde_json::from_str(&text).unwrap();
    *machine.pointer_mut(path).expect(path) = value;
    let program: Value = serde_json::from_str(crate::warp_runs::SMALL).unwrap();
    let scenario = json!({"machine": machine, "kernels": [{"name": "one", "program": program}]});
    let answer = run_with("simulate warps -", scenario.to_string());
    (answer.code, answer.stderr)
}

#[test]
fn fields_that_would_be_passed_over_are_refused() {
    let no_matrices = json!({"sp": 4, "dp": 4, "int": 4, "sfu": 4, "tensor": 2});
    let six = json!({"sp": 4, "dp": 4, "int": 4, "sfu": 4, "mem": 8, "tensor": 4});
    let mut told = Transcript::default();
    for (path, value) in [
        ("/sm/sub_cores", json!(false)),
        ("/sm/threads", json!(992)),
        ("/sm/issue_per_warp", json!(2)),
        ("/sm/perfect_instruction_and_constant_caches", json!(false)),
        ("/sm/units/sfu", json!(1)),
        ("/sm/widths/id_oc", six.clone()),
        ("/sm/widths/oc_ex", six),
        ("/sm/register_file/banks", json!(24)),
        ("/sm/register_file/banks_by_warp", json!(true)),
        ("/sm/register_file/generic/units", json!(6)),
        ("/l1/coalescing", json!(35)),
        ("/l1/ports", json!(2)),
        ("/l1/cache/write_policy", json!("write-evict")),
        ("/shared_memory/limited_broadcast", json!(true)),
        ("/shared_memory/warp_parts", json!(2)),
        ("/interconnect/subnets", json!(1)),
        ("/interconnect/grant_cycles", json!(2)),
        ("/clusters", json!(129)),
        ("/sm/units", no_matrices),
        ("/memory/queues/icnt_to_l2", json!(3)),
        ("/memory/l2/miss_queue", json!(1)),
        ("/l1/cache/miss_queue", json!(1)),
        ("/memory/flush_l2", json!(true)),
        ("/memory/l2/mshr_kind", json!("sector-associative")),
    ] {
        let given = format!("{path} {value}");
        let (code, message) = run_on(path, value);
        assert_eq!(code, 2, "{path}: {message}");
        told.case(given, message);
    }
    assert_snapshot!(told);
}

/// The smallest supported queues do not block the run.
#[test]
fn small_queues_do_not_block() {
    for (path, least) in [
        ("/memory/queues/icnt_to_l2", 4),
        ("/memory/queues/l2_to_dram", 1),
        ("/memory/queues/dram_to_l2", 1),
        ("/memory/queues/l2_to_icnt", 1),
        ("/memory/l2/miss_queue", 2),
        ("/l1/cache/miss_queue", 2),
        ("/memory/l2/mshr_entries", 1),
        ("/memory/l2/mshr_merge", 1),
        ("/l1/cache/mshr_entries", 1),
        ("/l1/cache/mshr_merge", 1),
        ("/interconnect/input_buffer", 1),
        ("/interconnect/output_buffer", 1),
        ("/interconnect/ejection_buffer", 1),
        ("/interconnect/response_buffer", 1),
        ("/sm/register_file/generic/in_ports", 1),
        ("/sm/register_file/generic/out_ports", 1),
    ] {
        let (code, message) = run_on(path, json!(least));
        assert_eq!(code, 0, "{path}: {message}");
    }
}

#[test]
fn clocks_are_of_one_magnitude() {
    let clocks =
        json!({"core_khz": 1000, "interconnect_khz": 1_000_000, "l2_khz": 2000, "dram_khz": 1_000_000});
    assert_eq!(run_on("/clocks", clocks).0, 0);
    for (path, khz) in [("/clocks/core_khz", 5), ("/clocks/dram_khz", 1364)] {
        let (code, message) = run_on(path, json!(khz));
        assert_eq!(code, 2, "{path}");
        assert!(message.contains(&path[1..].replace('/', ".")), "{message}");
    }
}

#[test]
fn matrices_need_units() {
    let kernel = r#"{"name":"m","grid":1,"block":32,"body":[{"op":"tensor","to":"f1","from":["f2","f3"]},{"op":"exit"}]}"#;
    let text = std::fs::read_to_string("tasksets/machines/rtx2060.json").unwrap();
    let mut machine: Value = serde_json::from_str(&text).unwrap();
    let program: Value = serde_json::from_str(kernel).unwrap();
    let run = |machine: &Value| {
        let scenario = json!({"machine": machine, "kernels": [{"name": "one", "program": program}]});
        run_with("simulate warps -", scenario.to_string())
    };
    assert_eq!(run(&machine).code, 0);
    machine["sm"]["units"]["tensor"] = json!(0);
    let answer = run(&machine);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(
        answer.stderr.contains("has matrix instructions"),
        "{}",
        answer.stderr
    );
}

#[test]
fn limits_of_a_block_and_of_kernels_hold() {
    let (code, message) = run_on("/sm/registers_per_block", json!(64));
    assert_eq!(code, 2);
    assert!(message.contains("does not fit on an SM"), "{message}");
    assert_eq!(run_on("/dispatch/kernels", json!(1)).0, 0);
}
