//! The kernels of `tasksets/instrument/vector_add.ptx` on a simulated GPU.

use std::path::{Path, PathBuf};

use gpusched::gpu::import::ptx::{Module, Operand};
use gpusched::gpu::machine::Machine;
use serde_json::{Value, json};

use crate::instrument::Record;
use crate::support::{answer, gpusched, root};

const PTX: &str = "tasksets/instrument/vector_add.ptx";
pub const MACHINE: &str = "rtx2060";
/// Threads of a block of the instrumented kernel.
const THREADS: u64 = 256;
/// Time when the simulation starts [ns]: as %globaltimer, the simulated timer counts from 1970 on.
const EPOCH: u64 = 1_763_900_000_000_000_000;

/// Imports a kernel for `grid` blocks whose threads add `rounds` elements, and returns the path of its program.
pub fn import(folder: &Path, kernel: &str, grid: u64, rounds: u64) -> PathBuf {
    let program = folder.join(format!("{kernel}-{grid}-{rounds}.json"));
    let vector = grid * THREADS * rounds * 4;
    let mut line = format!("import ptx {PTX} --kernel {kernel} --grid {grid} --block {THREADS}");
    line += &format!(" -p a:{vector} -p b:{vector} -p c:{vector} -p rounds={rounds}");
    if kernel == "vector_add_traced" {
        line += &format!(" -p records:{}", 24 * grid);
    }
    line += &format!(" -o {}", program.display());
    done(&line);
    program
}

/// Runs the command and returns its standard output.
pub fn done(line: &str) -> String {
    let answer = answer(&mut gpusched(line.split_whitespace()));
    assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
    answer.stdout
}

/// A run of the instrumented kernel. Times are in core cycles.
pub struct Run {
    /// For each block: the two reads of the timer, and the SM.
    reads: Vec<[u64; 2]>,
    sms: Vec<usize>,
    /// For each block: the end of its last warp.
    ends: Vec<u64>,
    /// From the start of the first block to the end of the last block.
    length: u64,
}

/// Simulates the instrumented kernel on the first SMs, launched in cycle `launch`. `other` runs on the other SMs from
/// the start on.
pub fn simulate(folder: &Path, program: &Path, sms: u64, launch: u64, other: Option<&Path>) -> Run {
    let (run, issues) = (folder.join("run.json"), folder.join("issues.csv"));
    let all = u64::from(Machine::named(MACHINE).unwrap().sms());
    let traced =
        json!({"program": program, "name": "traced", "sms": format!("0-{}", sms - 1), "launch": launch});
    let other = other.map(|other| json!({"program": other, "sms": format!("{sms}-{}", all - 1)}));
    let kernels: Vec<Value> = std::iter::once(traced).chain(other).collect();
    let text = json!({"machine": MACHINE, "warm": false, "kernels": kernels}).to_string();
    std::fs::write(&run, text).unwrap();
    let line = format!(
        "simulate warps {} --issues {} --format json",
        run.display(),
        issues.display()
    );
    let result: Value = serde_json::from_str(&done(&line)).unwrap();
    let number = |value: &Value, name: &str| value[name].as_u64().unwrap();

    // The blocks of each SM, in the order of their starts.
    let mut blocks: Vec<&Value> = result["blocks"].as_array().unwrap().iter().collect();
    blocks.retain(|block| block["kernel"] == 0);
    blocks.sort_by_key(|block| number(block, "start"));
    let mut on_sm: Vec<Vec<usize>> = vec![Vec::new(); sms as usize];
    let (mut ends, mut places) = (vec![0; blocks.len()], vec![0; blocks.len()]);
    for block in &blocks {
        let (id, sm) = (number(block, "block") as usize, number(block, "sm") as usize);
        on_sm[sm].push(id);
        (ends[id], places[id]) = (number(block, "end"), sm);
    }
    let mut reads: Vec<Vec<u64>> = vec![Vec::new(); blocks.len()];
    let timers = timers();
    let issues = std::fs::read_to_string(issues).unwrap();
    for row in issues.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [cycle, sm, _, _, age, "traced", pc, _] = cells[..] else {
            continue;
        };
        if timers.contains(&u64::from_str_radix(pc, 16).unwrap()) {
            let age: u64 = age.parse().unwrap();
            assert_eq!(
                age % (THREADS / 32),
                0,
                "the first warp of a block reads the timer"
            );
            let block = on_sm[sm.parse::<usize>().unwrap()][(age / (THREADS / 32)) as usize];
            reads[block].push(cycle.parse().unwrap());
        }
    }
    let kernel = &result["kernels"][0];
    Run {
        reads: reads.into_iter().map(|reads| reads.try_into().unwrap()).collect(),
        sms: places,
        ends,
        length: number(kernel, "finish") - number(kernel, "first_block"),
    }
}

/// Returns the addresses of the two instructions that read the timer.
fn timers() -> [u64; 2] {
    let module = Module::read(&std::fs::read_to_string(root().join(PTX)).unwrap()).unwrap();
    let kernel = module.kernel("vector_add_traced").unwrap();
    let timer = Operand::Special("%globaltimer".to_owned());
    let read = (0..).zip(&kernel.instructions);
    let read = read.filter(|(_, instruction)| instruction.operands.contains(&timer));
    let addresses: Vec<u64> = read.map(|(index, _)| 8 * index).collect();
    addresses.try_into().unwrap()
}

fn nanoseconds(cycles: u64) -> u64 {
    let khz = Machine::named(MACHINE).unwrap().into_shape().clocks.core_khz;
    cycles * 1_000_000 / u64::from(khz)
}

impl Run {
    /// Returns what the blocks record if the timer advances by `tick` ns.
    pub fn records(&self, tick: u64) -> Vec<Record> {
        let read = |cycle: u64| EPOCH / tick * tick + nanoseconds(cycle) / tick * tick;
        { self.reads.iter().zip(&self.sms) }
            .map(|(&[start, end], &sm)| Record {
                start: read(start),
                end: read(end),
                sm,
            })
            .collect()
    }

    /// Returns the end of each block [ns], on the clock of the records.
    pub fn ends(&self, tick: u64) -> Vec<u64> {
        let end = |&cycle: &u64| EPOCH / tick * tick + nanoseconds(cycle);
        self.ends.iter().map(end).collect()
    }

    /// Returns the time from the start of the first block to the end of the last block [ns].
    pub fn length(&self) -> u64 {
        nanoseconds(self.length) + 1
    }
}
