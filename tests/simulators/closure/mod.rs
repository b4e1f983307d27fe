//! Bounds on memory interference against concurrent kernels at the cycle level.
//!
//! The folder `runs` contains co-runs that exceed the bound of bytes in isolation at the peak bandwidth of the DRAM, or
//! that slow a kernel down in another notable way. The expected cycles were computed independently.

use std::path::Path;
use std::sync::LazyLock;

use gpusched_model::{Machine, Program, WarpRun};
use gpusched_sim::validation::warps::{Campaign, Examiner, Form, Victim};
use gpusched_warp::stress::{Level, Stress, Use};

use crate::support::{root, run};

static STRESS: LazyLock<Stress> = LazyLock::new(|| {
    let machine = Machine::find("rtx2060").unwrap();
    Stress::measure(&machine, || ()).unwrap()
});

fn examiner() -> Examiner {
    Examiner::new(Machine::find("rtx2060").unwrap(), &STRESS)
}

/// A run file with its victim, and the slowdown and the excess over the bound of the peak bandwidth.
const RUNS: [(&str, usize, f64, Option<f64>); 12] = [
    ("01-mvt-starves-conv2d", 1, 0.0, None),
    ("02-mvt-starves-pf", 1, 0.0, None),
    ("03-vec-vec-saxpyl-warm-capacity", 0, 0.0, None),
    ("04-matmul-beyond-serial", 0, 0.0, None),
    ("05-raytrace-buffers-evict-conv2d", 0, 0.0, None),
    ("06-vadd-vadd-vec-warm", 2, 0.0, None),
    ("07-onebankw-copyl-x10", 0, 0.0, None),
    ("08-onebankw-copyl", 0, 0.0, None),
    ("09-camp-chase", 0, 0.0, None),
    ("10-slice-chase-cold", 0, 0.0, None),
    ("11-rowbank-copyl", 0, 0.0, None),
    ("12-rand-copyl-cold", 0, 0.0, None),
];

#[test]
fn published_co_runs() {
    let examiner = examiner();
    let folder = root().join("tests/simulators/closure/runs");
    for (name, victim, ..) in RUNS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let run: WarpRun = serde_json::from_str(&text).unwrap();
        let victims = examiner.examine(run.shape()).unwrap().unwrap();
        let found = &victims[victim];
        println!(
            "{name} {} {} {} {:.3} {:?}",
            found.name,
            found.together,
            found.alone,
            found.together as f64 / found.alone as f64,
            found.bounds.map(|bound| found.together as f64 / bound as f64)
        );
        for found in &victims {
            println!("    {} {:?}", found.name, found.bounds.map(|bound| found.together as f64 / bound as f64));
        }
    }
    panic!("look");
}
