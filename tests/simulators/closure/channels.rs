//! Kernels on their own SMs and channels: each kernel takes as long as in isolation, to the cycle.
//!
//! The run file 16 shows that the shared memory of one kernel must not shrink the L1 caches of other SMs. Its times were
//! computed independently. Earlier, its first kernel took 20,853 cycles beside the second kernel.

use gpusched_gpu::co_runs::{Campaign, Division, Examiner, Form, Report};
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::warp_run::{KernelSource, Queue, WarpRunShape};
use gpusched_gpu::{Machine, Program, WarpRun};
use gpusched_sim::campaign::Campaign as _;

use super::{RUNS, STRESS, campaign, machine};
use crate::support::root;

fn read(file: &str) -> WarpRunShape {
    let path = root().join(format!("tests/simulators/closure/runs/{file}.json"));
    let run: WarpRun = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    run.into_shape()
}

/// A kernel that reads 96 KiB through L1 again and again, and a kernel that computes and uses shared memory.
fn beside_l1() -> WarpRunShape {
    read("16-shared-memory-beside-l1")
}

/// Returns the durations of the kernels of `shape` in core cycles, from the start of their first block.
fn durations(shape: WarpRunShape) -> Vec<u64> {
    let run = WarpRun::new(shape).unwrap();
    let setup = Setup::new(&run, &root().join("run.json")).unwrap();
    let (results, _) = setup.run(Options::default(), &mut |_| ()).unwrap();
    let kernels = results.kernels.iter();
    kernels
        .map(|kernel| kernel.finish - kernel.first_block.unwrap() + 1)
        .collect()
}

fn run(campaign: &Campaign) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| campaign.run(None, |_| ())).unwrap()
}

/// Checks that each kernel of each co-run took as long as in isolation. Then every form has the time itself as its bound.
fn takes_as_long_as_in_isolation(report: &Report) {
    assert_eq!((&report.violation, report.largest_slowdown), (&None, 1.0));
    for tally in &report.forms {
        let found = (tally.exceeded, tally.worst, tally.pessimism);
        assert_eq!(found, (0, 1.0, 1.0), "{tally:?}");
    }
}

#[test]
fn shared_memory_of_another_sm_leaves_l1_alone() {
    let both = beside_l1();
    let mut alone = both.clone();
    alone.kernels.truncate(1);
    assert_eq!(durations(both), [7426, 7722]);
    assert_eq!(durations(alone), [7426]);
}

/// Kernels of a queue run one at a time. So the L1 of their SM has the size for the kernel that runs.
#[test]
fn l1_has_the_size_for_the_kernel_of_a_queue_that_runs() {
    for order in [[0, 1], [1, 0]] {
        let mut queue = beside_l1();
        queue.warm = false;
        queue.kernels[1].sms = queue.kernels[0].sms.clone();
        queue.kernels[1].channels = queue.kernels[0].channels.clone();
        let alone = [0, 1].map(|kernel| {
            let mut alone = queue.clone();
            alone.kernels = vec![queue.kernels[kernel].clone()];
            durations(alone)[0]
        });
        for (kernel, priority) in queue.kernels.iter_mut().zip(order) {
            let name = "partition".to_owned();
            kernel.queue = Some(Queue { name, priority });
        }
        // The clocks of DRAM and core have another phase when the second kernel starts, so its time differs slightly.
        for (found, alone) in durations(queue).into_iter().zip(alone) {
            assert!(100 * found.abs_diff(alone) < alone, "{order:?}: {found} {alone}");
        }
    }
    // Without a queue, both kernels may run on the SM at the same time, so L1 leaves room for both.
    let mut together = beside_l1();
    together.kernels[1].sms = together.kernels[0].sms.clone();
    together.kernels[1].channels = together.kernels[0].channels.clone();
    assert!(durations(together)[0] > 2 * 7426);
}

/// The co-runs of `gpusched validate --warps --memory channels --bound peak --systems 8 --seed 5` with the two programs.
#[test]
fn shared_memory_and_reads_through_l1_do_not_disturb_each_other() {
    let programs: Vec<Program> = beside_l1()
        .kernels
        .into_iter()
        .map(|kernel| match kernel.program {
            KernelSource::Program(program) => *program,
            other => panic!("{other:?}"),
        })
        .collect();
    for machine in [machine(), Machine::find("titanv").unwrap()] {
        let report = run(&Campaign {
            // With own channels, the bounds do not depend on measured rates.
            examiner: Examiner::new(machine, &STRESS),
            programs: programs.clone(),
            synthetic: false,
            systems: 8,
            seed: 5,
            division: Division::Channels,
            ..campaign(Form::Peak, 8)
        });
        assert_eq!(report.co_runs, 8);
        takes_as_long_as_in_isolation(&report);
    }
}

/// Random kernels, half of them with shared memory, and half of them with reads through L1.
#[test]
fn channels_of_their_own_end_all_interference() {
    let mut divided = campaign(Form::Peak, 10);
    divided.division = Division::Channels;
    let report = run(&divided);
    assert!(report.co_runs >= 6, "{report:?}");
    takes_as_long_as_in_isolation(&report);
    // The adversaries of the run files, which slow copyl and chase2 down up to tenfold.
    let examiner = Examiner::new(machine(), &STRESS);
    for (file, name, ..) in [&RUNS[7], &RUNS[9], &RUNS[11]] {
        let mut shape = read(file);
        let [victim, other] = &mut shape.kernels[..] else {
            panic!("{file}")
        };
        let clusters = victim.sms.as_ref().unwrap().indices().len();
        let machine = machine();
        let channels = Division::Channels;
        channels.apply(&machine, victim, 0..clusters).unwrap();
        channels.apply(&machine, other, clusters..30).unwrap();
        let victims = examiner.examine(&shape).unwrap().unwrap();
        let victim = victims.iter().find(|victim| victim.name == *name).unwrap();
        assert_eq!(victim.together, victim.alone, "{file}");
    }
}
