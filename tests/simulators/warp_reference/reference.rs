//! Rows of the reference tables, and their kernels as launches.

use std::collections::HashMap;
use std::path::Path;

use gpusched::gpu::estimate::{Estimate, estimate};
use gpusched::gpu::gpu::{Launch, Results, Settings, WarmBuffer, run};
use gpusched::gpu::machine::MachineShape;
use gpusched::gpu::program::{Dimensions, FIRST_ADDRESS, Overrides};
use gpusched::gpu::{Machine, Program};
use gpusched::model::Scheduler;

/// Reads a file of the repository.
pub fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A row of a table, by column.
#[derive(Debug, Clone)]
pub struct Row(HashMap<String, String>);

/// Reads the rows of a table of `tasksets/reference/gpgpusim`.
pub fn table(name: &str) -> Vec<Row> {
    rows(&file(&format!("tasksets/reference/gpgpusim/{name}.csv")))
}

/// Returns the rows of the CSV table in `text`.
pub fn rows(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize().map(|row| Row(row.unwrap()));
    rows.collect()
}

impl Row {
    pub fn text(&self, column: &str) -> &str {
        &self.0[column]
    }

    pub fn number(&self, column: &str) -> u64 {
        let text = self.text(column);
        text.parse().unwrap_or_else(|_| panic!("{column}: {text}"))
    }

    pub fn real(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap()
    }

    /// Returns the scheduler. `lrr(cfg)` is the scheduler of the configuration, and the tables write `old` for oldest.
    pub fn scheduler(&self, column: &str) -> Scheduler {
        match self.text(column).trim_end_matches("(cfg)") {
            "old" => Scheduler::Oldest,
            name => name.parse().unwrap(),
        }
    }

    /// Simulates the row: one kernel on `sms` SMs.
    pub fn run(&self) -> Results {
        let (launch, settings) = self.launch();
        run(&machine(false), &[launch], &settings).unwrap()
    }

    /// Returns the number of thread blocks.
    pub fn run_blocks(&self) -> u64 {
        self.launch().0.blocks
    }

    /// Estimates the row from at least `rounds` rounds of blocks.
    pub fn estimate(&self, rounds: u32) -> Estimate {
        let (launch, settings) = self.launch();
        estimate(&machine(false), &launch, &settings, rounds).unwrap()
    }

    fn launch(&self) -> (Launch, Settings) {
        let program = program(self.text("kernel"), FIRST_ADDRESS);
        (Launch::of_program(&program).unwrap(), self.settings(&program))
    }

    /// Returns the settings of a run of `program` on `sms` SMs. `l2_warm` states whether L2 contains the buffers.
    pub fn settings(&self, program: &Program) -> Settings {
        let warm = self.number("l2_warm") == 1;
        Settings {
            scheduler: self.scheduler("scheduler"),
            sms: Some(u32::try_from(self.number("sms")).unwrap()),
            warm: if warm { extents(program) } else { Vec::new() },
            limit: LIMIT,
            ..Settings::default()
        }
    }

    /// Returns the scheduler cycles without an issue, as in the reference data: idle, scoreboard, pipeline.
    pub fn stalls(&self) -> [u64; 3] {
        ["sched_idle", "sched_scoreboard", "sched_pipe_stall"].map(|column| self.number(column))
    }
}

/// Limit of a run [core cycles].
pub const LIMIT: u64 = 10_000_000;

/// Returns the machine of the reference data; `share_sms` states whether kernels share SMs.
pub fn machine(share_sms: bool) -> Machine {
    let mut shape: MachineShape = Machine::named("rtx2060").unwrap().into_shape();
    shape.dispatch.share_sms = share_sms;
    Machine::new(shape).unwrap()
}

/// Returns the program of a kernel name of the reference data, `name:grid[:p[:block]]`. Its buffers follow one another
/// from `address` on. The chases have the form `name:n:p`, and `matmul:0:n` has as many blocks as the matrix.
pub fn program(kernel: &str, address: u64) -> Program {
    let name = kernel.split(':').next().unwrap();
    let text = file(&format!("tasksets/kernels/programs/{name}.json"));
    shaped(&serde_json::from_str(&text).unwrap(), kernel, address)
}

/// Returns `program` with the launch of `kernel`.
pub fn shaped(program: &Program, kernel: &str, address: u64) -> Program {
    let words: Vec<&str> = kernel.split(':').collect();
    let number = |index: usize| words.get(index).map(|word| word.parse::<u32>().unwrap());
    let name = words[0];
    let (first, second) = (number(1).unwrap(), number(2).unwrap_or(0));
    let chase = name.starts_with("chase");
    let grid = match name {
        "chase" | "chasecg" => 1,
        "matmul" => (second / 16).pow(2),
        _ => first,
    };
    let block = if chase { 32 } else { number(3).unwrap_or(256) };
    let elements = u64::from(grid) * u64::from(block);
    let values: Vec<(&str, u32)> = match name {
        "chase" | "chasecg" => vec![("n", first), ("p", second)],
        "conv2d" => vec![("height", first)],
        "vadd" => vec![],
        _ => vec![("n", second)],
    };
    let bytes = match name {
        "chase" | "chasecg" => 128 * u64::from(first),
        "matmul" => 4 * u64::from(second).pow(2),
        "copyl" | "saxpyl" => 4 * (elements + 96) * u64::from(second),
        _ => 4 * elements,
    };
    let overrides = Overrides {
        grid: Some(Dimensions::line(grid)),
        block: Some(Dimensions::line(block)),
        values: values
            .into_iter()
            .map(|(name, value)| (name.to_owned(), i64::from(value)))
            .collect(),
        ..Overrides::default()
    };
    let mut program = program.with(&overrides).unwrap();
    let mut next = address;
    for (name, buffer) in &mut program.buffers {
        buffer.bytes = if name == "out" && chase { 128 } else { bytes };
        buffer.address = Some(next);
        next = (next + buffer.bytes).next_multiple_of(256);
    }
    program
}

/// Returns the address and size of each buffer of `program` [bytes].
pub fn extents(program: &Program) -> Vec<WarmBuffer> {
    let sizes = program.buffers.iter().map(|(_, buffer)| buffer.bytes);
    let buffers = program.addresses().into_iter().zip(sizes);
    buffers
        .map(|(address, bytes)| WarmBuffer {
            kernel: 0,
            address,
            bytes,
        })
        .collect()
}
