//! One instruction of machine code.

use super::opcode::{is_bulk, is_generic, kind, lane_bytes, skips_l1};
use crate::import::accelsim::token::{Fault, Tokens, decimal, show};
use crate::import::accelsim::{Header, Kind, Space};

/// Maximum number of registers that one instruction reads. The same limit applies to the registers that it writes.
const MOST_REGISTERS: u64 = 8;

/// The register RZ. Reads of RZ return zero, and writes to RZ have no effect.
const ZERO: u8 = 255;

/// Machine instruction (SASS).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SassInstruction {
    /// Address of the instruction, relative to the start of its function [bytes].
    pub pc: u32,
    /// Opcode with modifiers, such as `LDG.E.64.SYS`.
    pub opcode: String,
    /// Operation of the instruction. For generic accesses (`LD`, `ST`, `ATOM`), the address of the first lane
    /// determines the memory space. If a generic instruction accesses several memory spaces, it counts as one
    /// instruction per space.
    pub kind: Kind,
    /// Written registers, without RZ. If a wide result occupies several registers, traces name
    /// only the first register.
    pub writes: Box<[u8]>,
    /// Read registers, without RZ and without duplicates.
    pub reads: Box<[u8]>,
    /// Number of bytes per lane of a memory instruction; 0 for all other instructions.
    pub bytes: u8,
    /// Whether the instruction is a load that bypasses L1.
    pub skips_l1: bool,
    /// Whether the instruction uses generic addresses.
    pub generic: bool,
}

impl SassInstruction {
    /// Reads the columns from `dest_num` to `mem_width`. Also returns whether columns with
    /// addresses follow in the line.
    pub(in crate::import::accelsim) fn read(
        pc: u32,
        words: &mut Tokens<'_>,
        header: &Header,
    ) -> Result<(SassInstruction, bool), Fault> {
        let writes = registers(words, "dest_num", "reg_dests")?;
        let opcode = words.read("opcode", opcode, "an opcode such as FADD or LDG.E.64")?;
        let mut reads = registers(words, "src_num", "reg_srcs")?;
        let width = words.read(
            "mem_width",
            decimal,
            "the bytes per lane of a memory access, or 0",
        )?;
        if is_bulk(&opcode) {
            let message = format!(
                "found {}, a bulk copy of the tensor memory accelerator (TMA), which gpusched does not support",
                show(opcode.as_bytes())
            );
            return Err(Fault::new("opcode", message));
        }
        let version = header.binary_version;
        let kind = kind(&opcode, version);
        let bytes = match kind.space() {
            None => 0,
            // Traces do not contain addresses of constants.
            Some(space) if width == 0 && space != Space::Constant => {
                let message = format!(
                    "found 0 bytes for {}, expected the bytes per lane that the instruction accesses",
                    show(opcode.as_bytes())
                );
                return Err(Fault::new("mem_width", message));
            }
            // The tracer derives the column `mem_width` from the opcode. For an unknown width,
            // the tracer writes 4.
            Some(_) => match lane_bytes(&opcode).unwrap_or(match width {
                0 => 4,
                width => u32::try_from(width).unwrap_or(u32::MAX),
            }) {
                bytes @ 1..=16 => bytes as u8,
                found => {
                    let message = format!(
                        "found {found} bytes per lane for {}, expected 1 to 16",
                        show(opcode.as_bytes())
                    );
                    return Err(Fault::new("mem_width", message));
                }
            },
        };
        let mut seen = [false; 256];
        reads.retain(|&register| {
            let first = seen
                .get_mut(usize::from(register))
                .map(|seen| std::mem::replace(seen, true));
            first == Some(false)
        });
        let instruction = SassInstruction {
            pc,
            kind,
            writes: writes.into(),
            reads: reads.into(),
            bytes,
            skips_l1: kind.is_load() && skips_l1(&opcode),
            generic: is_generic(&opcode, version),
            opcode,
        };
        Ok((instruction, width > 0))
    }
}

/// Reads the number of registers, and then the registers. RZ is omitted from the result.
fn registers(words: &mut Tokens<'_>, count: &'static str, field: &'static str) -> Result<Vec<u8>, Fault> {
    let few = |word: &[u8]| decimal(word).filter(|&count| count <= MOST_REGISTERS);
    let count = words.read(count, few, "0 to 8 registers")?;
    let mut registers = Vec::new();
    for _ in 0..count {
        let register = |word: &[u8]| u8::try_from(decimal(word.strip_prefix(b"R")?)?).ok();
        let register = words.read(field, register, "a register from R0 to R255")?;
        if register != ZERO {
            registers.push(register);
        }
    }
    Ok(registers)
}

fn opcode(word: &[u8]) -> Option<String> {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let valid =
        word.first().is_some_and(u8::is_ascii_alphabetic) && word.len() <= 80 && word.iter().all(fits);
    valid.then(|| String::from_utf8(word.to_vec()).ok())?
}
