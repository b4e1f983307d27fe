//! Queues, which run their kernels one at a time.

use serde_json::{Value, json};

use crate::warp_runs::{SMALL, json as result, write};

/// Three kernels of one queue and one kernel without a queue, each on all SMs of the first six.
fn queue(priorities: [u64; 3], launches: [u64; 3], options: &str) -> Vec<Value> {
    let kernel = |name: &str, launch: u64| json!({"name": name, "program": "small.json", "launch": launch, "sms": [0, 1, 2], "grid": 12});
    let mut kernels: Vec<Value> = Vec::new();
    for (index, (priority, launch)) in priorities.into_iter().zip(launches).enumerate() {
        let mut queued = kernel(&format!("k{index}"), launch);
        queued["queue"] = json!({"name": "partition", "priority": priority});
        kernels.push(queued);
    }
    let mut free = kernel("free", 0);
    free["sms"] = json!([3, 4, 5]);
    kernels.push(free);
    let folder = tempfile::tempdir().unwrap();
    let run = json!({"machine": "rtx2060", "kernels": kernels}).to_string();
    let path = write(folder.path(), "run.json", &run);
    write(folder.path(), "small.json", SMALL);
    let answer = result(&format!("simulate warps {path} {options}"));
    answer["kernels"].as_array().unwrap().clone()
}

fn time(kernel: &Value, field: &str) -> u64 {
    kernel[field].as_u64().unwrap()
}

#[test]
fn kernels_of_a_queue_run_in_turn_by_priority() {
    // All kernels are launched at once, so priorities decide.
    let kernels = queue([2, 0, 1], [0, 0, 0], "");
    let order = [1, 2, 0];
    for pair in order.windows(2) {
        let (before, after) = (&kernels[pair[0]], &kernels[pair[1]]);
        assert_eq!(
            time(after, "first_block"),
            time(before, "finish") + 1,
            "{kernels:?}"
        );
    }
    // The kernel without a queue waits for no other kernel.
    assert_eq!(time(&kernels[3], "first_block"), time(&kernels[1], "first_block"));

    // A running kernel is not preempted, and a kernel that is launched later cannot start earlier.
    let kernels = queue([2, 0, 1], [0, 10, 20], "");
    assert!(time(&kernels[0], "finish") <= time(&kernels[1], "first_block"));
    assert!(time(&kernels[1], "finish") <= time(&kernels[2], "first_block"));

    // The first kernel of the run starts first if the priorities are equal.
    let kernels = queue([0, 0, 0], [0, 0, 0], "");
    assert!(
        kernels[..3]
            .windows(2)
            .all(|pair| time(&pair[0], "finish") <= time(&pair[1], "first_block"))
    );
}

#[test]
fn a_queue_with_one_kernel_at_a_time_changes_nothing() {
    let far = [0, 20_000, 40_000];
    let kernels = queue([0, 0, 0], far, "");
    let alone: Vec<u64> = kernels[..3]
        .iter()
        .map(|kernel| time(kernel, "finish") - time(kernel, "launch"))
        .collect();
    assert!(alone.iter().all(|time| *time < 20_000), "{alone:?}");
    assert_eq!(queue([0, 0, 0], far, "--equal-sms-once"), kernels);
}
