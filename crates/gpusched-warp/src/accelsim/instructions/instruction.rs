//! One instruction of machine code.

use super::opcode::{is_bulk, is_generic, kind, lane_bytes, skips_l1};
use crate::accelsim::token::{Fault, Tokens, decimal, show};
use crate::accelsim::{Header, Kind, Space};

/// The most registers of a kind in one instruction.
const MOST_REGISTERS: u64 = 8;

/// The register that reads as zero and forgets what is written (RZ).
const ZERO: u8 = 255;

/// One instruction of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SassInstruction {
    /// Its address in the kernel [bytes].
    pub pc: u32,
    /// Its opcode with modifiers, such as `LDG.E.64.SYS`.
    pub opcode: String,
    /// What it does. Of generic accesses (`LD`, `ST`, `ATOM`) the space is that of the first lane's address; one that meets several
    /// spaces is an instruction of each.
    pub kind: Kind,
    /// Registers written, without RZ: of several that a wide result takes, traces name the first.
    pub writes: Box<[u8]>,
    /// Registers read, without RZ and without repetition.
    pub reads: Box<[u8]>,
    /// Bytes per lane of memory instructions, 0 of others.
    pub bytes: u8,
    /// Whether it is a load that goes to L2 at once.
    pub skips_l1: bool,
    /// Whether its address is a generic one.
    pub generic: bool,
}

impl SassInstruction {
    /// Reads the columns from `dest_num` to `mem_width`; says whether addresses follow.
    pub(in crate::accelsim) fn read(
        pc: u32,
        words: &mut Tokens<'_>,
        header: &Header,
    ) -> Result<(SassInstruction, bool), Fault> {
        let writes = registers(words, "dest_num", "reg_dests")?;
        let opcode = words.read("opcode", opcode, "an opcode such as FADD or LDG.E.64")?;
        let mut reads = registers(words, "src_num", "reg_srcs")?;
        let width = words.read("mem_width", decimal, "the bytes of a memory access, or 0")?;
        if is_bulk(&opcode) {
            let message = format!(
                "found {}, which moves blocks of memory on its own (TMA): such traces are not read",
                show(opcode.as_bytes())
            );
            return Err(Fault::new("opcode", message));
        }
        let version = header.binary_version;
        let kind = kind(&opcode, version);
        let bytes = match kind.space() {
            None => 0,
            // Traces have no addresses of constants.
            Some(space) if width == 0 && space != Space::Constant => {
                let message = format!(
                    "found 0 in {}, expected the bytes that it accesses",
                    show(opcode.as_bytes())
                );
                return Err(Fault::new("mem_width", message));
            }
            // The column is derived from the opcode, with 4 for what the tracer does not know.
            Some(_) => match lane_bytes(&opcode).unwrap_or(match width {
                0 => 4,
                width => u32::try_from(width).unwrap_or(u32::MAX),
            }) {
                bytes @ 1..=16 => bytes as u8,
                found => {
                    let message = format!(
                        "found {found} in {}, expected 1 to 16 bytes per lane",
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

/// A count and that many registers, those that are RZ left out.
fn registers(words: &mut Tokens<'_>, count: &'static str, field: &'static str) -> Result<Vec<u8>, Fault> {
    let few = |word: &[u8]| decimal(word).filter(|&count| count <= MOST_REGISTERS);
    let count = words.read(count, few, "0 to 8 registers")?;
    let mut registers = Vec::new();
    for _ in 0..count {
        let register = |word: &[u8]| u8::try_from(decimal(word.strip_prefix(b"R")?)?).ok();
        let register = words.read(field, register, "R0 to R255")?;
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
