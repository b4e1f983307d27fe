//! Specialized units of an SM, which execute some instructions of machine code.

use serde::{Deserialize, Serialize};

use super::pipes::MOST;
use crate::machine::Timing;
use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Specialized units of an SM (`-specialized_unit_*`). They execute instructions of machine-code traces, as in
/// Accel-Sim. If a kind of unit is absent, integer units execute its instructions. If `tensor` is absent, matrix units
/// execute them. Programs do not use these units.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecializedUnits {
    /// Units for branches, calls and convergence of lanes (unit 1, BRA).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<SpecializedUnit>,
    /// Units for textures (unit 2, TEX).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<SpecializedUnit>,
    /// Units for matrix instructions (unit 3, TENSOR).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<SpecializedUnit>,
    /// Units of the uniform datapath (unit 4, UDP).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<SpecializedUnit>,
}

/// Specialized units of one kind.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecializedUnit {
    /// Number of units. The simulator requires that `units`, `id_oc` and `oc_ex` each equal the number of schedulers.
    pub units: u32,
    /// Number of pipeline registers from the issue stage to the operand collectors (ID_OC).
    pub id_oc: u32,
    /// Number of pipeline registers from the operand collectors to the units (OC_EX).
    pub oc_ex: u32,
    /// Execution time of the instructions (`-trace_opcode_latency_initiation_spec_op_*`).
    pub time: Timing,
}

impl SpecializedUnits {
    /// Returns the units of each kind, with the name of the kind, in the order of Accel-Sim.
    pub fn named(&self) -> [(&'static str, Option<SpecializedUnit>); 4] {
        [
            ("branch", self.branch),
            ("texture", self.texture),
            ("tensor", self.tensor),
            ("uniform", self.uniform),
        ]
    }

    /// Returns whether the SM has no specialized units.
    pub fn is_empty(&self) -> bool {
        self.named().iter().all(|(_, unit)| unit.is_none())
    }

    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        for (name, unit) in self.named() {
            let Some(unit) = unit else { continue };
            let faults = faults.of(name);
            faults.within("units", unit.units, 1..=MOST)?;
            faults.within("id_oc", unit.id_oc, 1..=MOST)?;
            faults.within("oc_ex", unit.oc_ex, 1..=MOST)?;
            unit.time.check(&faults.of("time"))?;
        }
        Ok(())
    }
}
