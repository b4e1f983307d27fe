//! Operations of SASS opcodes. An operation contains only the properties of an opcode that affect the timing.
//!
//! The opcode names, from Kepler to Hopper, are from the CUDA Binary Utilities of NVIDIA
//! (instruction set reference). The unit of each instruction is from the tables of Accel-Sim.
//! Comments in this file state the exceptions.

/// Number format, which determines the unit that executes an arithmetic instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// Integer.
    Int,
    /// 32-bit floating-point numbers, or pairs of 16-bit numbers.
    Single,
    /// 64-bit floating-point numbers.
    Double,
}

/// Memory space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Global memory of the GPU.
    Global,
    /// Private memory of a thread, interleaved by lane.
    Local,
    /// Shared memory of a thread block.
    Shared,
    /// Constants and kernel parameters.
    Constant,
}

impl Space {
    /// Returns the name of the memory space in results.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Local => "local",
            Space::Shared => "shared",
            Space::Constant => "constant",
        }
    }
}

/// Operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An addition, a comparison, a minimum, a logic operation or a shift.
    Simple(Number),
    /// A multiplication.
    Mul(Number),
    /// A fused multiplication and addition.
    Mad(Number),
    /// Operation of the special function unit: reciprocal, root, sine, exponential or logarithm.
    Special,
    /// A matrix instruction of the tensor cores.
    Tensor,
    /// A move between registers, a selection or a conversion.
    Move,
    /// An exchange of values among the lanes of a warp.
    Shuffle,
    /// An operation of the uniform datapath (from Turing on), which computes one value for all lanes.
    Uniform,
    /// A texture operation. Traces do not contain addresses for such operations.
    Texture,
    /// A surface operation. Traces do not contain addresses for such operations.
    Surface,
    /// A branch, a call, or an instruction that controls the convergence of lanes.
    Branch,
    /// A barrier where the warp waits for other warps of the block.
    Barrier,
    /// An arrival at a barrier where the warp does not wait.
    Arrive,
    /// A fence where the warp waits for its own memory accesses.
    Fence,
    /// A load.
    Load(Space),
    /// A store.
    Store(Space),
    /// An atomic read-modify-write.
    Atomic(Space),
    /// An instruction that ends all lanes that execute it.
    Exit,
    /// An instruction that mainly requires an issue slot: nop, votes, counters, cache control.
    Other,
    /// An instruction whose opcode is not in the table.
    Unknown,
}

/// Unit that executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Integer unit. The integer unit also executes all instructions that belong to no other unit.
    Int,
    /// Single-precision unit.
    Single,
    /// Double-precision unit.
    Double,
    /// Special function unit.
    Special,
    /// Tensor cores.
    Tensor,
    /// Unit for loads, stores and atomics.
    Memory,
    /// Unit for branches, barriers, fences and exits.
    Control,
    /// Uniform datapath.
    Uniform,
    /// Unit for textures and surfaces.
    Texture,
    /// Unknown unit.
    Unknown,
}

impl Kind {
    /// Returns the unit that executes the instruction.
    pub fn unit(self) -> Unit {
        match self {
            Kind::Simple(number) | Kind::Mul(number) | Kind::Mad(number) => match number {
                Number::Int => Unit::Int,
                Number::Single => Unit::Single,
                Number::Double => Unit::Double,
            },
            Kind::Move | Kind::Shuffle | Kind::Other => Unit::Int,
            Kind::Special => Unit::Special,
            Kind::Tensor => Unit::Tensor,
            Kind::Uniform => Unit::Uniform,
            Kind::Texture | Kind::Surface => Unit::Texture,
            Kind::Branch | Kind::Barrier | Kind::Arrive | Kind::Fence | Kind::Exit => Unit::Control,
            Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_) => Unit::Memory,
            Kind::Unknown => Unit::Unknown,
        }
    }

    /// Returns whether the instruction is a load.
    pub fn is_load(self) -> bool {
        matches!(self, Kind::Load(_))
    }

    /// Returns the memory space that the instruction accesses; `None` if it does not access memory.
    pub fn space(self) -> Option<Space> {
        match self {
            Kind::Load(space) | Kind::Store(space) | Kind::Atomic(space) => Some(space),
            _ => None,
        }
    }

    /// Returns the operation with its memory space replaced by `space`. Operations without memory
    /// access stay unchanged.
    pub(in crate::import::accelsim) fn within(self, space: Space) -> Kind {
        match self {
            Kind::Load(_) => Kind::Load(space),
            Kind::Store(_) => Kind::Store(space),
            Kind::Atomic(_) => Kind::Atomic(space),
            kind => kind,
        }
    }
}

