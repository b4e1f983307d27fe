//! Kernels of a PTX text.

use std::collections::HashMap;

use super::directives;
use super::error::PtxError;
use super::instruction::{Instruction, clip, size};
use super::text::{Piece, is_name, pieces};

/// Parsed PTX text.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// Kernels, in the order of the text.
    pub kernels: Vec<Kernel>,
}

/// A kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Mangled name of the kernel.
    pub name: String,
    /// Line number of the start of the kernel, from 1.
    pub line: usize,
    /// Parameters of the kernel.
    pub parameters: Vec<Parameter>,
    /// Registers, in the order of their declaration.
    pub registers: Vec<Register>,
    /// Instructions of the kernel.
    pub instructions: Vec<Instruction>,
    /// Labels, each with the index of the next instruction.
    pub labels: HashMap<String, usize>,
    /// Variables in shared memory, each with its address [bytes].
    pub shared: Vec<(String, u64)>,
    /// Size of shared memory that all variables occupy [bytes].
    pub shared_bytes: u64,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the parameter in PTX.
    pub name: String,
    /// Type of the parameter, such as `u64`.
    pub kind: String,
    /// Offset of the parameter from the start of the parameters [bytes].
    pub offset: u64,
    /// Whether the parameter is a single number, not an array.
    pub scalar: bool,
}

/// A register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Name of the register, with the percent sign.
    pub name: String,
    /// Type of the register, such as `b32` or `pred`.
    pub kind: String,
}

impl Kernel {
    /// Returns the name without C++ mangling. For example, the plain name of `_Z2pcPKfPfi` is
    /// `pc`.
    pub fn plain_name(&self) -> &str {
        let Some(rest) = self.name.strip_prefix("_Z") else {
            return &self.name;
        };
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let length: Option<usize> = rest.get(..digits).and_then(|digits| digits.parse().ok());
        length
            .and_then(|length| rest.get(digits..digits.checked_add(length)?))
            .filter(|name| !name.is_empty())
            .unwrap_or(&self.name)
    }
}

/// Maximum number of registers of a kernel.
const MOST_REGISTERS: usize = 65_000;

impl Module {
    /// Reads a PTX text. Skips functions that are not kernels.
    ///
    /// # Errors
    /// Fails with a line number if the text is not valid PTX.
    pub fn read(text: &str) -> Result<Module, PtxError> {
        let mut module = Module::default();
        let mut pieces = pieces(text).into_iter();
        let mut shared = Shared::default();
        while let Some((line, piece)) = pieces.next() {
            directives::check(line, &piece)?;
            match piece {
                Piece::Statement(text) if has(&text, ".entry") => {
                    let mut kernel = head(line, &text)?;
                    if !matches!(pieces.next(), Some((_, Piece::Open))) {
                        return Err(PtxError::new(line, format!("kernel {} has no body", kernel.name)));
                    }
                    let mut own = shared.clone();
                    body(&mut kernel, &mut pieces, &mut own)?;
                    kernel.shared = own.variables;
                    kernel.shared_bytes = own.next;
                    module.kernels.push(kernel);
                }
                Piece::Statement(text) if has(&text, ".shared") => shared.declare(line, &text)?,
                Piece::Statement(text) if text.starts_with('.') || text.is_empty() => {}
                Piece::Open => skip(line, &mut pieces)?,
                Piece::Statement(text) => {
                    return Err(PtxError::new(
                        line,
                        format!("found {}, expected a directive", clip(&text)),
                    ));
                }
                Piece::Label(name) => {
                    return Err(PtxError::new(
                        line,
                        format!("found the label {} outside a kernel", clip(&name)),
                    ));
                }
                Piece::Close => return Err(PtxError::new(line, "found } without {")),
            }
        }
        Ok(module)
    }

