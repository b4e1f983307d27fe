//! Tests that results do not change if gpusched skips idle cycles, and that repeated runs have equal results.

use super::{
    BlockRecord, Client, ClientAccess, ClientBudget, Gpu, KernelTraffic, Launch, Results, Settings,
    WarmBuffer,
};
use crate::machine::Machine;
use crate::program::{Overrides, Program};
use gpusched_model::Scheduler;

const PROGRAMS: [&str; 4] = [
    include_str!("../../../../tasksets/kernels/programs/vadd.json"),
    include_str!("../../../../tasksets/kernels/programs/chase.json"),
    include_str!("../../../../tasksets/kernels/programs/conv2d.json"),
    include_str!("../../../../tasksets/kernels/programs/pc.json"),
];

/// Returns small launches of the programs. Each program starts `at` cycles after the previous program.
fn launches(at: u64) -> Vec<Launch> {
    let programs = PROGRAMS.map(|text| serde_json::from_str::<Program>(text).unwrap());
    let mut launches: Vec<Launch> = programs
        .iter()
        .map(|program| Launch::of_program(program).unwrap())
        .collect();
    for (launch, blocks) in launches.iter_mut().zip([20, 2, 12, 9]) {
        launch.blocks = launch.blocks.min(blocks);
    }
    for (index, launch) in (0..).zip(&mut launches) {
        (launch.at, launch.budget) = (at * u64::from(index), index);
    }
    launches
}

fn run(machine: &Machine, launches: &[Launch], scheduler: Scheduler, warm: bool, skips: bool) -> Results {
    let warm = if warm {
        vec![WarmBuffer {
            kernel: 0,
            address: 0xC000_0000,
            bytes: 1 << 20,
        }]
    } else {
        Vec::new()
    };
    let settings = Settings {
        scheduler,
        sms: Some(3),
        warm,
        record_issues: Some(usize::MAX),
        limit: 1_000_000,
        ..Settings::default()
    };
    let mut gpu = Gpu::new(machine, launches, &settings, false).unwrap();
    gpu.skips = skips;
    gpu.run(settings.limit, &mut |_| ()).unwrap();
    gpu.finish()
}

#[test]
fn leaving_out_idle_cycles_changes_nothing() {
    for name in ["rtx2060", "titanv"] {
        let mut shape = Machine::named(name).unwrap().into_shape();
        shape.dispatch.share_sms = name == "titanv";
        let machine = Machine::new(shape).unwrap();
        for (scheduler, warm, at) in [
            (Scheduler::Lrr, false, 5000),
            (Scheduler::Gto, true, 300),
            (Scheduler::Qaws, false, 40),
            (Scheduler::QawsPrinted, false, 40),
            (Scheduler::RtPawsPrinted, true, 40),
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

/// Tests that each SM of a cluster works first in every second cycle, and that clusters keep their order.
#[test]
fn the_sms_of_a_cluster_take_turns() {
    let launches = launches(0);
    let settings = Settings {
        sms: Some(4),
        limit: 1_000_000,
        ..Settings::default()
    };
    for (name, odd) in [("titanv", [1, 0, 3, 2]), ("rtx2060", [0, 1, 2, 3])] {
        let machine = Machine::named(name).unwrap();
        let mut gpu = Gpu::new(&machine, &launches, &settings, false).unwrap();
        for now in 0..4 {
            gpu.now = now;
            let order: Vec<usize> = (0..4).map(|position| gpu.in_turn(position)).collect();
            let expected = if now % 2 == 0 { [0, 1, 2, 3] } else { odd };
            assert_eq!(order, expected, "{name} cycle {now}");
        }
    }
}

/// Returns a kernel without memory accesses, with `blocks` blocks of 512 threads. If `uneven` is
/// true, odd blocks run more loop rounds than even blocks.
fn compute(blocks: u64, uneven: bool) -> Launch {
    let rounds = if uneven { "4 + block % 2" } else { "4" };
    let text = format!(
        r#"{{"name":"compute","grid":{blocks},"block":512,"body":[
            {{"loop":"{rounds}","body":[{{"op":"mad.single","to":"f1","from":["f1","f2"]}}]}}]}}"#
    );
    Launch::of_program(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn equal_sms_are_simulated_once() {
    let settings = Settings {
        scheduler: Scheduler::Gto,
        sms: Some(8),
        limit: 1_000_000,
        ..Settings::default()
    };
    let simulated = |machine: &str, blocks: u64, uneven: bool| {
        let machine = Machine::named(machine).unwrap();
        let launches = [compute(blocks, uneven)];
        let mut gpu = Gpu::new(&machine, &launches, &settings, true).unwrap();
        gpu.run(settings.limit, &mut |_| ()).unwrap();
        (gpu.classes.simulated(), gpu.finish())
    };
    for (machine, blocks, uneven, expected) in [
        // Each SM can run two blocks concurrently. The first three cases need one wave of blocks,
        // three waves, and three waves with some idle SMs in the last wave.
        ("rtx2060", 16, false, 1),
        ("rtx2060", 48, false, 1),
        ("rtx2060", 45, false, 2),
        // Every second SM receives the longer blocks.
        ("rtx2060", 16, true, 2),
        // The second SM of a cluster receives its block one cycle after the first SM.
        ("titanv", 32, false, 2),
        ("rtx2060", 3, false, 2),
    ] {
        let (count, results) = simulated(machine, blocks, uneven);
        assert_eq!(count, expected, "{machine} {blocks} {uneven}");
        let full = super::run(
            &Machine::named(machine).unwrap(),
            &[compute(blocks, uneven)],
            &settings,
        );
        assert_eq!(full.unwrap(), results);
    }
    // Blocks differ if the values that they read differ.
    for (values, expected) in [("[4,4,4,4]", 1), ("[4,5,4,5]", 2), ("[4,5,6,4]", 3)] {
        let text = format!(
            r#"{{"name":"k","grid":16,"block":512,"buffers":{{"rounds":{{"bytes":16,"values":{values}}}}},"body":[
                {{"loop":"value(rounds, block % 4)","body":[{{"op":"mad.single","to":"f1","from":["f1","f2"]}}]}}]}}"#
        );
        let launches = [Launch::of_program(&serde_json::from_str(&text).unwrap()).unwrap()];
        let machine = Machine::named("rtx2060").unwrap();
        let mut gpu = Gpu::new(&machine, &launches, &settings, true).unwrap();
        gpu.run(settings.limit, &mut |_| ()).unwrap();
        assert_eq!(gpu.classes.simulated(), expected, "{values}");
        assert!(gpu.finish() == super::run(&machine, &launches, &settings).unwrap());
    }
}

