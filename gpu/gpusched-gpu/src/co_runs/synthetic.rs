//! Synthetic programs: kernels with random accesses to one buffer. Some of their SMs refuse replies for long, because
//! loads write several registers of one bank, or because other warps compute.

use crate::program::Program;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::streams::below;
use rand::Rng;
use serde_json::{Value, json};

/// Possible distances between accesses of neighboring threads, and between accesses of successive rounds [bytes]. The
/// large distances are multiples of the distance between two addresses in the same slice, channel or bank on common
/// GPUs.
const STRIDES: [u64; 14] = [
    0, 4, 32, 128, 256, 2048, 3072, 6144, 16_384, 24_576, 61_440, 393_216, 786_432, 1_048_576,
];

/// Possible sizes of the buffer [bytes].
const SIZES: [u64; 6] = [1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 29];

/// Possible sizes of the shared memory of a block [bytes]. On an SM with an adaptive L1, they change the size of L1.
const SHARED: [u64; 4] = [0, 0, 16_384, 49_152];

/// Largest number of accesses in a round.
const ACCESSES: usize = 4;

/// Possible numbers of rounds of arithmetic instructions. With the large numbers, results claim the banks of registers
/// for a long time.
const COMPUTING: [u64; 6] = [0, 0, 0, 4, 32, 200];

/// Registers that a load writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registers {
    /// One register, with 4 bytes.
    One,
    /// Four consecutive registers, with 16 bytes, as compilers select them.
    Wide,
    /// Every second register, with 16 bytes. On SMs with two banks per scheduler, these registers are in one bank.
    OneBank,
}

/// Parameters of a synthetic program.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// Size of the buffer [bytes].
    size: u64,
    /// Distance between accesses of neighboring threads [bytes].
    by_thread: u64,
    /// Distance between accesses of successive rounds [bytes].
    by_round: u64,
    /// Offset of each access of a round [bytes].
    offsets: [u64; ACCESSES],
    /// Number of accesses in a round.
    accesses: usize,
    /// Whether addresses are random.
    scattered: bool,
    /// Which accesses are stores: 0 for none, 1 for all, 2 for every second access.
    stores: usize,
    /// Whether loads bypass L1.
    past_l1: bool,
    /// Number of arithmetic instructions in a round.
    steps: usize,
    rounds: usize,
    /// Number of blocks.
    grid: usize,
    /// Exponent of the number of warps: a block has 2^`warps` warps.
    warps: usize,
    /// Shared memory of each block [bytes].
    shared: u64,
    /// Registers that each load writes.
    registers: Registers,
    /// Number of rounds of arithmetic instructions. If there are any, every second warp computes instead of accessing
    /// memory.
    computing: u64,
    /// Number of loads from shared memory in a round, if the block has shared memory.
    shared_loads: usize,
}

impl Synthetic {
    /// Draws a program.
    pub fn draw(random: &mut impl Rng) -> Synthetic {
        let mut program = Synthetic {
            size: 0,
            by_thread: 0,
            by_round: 0,
            offsets: [0; ACCESSES],
            accesses: 0,
            scattered: below(random, 5) == 0,
            stores: 0,
            past_l1: false,
            steps: 0,
            rounds: 0,
            grid: 0,
            warps: 0,
            shared: 0,
            registers: Registers::One,
            computing: 0,
            shared_loads: 0,
        };
        (0..FIELDS).for_each(|field| program.draw_field(field, random));
        program
    }

    /// Changes one random parameter.
    pub fn change(&mut self, random: &mut impl Rng) {
        match below(random, FIELDS + 1) {
            FIELDS => self.scattered = !self.scattered,
            field => self.draw_field(field, random),
        }
    }

