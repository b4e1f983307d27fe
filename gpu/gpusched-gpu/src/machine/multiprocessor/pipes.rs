//! Pipelines of an SM, with their functional units and the pipeline registers between the stages.

use serde::{Deserialize, Serialize};

use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// One number for each kind of pipeline.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PerPipe {
    /// Number for single-precision pipelines.
    pub sp: u32,
    /// Number for double-precision pipelines.
    pub dp: u32,
    /// Number for integer pipelines. Integer pipelines also execute all instructions that have no special unit.
    pub int: u32,
    /// Number for the pipelines that execute special functions and divisions.
    pub sfu: u32,
    /// Number for load-store pipelines.
    pub mem: u32,
    /// Number for the pipelines that execute matrix instructions.
    pub tensor: u32,
}

/// Number of pipeline registers between the stages of an SM (`-gpgpu_pipeline_widths`)
/// [instructions].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PipelineWidths {
    /// Number of pipeline registers from the issue stage to the operand collectors (ID_OC).
    pub id_oc: PerPipe,
    /// Number of pipeline registers from the operand collectors to the functional units (OC_EX).
    pub oc_ex: PerPipe,
    /// Number of pipeline registers from all functional units to the writeback stage (EX_WB).
    pub ex_wb: u32,
}

/// Number of functional units of an SM, by kind (`-gpgpu_num_*_units`). With sub-cores, unit *i*
/// belongs to sub-core *i*.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Number of single-precision units (`-gpgpu_num_sp_units`).
    pub sp: u32,
    /// Number of double-precision units (`-gpgpu_num_dp_units`). If the number is 0, the
    /// special-function units execute double-precision instructions.
    pub dp: u32,
    /// Number of integer units (`-gpgpu_num_int_units`). If the number is 0, the single-precision
    /// units execute integer instructions.
    pub int: u32,
    /// Number of special-function units (`-gpgpu_num_sfu_units`).
    pub sfu: u32,
    /// Number of matrix units (`-gpgpu_num_tensor_core_units`); 0 if `-gpgpu_tensor_core_avail` is off.
    pub tensor: u32,
}

/// Maximum number of pipeline registers, units or collectors of each kind.
pub(super) const MOST: u32 = 256;

impl PerPipe {
    /// Creates an object with `number` for every kind of pipeline.
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

    /// Checks the numbers of pipeline registers. A pipeline requires registers if it has a functional unit, or if every
    /// program uses the pipeline.
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
