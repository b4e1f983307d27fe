//! Compares estimates with full simulations, for the kernels of `estimates.csv`. The column `set` states whether the
//! kernel helped to choose the constants of the estimate (`tuning`) or not (`held out`).

use std::collections::BTreeMap;

use gpusched::gpu::estimate::{Estimate, estimate};
use gpusched::gpu::gpu::{Failure, Launch, Settings, run};
use gpusched::gpu::import::ptx::{Module, import};
use gpusched::gpu::program::{FIRST_ADDRESS, Overrides};
use gpusched::gpu::{Machine, Program};

use crate::programs::twins::{arguments, options};
use crate::warp_reference::reference::{Row, file, rows, table};

/// Default of `--estimate`.
const ROUNDS: u32 = 4;

/// Returns the program of `row`: a kernel of `shared.ptx`, or a file of `tasksets/kernels/programs`. In the second case,
/// the sizes of the buffers are proportional to the number of blocks.
fn program(row: &Row) -> Program {
    let name = row.text("kernel");
    if !name.ends_with(".json") {
        let module = Module::read(&file("tasksets/kernels/ptx/shared.ptx")).unwrap();
        let options = options(
            row.text("grid"),
            row.text("block"),
            arguments(row.text("arguments")),
        );
        return import(&module, name, &options).unwrap();
    }
    let program: Program = serde_json::from_str(&file(&format!("tasksets/kernels/programs/{name}"))).unwrap();
    let values = row.text("arguments").split_whitespace().map(|value| {
        let (name, value) = value.split_once('=').unwrap();
        (name.to_owned(), value.parse().unwrap())
    });
    let overrides = Overrides {
        grid: Some(row.text("grid").parse().unwrap()),
        values: values.collect(),
        ..Overrides::default()
    };
    let blocks = program.blocks();
    let mut program = program.with(&overrides).unwrap();
    let all = program.blocks();
    let mut next = FIRST_ADDRESS;
    for (_, buffer) in &mut program.buffers {
        buffer.bytes = (buffer.bytes * all / blocks).max(16384);
        buffer.address = Some(next);
        next = (next + buffer.bytes).next_multiple_of(256);
    }
    program
}

/// Returns the machine, the launch and the settings of `row`.
fn launch(row: &Row) -> (Machine, Launch, Settings) {
    let program = program(row);
    let settings = row.settings(&program);
    let machine = Machine::named(row.text("machine")).unwrap();
    (machine, Launch::of_program(&program).unwrap(), settings)
}

/// Absolute errors of a set of estimates, as shares of the cycles of the full simulation.
#[derive(Debug, Default)]
struct Errors {
    errors: Vec<f64>,
    /// Number of estimates whose error is at most their uncertainty.
    covered: usize,
    /// Number of simulated blocks of the estimates, and of all blocks.
    blocks: [u64; 2],
}

impl Errors {
    fn add(&mut self, estimate: &Estimate, blocks: u64, cycles: u64) {
        let error = (estimate.cycles as f64 / cycles as f64 - 1.0).abs();
        self.errors.push(error);
        self.covered += usize::from(error <= estimate.uncertainty);
        self.blocks[0] += estimate.simulated_blocks;
        self.blocks[1] += blocks;
    }

    fn mean(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len() as f64
    }

    fn worst(&self) -> f64 {
        self.errors.iter().copied().fold(0.0, f64::max)
    }
}

#[test]
fn errors_are_small_and_known() {
    let mut sets: BTreeMap<String, Errors> = BTreeMap::new();
    for row in rows(&file("tests/simulators/warp_reference/estimates.csv")) {
        let (machine, launch, settings) = launch(&row);
        let estimate = estimate(&machine, &launch, &settings, ROUNDS).unwrap();
        if estimate.uncertainty == 0.0 {
            continue; // the whole kernel
        }
        let full = run(&machine, std::slice::from_ref(&launch), &settings).unwrap();
        let set = format!("{} {}", row.text("machine"), row.text("set"));
        let set = sets.entry(set).or_default();
        set.add(&estimate, launch.blocks, full.cycles);
        let instructions = |kernels: &[gpusched::gpu::gpu::KernelResult]| kernels[0].warp_instructions as f64;
        let ratio = instructions(&estimate.results.kernels) / instructions(&full.kernels);
        assert!((ratio - 1.0).abs() < 0.02, "{row:?}: {ratio}");
    }
    assert_eq!(sets.len(), 4);
    for (set, errors) in &sets {
        let count = errors.errors.len();
        assert!(
            count >= 8 && errors.mean() <= 0.05 && errors.worst() <= 0.15,
            "{set}: {errors:?}"
        );
        assert!(20 * errors.covered >= 18 * count, "{set}: {errors:?}");
        let [simulated, all] = errors.blocks;
        assert!(2 * simulated < all, "{set}: {errors:?}");
    }
}

#[test]
fn estimates_of_the_reference_runs_are_near_them() {
    let mut errors = Errors::default();
    for row in table("isolation") {
        let estimate = row.estimate(ROUNDS);
        errors.add(&estimate, row.run_blocks(), row.number("cycles"));
    }
    assert!(errors.mean() < 0.01 && errors.worst() < 0.1, "{errors:?}");
    assert!(errors.covered >= errors.errors.len() * 9 / 10, "{errors:?}");
}

/// At the limit, gpusched accepts an estimate with an uncertainty of at most 25 %, and refuses all others.
#[test]
fn uncertain_estimates_are_refused() {
    let rows = rows(&file("tests/simulators/warp_reference/estimates.csv"));
    let mut counts = [0, 0];
    for row in rows.iter().step_by(8) {
        let (machine, launch, mut settings) = launch(row);
        let full = estimate(&machine, &launch, &settings, ROUNDS).unwrap();
        for percent in [5, 50, 90] {
            settings.limit = full.cycles * full.simulated_blocks / launch.blocks * percent / 100;
            match estimate(&machine, &launch, &settings, ROUNDS) {
                Ok(found) => {
                    assert!(found.uncertainty <= 0.25 && found.simulated_blocks < launch.blocks);
                    counts[0] += 1;
                }
                Err(Failure::Uncertain {
                    ended,
                    blocks,
                    cycles,
                    ..
                }) => {
                    assert!(
                        ended <= full.simulated_blocks
                            && blocks == launch.blocks
                            && cycles <= settings.limit + 1
                    );
                    counts[1] += 1;
                }
                Err(failure) => panic!("{row:?}: {failure}"),
            }
        }
    }
    assert!(counts[1] > counts[0] && counts[0] > 0, "{counts:?}");
}