    /// Returns the kernel whose mangled or plain name is `name`.
    ///
    /// # Errors
    /// Fails if no kernel or several kernels have this name.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, String> {
        if let Some(kernel) = self.kernels.iter().find(|kernel| kernel.name == name) {
            return Ok(kernel);
        }
        let named: Vec<&Kernel> = self
            .kernels
            .iter()
            .filter(|kernel| kernel.plain_name() == name)
            .collect();
        match named.as_slice() {
            [kernel] => Ok(kernel),
            [] => {
                let known: Vec<&str> = self.kernels.iter().map(Kernel::plain_name).collect();
                let known = if known.is_empty() {
                    "the file has no kernels".to_owned()
                } else {
                    known.join(", ")
                };
                Err(format!(
                    "found no kernel {name:?}, expected a kernel of the file: {known}"
                ))
            }
            several => {
                let names: Vec<&str> = several.iter().map(|kernel| kernel.name.as_str()).collect();
                Err(format!(
                    "found several kernels with the name {name:?}, expected one of the mangled names {}",
                    names.join(", ")
                ))
            }
        }
    }
}

fn has(text: &str, word: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == '(')
        .any(|found| found == word)
}

/// Skips the remaining part of a function body.
fn skip(line: usize, pieces: &mut impl Iterator<Item = (usize, Piece)>) -> Result<(), PtxError> {
    let mut depth = 1_usize;
    for (_, piece) in pieces {
        match piece {
            Piece::Open => depth += 1,
            Piece::Close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(());
        }
    }
    Err(PtxError::new(line, "found { without }"))
}