/// A run that pauses after each round has the same results as a run without pauses. A run that stops early equals the
/// start of the whole run.
#[test]
fn rounds_are_parts_of_the_run() {
    let machine = Machine::named("rtx2060").unwrap();
    for text in PROGRAMS {
        let program: Program = serde_json::from_str(text).unwrap();
        let mut launch = Launch::of_program(&program).unwrap();
        launch.blocks = launch.blocks.min(30);
        let bytes = program.buffers.iter().map(|(_, buffer)| buffer.bytes);
        let mut settings = Settings {
            sms: Some(2),
            warm: program
                .addresses()
                .into_iter()
                .zip(bytes)
                .map(|(address, bytes)| WarmBuffer {
                    kernel: 0,
                    address,
                    bytes,
                })
                .collect(),
            record_issues: Some(usize::MAX),
            limit: 1_000_000,
            ..Settings::default()
        };
        let launches = [launch];
        let full = super::run(&machine, &launches, &settings).unwrap();
        assert_eq!(full.traffic.l2_misses, 0);
        let rounds = |settings: &Settings, most: usize| {
            let mut stops = |ended: &[BlockRecord], _: KernelTraffic| ended.len() >= most;
            super::run_rounds(&machine, &launches, settings, 4, &mut stops).unwrap()
        };
        assert!(
            rounds(&settings, usize::MAX) == (full.clone(), true),
            "{}",
            program.name
        );
        let is_start = |part: &Results| {
            assert_eq!(part.blocks, full.blocks[..part.blocks.len()]);
            assert!(part.issues.iter().all(|issue| full.issues.contains(issue)));
        };
        let (part, whole) = rounds(&settings, 5);
        assert!(whole && full.blocks.len() < 8 || !whole && part.blocks.len() >= 8);
        is_start(&part);
        settings.limit = full.cycles / 2;
        let (part, whole) = rounds(&settings, usize::MAX);
        assert!(!whole && part.cycles <= settings.limit + 1);
        is_start(&part);
    }
}

/// Runs two equal launches, the second at cycle `at`. Returns the response time of the second launch, and the number of
/// clock restarts.
fn second(machine: &Machine, program: &Program, at: u64, restart_clocks: bool, skips: bool) -> (u64, u64) {
    let mut launches = [(); 2].map(|()| Launch::of_program(program).unwrap());
    launches[1].at = at;
    let settings = Settings {
        scheduler: Scheduler::Gto,
        sms: Some(1),
        warm: vec![WarmBuffer {
            kernel: 0,
            address: 0xC000_0000,
            bytes: 1 << 20,
        }],
        restart_clocks,
        limit: 10_000_000,
        ..Settings::default()
    };
    let mut gpu = Gpu::new(machine, &launches, &settings, false).unwrap();
    gpu.skips = skips;
    gpu.run(settings.limit, &mut |_| ()).unwrap();
    let restarted = gpu.restarted;
    (gpu.finish().kernels[1].finish - at, restarted)
}

/// Returns `chase.json` with one warp, whose loads reach L2 one after the other.
fn chase() -> Program {
    let program: Program = serde_json::from_str(PROGRAMS[1]).unwrap();
    let one = Overrides {
        grid: Some("1".parse().unwrap()),
        block: Some("32".parse().unwrap()),
        ..Overrides::default()
    };
    program.with(&one).unwrap()
}

