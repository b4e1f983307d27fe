//! Tests that compare SMs simulated ahead with SMs simulated cycle by cycle.

use super::*;
use crate::gpu::{Launch, Settings, WarmBuffer};
use crate::machine::{Arbiter, Hash, Machine};
use crate::program::Program;
use gpusched_model::Scheduler;

/// Returns variants of the machine `named`. The variants differ in clocks and queue sizes.
fn machines(named: &Machine) -> Vec<Machine> {
    let core = 1_365_000;
    let mut machines = Vec::new();
    for (
        [interconnect_khz, l2_khz, dram_khz],
        [ejection, responses, input, output],
        [into_l2, latency],
        arbiter,
    ) in [
        (
            [core, core, 3_500_500],
            [32, 2, 512, 512],
            [64, 194],
            Arbiter::Islip,
        ),
        (
            [core, core, 3_500_500],
            [32, 2, 512, 512],
            [5, 194],
            Arbiter::RoundRobin,
        ),
        ([core, core, 900_000], [2, 1, 512, 5], [4, 60], Arbiter::Islip),
        (
            [core, core, 3_500_500],
            [32, 2, 512, 1],
            [64, 194],
            Arbiter::Islip,
        ),
        (
            [core, core, 3_500_500],
            [1, 2, 512, 4],
            [8, 40],
            Arbiter::RoundRobin,
        ),
        (
            [1_000_000, core, 3_500_500],
            [3, 1, 64, 512],
            [64, 20],
            Arbiter::Islip,
        ),
        (
            [1_000_000, 2_900_000, 5_000_000],
            [1, 2, 512, 4],
            [6, 194],
            Arbiter::Islip,
        ),
        (
            [2_500_000, 3_000_000, 3_500_500],
            [1, 2, 512, 512],
            [64, 1],
            Arbiter::Islip,
        ),
        (
            [2_500_000, 800_000, 3_500_500],
            [2, 2, 512, 6],
            [7, 100],
            Arbiter::RoundRobin,
        ),
        (
            [core, 2_900_000, 3_500_500],
            [1, 1, 66, 512],
            [64, 1],
            Arbiter::Islip,
        ),
        (
            [core, 700_000, 3_500_500],
            [2, 3, 512, 512],
            [64, 2],
            Arbiter::Islip,
        ),
        (
            [core, core, 3_500_500],
            [32, 2, 512, 512],
            [64, 1],
            Arbiter::Islip,
        ),
        (
            [core, core, 3_500_500],
            [32, 2, 512, 512],
            [64, 0],
            Arbiter::Islip,
        ),
        ([core, core, 3_500_500], [2, 3, 4, 512], [64, 5], Arbiter::Islip),
    ] {
        let mut shape = named.clone().into_shape();
        shape.clocks.interconnect_khz = interconnect_khz;
        shape.clocks.l2_khz = l2_khz;
        shape.clocks.dram_khz = dram_khz;
        shape.interconnect.ejection_buffer = ejection;
        shape.interconnect.response_buffer = responses;
        shape.interconnect.input_buffer = input;
        shape.interconnect.output_buffer = output;
        shape.interconnect.arbiter = arbiter;
        shape.memory.queues.icnt_to_l2 = into_l2;
        shape.memory.rop_latency = latency;
        if arbiter == Arbiter::RoundRobin {
            // A small L2 still writes lines back when the run ends, and after the run has ended.
            shape.memory.l2.sets = 2;
            shape.memory.l2.ways = 2;
            shape.memory.l2.set_index = Hash::Linear;
        }
        machines.push(Machine::new(shape).unwrap());
    }
    machines
}

/// Returns whether the memory side moved sectors after the end of the run.
fn moves_later(gpu: &Gpu) -> bool {
    gpu.below.meter.before(gpu.now) != gpu.below.meter.before(u64::MAX)
}

#[test]
fn going_ahead_changes_nothing() {
    let texts = [
        include_str!("../../../../../tasksets/kernels/programs/vadd.json"),
        include_str!("../../../../../tasksets/kernels/programs/conv2d.json"),
        include_str!("../../../../../tasksets/kernels/programs/pc.json"),
    ];
    let mut launches: Vec<Launch> = texts
        .iter()
        .map(|text| Launch::of_program(&serde_json::from_str::<Program>(text).unwrap()).unwrap())
        .collect();
    for (index, launch) in launches.iter_mut().enumerate() {
        launch.blocks = launch.blocks.min(14);
        launch.at = 700 * index as u64;
    }
    // Numbers of runs with an event. `ahead`: an SM was ahead. `led`: the memory side was ahead.
    // `waits`: the memory side waited for room. `cut`: sectors moved after the last kernel had
    // ended. `restarted`: the clocks restarted.
    let (mut ahead, mut led, mut waits, mut cut, mut restarted) = (0, 0, 0, 0, 0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let mut machines = machines(&Machine::named("rtx2060").unwrap());
    // Two SMs share a port. The first variants of the clocks and of the queues suffice.
    machines.extend(self::machines(&Machine::named("titanv").unwrap()).drain(1..4));
    for (index, machine) in machines.iter().enumerate() {
        for (scheduler, sms) in [(Scheduler::Gto, 3), (Scheduler::RtPaws, 2), (Scheduler::Lrr, 1)] {
            // In every second machine, the kernels run one after the other, and the clocks restart.
            let restart_clocks = index % 2 == 1;
            for (index, launch) in launches.iter_mut().enumerate() {
                launch.at = if restart_clocks { 60_011 } else { 700 } * index as u64;
            }
            let mut settings = Settings {
                scheduler,
                sms: Some(sms),
                warm: vec![WarmBuffer {
                    kernel: 0,
                    address: 0xC000_0000,
                    bytes: 1 << 17,
                }],
                clients: Vec::new(),
                record_issues: Some(usize::MAX),
                camping: scheduler != Scheduler::Gto,
                restart_clocks,
                limit: 1_000_000,
                parallel: false,
            };
            let mut run = |skips: bool| {
                let mut gpu = Gpu::new(machine, &launches, &settings, false).unwrap();
                gpu.skips = skips;
                gpu.run(settings.limit, &mut |_| ()).unwrap();
                let most = gpu.ahead.iter().map(|ahead| ahead.most).max();
                assert!(skips || most == Some(1) && gpu.below.most == 0);
                ahead += u32::from(most > Some(1));
                led += u32::from(gpu.below.most > 1);
                waits += u32::from(gpu.below.waits > 0);
                cut += u32::from(moves_later(&gpu));
                restarted += gpu.restarted;
                gpu.finish()
            };
            let in_step = run(false);
            assert!(run(true) == in_step, "{index} {scheduler} {sms}");
            if !settings.camping {
                settings.parallel = true;
                let mut gpu = Gpu::new(machine, &launches, &settings, false).unwrap();
                gpu.parallel = true;
                let ended = pool.install(|| gpu.run(settings.limit, &mut |_| ()));
                assert!(
                    ended.is_ok() && gpu.finish() == in_step,
                    "{index} {scheduler} {sms}, 3 threads"
                );
            }
        }
    }
    assert_eq!((ahead, led, waits), (51, 30, 21));
    assert!(cut > 0);
    // In 24 pairs of runs, two kernels are launched on an idle GPU.
    assert_eq!(restarted, 96);
}
