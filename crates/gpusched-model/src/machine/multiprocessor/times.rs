//! Execution times of instructions.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::check::Faults;

/// Execution time of one kind of instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Latency: time from dispatch in the unit to the result (`-ptx_opcode_latency_*`) [core cycles].
    pub latency: u32,
    /// Initiation interval: time until the unit takes the next instruction (`-ptx_opcode_initiation_*`) [core cycles].
    pub initiation: u32,
}

/// Execution times of floating-point arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloatTimes {
    /// Addition or subtraction.
    pub add: Timing,
    /// Minimum or maximum.
    pub max: Timing,
    /// Multiplication.
    pub mul: Timing,
    /// Multiply-add.
    pub mad: Timing,
    /// Division.
    pub div: Timing,
}

/// Execution times of integer arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntTimes {
    /// Addition or subtraction.
    pub add: Timing,
    /// Minimum or maximum.
    pub max: Timing,
    /// Multiplication. A 24-bit multiplication takes one cycle more.
    pub mul: Timing,
    /// Multiply-add. The 24-bit form takes one cycle more.
    pub mad: Timing,
    /// Division.
    pub div: Timing,
    /// Exchange among the lanes of a warp.
    pub shuffle: Timing,
}

/// Execution times of all instructions with their own latency. Other instructions take one cycle and start every cycle.
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
    /// Matrices (`…_tesnor`, sic, and `…_initiation_tensor`).
    pub tensor: Timing,
}

impl Timing {
    /// Execution time of instructions without their own latency.
    pub const ONE: Timing = Timing {
        latency: 1,
        initiation: 1,
    };

    /// Maximum latency [core cycles], which is the depth of the pipelines.
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
    /// Returns the times by name.
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
