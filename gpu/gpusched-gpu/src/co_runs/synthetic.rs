//! Synthetic programs: kernels with random accesses to one buffer.

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
        };
        (0..FIELDS).for_each(|field| program.draw_field(field, random));
        program
    }

    /// Draws the shared memory of the blocks. Without this call, the blocks use no shared memory.
    pub fn draw_shared(&mut self, random: &mut impl Rng) {
        self.shared = SHARED[below(random, SHARED.len())];
    }

    /// Changes one random parameter, but not the shared memory.
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
            _ => self.warps = below(random, 3),
        }
    }

    /// Returns the program.
    ///
    /// # Errors
    /// Fails if the program is not valid.
    pub fn program(&self) -> Result<Program> {
        let Synthetic {
            size,
            by_thread,
            by_round,
            ..
        } = self;
        let mut body: Vec<Value> = Vec::new();
        for (access, offset) in self.offsets.iter().take(self.accesses).enumerate() {
            let thread = "block*threads + thread";
            let address = match self.scattered {
                true => format!("a + 32*random({}, {thread}, k, {access})", size / 32),
                false => format!("a + ({by_thread}*({thread}) + {by_round}*k + {offset}) % {size}"),
            };
            let cache = if self.past_l1 { "l2" } else { "all" };
            body.push(match self.stores == 1 || self.stores == 2 && access % 2 == 1 {
                true => json!({"op": "store", "from": "f9", "address": address, "bytes": 4}),
                false => json!({"op": "load", "to": format!("f{access}"), "address": address, "bytes": 4, "cache": cache}),
            });
        }
        for step in 0..self.steps {
            body.push(json!({"op": "mad.single", "to": format!("f{}", 10 + step), "from": ["f0", "f9"]}));
        }
        let program = json!({
            "name": "synthetic",
            "grid": self.grid,
            "block": 32 << self.warps,
            "registers": 32,
            "shared_memory": self.shared,
            "buffers": {"a": size + 16},
            "body": [
                {"op": "other", "to": "f9"},
                {"loop": self.rounds, "counter": "k", "body": body},
                {"op": "exit"},
            ],
        });
        serde_json::from_value(program).map_err(|error| Refusal::told("", error).into())
    }
}

/// Number of parameters that [`Synthetic::draw_field`] draws.
const FIELDS: usize = 11;
