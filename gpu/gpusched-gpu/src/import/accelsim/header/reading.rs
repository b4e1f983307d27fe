//! Reader for the header of a trace.

use super::{Dimension, Header, LEAST_VERSION};
use crate::import::accelsim::lines::Lines;
use crate::import::accelsim::token::{Fault, decimal, hexadecimal, show};
use gpusched_model::error::Result;

/// Header fields that have been read so far.
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
    /// Reads the header up to the first line that does not belong to the header. The first line
    /// after the header becomes the current line.
    pub(in crate::import::accelsim) fn read(lines: &mut Lines) -> Result<Header> {
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
                            "`-field = value`, or #BEGIN_TB before the first instruction: convert raw traces (.trace) with post-traces-processing"
                        }
                    };
                    let message = format!("found {}, expected {expected}", show(line));
                    return Err(lines.error(Fault::new("", message)));
                }
            }
            first = false;
        }
        Err(match first {
            true => lines.whole("found nothing, expected a trace"),
            false => {
                lines.cut("found no thread block after the header, expected #BEGIN_TB: is the file cut off?")
            }
        })
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
                // The limits are in the CUDA Programming Guide, table of technical specifications.
                let size = dimension(value)
                    .filter(|size| size.x <= 0x7fff_ffff && size.y <= 0xffff && size.z <= 0xffff);
                let expected = "(x,y,z) with x from 1 to 2147483647, y and z from 1 to 65535";
                once(&mut self.grid, "grid dim", size, value, expected)
            }
            b"block dim" => {
                let size = dimension(value).filter(|size| size.count() <= 1024);
                let expected = "(x,y,z), each at least 1, with at most 1024 threads in total";
                once(&mut self.block, "block dim", size, value, expected)
            }
            b"shmem" => {
                let bytes = number(value, 0, 1 << 20);
                let expected = "0 to 1048576 bytes";
                once(&mut self.shared_memory, "shmem", bytes, value, expected)
            }
            b"nregs" => {
                let registers = number(value, 0, 256);
                once(
                    &mut self.registers,
                    "nregs",
                    registers,
                    value,
                    "0 to 256 registers",
                )
            }
            b"binary version" => {
                let version = number(value, 30, 199);
                let expected = "a version from 30 to 199, such as 75 for Turing";
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
                let expected = "version 3 or later: trace the program again with a newer tracer";
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
            // gpusched ignores `nvbit version` and fields of later tracers, because they do not
            // affect any result.
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Header, Fault> {
        fn required<T>(value: Option<T>, field: &'static str) -> Result<T, Fault> {
            value.ok_or_else(|| Fault::new(field, "missing in the header"))
        }
        Ok(Header {
            // gpusched checks the tracer version first, because another version may use other
            // fields differently.
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

/// Sets a header field. Fails if the field already has a value.
fn once<T>(
    slot: &mut Option<T>,
    field: &'static str,
    value: Option<T>,
    found: &[u8],
    expected: &str,
) -> Result<(), Fault> {
    if slot.is_some() {
        return Err(Fault::new(
            field,
            "found the field a second time, expected one value",
        ));
    }
    *slot = Some(value.ok_or_else(|| Fault::found(field, Some(found), expected))?);
    Ok(())
}

fn number(value: &[u8], least: u32, most: u32) -> Option<u32> {
    let number = u32::try_from(decimal(value)?).ok()?;
    (least..=most).contains(&number).then_some(number)
}

/// Parses `(x,y,z)`. Returns `None` if a number is less than 1.
fn dimension(value: &[u8]) -> Option<Dimension> {
    let inner = value.strip_prefix(b"(")?.strip_suffix(b")")?;
    position(inner).filter(|size| size.x > 0 && size.y > 0 && size.z > 0)
}

/// Parses a position of the form `x,y,z`.
pub(in crate::import::accelsim) fn position(value: &[u8]) -> Option<Dimension> {
    let mut parts = value.split(|&byte| byte == b',');
    let mut part = || u32::try_from(decimal(parts.next()?.trim_ascii())?).ok();
    let position = Dimension {
        x: part()?,
        y: part()?,
        z: part()?,
    };
    parts.next().is_none().then_some(position)
}
