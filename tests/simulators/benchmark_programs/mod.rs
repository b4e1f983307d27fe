//! The benchmarks of [Singh22] Table I and [Masola23] Table 2 as programs, compared with their published properties.

mod masola23;
mod singh22;

use gpusched::gpu::gpu::{Launch, Results, Settings, run};
use gpusched::gpu::machine::Machine;
use gpusched::gpu::program::{Dimensions, FIRST_ADDRESS, Overrides, Program};

/// Returns the program `name` in `folder`.
fn program(folder: &str, name: &str) -> Program {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("tasksets/kernels/programs/{folder}/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the program with other blocks or parameters.
fn with(program: &Program, grid: Option<&str>, values: &[(&str, i64)]) -> Program {
    let grid: Option<Dimensions> = grid.map(|grid| serde_json::from_str(grid).unwrap());
    let values = values.iter().map(|&(name, value)| (name.to_owned(), value));
    let overrides = Overrides {
        grid,
        values: values.collect(),
        ..Overrides::default()
    };
    program.with(&overrides).unwrap()
}

/// Runs `programs` in separate memory under LRR; the second program is launched 8 cycles after the first.
fn simulate(machine: &str, shared: bool, programs: &[&Program]) -> Results {
    let mut shape = Machine::find(machine).unwrap().into_shape();
    shape.dispatch.share_sms = shared;
    let machine = Machine::new(shape).unwrap();
    let mut next = FIRST_ADDRESS;
    let launches = programs.iter().enumerate().map(|(index, program)| {
        let mut program = (*program).clone();
        for (_, buffer) in &mut program.buffers {
            buffer.address = Some(next);
            next = (next + buffer.bytes).next_multiple_of(256);
        }
        let mut launch = Launch::of_program(&program).unwrap();
        launch.at = 8 * index as u64;
        launch
    });
    let launches: Vec<Launch> = launches.collect();
    let settings = Settings {
        limit: 10_000_000,
        ..Settings::default()
    };
    run(&machine, &launches, &settings).unwrap()
}
