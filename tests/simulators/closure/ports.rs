//! Kernels whose replies hold the ports of clusters: co-runs where memory time without ports is no bound.
//!
//! The folder `ports` contains the co-runs and `expected.json`. Cycles, times in isolation, holds and bounds were computed
//! independently, with another copy of the simulator. `longest cold` is the longest time of 24 runs in isolation, and
//! the bounds of the file use it. gpusched uses such a time only after one cold run was too short, so the test exchanges
//! the two times.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gpusched_gpu::co_runs::draw::Kernels;
use gpusched_gpu::co_runs::{Division, Examiner, Form, Placement};
use gpusched_gpu::machine::MachineShape;
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::stress::{L2, Level, Pattern, Rates, Stress, Use};
use gpusched_gpu::warp_run::{KernelSource, WarpRunShape};
use gpusched_gpu::{Machine, Program, WarpRun};
use gpusched_model::streams::{Purpose, stream};
use serde::Deserialize;

use super::{STRESS, machine};
use crate::support::{root, rounds};

/// Rates of `gpusched simulate profile --stress --machine titanv`. With `GPUSCHED_TESTS=full`, a test measures them again.
static TITANV: LazyLock<Stress> = LazyLock::new(|| {
    let [program, _] = programs(read("ports/01-vadd-vadd-one-cluster"));
    let rates = [
        (Level::L2, Use::Balanced, 642_509_803_921),
        (Level::Dram, Use::Balanced, 56_407_438_068),
        (Level::L2, Use::Camping, 28_973_257_747),
        (Level::Dram, Use::Camping, 586_084_583),
    ];
    let patterns = rates.map(|(level, used, rate)| {
        let pattern = Pattern {
            name: "known",
            level,
            used,
            l2: L2::Cold,
            program: program.clone(),
        };
        (pattern, Rates { l2: rate, dram: rate })
    });
    Stress {
        patterns: patterns.into(),
    }
});

#[test]
fn the_rates_of_titanv() {
    if rounds(10_u64) == 1 {
        return;
    }
    let measured = Stress::measure(&Machine::find("titanv").unwrap(), || ()).unwrap();
    let known = (TITANV.balanced(), TITANV.universal());
    assert_eq!((measured.balanced(), measured.universal()), known);
}

#[derive(Deserialize)]
struct Expected {
    file: String,
    together: [u64; 2],
    alone: [u64; 2],
    cold: [u64; 2],
    #[serde(rename = "longest cold (24 runs)")]
    longest: u64,
    #[serde(rename = "others (reads, writes, hold)")]
    others: [[u64; 3]; 1],
    bounds: BTreeMap<String, Bound>,
}

#[derive(Deserialize)]
struct Bound {
    today: u64,
    #[serde(rename = "with ports")]
    with_ports: u64,
}

fn read(file: &str) -> WarpRunShape {
    let path = root().join(format!("tests/simulators/closure/{file}.json"));
    let run: WarpRun = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    run.into_shape()
}

fn examiner(run: &WarpRunShape) -> Examiner {
    match run.machine.name.as_str() {
        "rtx2060" => Examiner::new(machine(), &STRESS),
        _ => Examiner::new(Machine::find("titanv").unwrap(), &TITANV),
    }
}

/// Returns reads, writes and hold of the second kernel of `run` in isolation. The hold is the longest of the content of L2
/// as in the run, and of an empty L2.
fn other(run: &WarpRunShape) -> [u64; 3] {
    let mut alone = run.clone();
    alone.kernels.remove(0);
    let mut found = [0; 3];
    for warm in [run.warm, false] {
        alone.warm = warm;
        let run = WarpRun::new(alone.clone()).unwrap();
        let setup = Setup::new(&run, &root().join("run.json")).unwrap();
        let (results, _) = setup.run(Options::default(), &mut |_| ()).unwrap();
        let kernel = &results.kernels[0];
        let counts = [kernel.traffic.l2_reads, kernel.traffic.l2_writes, kernel.hold];
        found = std::array::from_fn(|index| found[index].max(counts[index]));
    }
    found
}

