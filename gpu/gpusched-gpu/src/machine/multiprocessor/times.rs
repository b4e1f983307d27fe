//! Execution times of instructions.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Execution time of one kind of instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Latency: time from the start of an instruction in its unit to the result
    /// (`-ptx_opcode_latency_*`) [core cycles].
    pub latency: u32,
    /// Initiation interval: time from the start of an instruction until its unit can accept the next instruction
    /// (`-ptx_opcode_initiation_*`) [core cycles].
    pub initiation: u32,
}

/// Execution times of floating-point arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FloatTimes {
    /// Execution time of an addition or subtraction.
    pub add: Timing,
    /// Execution time of a minimum or maximum.
    pub max: Timing,
    /// Execution time of a multiplication.
    pub mul: Timing,
    /// Execution time of a multiply-add.
    pub mad: Timing,
    /// Execution time of a division.
    pub div: Timing,
}

/// Execution times of integer arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IntTimes {
    /// Execution time of an addition or subtraction.
    pub add: Timing,
    /// Execution time of a minimum or maximum.
    pub max: Timing,
    /// Execution time of a multiplication. A 24-bit multiplication takes one cycle more.
    pub mul: Timing,
    /// Execution time of a multiply-add. A 24-bit multiply-add takes one cycle more.
    pub mad: Timing,
    /// Execution time of a division.
    pub div: Timing,
    /// Execution time of an exchange of values among the lanes of a warp.
    pub shuffle: Timing,
}

/// Execution times of instructions. All instructions without a field have a latency and an initiation interval of one
/// cycle.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InstructionTimes {
    /// Execution times of integer instructions (`…_int`).
    pub int: IntTimes,
    /// Execution times of single-precision instructions (`…_fp`).
    pub single: FloatTimes,
    /// Execution times of double-precision instructions (`…_dp`).
    pub double: FloatTimes,
    /// Execution time of special functions (`…_sfu`).
    pub special: Timing,
    /// Execution time of matrix instructions (`…_tesnor`, sic, and `…_initiation_tensor`).
    pub tensor: Timing,
}

impl Timing {
    /// Execution time of instructions that [`InstructionTimes`] does not list: 1 cycle.
    pub const ONE: Timing = Timing {
        latency: 1,
        initiation: 1,
    };

    /// Maximum latency [core cycles]. The limit is the depth of the simulated pipelines.
    pub const MAX_LATENCY: u32 = 511;

    pub(super) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
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
    /// Returns the execution times of each group of instructions, with the name of the group.
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
