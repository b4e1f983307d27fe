//! What a trace says of its kernel before the first instruction.

use super::Dimension;
use super::lines::Lines;
use super::token::{Fault, decimal, hexadecimal, show};
use crate::error::Result;

/// The oldest version of the tracer whose traces are read: before, every line of a processed trace repeated its thread block.
pub const LEAST_VERSION: u32 = 3;

/// The kernel of a trace, and how the trace was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The kernel's (mangled) name.
    pub name: String,
    /// Its number in the run, from 1; 0 if the trace does not say.
    pub id: u64,
    /// Thread blocks in each dimension.
    pub grid: Dimension,
    /// Threads of a block in each dimension.
    pub block: Dimension,
    /// Shared memory of a block, static and dynamic [bytes].
    pub shared_memory: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The instruction set: ten times the compute capability (70 is Volta, 75 Turing).
    pub binary_version: u32,
    /// The stream it was launched in.
    pub stream: u64,
    /// Where shared memory begins for generic addresses; 0 is unknown.
    pub shared_base: u64,
    /// Where local memory begins for generic addresses; 0 is unknown.
    pub local_base: u64,
    /// The version of Accel-Sim's tracer.
    pub tracer_version: u32,
    /// Whether every instruction begins with its line in the source.
    pub line_numbers: bool,
}

/// Fields as they are found.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    id: Option<u64>,
    grid: Option<Dimension>,
    block: Option<Dimension>,
    shared_memory: Option<u32>,
    registers: Option<u32>,
    binary_version: Option<u32>,
    stream: Option<u64>,
    shared_base: Option<u64>,
    local_base: Option<u64>,
    tracer_version: Option<u32>,
    line_numbers: Option<bool>,
}

impl Header {
    /// Warps of a block.
    pub fn warps(&self) -> usize {
        usize::try_from(self.block.count().div_ceil(32)).unwrap_or(usize::MAX)
    }

    /// The bytes from one instruction to the one that follows it in memory at `pc`: 16 from Volta on. Before, it is 8, or 16 where
    /// a word that controls the scheduling of the instructions after it stands between: every fourth word from Maxwell on, every
    /// eighth on Kepler.
    pub fn instruction_bytes(&self, pc: u32) -> u32 {
        let group = match self.binary_version {
            70.. => return 16,
            50.. => 32,
            _ => 64,
        };
        match pc.wrapping_add(8) % group {
            0 => 16,
            _ => 8,
        }
    }

    /// Where the word that `lane` accesses at `address` of its local memory lies, from the start of its warp's local memory: words of the
    /// same offset stand side by side, so that a warp that accesses one variable touches neighbouring bytes.
    pub fn local_address(&self, address: u64, lane: u32, bytes: u8) -> u64 {
        let offset = match self.local_base {
            0 => address,
            base => address.checked_sub(base).unwrap_or(address),
        };
        let width = u64::from(bytes.max(1));
        let word = offset / width;
        let start = word
            .saturating_mul(32)
            .saturating_add(lane.into())
            .saturating_mul(width);
        start.saturating_add(offset % width)
    }

    /// Reads up to the first line that is no header, which stays the current line.
    pub(super) fn read(lines: &mut Lines) -> Result<Header> {
        let mut draft = Draft::default();
        let mut first = true;
        while lines.advance()? {
            let line = lines.line();
            match line.strip_prefix(b"-") {
                Some(field) => draft.set(field).map_err(|fault| lines.error(fault))?,
                None if line.starts_with(b"#") => {
                    let header = draft.finish().map_err(|fault| lines.error(fault))?;
                    return Ok(header);
                }
                None => {
                    let expected = match first {
                        true => "the header of a trace (`-kernel name = …`)",
                        false => {
                            "`-field = value`, or #BEGIN_TB before the first instruction: raw traces (.trace) must go through post-traces-processing first"
                        }
                    };
                    let message = format!("found {}, expected {expected}", show(line));
                    return Err(lines.error(Fault::new("", message)));
                }
            }
            first = false;
        }
        Err(lines.whole(match first {
            true => "found nothing, expected a trace",
            false => "found no thread block after the header, expected #BEGIN_TB: is the file cut off?",
        }))
    }
}

