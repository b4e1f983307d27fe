//! PTX instructions, as written in the PTX text.

use super::error::PtxError;
use super::text::is_name;

/// Operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A register, identified by its index in the kernel.
    Register(usize),
    /// Two predicates that a comparison writes: `%p1|%p2`.
    Pair(usize, usize),
    /// Registers in braces. An element that is not a register is `None`.
    Vector(Vec<Option<usize>>),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float,
    /// A special register such as `%tid.x`.
    Special(String),
    /// A memory operand.
    Memory(Memory),
    /// A label, a parameter or a variable.
    Symbol(String),
}

/// An address in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Index of the base register.
    pub register: Option<usize>,
    /// Name of the base variable or parameter.
    pub symbol: Option<String>,
    /// Offset from the base [bytes].
    pub offset: i64,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Line number of the instruction, from 1.
    pub line: usize,
    /// Predicate register of the guard, and whether the guard is negated.
    pub guard: Option<(usize, bool)>,
    /// Opcode, split at its dots into name and modifiers.
    pub opcode: Vec<String>,
    /// Operands of the instruction.
    pub operands: Vec<Operand>,
}

impl Instruction {
    /// Returns the opcode without its modifiers.
    pub fn name(&self) -> &str {
        self.opcode.first().map_or("", String::as_str)
    }

    /// Returns whether the opcode has the modifier `modifier`.
    pub fn is(&self, modifier: &str) -> bool {
        self.opcode.iter().skip(1).any(|known| known == modifier)
    }

    /// Returns the target label of a branch.
    pub fn target(&self) -> Option<&str> {
        match (self.name(), self.operands.first()) {
            ("bra", Some(Operand::Symbol(label))) => Some(label),
            _ => None,
        }
    }

    /// Parses one instruction. `find` returns the index of the register with a given name.
    pub(super) fn read(
        line: usize,
        text: &str,
        find: &impl Fn(&str) -> Option<usize>,
    ) -> Result<Instruction, PtxError> {
        let fail = |message: String| PtxError::new(line, message);
        let (guard, rest) = match text.strip_prefix('@') {
            None => (None, text),
            Some(guarded) => {
                let (name, rest) = guarded.split_once(char::is_whitespace).unwrap_or((guarded, ""));
                let (name, negated) = name.strip_prefix('!').map_or((name, false), |name| (name, true));
                let register = find(name).ok_or_else(|| {
                    fail(format!("found the guard {name:?}, expected a declared predicate"))
                })?;
                (Some((register, negated)), rest.trim())
            }
        };
        let (opcode, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let opcode: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        let known = opcode.first().is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if !known {
            return Err(fail(format!("found {}, expected an instruction", clip(text))));
        }
        let operands = split(operands)
            .into_iter()
            .map(|operand| {
                read_operand(operand, find).ok_or_else(|| {
                    fail(format!(
                        "found the operand {}, expected a declared register, a number, an address or a name",
                        clip(operand)
                    ))
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Instruction {
            line,
            guard,
            opcode,
            operands,
        })
    }
}

/// Returns `text` in quotes. Long text is shortened for a message.
pub(super) fn clip(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    format!("{short:?}{}", if short.len() < text.len() { "…" } else { "" })
}

/// Splits operands at the commas outside brackets and braces.
fn split(text: &str) -> Vec<&str> {
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (index, c) in text.char_indices() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(text.get(start..index).unwrap_or("").trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    let last = text.get(start..).unwrap_or("").trim();
    if !(last.is_empty() && operands.is_empty()) {
        operands.push(last);
    }
    operands
}

fn read_operand(text: &str, find: &impl Fn(&str) -> Option<usize>) -> Option<Operand> {
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return read_memory(inner.trim(), find).map(Operand::Memory);
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return Some(Operand::Vector(
            inner.split(',').map(|name| find(name.trim())).collect(),
        ));
    }
    if let Some((first, second)) = text.split_once('|') {
        return Some(Operand::Pair(find(first.trim())?, find(second.trim())?));
    }
    if let Some(register) = find(text) {
        return Some(Operand::Register(register));
    }
    if is_special(text) {
        return Some(Operand::Special(text.to_owned()));
    }
    if let Some(value) = number(text) {
        return Some(Operand::Integer(value));
    }
    if is_float(text) {
        return Some(Operand::Float);
    }
    (is_name(text) && !text.starts_with('%')).then(|| Operand::Symbol(text.to_owned()))
}

fn read_memory(text: &str, find: &impl Fn(&str) -> Option<usize>) -> Option<Memory> {
    let (base, offset) = match text.split_once('+') {
        Some((base, offset)) => (base.trim(), number(offset.trim())?),
        None => match text.char_indices().skip(1).find(|(_, c)| *c == '-') {
            Some((index, _)) => (text.get(..index)?.trim(), number(text.get(index..)?.trim())?),
            None => (text, 0),
        },
    };
    if let Some(register) = find(base) {
        return Some(Memory {
            register: Some(register),
            symbol: None,
            offset,
        });
    }
    if let Some(address) = number(base) {
        return Some(Memory {
            register: None,
            symbol: None,
            offset: address.checked_add(offset)?,
        });
    }
    let symbol = (is_name(base) && !base.starts_with('%')).then(|| base.to_owned())?;
    Some(Memory {
        register: None,
        symbol: Some(symbol),
        offset,
    })
}

/// Parses an integer: decimal, hexadecimal, octal or binary, with an optional minus sign or a suffix `U`.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text
        .strip_prefix('-')
        .map_or((false, text), |digits| (true, digits.trim()));
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?.cast_signed();
    Some(if negative { value.wrapping_neg() } else { value })
}

fn is_float(text: &str) -> bool {
    let hexadecimal = |prefix: [&str; 2], length: usize| {
        let digits = text
            .strip_prefix(prefix[0])
            .or_else(|| text.strip_prefix(prefix[1]));
        digits.is_some_and(|digits| digits.len() == length && digits.chars().all(|c| c.is_ascii_hexdigit()))
    };
    let starts = text
        .trim_start_matches('-')
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    hexadecimal(["0f", "0F"], 8) || hexadecimal(["0d", "0D"], 16) || (starts && text.parse::<f64>().is_ok())
}

fn is_special(text: &str) -> bool {
    let Some(name) = text.strip_prefix('%') else {
        return false;
    };
    let known = [
        "tid",
        "ntid",
        "ctaid",
        "nctaid",
        "laneid",
        "warpid",
        "nwarpid",
        "smid",
        "nsmid",
        "gridid",
        "clock",
        "clock64",
        "clock_hi",
        "globaltimer",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "dynamic_smem_size",
        "total_smem_size",
    ];
    known.contains(&name.split('.').next().unwrap_or(""))
}

/// Returns the size of a type such as `u64` [bytes]. Returns `None` if `kind` is not a type.
pub(super) fn size(kind: &str) -> Option<u64> {
    Some(match kind {
        "pred" => 1,
        _ => match kind.trim_start_matches(|c: char| c.is_ascii_alphabetic()) {
            "8" => 1,
            "16" => 2,
            "32" | "16x2" => 4,
            "64" => 8,
            "128" => 16,
            _ => return None,
        },
    })
}
