//! Bounds on memory interference against concurrent kernels at the cycle level.
//!
//! The folder `runs` contains co-runs that slow kernels down in notable ways: by camping on a slice, a channel or a bank,
//! by lost hits in L2, and by writes that others must write back. The expected numbers were computed independently, but
//! for file 04: since the shared memory has a pipeline with a limited number of places, as in GPGPU-Sim, its kernel takes
//! 102,196 instead of 101,408 cycles. In isolation, it takes 80,848 cycles as before.
//!
//! `gpusched validate --warps` found files 13 to 15. In file 13, a kernel uses one channel at a time. Few reads of another
//! kernel change the order of its own reads, so that it misses L1 more often. In file 14, nine reads change the order of
//! stores at the crossbar. In file 15, one block of another kernel changes the distribution of blocks to SMs.
//!
//! File 16 contains no traffic of note. It shows that no form of memory time is a bound without the time at ports, if an
//! SM refuses replies.

mod channels;
mod parts;
mod ports;
mod serial_sum;

use std::sync::LazyLock;

use gpusched_gpu::co_runs::{self, Campaign, Division, Examiner, Form, Placement, Systems};
use gpusched_gpu::stress::{PATTERNS, Stress};
use gpusched_gpu::{Machine, Program, WarpRun};
use gpusched_sim::campaign::Campaign as _;

use crate::support::{root, run};

static STRESS: LazyLock<Stress> = LazyLock::new(|| Stress::measure(&machine(), || ()).unwrap());

fn machine() -> Machine {
    Machine::find("rtx2060").unwrap()
}

/// For each file, the victim, its time [core cycles], its slowdown, and its time divided by the bound of the peak
/// bandwidth.
const RUNS: [(&str, &str, u64, f64, f64); 15] = [
    ("01-mvt-starves-conv2d", "1-conv2d", 65_298, 5.174, 2.746),
    ("02-mvt-starves-pf", "1-m.pf", 91_046, 2.506, 2.098),
    ("03-vec-vec-saxpyl-warm-capacity", "0-s.vec", 35_843, 2.349, 1.542),
    ("04-matmul-beyond-serial", "0-matmul", 102_196, 1.264, 1.238),
    (
        "05-raytrace-buffers-evict-conv2d",
        "0-conv2d",
        5_364,
        1.108,
        1.108,
    ),
    ("06-vadd-vadd-vec-warm", "2-s.vec", 13_521, 1.385, 1.385),
    ("07-onebankw-copyl-x10", "0-copyl", 134_425, 10.537, 10.135),
    ("08-onebankw-copyl", "0-copyl", 37_438, 7.735, 7.597),
    ("09-camp-chase", "0-chase2", 68_291, 9.388, 6.069),
    ("10-slice-chase-cold", "0-chase2", 49_622, 4.593, 4.578),
    ("11-rowbank-copyl", "0-copyl", 27_913, 5.767, 4.526),
    ("12-rand-copyl-cold", "0-copyl", 19_505, 3.559, 1.806),
    ("13-camp-scattered", "0-synthetic", 84_550, 1.068, 1.068),
    ("14-writes-out-of-step", "1-synthetic", 6014, 1.177, 1.177),
    ("15-blocks-move", "0-matmul", 63_793, 1.385, 1.384),
];