    fn draw_field(&mut self, field: usize, random: &mut impl Rng) {
        let stride = STRIDES[below(random, STRIDES.len())];
        match field {
            0 => self.size = SIZES[below(random, SIZES.len())],
            1 => self.by_thread = stride,
            2 => self.by_round = stride,
            3 => {
                for (access, offset) in self.offsets.iter_mut().enumerate() {
                    *offset = STRIDES[below(random, STRIDES.len())] * access as u64;
                }
            }
            4 => self.accesses = 1 + below(random, ACCESSES),
            5 => self.stores = below(random, 3),
            6 => self.past_l1 = below(random, 2) == 0,
            7 => self.steps = below(random, 4),
            8 => self.rounds = 1 + below(random, 6),
            9 => self.grid = 1 + below(random, 60),
            10 => self.warps = below(random, 5),
            11 => self.shared = SHARED[below(random, SHARED.len())],
            12 => {
                let all = [
                    Registers::One,
                    Registers::One,
                    Registers::Wide,
                    Registers::OneBank,
                ];
                self.registers = all[below(random, all.len())];
            }
            13 => self.computing = COMPUTING[below(random, COMPUTING.len())],
            _ => self.shared_loads = below(random, 3),
        }
    }

    /// Returns the program.
    ///
    /// # Errors
    /// Fails if the program is not valid.
    pub fn program(&self) -> Result<Program> {
        let mut body: Vec<Value> = Vec::new();
        for access in 0..self.accesses {
            body.push(self.access(access));
        }
        for load in 0..self.shared_loads * usize::from(self.shared > 0) {
            let to = registers(64 + 8 * load, 4, 2);
            body.push(
                json!({"op": "load", "to": to, "address": "16*thread", "bytes": 16, "space": "shared"}),
            );
        }
        for step in 0..self.steps {
            body.push(json!({"op": "mad.single", "to": format!("f{}", 50 + step), "from": ["f0", "f49"]}));
        }
        let rounds = json!({"loop": self.rounds, "counter": "k", "body": body});
        let work = match self.computing {
            0 => rounds,
            _ => json!({"if": "warp % 2 == 0", "then": [rounds], "else": [self.arithmetic()]}),
        };
        let program = json!({
            "name": "synthetic",
            "grid": self.grid,
            "block": 32 << self.warps,
            "registers": 32,
            "shared_memory": self.shared,
            "buffers": {"a": self.size + 16},
            "body": [
                {"op": "other", "to": "f49"},
                work,
                {"op": "exit"},
            ],
        });
        serde_json::from_value(program).map_err(|error| Refusal::told("", error).into())
    }

    /// Returns access number `access` of a round.
    fn access(&self, access: usize) -> Value {
        let Synthetic {
            size,
            by_thread,
            by_round,
            ..
        } = self;
        let (bytes, to) = match self.registers {
            Registers::One => (4, registers(access, 1, 1)),
            Registers::Wide => (16, registers(8 * access, 4, 1)),
            Registers::OneBank => (16, registers(8 * access, 4, 2)),
        };
        let (thread, offset) = ("block*threads + thread", self.offsets[access]);
        let address = match self.scattered {
            true => format!("a + 32*random({}, {thread}, k, {access})", size / 32),
            // An access of 16 bytes starts at a multiple of 16 bytes.
            false => {
                format!("a + ({by_thread}*({thread}) + {by_round}*k + {offset}) / {bytes} * {bytes} % {size}")
            }
        };
        let cache = if self.past_l1 { "l2" } else { "all" };
        match self.stores == 1 || self.stores == 2 && access % 2 == 1 {
            true => json!({"op": "store", "from": "f49", "address": address, "bytes": bytes}),
            false => json!({"op": "load", "to": to, "address": address, "bytes": bytes, "cache": cache}),
        }
    }

    /// Returns a loop of integer and floating-point instructions whose results are in one bank of the registers.
    fn arithmetic(&self) -> Value {
        let step = |index: usize| match index % 2 {
            0 => json!({"op": "add.int", "to": format!("r{}", 100 + 2 * index), "from": "r1"}),
            _ => json!({"op": "add.single", "to": format!("f{}", 100 + 2 * index), "from": "f1"}),
        };
        let body: Vec<Value> = (0..64).map(|index| step(index % 8)).collect();
        json!({"loop": self.computing, "body": body})
    }
}

/// Returns the names of `count` registers from number `first` on, at a distance of `distance`.
fn registers(first: usize, count: usize, distance: usize) -> Vec<String> {
    let numbers = (0..count).map(|index| first + index * distance);
    numbers.map(|number| format!("f{number}")).collect()
}

/// Number of parameters that [`Synthetic::draw_field`] draws.
const FIELDS: usize = 15;
