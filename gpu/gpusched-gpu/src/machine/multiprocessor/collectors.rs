//! Operand collectors and the banks of the register file.

use serde::{Deserialize, Serialize};

use super::pipes::MOST;
use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Operand collector units of one kind, and their ports. In each cycle, a port accepts one
/// instruction from each pipeline register.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Collectors {
    /// Number of collector units (`-gpgpu_operand_collector_num_units_*`).
    pub units: u32,
    /// Number of ports from the issue stage to the collector units (`…_num_in_ports_*`).
    pub in_ports: u32,
    /// Number of ports from the collector units to the functional units (`…_num_out_ports_*`).
    pub out_ports: u32,
}

/// Operand collectors that each serve one kind of pipeline. For each kind, the parentheses contain the last part of the
/// GPGPU-Sim option name.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecializedCollectors {
    /// Collectors for single-precision instructions (`…_sp`).
    pub sp: Collectors,
    /// Collectors for double-precision instructions (`…_dp`).
    pub dp: Collectors,
    /// Collectors for integer instructions (`…_int`).
    pub int: Collectors,
    /// Collectors for special-function instructions (`…_sfu`).
    pub sfu: Collectors,
    /// Collectors for loads and stores (`…_mem`).
    pub mem: Collectors,
    /// Collectors for matrix instructions (`…_tensor_core`).
    pub tensor: Collectors,
}

/// Parameters of the register file and its operand collectors.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegisterFile {
    /// Number of banks of the register file of an SM (`-gpgpu_num_reg_banks`). The banks are divided equally among the
    /// sub-cores.
    pub banks: u32,
    /// Whether the bank of a register also depends on the number of the warp (`-gpgpu_reg_bank_use_warp_id`).
    pub banks_by_warp: bool,
    /// Number of reads from one bank per cycle (`-gpgpu_reg_file_port_throughput`).
    pub reads_per_bank: u32,
    /// Collectors that serve all kinds of pipelines (`…_gen`).
    pub generic: Collectors,
    /// Collectors that each serve one kind of pipeline. Present if `-gpgpu_enable_specialized_operand_collector` is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specialized: Option<SpecializedCollectors>,
}

impl Collectors {
    fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("units", self.units, 0..=MOST)?;
        faults.within("in_ports", self.in_ports, 0..=MOST)?;
        faults.within("out_ports", self.out_ports, 0..=MOST)
    }

    /// Returns whether instructions can pass through these collectors.
    fn works(&self) -> bool {
        self.units > 0 && self.in_ports > 0 && self.out_ports > 0
    }
}

impl RegisterFile {
    /// Maximum number of banks.
    pub const MAX_BANKS: u32 = 1024;

    pub(in crate::machine) fn check(&self, sub_cores: u32, faults: &Faults) -> Result<(), Refusal> {
        faults.within("banks", self.banks, 1..=Self::MAX_BANKS)?;
        if !self.banks.is_multiple_of(sub_cores) {
            faults.refuse(
                "banks",
                self.banks,
                format!("a multiple of {sub_cores}, the number of sub-cores"),
            )?;
        }
        faults.within("reads_per_bank", self.reads_per_bank, 1..=MOST)?;
        let generic = faults.of("generic");
        self.generic.check(&generic)?;
        let Some(specialized) = &self.specialized else {
            return match self.generic.works() {
                true => Ok(()),
                false => generic.refuse(
                    "units",
                    self.generic.units,
                    "at least 1 collector unit, with at least 1 input port and 1 output port",
                ),
            };
        };
        let faults = faults.of("specialized");
        for (name, collectors) in specialized.named() {
            collectors.check(&faults.of(name))?;
        }
        for (name, collectors) in [
            ("sp", specialized.sp),
            ("sfu", specialized.sfu),
            ("mem", specialized.mem),
        ] {
            if !collectors.works() && !self.generic.works() {
                faults.of(name).refuse(
                    "units",
                    collectors.units,
                    "at least 1 collector unit, with at least 1 input port and 1 output port",
                )?;
            }
        }
        Ok(())
    }
}

impl SpecializedCollectors {
    fn named(&self) -> [(&'static str, Collectors); 6] {
        [
            ("sp", self.sp),
            ("dp", self.dp),
            ("int", self.int),
            ("sfu", self.sfu),
            ("mem", self.mem),
            ("tensor", self.tensor),
        ]
    }
}
