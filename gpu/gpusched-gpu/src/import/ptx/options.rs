//! Import of a kernel for a given launch.

use super::execute::{Knowledge, UNKNOWN_BUFFER};
use super::instruction::clip;
use super::instruction::size;
use super::structure::Structure;
use super::symbolic::{Range, Ranges};
use super::{Module, PtxError, modifiers};
use crate::program::Program;
use crate::program::{Buffer, Builtin, Contents, Dimensions};
use gpusched_model::Refusal;

/// Argument of a kernel launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// Name and value of an integer.
    Number(String, i64),
    /// Name and value of a decimal number such as `2.5`, for a parameter of type `f32` or `f64`.
    Decimal(String, String),
    /// Name and size of a buffer [bytes].
    Buffer(String, u64),
}

impl Argument {
    /// Returns the name of the argument.
    pub fn name(&self) -> &str {
        match self {
            Argument::Number(name, _) | Argument::Decimal(name, _) | Argument::Buffer(name, _) => name,
        }
    }
}

/// Launch for which gpusched imports a kernel.
#[derive(Debug, Clone)]
pub struct Options {
    /// Number of thread blocks along each axis.
    pub grid: Dimensions,
    /// Number of threads of a block along each axis.
    pub block: Dimensions,
    /// Arguments, one for each parameter, in the order of the parameters. A program stores `f32` and `f64` values as
    /// IEEE 754 bits.
    pub arguments: Vec<Argument>,
    /// Contents of buffers, by name. If the contents of a buffer are missing, no address, condition or loop may depend
    /// on a value that the kernel loads from this buffer.
    pub contents: Vec<(String, Contents)>,
    /// Number of registers per thread.
    pub registers: u32,
    /// Dynamic shared memory of a block, in addition to the shared variables of the kernel
    /// [bytes].
    pub dynamic_shared_memory: u32,
    /// Address of the first instruction [bytes].
    pub pc: u32,
    /// Whether the importer ignores unknown modifiers. If false, the importer rejects unknown modifiers.
    pub any_modifier: bool,
    /// Origin of the program. The importer copies this text to the program.
    pub source: Option<String>,
}

/// Imports the kernel with the mangled or plain name `kernel` as a program.
///
/// # Errors
/// Fails with a line number if the text is not valid PTX or contains a feature that programs cannot express.
pub fn import(module: &Module, kernel: &str, options: &Options) -> Result<Program, PtxError> {
    let kernel = module
        .kernel(kernel)
        .map_err(|message| PtxError::new(0, message))?;
    if !options.any_modifier {
        kernel.instructions.iter().try_for_each(modifiers::check)?;
    }
    let fail = |message: String| PtxError::new(kernel.line, message);
    if options.arguments.len() != kernel.parameters.len() {
        let message = format!(
            "found {} arguments, expected {}, one for each parameter of kernel {}",
            options.arguments.len(),
            kernel.parameters.len(),
            kernel.plain_name()
        );
        return Err(fail(message));
    }
    let mut program = Program {
        name: kernel.plain_name().to_owned(),
        source: options.source.clone(),
        grid: options.grid,
        block: options.block,
        registers: options.registers,
        shared_memory: u32::try_from(kernel.shared_bytes)
            .unwrap_or(u32::MAX)
            .saturating_add(options.dynamic_shared_memory),
        pc: options.pc,
        parameters: Vec::new(),
        buffers: Vec::new(),
        body: Vec::new(),
    };
    let mut names = Vec::new();
    for (argument, parameter) in options.arguments.iter().zip(&kernel.parameters) {
        match argument {
            Argument::Buffer(name, bytes) => {
                if size(&parameter.kind) != Some(8) || !parameter.scalar {
                    let message = format!(
                        "found the buffer {name:?} for a parameter of type {}, expected a 64-bit parameter",
                        parameter.kind
                    );
                    return Err(fail(message));
                }
                let contents = options.contents.iter().find(|(known, _)| known == name);
                program.buffers.push((
                    name.clone(),
                    Buffer {
                        contents: contents.map(|(_, contents)| contents.clone()),
                        ..Buffer::new(*bytes)
                    },
                ));
            }
            Argument::Number(name, value) => {
                let bits = bits(&parameter.kind, &value.to_string());
                program.parameters.push((name.clone(), bits.unwrap_or(*value)));
            }
            Argument::Decimal(name, text) => {
                let Some(bits) = bits(&parameter.kind, text) else {
                    let expected = match parameter.kind.as_str() {
                        "f32" | "f64" => "a finite number of that type",
                        _ => "a whole number from -2^63 to 2^63 - 1",
                    };
                    let message = format!(
                        "found {} as the value of {name:?}, a parameter of type {}, expected {expected}",
                        clip(text),
                        parameter.kind
                    );
                    return Err(fail(message));
                };
                program.parameters.push((name.clone(), bits));
            }
        }
        let whole = parameter.scalar && parameter.kind.starts_with(['s', 'u', 'b']);
        names.push(whole.then(|| argument.name().to_owned()));
    }
    for (name, contents) in &options.contents {
        if !program.buffers.iter().any(|(known, _)| known == name) {
            return Err(fail(format!(
                "found values of {name:?}, expected the name of a parameter that is a buffer"
            )));
        }
        if contents.numbers().is_none() {
            return Err(fail(format!(
                "found values of {name:?} in a file that is not read, expected a list"
            )));
        }
    }
    let refused = |refusal: Refusal| PtxError::new(kernel.line, refusal.to_string());
    program.check().map_err(refused)?;
    let knowledge = Knowledge {
        kernel,
        parameters: names,
        elements: (program.buffers.iter())
            .filter_map(|(name, buffer)| Some((name.clone(), buffer.contents.as_ref()?.element)))
            .collect(),
        ranges: ranges(&program),
        anywhere: anywhere(&program),
    };
    program.body = Structure::new(knowledge).body()?;
    program.check().map_err(refused)?;
    Ok(program)
}

