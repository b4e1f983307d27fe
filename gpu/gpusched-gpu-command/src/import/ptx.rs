//! `gpusched import ptx`: converts a kernel in PTX to a program.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gpusched_cli::part::Output;
use gpusched_cli::part::Run;
use gpusched_cli::part::complain;
use gpusched_cli::part::{refused, whole};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::import::ptx::{Argument, Module, Options, import};
use gpusched_gpu::program::Program;
use gpusched_gpu::program::{Contents, Dimensions, Values, values};
use gpusched_model::error::{Error, Refusal, Result};

/// Arguments of `gpusched import ptx`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// PTX file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Mangled or plain name of the kernel
    #[arg(long, value_name = "NAME")]
    kernel: String,
    /// Number of thread blocks, e.g., 480, 16x8 or 16x8x2
    #[arg(long, value_name = "SIZE")]
    grid: Dimensions,
    /// Threads per block, e.g., 256, 16x16 or 8x8x4
    #[arg(long, value_name = "SIZE")]
    block: Dimensions,
    /// Kernel parameters in order: NAME:BYTES for a buffer, NAME=VALUE for a number
    ///
    /// A parameter of type f32 or f64 also accepts a decimal number, such as `a=2.5`. The value
    /// of a floating-point parameter has no effect on the timing.
    #[arg(long = "parameter", short, value_name = "NAME:BYTES|NAME=VALUE", value_parser = argument)]
    parameters: Vec<Argument>,
    /// Contents of a buffer: a JSON file with a list of whole numbers; may be repeated
    ///
    /// Addresses, conditions and loops may then depend on values that the kernel loads from the
    /// buffer. A value has 4 bytes. For values of 1, 2 or 8 bytes, state the size after the name,
    /// such as `mask:1=mask.json`. The program assumes that stores do not change the contents.
    #[arg(long, value_name = "NAME=FILE", value_parser = values)]
    values: Vec<(String, u8, PathBuf)>,
    /// Registers per thread
    #[arg(long, value_name = "COUNT", default_value_t = Program::REGISTERS, value_parser = whole(0..=u32::MAX))]
    registers: u32,
    /// Dynamic shared memory per block [bytes]
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = whole(0..=u32::MAX))]
    shared_memory: u32,
    /// Ignore instruction modifiers that the opcode does not support
    ///
    /// Without the option, an unsupported modifier is an error, because it may change the effect
    /// and the timing of an instruction.
    #[arg(long)]
    any_modifier: bool,
    /// Address of the first instruction [bytes]
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = whole(0..=u32::MAX))]
    pc: u32,
}

const EXAMPLE: &str = "\
The result is the program as JSON, with one statement per line. The program is valid only for the given grid, block and parameters,
because it omits statements without effect in this launch. For other values, import the kernel again.

Example:
  gpusched import ptx tasksets/kernels/ptx/kernels.ptx --kernel pc --grid 120 --block 256 -p a:122880 -p b:122880 -p n=16";

fn argument(text: &str) -> std::result::Result<Argument, String> {
    let expected = || {
        refused(
            text,
            "memory as NAME:BYTES, such as a:4096, or a number as NAME=VALUE, such as n=16",
        )
    };
    let at = text.find(['=', ':']).ok_or_else(expected)?;
    let (name, value) = text.split_at(at);
    let (sign, value) = value.split_at(1);
    if sign == ":" {
        return Ok(Argument::Buffer(
            name.to_owned(),
            value.parse().map_err(|_| {
                format!("found {value:?} as the number of bytes of {name}, expected a whole number from 0")
            })?,
        ));
    }
    let name = name.to_owned();
    match (value.parse::<i64>(), value.parse::<f64>()) {
        (Ok(value), _) => Ok(Argument::Number(name, value)),
        (_, Ok(_)) => Ok(Argument::Decimal(name, value.to_owned())),
        _ => Err(format!(
            "found {value:?} as the value of {name}, expected a number, such as 16, or 2.5 for a floating-point parameter"
        )),
    }
}

/// Parses `NAME=FILE` or `NAME:BYTES=FILE`.
fn values(text: &str) -> std::result::Result<(String, u8, PathBuf), String> {
    let expected = || {
        refused(
            text,
            "NAME=FILE, such as idx=idx.json, or NAME:BYTES=FILE with 1, 2, 4 or 8 bytes",
        )
    };
    let (name, file) = text.split_once('=').ok_or_else(expected)?;
    let (name, bytes) = match name.split_once(':') {
        None => (name, Contents::ELEMENT),
        Some((name, bytes)) => (
            name,
            bytes
                .parse()
                .ok()
                .filter(|bytes| [1, 2, 4, 8].contains(bytes))
                .ok_or_else(expected)?,
        ),
    };
    Ok((name.to_owned(), bytes, PathBuf::from(file)))
}

/// Maximum length of the PTX text [bytes].
const LONGEST: u64 = 1 << 26;

fn read(path: &Path) -> Result<String> {
    let source: Box<dyn std::io::Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|cause| Error::io(path, "open", cause))?)
    };
    let mut bytes = Vec::new();
    source
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| Error::io(path, "read", cause))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::file(path, "more than 2^26 bytes", "at most 2^26 bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = 1 + before.filter(|&&byte| byte == b'\n').count();
        let refusal = Refusal::new("", "bytes that are not UTF-8", "PTX");
        refusal.at(path, line).into()
    })
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because a program is JSON")?;
        let text = read(&self.file)?;
        let contents = self.values.iter().map(|(name, element, path)| {
            let values = Values::Numbers(values::read(path)?);
            let element = *element;
            Ok((name.clone(), Contents { values, element }))
        });
        let contents = contents.collect::<Result<Vec<_>>>()?;
        let options = Options {
            grid: self.grid,
            block: self.block,
            arguments: self.parameters.clone(),
            contents,
            registers: self.registers,
            dynamic_shared_memory: self.shared_memory,
            pc: self.pc,
            any_modifier: self.any_modifier,
            source: None,
        };
        let program = Module::read(&text).and_then(|module| import(&module, &self.kernel, &options));
        let program = program.map_err(|error| {
            let line = Some(error.line).filter(|line| *line > 0);
            let refusal = Refusal::told("", error.message).at(&self.file, line);
            match (error.unknown_modifier, error.needs_contents) {
                (true, _) => {
                    refusal.hint("correct the modifier, or add `--any-modifier` to ignore all such modifiers")
                }
                (_, true) => {
                    refusal.hint("state the contents of the loaded buffer: add `--values NAME=FILE`")
                }
                _ => refusal,
            }
        })?;
        let text = program
            .to_text()
            .map_err(|cause| Error::io("-", "write", cause.into()))?;
        for buffer in program.changed_contents() {
            complain(&format!(
                "note: the kernel writes to `{buffer}`, but the program assumes that the stated values stay unchanged"
            ));
        }
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }
}