/// All of these kernels exceed the bound of the peak bandwidth. Memory time at the lowest rates and at the own rates bounds
/// all kernels of files 01 to 15. The balanced rates fail only where a kernel camps. In file 10, which camps on a slice, the
/// time at ports covers the delay.
#[test]
fn the_peak_bandwidth_is_no_bound_and_memory_time_is() {
    let examiner = Examiner::new(machine(), &STRESS);
    let folder = root().join("tests/simulators/closure/runs");
    for (file, name, cycles, slowdown, over_peak) in RUNS {
        let text = std::fs::read_to_string(folder.join(format!("{file}.json"))).unwrap();
        let run: WarpRun = serde_json::from_str(&text).unwrap();
        let victims = examiner.examine(run.shape()).unwrap().unwrap();
        let victim = victims.iter().find(|victim| victim.name == name).unwrap();
        assert_eq!(victim.together, cycles, "{file}");
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-4, "{file}: {found}");
        near(victim.together as f64 / victim.alone as f64, slowdown);
        near(
            victim.together as f64 / victim.bound(Form::Peak).unwrap() as f64,
            over_peak,
        );
        for other in &victims {
            assert!(!other.exceeds(Form::Universal), "{file} {}", other.name);
            assert!(!other.exceeds(Form::OwnDrain), "{file} {}", other.name);
        }
        let camps = ["07", "08", "09", "11"]
            .iter()
            .any(|number| file.starts_with(number));
        let fails = victims.iter().any(|victim| victim.exceeds(Form::Balanced));
        assert_eq!(fails, camps, "{file}");
    }
}

#[test]
fn the_patterns_reach_what_they_should() {
    assert_eq!(STRESS.patterns.len() as u64, PATTERNS);
    let rate = |name: &str| {
        let found = STRESS.patterns.iter().find(|(pattern, _)| pattern.name == name);
        found.unwrap().1
    };
    // One slice serves one sector per L2 cycle: 32 bytes at 1.365 GHz.
    let slice = rate("one-slice-reads").l2;
    assert!((42_000_000_000..=43_680_000_000).contains(&slice), "{slice}");
    // A bank opens a row for each sector. The row cycle of the machine is the limit.
    let machine = machine();
    let row = u64::from(machine.memory.dram.timing.rc);
    let most = 32 * u64::from(machine.clocks.dram_khz) * 1000 / row;
    for name in ["one-bank-reads", "one-bank-writes"] {
        let bank = rate(name).dram;
        assert!(bank <= most && bank > most * 8 / 10, "{name}: {bank} of {most}");
    }
    assert!(STRESS.universal().l2 <= slice && STRESS.universal().dram < STRESS.balanced().dram / 20);
}

fn campaign(form: Form, systems: u64) -> Campaign {
    let program = |name: &str| {
        let path = root().join(format!("tasksets/kernels/programs/{name}.json"));
        let mut program: Program = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        program.grid = "30".parse().unwrap();
        program
    };
    Campaign {
        examiner: Examiner::new(machine(), &STRESS),
        programs: ["vadd", "copyl", "saxpyl"].map(program).into(),
        synthetic: true,
        kind: Systems::CoRuns(0),
        systems,
        seed: 3,
        form,
        division: Division::Shared,
        placement: Placement::Aligned,
        camping_limit: None,
    }
}

/// A fixed share of the co-runs of `gpusched validate --warps`. A violation of the weak bound is made small, and the small
/// run still violates the bound.
#[test]
fn random_co_runs_stay_below_memory_time() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut campaign = campaign(Form::OwnDrain, 12);
    let start = pool.install(|| campaign.run(None, |_| ())).unwrap();
    assert_eq!(start.co_runs + start.left_out, 12);
    assert!(start.co_runs >= 10);
    assert_eq!(start.violation, None);
    for tally in &start.forms {
        let sound = matches!(tally.form, Form::OwnDrain | Form::Universal);
        assert!(!sound || tally.exceeded == 0, "{tally:?}");
    }
    assert!(start.forms[0].exceeded > 0 && start.forms[0].worst > 1.0);

    campaign.form = Form::Peak;
    let (_, small) = pool
        .install(|| campaign.run(None, |_| ()))
        .unwrap()
        .violation
        .unwrap();
    assert_eq!(small.kernels.len(), 2);
    let victims = campaign.examiner.examine(&small).unwrap().unwrap();
    assert!(victims.iter().any(|victim| victim.exceeds(Form::Peak)));

    // Changes never decrease the worst ratio.
    let worst = |report: &co_runs::Report| {
        let mut forms = report.forms.iter();
        forms.find(|tally| tally.form == Form::OwnDrain).unwrap().worst
    };
    campaign.form = Form::OwnDrain;
    campaign.systems = 3;
    let start = worst(&pool.install(|| campaign.run(None, |_| ())).unwrap());
    campaign.kind = Systems::CoRuns(5);
    let climbed = worst(&pool.install(|| campaign.run(None, |_| ())).unwrap());
    assert!(climbed > start && climbed <= 1.0, "{start} {climbed}");
}

