//! How long instructions take.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::check::Faults;

/// The time of one kind of instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// From dispatch in the unit to its result (`-ptx_opcode_latency_*`) [core cycles].
    pub latency: u32,
    /// Until the unit takes the next instruction (`-ptx_opcode_initiation_*`) [core cycles].
    pub initiation: u32,
}

/// Times of floating-point arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloatTimes {
    /// Addition, subtraction.
    pub add: Timing,
    /// Minimum, maximum.
    pub max: Timing,
    /// Multiplication.
    pub mul: Timing,
    /// Multiplication and addition in one.
    pub mad: Timing,
    /// Division.
    pub div: Timing,
}

/// Times of integer arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntTimes {
    /// Addition, subtraction.
    pub add: Timing,
    /// Minimum, maximum.
    pub max: Timing,
    /// Multiplication; 24-bit multiplication takes one cycle more.
    pub mul: Timing,
    /// Multiplication and addition in one; the 24-bit form takes one cycle more.
    pub mad: Timing,
    /// Division.
    pub div: Timing,
    /// Exchange among the lanes of a warp.
    pub shuffle: Timing,
}

/// Times of all instructions with a latency of their own; others take one cycle and start every cycle.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionTimes {
    /// Integers (`…_int`).
    pub int: IntTimes,
    /// Single precision (`…_fp`).
    pub single: FloatTimes,
    /// Double precision (`…_dp`).
    pub double: FloatTimes,
    /// Special functions (`…_sfu`).
    pub special: Timing,
    /// Matrices (`…_tesnor`, as the option is spelt, and `…_initiation_tensor`).
    pub tensor: Timing,
}

impl Timing {
    /// The time of instructions without a latency of their own.
    pub const ONE: Timing = Timing {
        latency: 1,
        initiation: 1,
    };

    /// The longest latency [core cycles]: pipelines are that deep.
    pub const MAX_LATENCY: u32 = 511;

    fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("latency", self.latency, 1..=Self::MAX_LATENCY)?;
        faults.within("initiation", self.initiation, 1..=Self::MAX_LATENCY)
    }
}

impl InstructionTimes {
    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        let int = &self.int;
        let ints = [
            ("add", int.add),
            ("max", int.max),
            ("mul", int.mul),
            ("mad", int.mad),
            ("div", int.div),
            ("shuffle", int.shuffle),
        ];
        for (name, timing) in ints {
            timing.check(&faults.of("int").of(name))?;
        }
        for (kind, times) in [("single", &self.single), ("double", &self.double)] {
            for (name, timing) in times.named() {
                timing.check(&faults.of(kind).of(name))?;
            }
        }
        self.special.check(&faults.of("special"))?;
        self.tensor.check(&faults.of("tensor"))
    }
}

impl FloatTimes {
    /// The times by name.
    pub fn named(&self) -> [(&'static str, Timing); 5] {
        [
            ("add", self.add),
            ("max", self.max),
            ("mul", self.mul),
            ("mad", self.mad),
            ("div", self.div),
        ]
    }
}
