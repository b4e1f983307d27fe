//! Symbolic execution computes the values that instructions write to registers, if these values are known before a run.

use super::error::Because;
use super::instruction::size;
use super::symbolic::{Poly, Ranges};
use super::{Instruction, Kernel, Operand};
use crate::program::expression::{Binary, Function};

/// Value of a register, if the value is known before a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// The register contains the lowest bits of this polynomial. A predicate is 0 or 1.
    Known(Poly),
    /// The value is unknown, for this reason.
    Unknown(Because),
}

impl Value {
    /// Returns an unknown value whose reason is `what` in line `line`.
    pub fn unknown(what: &str, line: usize) -> Value {
        Value::Unknown(format!("{what} in line {line}").into())
    }
}

/// Values of all registers, indexed by register.
pub(super) type State = Vec<Value>;

/// Placeholder for the buffer name of a load whose address is unknown in the first pass of a loop. The range of its
/// values contains only 0, so gpusched never wraps these values. The second pass uses the correct buffer.
pub(super) const UNKNOWN_BUFFER: &str = "%";

/// Returns whether `kind` is a type of whole numbers.
fn integer(kind: &str) -> bool {
    kind.starts_with(['s', 'u', 'b'])
}

/// Maximum size of a polynomial. A register with a larger polynomial has an unknown value.
pub(super) const LARGEST: usize = 400;

/// Properties of names and symbols that are known before a run.
pub(super) struct Knowledge<'k> {
    pub kernel: &'k Kernel,
    /// Name of each parameter in expressions. `None` for parameters that are not integers.
    pub parameters: Vec<Option<String>>,
    /// Buffers with values: the name, and the size of a value [bytes].
    pub elements: Vec<(String, u8)>,
    pub ranges: Ranges,
    /// Ranges that hold for every launch.
    pub anywhere: Ranges,
}