impl Draft {
    fn set(&mut self, field: &[u8]) -> Result<(), Fault> {
        let Some(equals) = field.iter().position(|&byte| byte == b'=') else {
            return Err(Fault::found("", Some(field), "`-field = value`"));
        };
        let (key, value) = field.split_at_checked(equals).unwrap_or_default();
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        match key.trim_ascii() {
            b"kernel name" => {
                let name = String::from_utf8_lossy(value).into_owned();
                once(&mut self.name, "kernel name", Some(name), value, "a name")
            }
            b"kernel id" => once(&mut self.id, "kernel id", decimal(value), value, "a number"),
            b"grid dim" => {
                // The limits of CUDA (Programming Guide, table of technical specifications).
                let size = dimension(value)
                    .filter(|size| size.x <= 0x7fff_ffff && size.y <= 0xffff && size.z <= 0xffff);
                let expected = "(x,y,z) with x from 1 to 2147483647, y and z from 1 to 65535";
                once(&mut self.grid, "grid dim", size, value, expected)
            }
            b"block dim" => {
                let size = dimension(value).filter(|size| size.count() <= 1024);
                let expected = "(x,y,z), each at least 1, together at most 1024 threads";
                once(&mut self.block, "block dim", size, value, expected)
            }
            b"shmem" => {
                let bytes = number(value, 0, 1 << 20);
                let expected = "0 to 1048576 bytes";
                once(&mut self.shared_memory, "shmem", bytes, value, expected)
            }
            b"nregs" => {
                let registers = number(value, 0, 256);
                once(&mut self.registers, "nregs", registers, value, "0 to 256")
            }
            b"binary version" => {
                let version = number(value, 30, 199);
                let expected = "30 to 199, such as 75 for Turing";
                once(
                    &mut self.binary_version,
                    "binary version",
                    version,
                    value,
                    expected,
                )
            }
            b"cuda stream id" => once(
                &mut self.stream,
                "cuda stream id",
                decimal(value),
                value,
                "a number",
            ),
            b"shmem base_addr" => {
                let base = hexadecimal(value);
                once(
                    &mut self.shared_base,
                    "shmem base_addr",
                    base,
                    value,
                    "a hexadecimal address",
                )
            }
            b"local mem base_addr" => {
                let base = hexadecimal(value);
                once(
                    &mut self.local_base,
                    "local mem base_addr",
                    base,
                    value,
                    "a hexadecimal address",
                )
            }
            b"accelsim tracer version" => {
                let version = number(value, LEAST_VERSION, u32::MAX);
                let expected = "3 or more: trace the program again with a newer tracer";
                once(
                    &mut self.tracer_version,
                    "accelsim tracer version",
                    version,
                    value,
                    expected,
                )
            }
            b"enable lineinfo" => {
                let flag = number(value, 0, 1).map(|flag| flag == 1);
                once(&mut self.line_numbers, "enable lineinfo", flag, value, "0 or 1")
            }
            // `nvbit version` and what later tracers may add: nothing here depends on it.
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Header, Fault> {
        fn required<T>(value: Option<T>, field: &'static str) -> Result<T, Fault> {
            value.ok_or_else(|| Fault::new(field, "found none in the header, expected one"))
        }
        Ok(Header {
            // First: without it, all else may mean something else.
            tracer_version: required(self.tracer_version, "accelsim tracer version")?,
            name: required(self.name, "kernel name")?,
            id: self.id.unwrap_or(0),
            grid: required(self.grid, "grid dim")?,
            block: required(self.block, "block dim")?,
            shared_memory: required(self.shared_memory, "shmem")?,
            registers: required(self.registers, "nregs")?,
            binary_version: required(self.binary_version, "binary version")?,
            stream: self.stream.unwrap_or(0),
            shared_base: self.shared_base.unwrap_or(0),
            local_base: self.local_base.unwrap_or(0),
            line_numbers: self.line_numbers.unwrap_or(false),
        })
    }
}

/// Sets a field that was not there yet.
fn once<T>(
    slot: &mut Option<T>,
    field: &'static str,
    value: Option<T>,
    found: &[u8],
    expected: &str,
) -> Result<(), Fault> {
    if slot.is_some() {
        return Err(Fault::new(field, "found it a second time, expected it once"));
    }
    *slot = Some(value.ok_or_else(|| Fault::found(field, Some(found), expected))?);
    Ok(())
}

fn number(value: &[u8], least: u32, most: u32) -> Option<u32> {
    let number = u32::try_from(decimal(value)?).ok()?;
    (least..=most).contains(&number).then_some(number)
}

/// `(x,y,z)`, each at least 1.
fn dimension(value: &[u8]) -> Option<Dimension> {
    let inner = value.strip_prefix(b"(")?.strip_suffix(b")")?;
    position(inner).filter(|size| size.x > 0 && size.y > 0 && size.z > 0)
}

/// `x,y,z`.
pub(super) fn position(value: &[u8]) -> Option<Dimension> {
    let mut parts = value.split(|&byte| byte == b',');
    let mut part = || u32::try_from(decimal(parts.next()?.trim_ascii())?).ok();
    let position = Dimension {
        x: part()?,
        y: part()?,
        z: part()?,
    };
    parts.next().is_none().then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(binary_version: u32, pc: u32) -> u32 {
        let header = Header {
            name: String::new(),
            id: 1,
            grid: Dimension { x: 1, y: 1, z: 1 },
            block: Dimension { x: 1, y: 1, z: 1 },
            shared_memory: 0,
            registers: 8,
            binary_version,
            stream: 0,
            shared_base: 0,
            local_base: 0,
            tracer_version: 3,
            line_numbers: false,
        };
        pc + header.instruction_bytes(pc)
    }

    #[test]
    fn words_that_control_scheduling_are_stepped_over() {
        let walk = |version, from| {
            let steps = std::iter::successors(Some(from), |&pc| Some(follow(version, pc)));
            steps.take(8).collect::<Vec<u32>>()
        };
        assert_eq!(walk(75, 0), [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70]);
        assert_eq!(walk(61, 8), [0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48, 0x50]);
        assert_eq!(walk(35, 8), [0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x48]);
    }
}