#[test]
fn time_at_ports_bounds_kernels_that_share_ports() {
    let path = root().join("tests/simulators/closure/ports/expected.json");
    let all: Vec<Expected> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(all.len(), 9);
    let varied = |time: u64| (120 * time).div_ceil(100);
    let mut beyond_memory_time = [0; 3];
    for expected in all {
        let file = &expected.file;
        let run = read(&format!("ports/{file}"));
        assert_eq!(other(&run), expected.others[0], "{file}");
        let victims = examiner(&run).examine(&run).unwrap().unwrap();
        let times = [0, 1].map(|kernel| victims[kernel].together);
        assert_eq!(times, expected.together, "{file}");
        assert_eq!(
            [0, 1].map(|kernel| victims[kernel].alone),
            expected.alone,
            "{file}"
        );
        for (index, (form, name)) in [
            (Form::Balanced, "balanced"),
            (Form::OwnDrain, "own-drain"),
            (Form::Universal, "universal"),
        ]
        .into_iter()
        .enumerate()
        {
            let bound = &expected.bounds[name];
            let found = victims[0].bound(form).unwrap() + varied(expected.longest);
            let computed = bound.with_ports + varied(expected.cold[0]);
            // gpusched rounds each time up, and the other computation rounds their sum.
            assert!(
                (computed..=computed + 2).contains(&found),
                "{file} {name}: {found} {computed}"
            );
            assert!(
                !victims[0].exceeds(form) && !victims[1].exceeds(form),
                "{file} {name}"
            );
            beyond_memory_time[index] += usize::from(expected.together[0] > bound.today);
        }
    }
    // Memory time alone is no bound: balanced, own-drain, universal.
    assert_eq!(beyond_memory_time, [6, 1, 2]);
}

/// On titanv-gpcs, SMs 0 and 12 are in one GPC, and SM 2 is in another. The bound counts the sectors of the other kernel at
/// the port of a shared GPC. No time exceeds the bound.
#[test]
fn kernels_in_one_gpc_share_its_port() {
    let mut run = read("ports/02-vadd-vadd-own-clusters");
    (run.machine, run.sms) = (Machine::find("titanv-gpcs").unwrap(), None);
    let examiner = Examiner::new(run.machine.clone(), &TITANV);
    let mut at = |sm: &str| {
        for (kernel, sms) in run.kernels.iter_mut().zip(["0", sm]) {
            kernel.sms = Some(sms.parse().unwrap());
        }
        examiner.examine(&run).unwrap().unwrap()
    };
    let (apart, shared, one_cluster) = (at("2"), at("12"), at("1"));
    for form in [Form::Balanced, Form::OwnDrain, Form::Universal] {
        let [apart, shared, one_cluster] =
            [&apart, &shared, &one_cluster].map(|victims| victims[0].bound(form).unwrap() - victims[0].alone);
        // 2,048 sectors of reads and 1,024 of writes
        let cycles = (2048.0 / 3.58265 + 1024.0 / 2.302) as u64;
        assert!(
            (cycles..=cycles + 3).contains(&(shared - apart)),
            "{form:?}: {apart} {shared}"
        );
        assert!(one_cluster > shared, "{form:?}");
    }
    for victims in [&apart, &shared, &one_cluster] {
        let exceeds = |form: &Form| victims.iter().any(|victim| victim.exceeds(*form));
        assert!(!Form::ALL[1..].iter().any(exceeds));
    }
    assert_eq!(apart[0].alone, shared[0].alone);
}

/// Without the time at ports, universal rates have a counterexample, although each kernel has its own clusters. One kernel
/// refuses the replies to its loads past L1 while other warps of the same SM compute. These replies then block slices of
/// L2, so the matrix multiplication on other SMs waits, too. `gpusched validate --warps --bound universal --systems 30
/// --seed 5` found this co-run with the programs starve4, matmul, pc and vadd, when bounds contained no time at ports.
#[test]
fn refused_replies_need_the_time_at_ports_on_own_clusters() {
    let run = read("runs/16-starved-slices");
    let victims = examiner(&run).examine(&run).unwrap().unwrap();
    let victim = &victims[0];
    assert_eq!((victim.name.as_str(), victim.together), ("0-matmul", 163_099));
    assert!(victims.iter().all(|victim| !victim.exceeds(Form::Universal)));
    // A port of this machine passes one packet per core cycle.
    let [_, _, hold] = other(&run);
    let over = victim.together as f64 / (victim.bound(Form::Universal).unwrap() - hold) as f64;
    assert!(over > 1.6, "{over}");
}

/// With the time at ports, universal rates have a counterexample, too: the kernel that refuses replies has lower rates than
/// all patterns. Its own rates (`own-drain`) cover this. `gpusched validate --warps --synthetic --bound universal --placement
/// split --systems 180 --seed 5405` found this co-run on a machine as rtx2060 with two SMs per cluster.
#[test]
fn a_kernel_that_refuses_replies_is_slower_than_universal_rates() {
    let run = read("runs/17-refusing-beside-transpose");
    let examiner = Examiner::new(run.machine.clone(), &STRESS);
    let victims = examiner.examine(&run).unwrap().unwrap();
    let victim = &victims[0];
    assert_eq!(victim.name, "0-transpose");
    assert!(victim.ratio(Form::Universal).unwrap() > 1.5, "{victim:?}");
    assert!(
        !victims.iter().any(|victim| victim.exceeds(Form::OwnDrain)),
        "{victims:?}"
    );
}

