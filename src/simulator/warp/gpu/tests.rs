//! Leaving out idle cycles changes nothing; equal runs are equal.

use super::{Gpu, Launch, Results, Settings};
use crate::model::Scheduler;
use crate::model::machine::Machine;
use crate::model::program::{Overrides, Program};

const PROGRAMS: [&str; 4] = [
    include_str!("../../../../tasksets/kernels/programs/vadd.json"),
    include_str!("../../../../tasksets/kernels/programs/chase.json"),
    include_str!("../../../../tasksets/kernels/programs/conv2d.json"),
    include_str!("../../../../tasksets/kernels/programs/pc.json"),
];

/// Small launches of the programs, the second one later than the first.
fn launches(at: u64) -> Vec<Launch> {
    let programs = PROGRAMS.map(|text| serde_json::from_str::<Program>(text).unwrap());
    let mut launches: Vec<Launch> = programs
        .iter()
        .map(|program| Launch::of_program(program).unwrap())
        .collect();
    for (launch, blocks) in launches.iter_mut().zip([20, 2, 12, 9]) {
        launch.blocks = launch.blocks.min(blocks);
    }
    for (index, launch) in launches.iter_mut().enumerate() {
        launch.at = at * index as u64;
    }
    launches
}

fn run(machine: &Machine, launches: &[Launch], scheduler: Scheduler, warm: bool, skips: bool) -> Results {
    let warm = if warm {
        vec![(0xC000_0000, 1 << 20)]
    } else {
        Vec::new()
    };
    let settings = Settings {
        scheduler,
        sms: Some(3),
        warm,
        record_issues: true,
        limit: 1_000_000,
    };
    let mut gpu = Gpu::new(machine, launches, &settings).unwrap();
    gpu.skips = skips;
    gpu.run(settings.limit, &mut |_| ()).unwrap();
    gpu.finish()
}

#[test]
fn leaving_out_idle_cycles_changes_nothing() {
    for name in ["rtx2060", "titanv"] {
        let machine = Machine::named(name).unwrap();
        for (scheduler, warm, at) in [
            (Scheduler::Lrr, false, 5000),
            (Scheduler::Gto, true, 300),
            (Scheduler::Qaws, false, 40),
            (Scheduler::Oldest, false, 0),
        ] {
            let launches = launches(at);
            let fast = run(&machine, &launches, scheduler, warm, true);
            let slow = run(&machine, &launches, scheduler, warm, false);
            assert_eq!(fast.cycles, slow.cycles, "{name} {scheduler}");
            assert_eq!(fast.issues, slow.issues, "{name} {scheduler}");
            assert_eq!(fast.kernels, slow.kernels);
            assert_eq!(fast.blocks, slow.blocks);
            assert_eq!(fast.traffic, slow.traffic);
            assert_eq!(fast.stalls, slow.stalls, "{name} {scheduler}");
        }
    }
}

#[test]
fn every_cycle_of_every_scheduler_is_accounted_for() {
    let machine = Machine::named("rtx2060").unwrap();
    let mut launches = launches(0);
    launches.truncate(1);
    launches[0].blocks = 1;
    let results = run(&machine, &launches, Scheduler::Lrr, true, true);
    let stalls = results.stalls;
    let all = stalls.idle + stalls.scoreboard + stalls.pipeline + stalls.issued;
    // One SM has a block, from the end of cycle 0 to the end of the last one.
    assert_eq!(all, (results.cycles - 1) * 4);
    assert_eq!(stalls.issued, results.kernels[0].warp_instructions);
}

#[test]
fn overrides_reach_the_launch() {
    let program: Program = serde_json::from_str(PROGRAMS[0]).unwrap();
    let overrides = Overrides {
        grid: Some("7".parse().unwrap()),
        ..Overrides::default()
    };
    let launch = Launch::of_program(&program.with(&overrides).unwrap()).unwrap();
    assert_eq!(launch.blocks, 7);
}
