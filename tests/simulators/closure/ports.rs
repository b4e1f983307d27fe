//! Kernels whose replies hold the ports of clusters: co-runs where memory time without ports is no bound.
//!
//! The folder `ports` contains the co-runs and `expected.json`. Cycles, times in isolation, holds and bounds were computed
//! independently, with another copy of the simulator. `longest cold` is the longest time of 24 runs in isolation, and
//! the bounds of the file use it. gpusched uses such a time only after one cold run was too short, so the test exchanges
//! the two times.

use std::sync::LazyLock;

use gpusched_gpu::co_runs::{Examiner, Form};
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::stress::Stress;
use gpusched_gpu::warp_run::WarpRunShape;
use gpusched_gpu::{Machine, WarpRun};
use serde::Deserialize;
use std::collections::BTreeMap;

use super::{STRESS, machine};
use crate::support::root;

static TITANV: LazyLock<Stress> =
    LazyLock::new(|| Stress::measure(&Machine::find("titanv").unwrap(), || ()).unwrap());

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
        assert_eq!([0, 1].map(|kernel| victims[kernel].alone), expected.alone, "{file}");
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
            assert_eq!(found, bound.with_ports + varied(expected.cold[0]), "{file} {name}");
            assert!(!victims[0].exceeds(form) && !victims[1].exceeds(form), "{file} {name}");
            beyond_memory_time[index] += usize::from(expected.together[0] > bound.today);
        }
    }
    // Memory time alone is no bound: balanced, own-drain, universal.
    assert_eq!(beyond_memory_time, [6, 1, 2]);
}
