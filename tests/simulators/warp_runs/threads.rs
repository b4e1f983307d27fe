//! A run that several threads share gives the results of a run on one thread, to the byte.

use gpusched::gpu::co_runs::synthetic::Synthetic;
use gpusched::gpu::gpu::{Launch, Results, Settings, run};
use gpusched::gpu::machine::Arbiter;
use gpusched::gpu::{Machine, Program};
use gpusched::model::Scheduler;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::rounds;

/// Returns `rtx2060` and `titanv` with their own latency before a slice, and with the shortest latencies that let SMs and memory run
/// at the same time. The last two machines have so few places for replies that they often run in step.
fn machines() -> Vec<Machine> {
    let mut machines = Vec::new();
    for (latency, places) in [(None, 512), (Some(7), 512), (Some(3), 60), (Some(40), 9)] {
        for name in ["rtx2060", "titanv"] {
            let mut shape = Machine::named(name).unwrap().into_shape();
            shape.memory.rop_latency = latency.unwrap_or(shape.memory.rop_latency);
            shape.interconnect.output_buffer = places;
            if latency == Some(3) {
                shape.interconnect.arbiter = Arbiter::RoundRobin;
                shape.clocks.l2_khz = shape.clocks.core_khz / 2;
            }
            machines.push(Machine::new(shape).unwrap());
        }
    }
    machines
}

/// Runs `launches` on 22 SMs on each number of threads.
fn check(machine: &Machine, launches: &[Launch], case: &str) {
    let of = |threads: usize, limit: u64| {
        let settings = Settings {
            scheduler: Scheduler::Gto,
            sms: Some(22),
            record_issues: Some(usize::MAX),
            restart_clocks: true,
            limit,
            parallel: threads > 1,
            ..Settings::default()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| run(machine, launches, &settings))
    };
    let one: Results = of(1, 5_000_000).unwrap();
    for threads in [2, 3, 7] {
        assert!(
            of(threads, 5_000_000).as_ref() == Ok(&one),
            "{case}, {threads} threads"
        );
    }
    // A run that reaches its limit fails equally.
    assert_eq!(of(2, one.cycles / 9).err(), of(1, one.cycles / 9).err(), "{case}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut random = ChaCha8Rng::seed_from_u64(56);
    let machines = machines();
    for round in 0..rounds(40_u64) {
        let machine = &machines[round as usize % machines.len()];
        let mut launches: Vec<Launch> = Vec::new();
        for number in 0..1 + round % 3 {
            let program = Synthetic::draw(&mut random).program().unwrap();
            let mut launch = Launch::of_program(&program).unwrap();
            launch.at = number * (1 + round % 4 * 700);
            launches.push(launch);
        }
        check(machine, &launches, &format!("round {round}"));
    }
    for (machine, text) in machines.iter().zip([
        include_str!("../../../tasksets/kernels/programs/vadd.json"),
        include_str!("../../../tasksets/kernels/programs/conv2d.json"),
    ]) {
        let program: Program = serde_json::from_str(text).unwrap();
        let mut launch = Launch::of_program(&program).unwrap();
        launch.blocks = 110;
        check(machine, &[launch], &program.name);
    }
}