fn head(line: usize, text: &str) -> Result<Kernel, PtxError> {
    let rest = text.split_once(".entry").map_or("", |(_, rest)| rest).trim();
    let (name, parameters) = rest.split_once('(').unwrap_or((rest, ""));
    let name = name.split_whitespace().next().unwrap_or("");
    if !is_name(name) {
        return Err(PtxError::new(
            line,
            format!("found {}, expected the name of a kernel", clip(name)),
        ));
    }
    let parameters = parameters
        .rsplit_once(')')
        .map_or(parameters, |(parameters, _)| parameters);
    let mut next = 0_u64;
    let mut found = Vec::new();
    for text in parameters
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let wrong = || {
            PtxError::new(
                line,
                format!(
                    "found the parameter {}, expected `.param` followed by a type and a name",
                    clip(text)
                ),
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (Some(last), true) = (words.last(), has(text, ".param")) else {
            return Err(wrong());
        };
        let kind = words
            .iter()
            .filter_map(|word| word.strip_prefix('.'))
            .find(|kind| *kind != "param" && size(kind).is_some());
        let kind = kind.ok_or_else(wrong)?;
        let (name, count) = match last.split_once('[') {
            None => (*last, 1),
            Some((name, count)) => (
                name,
                count.trim_end_matches(']').parse::<u64>().map_err(|_| wrong())?,
            ),
        };
        let align = words
            .iter()
            .position(|word| *word == ".align")
            .and_then(|index| words.get(index + 1)?.parse().ok());
        let bytes = size(kind).unwrap_or(4);
        let align: u64 = if has(text, ".ptr") {
            bytes
        } else {
            align.unwrap_or(bytes)
        };
        if !is_name(name) || align == 0 {
            return Err(wrong());
        }
        let offset = next.div_ceil(align).checked_mul(align).ok_or_else(wrong)?;
        next = bytes
            .checked_mul(count)
            .and_then(|bytes| offset.checked_add(bytes))
            .ok_or_else(wrong)?;
        let scalar = !last.contains('[');
        found.push(Parameter {
            name: name.to_owned(),
            kind: kind.to_owned(),
            offset,
            scalar,
        });
    }
    Ok(Kernel {
        name: name.to_owned(),
        line,
        parameters: found,
        registers: Vec::new(),
        instructions: Vec::new(),
        labels: HashMap::new(),
        shared: Vec::new(),
        shared_bytes: 0,
    })
}

/// Variables in shared memory.
#[derive(Debug, Clone, Default)]
struct Shared {
    variables: Vec<(String, u64)>,
    next: u64,
}

impl Shared {
    fn declare(&mut self, line: usize, text: &str) -> Result<(), PtxError> {
        let wrong = || {
            PtxError::new(
                line,
                format!(
                    "found {}, expected `.shared` followed by a type and a variable name",
                    clip(text)
                ),
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let kind = words
            .iter()
            .filter_map(|word| word.strip_prefix('.'))
            .find_map(|kind| size(kind).filter(|_| kind != "shared"));
        let bytes = kind.ok_or_else(wrong)?;
        let last = words.last().ok_or_else(wrong)?;
        let mut parts = last.split('[');
        let name = parts.next().unwrap_or("");
        let mut count = 1_u64;
        for part in parts {
            let size = part.trim_end_matches(']');
            let size = if size.is_empty() {
                0
            } else {
                size.parse::<u64>().map_err(|_| wrong())?
            };
            count = count.checked_mul(size).ok_or_else(wrong)?;
        }
        if !is_name(name) {
            return Err(wrong());
        }
        let bytes = bytes
            .checked_mul(count)
            .filter(|bytes| *bytes <= 1 << 30)
            .ok_or_else(wrong)?;
        // Each variable starts at a multiple of 128 bytes, as in GPGPU-Sim.
        let align = 128;
        let address = if bytes == 0 {
            self.next
        } else {
            self.next.div_ceil(align).saturating_mul(align)
        };
        self.variables.push((name.to_owned(), address));
        self.next = address.saturating_add(bytes);
        Ok(())
    }
}

/// Register names in scope, each with the index of its register.
type Scope = HashMap<String, usize>;

fn body(
    kernel: &mut Kernel,
    pieces: &mut impl Iterator<Item = (usize, Piece)>,
    shared: &mut Shared,
) -> Result<(), PtxError> {
    let mut scopes = vec![Scope::new()];
    for (line, piece) in pieces {
        directives::check(line, &piece)?;
        match piece {
            Piece::Open => scopes.push(Scope::new()),
            Piece::Close => {
                scopes.pop();
                if scopes.is_empty() {
                    return Ok(());
                }
            }
            Piece::Label(name) => {
                if kernel
                    .labels
                    .insert(name.clone(), kernel.instructions.len())
                    .is_some()
                {
                    return Err(PtxError::new(
                        line,
                        format!("found the label {} a second time", clip(&name)),
                    ));
                }
            }
            Piece::Statement(text) if text.is_empty() => {}
            Piece::Statement(text) if has(&text, ".reg") => declare(kernel, &mut scopes, line, &text)?,
            Piece::Statement(text) if has(&text, ".shared") => shared.declare(line, &text)?,
            // `.pragma`, `.loc`, `.local` and similar directives are not instructions.
            Piece::Statement(text) if text.starts_with('.') => {}
            Piece::Statement(text) => {
                let find = |name: &str| scopes.iter().rev().find_map(|scope| scope.get(name).copied());
                kernel.instructions.push(Instruction::read(line, &text, &find)?);
            }
        }
    }
    Err(PtxError::new(
        kernel.line,
        format!("kernel {} has no closing }}", clip(&kernel.name)),
    ))
}

fn declare(kernel: &mut Kernel, scopes: &mut [Scope], line: usize, text: &str) -> Result<(), PtxError> {
    let wrong = || {
        PtxError::new(
            line,
            format!(
                "found {}, expected `.reg` followed by a type and register names",
                clip(text)
            ),
        )
    };
    let rest = text.strip_prefix(".reg").ok_or_else(wrong)?.trim_start();
    let (mut kind, mut names) = rest.split_once(char::is_whitespace).ok_or_else(wrong)?;
    if kind == ".v2" || kind == ".v4" {
        (kind, names) = names.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
    }
    let kind = kind
        .strip_prefix('.')
        .filter(|kind| size(kind).is_some())
        .ok_or_else(wrong)?;
    let mut add = |name: String| {
        if kernel.registers.len() >= MOST_REGISTERS {
            return Err(PtxError::new(
                line,
                format!("found more than {MOST_REGISTERS} registers, expected at most {MOST_REGISTERS}"),
            ));
        }
        if let Some(scope) = scopes.last_mut() {
            scope.insert(name.clone(), kernel.registers.len());
        }
        kernel.registers.push(Register {
            name,
            kind: kind.to_owned(),
        });
        Ok(())
    };
    for name in names.split(',').map(str::trim) {
        match name.strip_suffix('>').and_then(|name| name.split_once('<')) {
            Some((stem, count)) if is_name(stem) => {
                let count: usize = count.trim().parse().map_err(|_| wrong())?;
                for number in 0..count.min(MOST_REGISTERS + 1) {
                    add(format!("{stem}{number}"))?;
                }
            }
            None if is_name(name) => add(name.to_owned())?,
            _ => return Err(wrong()),
        }
    }
    Ok(())
}
