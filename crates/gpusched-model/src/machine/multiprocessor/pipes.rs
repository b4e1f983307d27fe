//! Pipelines of an SM: pipeline registers between the stages, and functional units.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::check::Faults;

/// One number for each kind of pipeline.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerPipe {
    /// Single-precision floating point.
    pub sp: u32,
    /// Double-precision floating point.
    pub dp: u32,
    /// Integers, and all instructions without a unit of their own.
    pub int: u32,
    /// Special functions and divisions.
    pub sfu: u32,
    /// Loads and stores.
    pub mem: u32,
    /// Matrices.
    pub tensor: u32,
}

/// Number of pipeline registers between the stages of an SM (`-gpgpu_pipeline_widths`) [instructions].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineWidths {
    /// From issue to the operand collectors (ID_OC).
    pub id_oc: PerPipe,
    /// From the operand collectors to the units (OC_EX).
    pub oc_ex: PerPipe,
    /// From all units to writeback (EX_WB).
    pub ex_wb: u32,
}

/// Number of functional units of an SM (`-gpgpu_num_*_units`). With sub-cores, unit *i* belongs to sub-core *i*.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Units of single precision (`-gpgpu_num_sp_units`).
    pub sp: u32,
    /// Units of double precision (`-gpgpu_num_dp_units`). With 0, SFUs do the work.
    pub dp: u32,
    /// Units of integers (`-gpgpu_num_int_units`). With 0, SP units do the work.
    pub int: u32,
    /// Units of special functions (`-gpgpu_num_sfu_units`).
    pub sfu: u32,
    /// Units of matrices (`-gpgpu_num_tensor_core_units`); 0 without `-gpgpu_tensor_core_avail`.
    pub tensor: u32,
}

/// Maximum number of pipeline registers, units or collectors of one kind.
pub(super) const MOST: u32 = 256;

impl PerPipe {
    /// Returns the given number for each kind of pipeline.
    pub fn all(number: u32) -> PerPipe {
        PerPipe {
            sp: number,
            dp: number,
            int: number,
            sfu: number,
            mem: number,
            tensor: number,
        }
    }

    /// Checks widths. A pipeline needs registers if it has a unit or if every program uses it.
    fn check(&self, units: &Units, faults: &Faults) -> Result<(), Refusal> {
        let least = |units: u32| u32::from(units > 0);
        faults.within("sp", self.sp, 1..=MOST)?;
        faults.within("dp", self.dp, least(units.dp)..=MOST)?;
        faults.within("int", self.int, least(units.int)..=MOST)?;
        faults.within("sfu", self.sfu, 1..=MOST)?;
        faults.within("mem", self.mem, 1..=MOST)?;
        faults.within("tensor", self.tensor, least(units.tensor)..=MOST)
    }
}

impl PipelineWidths {
    pub(in crate::machine) fn check(&self, units: &Units, faults: &Faults) -> Result<(), Refusal> {
        self.id_oc.check(units, &faults.of("id_oc"))?;
        self.oc_ex.check(units, &faults.of("oc_ex"))?;
        faults.within("ex_wb", self.ex_wb, 1..=MOST)
    }
}

impl Units {
    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("sp", self.sp, 1..=MOST)?;
        faults.within("dp", self.dp, 0..=MOST)?;
        faults.within("int", self.int, 0..=MOST)?;
        faults.within("sfu", self.sfu, 1..=MOST)?;
        faults.within("tensor", self.tensor, 0..=MOST)
    }
}
