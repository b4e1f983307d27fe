//! Tests that a part of the memory behaves like a smaller memory, and that kernels with separate parts do not
//! interfere.

use gpusched::gpu::gpu::{Failure, KernelTraffic, Launch, Settings, WarmBuffer, run};
use gpusched::gpu::{Machine, Program};
use gpusched::model::Scheduler;

const PROGRAMS: [&str; 3] = [
    include_str!("../../../tasksets/kernels/programs/vadd.json"),
    include_str!("../../../tasksets/kernels/programs/copyl.json"),
    include_str!("../../../tasksets/kernels/programs/conv2d.json"),
];

fn launch(program: usize, sms: std::ops::Range<usize>, machine: &Machine) -> Launch {
    let program: Program = serde_json::from_str(PROGRAMS[program]).unwrap();
    let mut launch = Launch::of_program(&program).unwrap();
    launch.blocks = launch.blocks.min(60);
    launch.sms = Some((0..machine.sms() as usize).map(|sm| sms.contains(&sm)).collect());
    launch
}

/// Returns the end time and the traffic of each kernel.
fn times(machine: &Machine, launches: &[Launch], scheduler: Scheduler) -> Vec<(u64, KernelTraffic, u64)> {
    let warm = |kernel: usize| WarmBuffer {
        kernel: kernel as u8,
        address: 0xC000_0000,
        bytes: 1 << 16,
    };
    let settings = Settings {
        scheduler,
        warm: (0..launches.len()).map(warm).collect(),
        limit: 1_000_000,
        ..Settings::default()
    };
    let results = run(machine, launches, &settings).unwrap();
    let kernels = results.kernels.iter();
    kernels
        .map(|kernel| (kernel.finish, kernel.traffic, kernel.left_dirty))
        .collect()
}

fn machines() -> [Machine; 2] {
    ["rtx2060", "titanv"].map(|name| Machine::named(name).unwrap())
}

#[test]
fn a_part_equals_a_smaller_memory() {
    let [rtx2060, titanv] = machines();
    let parts = [
        (rtx2060, [vec![0, 1, 2], vec![2, 5, 6, 11], vec![7]]),
        (
            titanv,
            [(0..8).collect(), (9..14).collect(), (0..24).step_by(3).collect()],
        ),
    ];
    for (machine, parts) in parts {
        for (program, channels) in parts.into_iter().enumerate() {
            let mut launch = launch(program, 0..4, &machine);
            let mut small = machine.clone().into_shape();
            small.memory.channels = channels.len() as u32;
            let small = Machine::new(small).unwrap();
            let expected = times(&small, std::slice::from_ref(&launch), Scheduler::Lrr);
            let whole = times(&machine, std::slice::from_ref(&launch), Scheduler::Lrr);
            assert_ne!(expected, whole);
            launch.channels = Some(channels);
            assert_eq!(times(&machine, &[launch], Scheduler::Lrr), expected);
        }
    }
}

#[test]
fn some_ways_equal_a_smaller_cache() {
    for machine in machines() {
        for ways in [vec![0], vec![3, 4, 9]] {
            let mut launch = launch(2, 0..4, &machine);
            let mut small = machine.clone().into_shape();
            small.memory.l2.ways = ways.len() as u32;
            let small = Machine::new(small).unwrap();
            let expected = times(&small, std::slice::from_ref(&launch), Scheduler::Gto);
            launch.l2_ways = Some(ways);
            assert_eq!(times(&machine, &[launch], Scheduler::Gto), expected);
        }
    }
}

/// If each kernel has its own SMs and channels, each kernel takes exactly as long as in isolation. If all kernels share
/// the channels, they take longer.
#[test]
fn channels_of_their_own_separate_kernels() {
    let mut slower = 0;
    for machine in machines() {
        let channels = machine.memory.channels;
        for (seed, scheduler) in [(0, Scheduler::Lrr), (1, Scheduler::Gto), (2, Scheduler::Lrr)] {
            let cut = channels / 4 + seed * channels / 6;
            let mut launches = [
                launch(seed as usize, 0..6, &machine),
                launch((seed as usize + 1) % 3, 6..24, &machine),
            ];
            // The dispatcher has started blocks of the other kernel before this one.
            launches[seed as usize % 2].at = 1170 + 411 * u64::from(seed);
            let shared = times(&machine, &launches, scheduler);
            launches[0].channels = Some((0..cut).collect());
            launches[1].channels = Some((cut..channels).collect());
            let together = times(&machine, &launches, scheduler);
            for (kernel, found) in together.iter().enumerate() {
                let mut alone = launches[kernel].channels.take();
                let shared_alone = times(&machine, std::slice::from_ref(&launches[kernel]), scheduler);
                slower += usize::from(shared[kernel].0 > shared_alone[0].0);
                std::mem::swap(&mut launches[kernel].channels, &mut alone);
                let alone = times(&machine, std::slice::from_ref(&launches[kernel]), scheduler);
                assert_eq!(found, &alone[0], "{} {seed} {kernel}", machine.name);
            }
        }
    }
    assert!(slower >= 4, "{slower}");
}

#[test]
fn parts_that_do_not_exist_are_refused() {
    let machine = Machine::named("rtx2060").unwrap();
    for bad in [vec![], vec![0, 16]] {
        let mut first = launch(0, 0..1, &machine);
        let mut second = launch(0, 0..1, &machine);
        first.channels = Some(bad.clone());
        second.l2_ways = Some(bad);
        for launch in [first, second] {
            let found = run(&machine, &[launch], &Settings::default());
            assert!(matches!(found, Err(Failure::Part { .. })), "{found:?}");
        }
    }
}