/// Returns the operation of `opcode`, including its modifiers, in the instruction set of
/// `binary_version`.
pub(in crate::import::accelsim) fn kind(opcode: &str, binary_version: u32) -> Kind {
    use Number::{Double, Int, Single};
    use Space::{Constant, Global, Local, Shared};
    let (name, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
    match name {
        "FADD" | "FADD32I" | "FCHK" | "FCMP" | "FMNMX" | "FSEL" | "FSET" | "FSETP" | "FSWZ" | "FSWZADD"
        | "RRO" | "HADD2" | "HADD2_32I" | "HMNMX2" | "HSET2" | "HSETP2" => Kind::Simple(Single),
        "FMUL" | "FMUL32I" | "HMUL2" | "HMUL2_32I" => Kind::Mul(Single),
        "FFMA" | "FFMA32I" | "HFMA2" | "HFMA2_32I" => Kind::Mad(Single),

        "DADD" | "DMNMX" | "DSET" | "DSETP" => Kind::Simple(Double),
        "DMUL" => Kind::Mul(Double),
        "DFMA" => Kind::Mad(Double),

        "MUFU" => Kind::Special,
        "HMMA" | "IMMA" | "BMMA" | "DMMA" | "QMMA" | "HGMMA" | "IGMMA" | "BGMMA" | "QGMMA" => Kind::Tensor,

        "BFE" | "BFI" | "BMSK" | "BREV" | "FLO" | "IABS" | "IADD" | "IADD3" | "IADD32I" | "ICMP"
        | "IMNMX" | "ISAD" | "ISCADD" | "ISCADD32I" | "ISET" | "ISETP" | "ISUB" | "LEA" | "LOP" | "LOP3"
        | "LOP32I" | "POPC" | "SGXT" | "SHF" | "SHL" | "SHR" | "VABSDIFF" | "VABSDIFF4" | "VADD"
        | "VHMNMX" | "VIADD" | "VIADDMNMX" | "VIMNMX" | "VIMNMX3" | "VMNMX" => Kind::Simple(Int),
        "IMUL" | "IMUL32I" => Kind::Mul(Int),
        "IDP" | "IDP4A" | "IMAD" | "IMADSP" | "XMAD" => Kind::Mad(Int),

        "B2R" | "CS2R" | "F2F" | "F2FP" | "F2I" | "F2IP" | "FRND" | "I2F" | "I2FP" | "I2I" | "I2IP"
        | "MOV" | "MOV32I" | "MOVM" | "P2R" | "PRMT" | "R2B" | "R2P" | "S2R" | "SEL" => Kind::Move,
        "SHFL" => Kind::Shuffle,

        "R2UR" | "REDUX" | "S2UR" | "UBMSK" | "UBREV" | "UCLEA" | "UF2FP" | "UFLO" | "UIADD3" | "UIMAD"
        | "UISETP" | "ULDC" | "ULEA" | "ULOP" | "ULOP3" | "ULOP32I" | "UMOV" | "UP2UR" | "UPLOP3"
        | "UPOPC" | "UPRMT" | "UPSETP" | "UR2UP" | "USEL" | "USETMAXREG" | "USGXT" | "USHF" | "USHL"
        | "USHR" | "VOTEU" => Kind::Uniform,

        "TEX" | "TEXS" | "TLD" | "TLD4" | "TLD4S" | "TLDS" | "TMML" | "TXA" | "TXD" | "TXQ" => Kind::Texture,
        "SUATOM" | "SUBFM" | "SUCLAMP" | "SUEAU" | "SULD" | "SULDGA" | "SUQUERY" | "SURED" | "SUST"
        | "SUSTGA" => Kind::Surface,

        // On Kepler, LD and ST have the function that LDG and STG have in later instruction sets
        // (table of Accel-Sim).
        "LD" | "ST" if binary_version < 50 => {
            if name == "LD" {
                Kind::Load(Global)
            } else {
                Kind::Store(Global)
            }
        }
        // LDGSTS copies data from global memory to shared memory. Traces contain only the global
        // addresses.
        "LD" | "LDG" | "LDGSTS" => Kind::Load(Global),
        "ST" | "STG" => Kind::Store(Global),
        "ATOM" | "ATOMG" | "RED" => Kind::Atomic(Global),
        "LDL" => Kind::Load(Local),
        "STL" => Kind::Store(Local),
        "LDS" | "LDSLK" | "LDSM" => Kind::Load(Shared),
        "STS" | "STSCUL" | "STSM" => Kind::Store(Shared),
        "ATOMS" => Kind::Atomic(Shared),
        "LDC" => Kind::Load(Constant),

        "BAR" if modifiers.starts_with("ARV") => Kind::Arrive,
        "BAR" => Kind::Barrier,
        "MEMBAR" => Kind::Fence,
        "EXIT" | "KILL" => Kind::Exit,
        "ACQBULK" | "BMOV" | "BPT" | "BRA" | "BREAK" | "BRK" | "BRX" | "BRXU" | "BSSY" | "BSYNC" | "CAL"
        | "CALL" | "CONT" | "ENDCOLLECTIVE" | "JCAL" | "JMP" | "JMX" | "JMXU" | "NANOSLEEP" | "PBK"
        | "PCNT" | "PEXIT" | "PRET" | "RET" | "RPCMOV" | "RTT" | "SSY" | "SYNC" | "WARPSYNC" | "YIELD" => {
            Kind::Branch
        }

        "CCTL" | "CCTLL" | "CCTLT" | "CSET" | "CSETP" | "CSMTEST" | "DEPBAR" | "ELECT" | "ERRBAR"
        | "GETLMEMBASE" | "LDGDEPBAR" | "LEPC" | "MATCH" | "NOP" | "PLOP3" | "PMTRIG" | "PSET" | "PSETP"
        | "QSPC" | "SETCTAID" | "SETLMEMBASE" | "VOTE" | "VOTE_VTG" | "WARPGROUP" => Kind::Other,

        _ => Kind::Unknown,
    }
}

/// Returns whether `opcode` uses generic addresses. A generic address determines the memory
/// space.
pub(super) fn is_generic(opcode: &str, binary_version: u32) -> bool {
    let name = opcode.split_once('.').map_or(opcode, |(name, _)| name);
    binary_version >= 50 && matches!(name, "LD" | "ST" | "ATOM")
}

/// Returns whether `opcode` is a bulk copy of the tensor memory accelerator of Hopper. Bulk
/// copies have different columns in the trace.
pub(super) fn is_bulk(opcode: &str) -> bool {
    opcode.starts_with("UTMA") || opcode.starts_with("UBLK")
}

/// Returns the number of bytes that each lane of a memory instruction accesses; `None` if `opcode` does not state this
/// number.
pub(super) fn lane_bytes(opcode: &str) -> Option<u32> {
    let mut parts = opcode.split('.');
    // LDSM and STSM access rows of eight 16-bit numbers. Each lane provides the address of one
    // row.
    if matches!(parts.next(), Some("LDSM" | "STSM")) {
        return Some(16);
    }
    let bits = parts.find_map(|part| match part {
        "F16x2" | "BF16x2" => Some(32),
        "F16x4" | "BF16x4" => Some(64),
        "F16x8" | "BF16x8" => Some(128),
        _ => {
            let digits = part.trim_start_matches(['U', 'S', 'F', 'B']);
            let plain = part.len() - digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let bits: u32 = plain.then(|| digits.parse().ok())??;
            (bits >= 8 && bits.is_multiple_of(8)).then_some(bits)
        }
    })?;
    Some(bits / 8)
}

/// Returns whether a load bypasses L1. Such a load must observe the writes of other SMs.
pub(super) fn skips_l1(opcode: &str) -> bool {
    let has = |name| opcode.split('.').any(|part| part == name);
    has("STRONG") && (has("GPU") || has("SYS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_opcode() {
        for (opcode, expected) in [
            ("LDG.E", None),
            ("LDG.E.SYS", None),
            ("LDG.E.U8.SYS", Some(1)),
            ("LDG.E.S16", Some(2)),
            ("LDG.E.128.CONSTANT.SYS", Some(16)),
            ("LDS.U.64", Some(8)),
            ("STG.E.LTC128B.64", Some(8)),
            ("LDSM.16.M88.4", Some(16)),
            ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", Some(4)),
            ("ATOMG.E.ADD.F64.RN", Some(8)),
            ("ATOM.E.ADD.F16x2.RN", Some(4)),
            ("ATOMS.CAS", None),
            ("LDG.E.7", None),
            ("LDG.E.99999999999", None),
        ] {
            assert_eq!(lane_bytes(opcode), expected, "{opcode}");
        }
    }

    #[test]
    fn modifiers_and_generations_matter() {
        assert_eq!(kind("BAR.SYNC.DEFER_BLOCKING", 75), Kind::Barrier);
        assert_eq!(kind("BAR.ARV", 75), Kind::Arrive);
        assert!(is_generic("LD.E.64", 70) && !is_generic("LDG.E", 70) && !is_generic("LD", 35));
        assert!(skips_l1("LDG.E.STRONG.GPU") && !skips_l1("LDG.E.SYS") && !skips_l1("LDG.E.STRONG.CTA"));
        assert!(is_bulk("UTMALDG.2D") && is_bulk("UBLKCP.S.G") && !is_bulk("UBMSK"));
        assert_eq!(kind("FADDX", 75), Kind::Unknown);
        assert_eq!(kind("", 75), Kind::Unknown);
    }
}