/// With ways of L2 of their own, kernels lose no hits to others. So the bound counts fewer sectors at DRAM, and it is closer
/// to the simulated times.
#[test]
fn ways_of_their_own_make_the_bound_closer() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let shared = campaign(Form::OwnDrain, 8);
    let divided = Campaign {
        division: Division::L2Ways,
        ..campaign(Form::OwnDrain, 8)
    };
    let reports = [shared, divided].map(|campaign| pool.install(|| campaign.run(None, |_| ())).unwrap());
    let pessimism = reports.map(|report| {
        assert_eq!(report.violation, None);
        let mut forms = report.forms.into_iter();
        forms
            .find(|tally| tally.form == Form::OwnDrain)
            .unwrap()
            .pessimism
    });
    assert!(pessimism[1] < pessimism[0], "{pessimism:?}");
}

/// The camping limit leaves out the runs where balanced rates fail. The program `onebankw` writes to one bank of DRAM.
#[test]
fn a_camping_limit_leaves_out_campers() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let exceeded = |campaign: Campaign| {
        let report = pool.install(|| campaign.run(None, |_| ())).unwrap();
        (report.forms[1].exceeded, report.left_out)
    };
    let path = root().join("tests/simulators/closure/runs/08-onebankw-copyl.json");
    let run: WarpRun = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let campers = |camping_limit| Campaign {
        programs: ports::programs(run.clone().into_shape()).into(),
        synthetic: false,
        camping_limit,
        ..campaign(Form::Balanced, 6)
    };
    let (all, limited) = (exceeded(campers(None)), exceeded(campers(Some(3))));
    assert!(all.0 > 0 && limited == (0, 6), "{all:?} {limited:?}");
    // Kernels that do not camp stay.
    let limited = exceeded(Campaign {
        camping_limit: Some(3),
        ..campaign(Form::Balanced, 24)
    });
    assert!(limited.0 == 0 && limited.1 < 24, "{limited:?}");
}

/// A fixed share of the task sets of `gpusched validate --warps --task-sets`.
#[test]
fn periodic_jobs_meet_their_response_times() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for form in [Form::OwnDrain, Form::Universal] {
        let sets = Campaign {
            kind: Systems::TaskSets,
            ..campaign(form, 6)
        };
        let report = pool.install(|| sets.run(None, |_| ())).unwrap();
        assert_eq!(report.violation, None);
        assert!(
            report.co_runs >= 3 && report.kernels > 4 * report.co_runs,
            "{report:?}"
        );
        let [tally] = &report.forms[..] else {
            panic!("{report:?}")
        };
        assert!(
            tally.exceeded == 0 && tally.worst > 0.0 && tally.worst <= 1.0,
            "{tally:?}"
        );
    }
}

#[test]
fn the_command_reports_co_runs() {
    let folder = tempfile::tempdir().unwrap();
    let reproducer = folder.path().join("run.json");
    let line = format!(
        "validate --warps --synthetic --systems 8 --bound peak --reproducer {} tasksets/kernels/programs/copyl.json",
        reproducer.display()
    );
    let answer = run(&line);
    assert_eq!(answer.code, 1, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("VIOLATION"), "{}", answer.stdout);
    // The small run is a warp run, so the simulator reads it.
    let answer = run(&format!("simulate warps {} -q", reproducer.display()));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let without = run("validate --warps --systems 4");
    assert_eq!(without.code, 2, "{}", without.stderr);
}