/// Returns the programs of the kernels of `run`.
pub fn programs(run: WarpRunShape) -> [Program; 2] {
    let programs = run.kernels.into_iter().map(|kernel| match kernel.program {
        KernelSource::Program(program) => *program,
        other => panic!("{other:?}"),
    });
    programs.collect::<Vec<_>>().try_into().unwrap()
}

/// An SM can refuse replies to loads past L1 and to atomics, wherever they are in a program.
#[test]
fn instructions_show_whether_a_kernel_is_accepting() {
    let machine = machine();
    let accepting = |program: &Program| program.is_accepting(&machine);
    let [vadd, _] = programs(read("ports/01-vadd-vadd-one-cluster"));
    let [chase, through_l1] = programs(read("ports/08-chase-reads-through-l1-own-clusters"));
    let [_, one_bank] = programs(read("ports/10-fig9-intruder-same-cluster"));
    let starved = std::fs::read_to_string(root().join("tests/simulators/closure/starve4.json")).unwrap();
    let starved: Program = serde_json::from_str(&starved).unwrap();
    assert!(accepting(&vadd) && accepting(&through_l1));
    assert!(!accepting(&chase) && !accepting(&one_bank) && !accepting(&starved));
    let with = |statement: &str| {
        let text = format!(
            r#"{{"name":"a","grid":1,"block":32,"shared_memory":64,"buffers":{{"a":64}},"body":[{statement},{{"op":"exit"}}]}}"#
        );
        accepting(&serde_json::from_str(&text).unwrap())
    };
    let access = |op: &str, more: &str| format!(r#"{{"op":"{op}","to":"f1","address":"{more},"bytes":4}}"#);
    let load = access("load", r#"a","cache":"l2""#);
    assert!(!with(&load) && with(&access("load", r#"a""#)));
    assert!(!with(&access("atomic", r#"a""#)) && with(&access("atomic", r#"0","space":"shared""#)));
    for nested in [
        format!(r#"{{"loop":2,"body":[{load}]}}"#),
        format!(r#"{{"repeat":2,"body":[{load}]}}"#),
        format!(r#"{{"if":"thread < 9","then":[{load}]}}"#),
        format!(r#"{{"if":"thread < 9","then":[],"else":[{load}]}}"#),
    ] {
        assert!(!with(&nested), "{nested}");
    }
    let changes: [fn(&mut MachineShape); 3] = [
        |machine| machine.l1.skip_global = true,
        |machine| machine.interconnect.response_buffer = 1,
        |machine| machine.l1.cache.as_mut().unwrap().port_bytes = 16,
    ];
    for change in changes {
        let mut other = machine.clone().into_shape();
        change(&mut other);
        assert!(!vadd.is_accepting(&other));
    }
}

/// Random kernels: each reply to an accepting kernel holds a port for exactly one cycle, and every reply for at least one.
#[test]
fn accepting_kernels_hold_ports_for_one_cycle_per_sector() {
    let machine = Machine::find("titanv").unwrap();
    let kernels = Kernels {
        machine: &machine,
        programs: &[],
        synthetic: true,
        division: Division::Shared,
        placement: Placement::Split,
    };
    let (mut one, mut more) = (0, 0);
    for index in 0..40 {
        let mut random = stream(11, Purpose::CoRuns, 0, index);
        let mut shape = kernels.run(&kernels.co_run(&mut random).unwrap()).unwrap();
        shape.sms = Some(4);
        shape.warm = false;
        shape.kernels.truncate(1);
        shape.kernels[0].sms = None;
        shape.kernels[0].grid = Some("4".parse().unwrap());
        let KernelSource::Program(program) = shape.kernels[0].program.clone() else {
            panic!("{shape:?}")
        };
        let run = WarpRun::new(shape).unwrap();
        let setup = Setup::new(&run, &root().join("run.json")).unwrap();
        let options = Options {
            limit: 20_000,
            ..Options::default()
        };
        let Some(results) = setup.run_within(options).unwrap() else {
            continue;
        };
        let kernel = &results.kernels[0];
        let sectors = kernel.traffic.l2_reads + kernel.traffic.l2_writes;
        match program.is_accepting(&machine) {
            true => assert_eq!(kernel.hold, sectors, "{index}"),
            false => assert!(kernel.hold >= sectors, "{index}"),
        }
        one += usize::from(program.is_accepting(&machine));
        more += usize::from(kernel.hold > sectors);
    }
    assert!(one > 10 && more > 2, "{one} {more}");
}
