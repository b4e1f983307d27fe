//! Cycles of a launch: each cycle of each scheduler counts once, and an atomic operation on shared memory holds its warp.

use gpusched::gpu::gpu::{Launch, Results, Settings, WarmBuffer};
use gpusched::gpu::program::Overrides;
use gpusched::gpu::{Machine, Program};
use gpusched::model::Scheduler;

/// Returns the launch of a vector addition with `blocks` blocks.
fn vadd(blocks: &str) -> Launch {
    let text = include_str!("../../../tasksets/kernels/programs/vadd.json");
    let program: Program = serde_json::from_str(text).unwrap();
    let overrides = Overrides {
        grid: Some(blocks.parse().unwrap()),
        ..Overrides::default()
    };
    Launch::of_program(&program.with(&overrides).unwrap()).unwrap()
}

/// Runs `launch` on three SMs. Its first buffer is in L2.
fn run(launch: Launch) -> Results {
    let settings = Settings {
        scheduler: Scheduler::Lrr,
        sms: Some(3),
        warm: vec![WarmBuffer {
            kernel: 0,
            address: 0xC000_0000,
            bytes: 1 << 20,
        }],
        record_issues: Some(usize::MAX),
        limit: 1_000_000,
        ..Settings::default()
    };
    gpusched::gpu::gpu::run(&Machine::named("rtx2060").unwrap(), &[launch], &settings).unwrap()
}

#[test]
fn every_cycle_of_every_scheduler_is_accounted_for() {
    let mut launch = vadd("20");
    launch.blocks = 1;
    let results = run(launch);
    let stalls = results.stalls;
    let all = stalls.idle + stalls.scoreboard + stalls.pipeline + stalls.issued;
    // Exactly one SM has a block, from the end of cycle 0 to the end of the last cycle.
    assert_eq!(all, (results.cycles - 1) * 4);
    assert_eq!(stalls.issued, results.kernels[0].warp_instructions);
}

#[test]
fn overrides_reach_the_launch() {
    assert_eq!(vadd("7").blocks, 7);
}

/// Returns the number of cycles from the issue of `statement` to the issue of the next instruction. The next
/// instruction does not depend on `statement`.
fn cycles_after(statement: &str) -> u64 {
    let text = format!(
        r#"{{"name":"k","grid":1,"block":32,"shared_memory":4096,"body":[{statement},{{"op":"other","to":"y"}}]}}"#
    );
    let results = run(Launch::of_program(&serde_json::from_str(&text).unwrap()).unwrap());
    results.issues[1].cycle - results.issues[0].cycle
}

#[test]
fn an_atomic_on_shared_memory_holds_its_warp() {
    let latency = u64::from(Machine::named("rtx2060").unwrap().shared_memory.latency);
    for (address, words) in [("4*lane", 1), ("0", 1), ("64*lane", 16), ("128*lane", 32)] {
        let access = |op: &str| {
            format!(r#"{{"op":"{op}","to":"x","address":"{address}","bytes":4,"space":"shared"}}"#)
        };
        assert_eq!(cycles_after(&access("atomic")), latency + 2 + words, "{address}");
        assert_eq!(cycles_after(&access("load")), 1, "{address}");
    }
    let idle = r#"{"op":"atomic","to":"x","address":"4*lane","bytes":4,"space":"shared","when":"0"}"#;
    assert_eq!(cycles_after(idle), 1);
}