impl Knowledge<'_> {
    /// Returns the value that `instruction` writes to its first operand, if this operand is a register.
    pub fn result(&self, instruction: &Instruction, state: &State) -> Value {
        match self.compute(instruction, state) {
            Ok(poly) if poly.size() <= LARGEST => Value::Known(poly),
            Ok(_) => Value::unknown("a value whose expression is too large", instruction.line),
            Err(because) => Value::Unknown(because),
        }
    }

    /// Returns the value of an operand as a polynomial, or the reason why the value is unknown.
    pub fn operand(&self, operand: Option<&Operand>, state: &State, line: usize) -> Result<Poly, Because> {
        match operand {
            Some(Operand::Register(register)) => match state.get(*register) {
                Some(Value::Known(poly)) => Ok(poly.clone()),
                Some(Value::Unknown(because)) => Err(because.clone()),
                None => Err("an unknown register".into()),
            },
            Some(Operand::Integer(value)) => Ok(Poly::constant(*value)),
            Some(Operand::Special(name)) => {
                special(name).ok_or_else(|| format!("{name} in line {line}").into())
            }
            Some(Operand::Symbol(name)) => {
                let shared = self.kernel.shared.iter().find(|(known, _)| known == name);
                let address = shared.and_then(|(_, address)| i64::try_from(*address).ok());
                address
                    .map(Poly::constant)
                    .ok_or_else(|| format!("the address of {name} in line {line}").into())
            }
            _ => Err(format!("an operand in line {line} that is not a whole number").into()),
        }
    }

    fn compute(&self, instruction: &Instruction, state: &State) -> Result<Poly, Because> {
        let line = instruction.line;
        let opcode = instruction.opcode.join(".");
        let unsupported = || -> Because { format!("the result of {opcode} in line {line}").into() };
        let kind = instruction.opcode.last().map_or("", String::as_str);
        let name = instruction.name();
        if matches!(name, "ld" | "ldu") && instruction.is("param") {
            return self.parameter(instruction).ok_or_else(unsupported);
        }
        if matches!(name, "ld" | "ldu") && !instruction.is("shared") && !instruction.is("local") {
            return self.element(instruction, state);
        }
        if matches!(name, "ld" | "ldu" | "atom") {
            return Err(Because::loaded(line, ""));
        }
        let bits = size(kind).map_or(64, |bytes| u8::try_from(bytes.min(8) * 8).unwrap_or(64));
        let integer = kind.starts_with(['s', 'u', 'b']) || kind == "pred";
        if !integer && name != "cvta" {
            return Err(unsupported());
        }
        let raw = |index: usize| self.operand(instruction.operands.get(index), state, line);
        let signed = kind.starts_with('s');
        let typed = |index: usize| -> Result<Poly, Because> {
            let value = raw(index)?;
            match signed {
                true => Ok(self.ranges.signed(&value, bits)),
                false => self.ranges.unsigned(&value, bits).ok_or_else(unsupported),
            }
        };
        let constant = |index: usize| raw(index)?.as_constant().ok_or_else(unsupported);
        let r = &self.ranges;
        if instruction.is("cc") || instruction.is("sat") {
            return Err(unsupported());
        }
        match name {
            "mov" | "cvta" if instruction.operands.len() == 2 => raw(1),
            "add" => Ok(raw(1)?.plus(&raw(2)?)),
            "sub" => Ok(raw(1)?.minus(&raw(2)?)),
            "neg" => Ok(raw(1)?.scaled(-1)),
            "abs" => {
                let value = r.signed(&raw(1)?, bits);
                Ok(r.extreme(Function::Max, &value, &value.scaled(-1)))
            }
            "mul" | "mad" => {
                let product = if instruction.is("lo") {
                    raw(1)?.times(&raw(2)?)
                } else if bits == 64 {
                    return Err(unsupported());
                } else {
                    let product = typed(1)?.times(&typed(2)?);
                    if instruction.is("hi") {
                        if !r.of(&product).fits_signed(63) {
                            return Err(unsupported());
                        }
                        r.binary(Binary::ShiftRight, &product, &Poly::constant(i64::from(bits)))
                    } else {
                        product
                    }
                };
                if name == "mad" {
                    Ok(product.plus(&raw(3)?))
                } else {
                    Ok(product)
                }
            }
            "div" => Ok(r.binary(Binary::Divide, &typed(1)?, &typed(2)?)),
            "rem" => Ok(r.binary(Binary::Remainder, &typed(1)?, &typed(2)?)),
            "min" => Ok(r.extreme(Function::Min, &typed(1)?, &typed(2)?)),
            "max" => Ok(r.extreme(Function::Max, &typed(1)?, &typed(2)?)),
            "and" if kind == "pred" => Ok(r.binary(Binary::And, &raw(1)?, &raw(2)?)),
            "or" if kind == "pred" => Ok(r.binary(Binary::Or, &raw(1)?, &raw(2)?)),
            "xor" if kind == "pred" => Ok(r.binary(Binary::Unequal, &raw(1)?, &raw(2)?)),
            "not" if kind == "pred" => Ok(r.not(&raw(1)?)),
            "and" => Ok(r.binary(Binary::BitAnd, &raw(1)?, &raw(2)?)),
            "or" => Ok(r.binary(Binary::BitOr, &raw(1)?, &raw(2)?)),
            "xor" => Ok(r.binary(Binary::BitXor, &raw(1)?, &raw(2)?)),
            "not" => Ok(Poly::constant(-1).minus(&raw(1)?)),
            "shl" => {
                let count = self.count(&raw(2)?, bits).ok_or_else(unsupported)?;
                if count.as_constant().is_some_and(|count| count >= i64::from(bits)) {
                    return Ok(Poly::constant(0));
                }
                Ok(r.binary(Binary::ShiftLeft, &raw(1)?, &count))
            }
            "shr" => {
                let count = self.count(&raw(2)?, bits).ok_or_else(unsupported)?;
                Ok(r.binary(Binary::ShiftRight, &typed(1)?, &count))
            }
            "setp" => self
                .comparison(instruction, state, bits)
                .ok_or_else(unsupported)?,
            "selp" => Ok(r.choice(&raw(3)?, &raw(1)?, &raw(2)?)),
            "bfe" if !signed => {
                let (start, length) = (constant(2)? & 0xFF, constant(3)? & 0xFF);
                let value = r.binary(Binary::ShiftRight, &typed(1)?, &Poly::constant(start));
                match length {
                    0..=62 => Ok(r.binary(Binary::BitAnd, &value, &Poly::constant((1 << length) - 1))),
                    _ => Ok(value),
                }
            }
            "bfi" => {
                let (start, length) = (constant(3)? & 0xFF, constant(4)? & 0xFF);
                let end = start + length;
                let mask = |bits: i64| Poly::constant(if bits >= 64 { -1 } else { (1_i64 << bits) - 1 });
                let field = if end >= bits.into() {
                    raw(1)?
                } else {
                    r.binary(Binary::BitAnd, &raw(1)?, &mask(length))
                };
                let field = r.binary(Binary::ShiftLeft, &field, &Poly::constant(start));
                let below = r.binary(Binary::BitAnd, &raw(2)?, &mask(start));
                if end >= bits.into() {
                    return Ok(field.plus(&below));
                }
                let keep = mask(end).scaled(-1).minus(&Poly::constant(1));
                let above = r.binary(Binary::BitAnd, &raw(2)?, &keep);
                Ok(field.plus(&below).plus(&above))
            }
            "cvt" => self.conversion(instruction, state).ok_or_else(unsupported)?,
            _ => Err(unsupported()),
        }
    }

    /// Returns the shift count if the count is constant or certainly less than `bits`.
    fn count(&self, count: &Poly, bits: u8) -> Option<Poly> {
        if let Some(count) = count.as_constant() {
            return Some(Poly::constant((count & 0xFFFF_FFFF).min(64)));
        }
        let range = self.ranges.of(count);
        (range.low >= 0 && range.high < bits.into()).then(|| count.clone())
    }

    /// Returns the value that a load from global memory reads. The load must read exactly one value of a buffer with
    /// stated values.
    fn element(&self, instruction: &Instruction, state: &State) -> Result<Poly, Because> {
        let line = instruction.line;
        let memory = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        let register = memory.and_then(|memory| memory.register);
        let (Some(memory), Some(register)) = (memory, register) else {
            return Err(Because::loaded(line, ""));
        };
        let base = self.operand(Some(&Operand::Register(register)), state, line)?;
        let address = base.plus(&Poly::constant(memory.offset));
        let size_of = |name: &str| self.elements.iter().find(|(known, _)| known == name);
        let kind = instruction.opcode.last().map_or("", String::as_str);
        let Some((buffer, offset)) = address.within(&|name| size_of(name).is_some()) else {
            // In the first pass of a loop, the address may depend on a register that the loop changes. The second pass
            // knows the address.
            let changes = |name: &str| name.starts_with('%');
            return match !self.elements.is_empty() && address.mentions(&changes) && integer(kind) {
                true => Ok(Poly::element(UNKNOWN_BUFFER, address)),
                false => Err(Because::loaded(line, "")),
            };
        };
        let element = size_of(&buffer).map_or(0, |(_, bytes)| *bytes);
        if size(kind) != Some(u64::from(element)) || !integer(kind) {
            let more = format!(
                ", which is of type {kind}, but the values of buffer `{buffer}` are whole numbers of {element} bytes"
            );
            return Err(Because::loaded(line, &more));
        }
        // Addresses of loads are multiples of the size, so the division has no remainder.
        let shift = Poly::constant(i64::from(element.trailing_zeros()));
        let index = self.ranges.binary(Binary::ShiftRight, &offset, &shift);
        let value = Poly::element(&buffer, index);
        let bits = 8 * element;
        Ok(match kind.starts_with('s') {
            true => self.ranges.signed(&value, bits),
            false => self.ranges.unsigned(&value, bits).unwrap_or(value),
        })
    }

    fn parameter(&self, instruction: &Instruction) -> Option<Poly> {
        let Some(Operand::Memory(memory)) = instruction.operands.get(1) else {
            return None;
        };
        let name = memory.symbol.as_ref().filter(|_| memory.offset == 0)?;
        let index = self
            .kernel
            .parameters
            .iter()
            .position(|parameter| parameter.name == *name)?;
        let read = instruction.opcode.last().and_then(|kind| size(kind));
        let own = self
            .kernel
            .parameters
            .get(index)
            .and_then(|parameter| size(&parameter.kind));
        let name = self.parameters.get(index)?.as_ref().filter(|_| read == own)?;
        Some(Poly::name(name))
    }

    fn comparison(
        &self,
        instruction: &Instruction,
        state: &State,
        bits: u8,
    ) -> Option<Result<Poly, Because>> {
        let kind = instruction.opcode.last()?;
        let word = instruction.opcode.get(1)?;
        let (operator, unsigned) = match word.as_str() {
            "eq" => (Binary::Equal, false),
            "ne" => (Binary::Unequal, false),
            "lt" => (Binary::Less, false),
            "le" => (Binary::AtMost, false),
            "gt" => (Binary::Greater, false),
            "ge" => (Binary::AtLeast, false),
            "lo" => (Binary::Less, true),
            "ls" => (Binary::AtMost, true),
            "hi" => (Binary::Greater, true),
            "hs" => (Binary::AtLeast, true),
            _ => return None,
        };
        let raw = |index: usize| self.operand(instruction.operands.get(index), state, instruction.line);
        let ordered = !matches!(operator, Binary::Equal | Binary::Unequal);
        let unsigned = unsigned || (ordered && !kind.starts_with('s'));
        let typed = |value: Poly| match unsigned {
            true => self.ranges.unsigned(&value, bits),
            // `eq` and `ne` depend only on the bits, so signed and unsigned values give equal
            // results.
            false => Some(self.ranges.signed(&value, bits)),
        };
        let (x, y) = match (raw(1), raw(2)) {
            (Ok(x), Ok(y)) => (typed(x)?, typed(y)?),
            (Err(because), _) | (_, Err(because)) => return Some(Err(because)),
        };
        let holds = self.ranges.binary(operator, &x, &y);
        let combined = instruction.opcode.get(2).map_or("", String::as_str);
        let operator = match combined {
            "and" => Binary::And,
            "or" => Binary::Or,
            "xor" => Binary::Unequal,
            _ => return Some(Ok(holds)),
        };
        // The importer does not accept `!p` as an operand, so the third operand is never negated.
        Some(raw(3).map(|other| self.ranges.binary(operator, &holds, &other)))
    }

    fn conversion(&self, instruction: &Instruction, state: &State) -> Option<Result<Poly, Because>> {
        let mut kinds = instruction
            .opcode
            .iter()
            .rev()
            .filter(|kind| size(kind).is_some());
        let (from, to) = (kinds.next()?, kinds.next()?);
        let bits = |kind: &str| size(kind).and_then(|bytes| u8::try_from(bytes * 8).ok());
        let (read, written) = (bits(from)?, bits(to)?);
        if !from.starts_with(['s', 'u', 'b']) || !to.starts_with(['s', 'u', 'b']) {
            return None;
        }
        let value = match self.operand(instruction.operands.get(1), state, instruction.line) {
            Ok(value) => value,
            Err(because) => return Some(Err(because)),
        };
        // If the register is wider than the result, the type of the result determines how the
        // value is extended.
        let widened = |value: &Poly, kind: &str, bits: u8| match kind.starts_with('s') {
            true => Some(self.ranges.signed(value, bits)),
            false => self
                .ranges
                .unsigned(value, bits)
                .or_else(|| (bits == 64).then(|| value.clone())),
        };
        let value = if written > read {
            widened(&value, from, read)?
        } else {
            value
        };
        let value = if written < 32 {
            widened(&value, to, written)?
        } else {
            value
        };
        Some(Ok(value))
    }
}

/// Returns the value of a special register as an expression name.
fn special(name: &str) -> Option<Poly> {
    let (name, axis) = name
        .split_once('.')
        .map_or((name, ""), |(name, axis)| (name, axis));
    let axis = Some(axis).filter(|axis| ["x", "y", "z"].contains(axis));
    let name = match (name, axis) {
        ("%tid", Some(axis)) => format!("thread.{axis}"),
        ("%ntid", Some(axis)) => format!("threads.{axis}"),
        ("%ctaid", Some(axis)) => format!("block.{axis}"),
        ("%nctaid", Some(axis)) => format!("blocks.{axis}"),
        ("%laneid", None) => "lane".to_owned(),
        _ => return None,
    };
    Some(Poly::name(&name))
}
