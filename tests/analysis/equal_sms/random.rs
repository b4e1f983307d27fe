//! Random small kernels.

use gpusched::gpu::Program;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::equal_sms::{SCHEDULERS, compare, launch, machine, settings};
use crate::support::rounds;

/// Conditions, addresses in shared memory and numbers of rounds; some depend on the block.
const CONDITIONS: [&str; 7] = [
    "thread % 3",
    "warp < 2",
    "block % 4",
    "lane < 3 + block / 9",
    "thread + block*threads < 1111",
    "random(3, block, thread)",
    "1",
];
const ROUNDS: [&str; 4] = ["2", "1 + lane % 3", "1 + block % 3", "1 + warp"];
const ADDRESSES: [&str; 4] = [
    "4*thread",
    "8*thread",
    "4*random(256, lane)",
    "128*(thread % 8) + 4*k",
];
const OPS: [&str; 10] = [
    "add.int",
    "mad.single",
    "mad.double",
    "special",
    "div.int",
    "other",
    "shuffle",
    "branch",
    "fence",
    "mul.int",
];

fn register(index: usize) -> String {
    format!("r{index}")
}

/// Returns a statement for the body of a loop.
fn statement() -> impl Strategy<Value = Value> {
    let plain = (0..OPS.len(), 0..6_usize, 0..6_usize).prop_map(
        |(op, to, from)| json!({"op": OPS[op], "to": register(to), "from": [register(from), register(to)]}),
    );
    let guarded = (0..OPS.len(), 0..CONDITIONS.len(), 0..6_usize)
        .prop_map(|(op, when, to)| json!({"op": OPS[op], "to": register(to), "when": CONDITIONS[when]}));
    let shared = (any::<bool>(), 0..ADDRESSES.len(), 0..6_usize).prop_map(|(load, address, register_of)| {
        let mut access = json!({"op": "store", "from": register(register_of), "address": ADDRESSES[address],
            "bytes": 4, "space": "shared"});
        if load {
            access = json!({"op": "load", "to": register(register_of), "address": ADDRESSES[address],
                "bytes": 4, "space": "shared"});
        }
        access
    });
    let constant = (0..6_usize).prop_map(
        |to| json!({"op": "load", "to": register(to), "address": "8*block", "bytes": 8, "space": "constant"}),
    );
    let exit = (0..CONDITIONS.len()).prop_map(|when| json!({"op": "exit", "when": CONDITIONS[when]}));
    let barrier = Just(json!({"op": "barrier"}));
    let one = prop_oneof![6 => plain, 3 => guarded, 3 => shared, 1 => constant, 1 => exit, 1 => barrier];
    one.prop_recursive(2, 12, 4, |inner| {
        let body = prop::collection::vec(inner, 1..4);
        prop_oneof![
            (0..ROUNDS.len(), body.clone())
                .prop_map(|(rounds, body)| json!({"loop": ROUNDS[rounds], "body": body})),
            (0..CONDITIONS.len(), body.clone(), body)
                .prop_map(|(when, then, other)| json!({"if": CONDITIONS[when], "then": then, "else": other})),
        ]
    })
}

fn program() -> impl Strategy<Value = Program> {
    let body = prop::collection::vec(statement(), 1..7);
    (1..60_u32, 1..300_u32, 1..4_u32, body).prop_map(|(grid, block, rounds, body)| {
        let program = json!({"name": "k", "grid": grid, "block": block, "shared_memory": 4096,
            "body": [{"loop": rounds, "counter": "k", "body": body}]});
        serde_json::from_value(program).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_sms_once_changes_nothing(
        programs in prop::collection::vec(program(), 1..4),
        at in prop::collection::vec(0..400_u64, 3),
        budgets in prop::collection::vec(0..5_u32, 3),
        few in prop::option::of(0..4_u32),
        scheduler in 0..SCHEDULERS.len(),
        sms in 1..5_u32,
        titan in any::<bool>(),
        share_sms in any::<bool>(),
    ) {
        let mut launches: Vec<_> = programs.iter().map(launch).collect();
        for (index, launch) in launches.iter_mut().enumerate() {
            launch.name = format!("k{index}");
            launch.at = at[index];
            launch.budget = budgets[index];
        }
        if let Some(few) = few {
            launches[0].resident = Some(1);
            launches[0].sms = Some((0..sms * 2).map(|sm| sm != few).collect());
        }
        // A kernel without permitted SMs would never start.
        if launches[0].sms.as_ref().is_some_and(|sms| !sms.contains(&true)) {
            launches[0].sms = None;
        }
        let machine = machine(if titan { "titanv" } else { "rtx2060" }, share_sms);
        let sms = if titan { 2 * sms } else { sms };
        prop_assert!(compare(&machine, &launches, &settings(SCHEDULERS[scheduler], sms)));
    }
}