/// Returns the IEEE 754 bits of the number nearest to `text`. Returns `None` if `kind` is not a floating-point type or
/// the number is not finite.
fn bits(kind: &str, text: &str) -> Option<i64> {
    match kind {
        "f32" => {
            let value = text.parse().ok().filter(|value: &f32| value.is_finite())?;
            Some(i64::from(value.to_bits()))
        }
        "f64" => {
            let value = text.parse().ok().filter(|value: &f64| value.is_finite())?;
            Some(value.to_bits().cast_signed())
        }
        _ => None,
    }
}

/// Sets the value range of each buffer of `program`.
fn set_elements(ranges: &mut Ranges, program: &Program) {
    ranges.set_elements(UNKNOWN_BUFFER, Range::of(0));
    for (name, buffer) in &program.buffers {
        let numbers = buffer.contents.as_ref().and_then(Contents::numbers);
        let numbers = numbers.map_or(&[][..], |numbers| numbers);
        if let (Some(&low), Some(&high)) = (numbers.iter().min(), numbers.iter().max()) {
            ranges.set_elements(name, Range::new(low.into(), high.into()));
        }
    }
}

/// Returns ranges of the builtin names and of buffer values, valid for every launch of `program`.
fn anywhere(program: &Program) -> Ranges {
    let mut ranges = Ranges::default();
    set_elements(&mut ranges, program);
    for (name, builtin) in Builtin::ALL {
        let range = match builtin {
            Builtin::Thread(_) | Builtin::Block(_) => Range::new(0, i32::MAX.into()),
            Builtin::Threads(_) | Builtin::Blocks(_) => Range::new(1, i32::MAX.into()),
            Builtin::Lane => Range::new(0, 31),
            _ => continue,
        };
        ranges.set(name, range);
    }
    ranges
}

/// Returns the ranges of the values that names and buffer elements may have in the launch of `program`.
fn ranges(program: &Program) -> Ranges {
    let mut ranges = Ranges::default();
    set_elements(&mut ranges, program);
    let sizes = |size: Dimensions, axis: u8| i128::from(size.along(axis));
    for (name, builtin) in Builtin::ALL {
        let most = match builtin {
            Builtin::Thread(axis) => sizes(program.block, axis) - 1,
            Builtin::Block(axis) => sizes(program.grid, axis) - 1,
            Builtin::Lane => 31,
            _ => {
                if let Some(value) = program.value(name) {
                    ranges.set(name, Range::of(value));
                }
                continue;
            }
        };
        ranges.set(name, Range::new(0, most));
    }
    for name in program
        .parameters
        .iter()
        .map(|(name, _)| name)
        .chain(program.buffers.iter().map(|(name, _)| name))
    {
        if let Some(value) = program.value(name) {
            ranges.set(name, Range::of(value));
        }
    }
    ranges
}