/// Tests launches on an idle GPU. If the clocks restart, such a launch takes as long as a launch at cycle 0. Otherwise,
/// the durations differ.
#[test]
fn a_launch_on_an_idle_gpu_restarts_the_clocks() {
    let program = chase();
    for [interconnect_khz, l2_khz, dram_khz] in [
        [1_000_000, 2_900_000, 5_000_000],
        [1_100_000, 800_000, 900_000],
        [1_365_000, 1_365_000, 3_500_500],
    ] {
        let mut shape = Machine::named("rtx2060").unwrap().into_shape();
        shape.clocks.interconnect_khz = interconnect_khz;
        shape.clocks.l2_khz = l2_khz;
        shape.clocks.dram_khz = dram_khz;
        let machine = Machine::new(shape).unwrap();
        let mut alone = [Launch::of_program(&program).unwrap()];
        let settings = Settings {
            scheduler: Scheduler::Gto,
            sms: Some(1),
            warm: vec![WarmBuffer {
                kernel: 0,
                address: 0xC000_0000,
                bytes: 1 << 20,
            }],
            restart_clocks: true,
            limit: 10_000_000,
            ..Settings::default()
        };
        let expected = super::run(&machine, &alone, &settings).unwrap().kernels[0].finish;
        let mut others = 0;
        for at in (expected + 1..).step_by(997).take(20) {
            assert_eq!(second(&machine, &program, at, true, true), (expected, 1), "{at}");
            assert_eq!(second(&machine, &program, at, true, false), (expected, 1), "{at}");
            others += u32::from(second(&machine, &program, at, false, true) != (expected, 0));
        }
        assert_eq!(others > 0, interconnect_khz != l2_khz, "{others}");
        // If a kernel is launched while the first kernel runs or waits for its launch latency, no clock restarts.
        assert_eq!(second(&machine, &program, expected - 1, true, true).1, 0);
        // With a launch latency, the clocks restart at the launch, before the first block may start.
        alone[0].at = 5000;
        alone[0].latency = 5000;
        let first = super::run(&machine, &alone, &settings).unwrap().kernels[0].finish;
        let launches = [0, first + 5].map(|launched| Launch {
            at: launched + 5000,
            latency: 5000,
            ..Launch::of_program(&program).unwrap()
        });
        let both = super::run(&machine, &launches, &settings).unwrap();
        assert_eq!(both.kernels[1].finish - launches[1].launched(), first);
    }
}

/// Returns three memory clients: a regulated core, a core with random reads, and a copy of `total` lines.
fn clients(total: u64) -> Vec<Client> {
    let client = |name: &str, access, place: u64| Client {
        name: name.to_owned(),
        start: 10 * place,
        address: 0xE000_0000 + (place << 24),
        lines: 5000,
        access,
        random: false,
        total: None,
        outstanding: 20,
        think: 0,
        interval: 1,
        budget: None,
        channels: None,
    };
    let to = 0xF000_0000;
    let budget = ClientBudget {
        requests: 100,
        period: 1000,
        phase: 37,
        first: vec![0, 30],
    };
    vec![
        Client {
            budget: Some(budget),
            ..client("regulated", ClientAccess::Write, 0)
        },
        Client {
            random: true,
            think: 100,
            ..client("random", ClientAccess::Read, 1)
        },
        Client {
            total: Some(total),
            ..client("copy", ClientAccess::Copy { to }, 2)
        },
    ]
}

#[test]
fn leaving_out_idle_cycles_changes_nothing_beside_clients() {
    let machine = Machine::named("rtx2060").unwrap();
    for at in [5000, 40] {
        let launches = launches(at);
        let settings = Settings {
            sms: Some(3),
            clients: clients(1000),
            limit: 1_000_000,
            ..Settings::default()
        };
        let run = |settings: &Settings, skips: bool| {
            let mut gpu = Gpu::new(&machine, &launches, settings, false).unwrap();
            gpu.skips = skips;
            gpu.run(settings.limit, &mut |_| ()).unwrap();
            gpu.finish()
        };
        let fast = run(&settings, true);
        assert_eq!(fast, run(&settings, false));
        for (client, sent) in settings.clients.iter().zip(&fast.clients) {
            let all = sent.reads + sent.writes;
            assert!(
                sent.ended > 1000 && all - sent.ended <= u64::from(client.outstanding),
                "{sent:?}"
            );
        }
        let [regulated, _, copy] = fast.clients.as_slice() else {
            panic!("{:?}", fast.clients)
        };
        assert_eq!(regulated.most_in_period, 100);
        assert_eq!((copy.reads, copy.writes, copy.ended), (1000, 1000, 2000));
        assert!(copy.finish.is_some_and(|finish| finish < fast.cycles));
        // Clients without budget change neither times nor traffic.
        let alone = Settings {
            clients: Vec::new(),
            ..settings.clone()
        };
        let mut idle = settings;
        for client in &mut idle.clients {
            client.budget = Some(ClientBudget {
                requests: 0,
                period: 1000,
                phase: 0,
                first: Vec::new(),
            });
        }
        let (alone, idle) = (run(&alone, true), run(&idle, true));
        assert_eq!((&alone.kernels, &alone.blocks), (&idle.kernels, &idle.blocks));
        assert!(alone.kernels[0].finish < fast.kernels[0].finish);
    }
}
