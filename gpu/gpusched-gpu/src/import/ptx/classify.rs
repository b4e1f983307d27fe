//! Classification of PTX instructions for the timing model, as in PTX mode of GPGPU-Sim.

use super::Instruction;
use super::error::PtxError;
use super::instruction::size;
use crate::program::{Cache, MemorySpace, Op};

/// Class of an instruction: operation, written operand and memory access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    pub op: Op,
    /// Whether the instruction writes its first operand.
    pub writes: bool,
    /// Memory space, bytes per lane and permitted caches of a memory access.
    pub access: Option<(MemorySpace, u8, Cache)>,
}

/// Opcodes of class [`Op::Other`]. Each of these instructions writes its first operand.
const OTHERS: [&str; 46] = [
    "abs",
    "activemask",
    "addc",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cvt",
    "cvta",
    "dp2a",
    "dp4a",
    "elect",
    "fns",
    "isspacep",
    "lop3",
    "match",
    "mov",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "redux",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "slct",
    "subc",
    "szext",
    "tanh",
    "testp",
    "vabsdiff",
    "vadd",
    "vmax",
    "vmin",
    "vote",
    "xor",
];

/// Returns the class of `instruction`.
pub(super) fn classify(instruction: &Instruction) -> Result<Class, PtxError> {
    let refuse = |message: &str| {
        let opcode = instruction.opcode.join(".");
        Err(PtxError::new(
            instruction.line,
            format!("found {opcode}, {message}"),
        ))
    };
    let number = match instruction.opcode.last().map_or("", String::as_str) {
        "f32" => 1,
        "f64" => 2,
        _ => 0,
    };
    let of = |ops: [Op; 3]| ops.into_iter().nth(number).unwrap_or(Op::Other);
    let plain = |op: Op| {
        Ok(Class {
            op,
            writes: true,
            access: None,
        })
    };
    match instruction.name() {
        "add" | "sub" | "addc" | "subc" => plain(of([Op::AddInt, Op::AddSingle, Op::AddDouble])),
        "min" | "max" => plain(of([Op::MaxInt, Op::MaxSingle, Op::MaxDouble])),
        "mul" | "mul24" => plain(of([Op::MulInt, Op::MulSingle, Op::MulDouble])),
        "mad" | "fma" | "mad24" | "madc" => plain(of([Op::MadInt, Op::MadSingle, Op::MadDouble])),
        "div" | "rem" => plain(of([Op::DivInt, Op::DivSingle, Op::DivDouble])),
        "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" => plain(Op::Special),
        "mma" | "wmma" if !instruction.is("load") && !instruction.is("store") => plain(Op::Tensor),
        "shfl" => plain(Op::Shuffle),
        "bar" | "barrier" => Ok(Class {
            op: Op::Barrier,
            writes: false,
            access: None,
        }),
        "membar" | "fence" => Ok(Class {
            op: Op::Fence,
            writes: false,
            access: None,
        }),
        "bra" => Ok(Class {
            op: Op::Branch,
            writes: false,
            access: None,
        }),
        "ret" | "exit" => Ok(Class {
            op: Op::Exit,
            writes: false,
            access: None,
        }),
        "nop" => Ok(Class {
            op: Op::Other,
            writes: false,
            access: None,
        }),
        "ld" | "ldu" | "st" | "atom" | "red" => memory(instruction),
        "call" => refuse("but the importer does not support function calls"),
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" => {
            refuse("but the importer does not support textures and surfaces")
        }
        name if OTHERS.contains(&name) => plain(Op::Other),
        _ => refuse("which is an opcode that the importer does not support"),
    }
}

fn memory(instruction: &Instruction) -> Result<Class, PtxError> {
    let refuse = |message: &str| {
        let opcode = instruction.opcode.join(".");
        Err(PtxError::new(
            instruction.line,
            format!("found {opcode}, {message}"),
        ))
    };
    let kind = instruction.opcode.last().map_or("", String::as_str);
    let bytes = size(kind).filter(|_| kind != "pred");
    let Some(bytes) = bytes else {
        return refuse("expected a type as the last modifier");
    };
    let times = if instruction.is("v4") {
        4
    } else if instruction.is("v2") {
        2
    } else {
        1
    };
    let Some(bytes) = u8::try_from(bytes * times).ok().filter(|bytes| *bytes <= 16) else {
        return refuse("expected an access of at most 16 bytes");
    };
    let space = ["param", "const", "shared", "local"].into_iter().find(|space| {
        instruction
            .opcode
            .iter()
            .any(|part| part.split("::").next() == Some(space))
    });
    let space = match space {
        None => MemorySpace::Global,
        Some("shared") => MemorySpace::Shared,
        Some("local") => MemorySpace::Local,
        Some(_) => MemorySpace::Constant,
    };
    let l2 = ["cg", "cv", "volatile", "relaxed", "acquire"]
        .into_iter()
        .any(|word| instruction.is(word));
    let cache = if l2 && space == MemorySpace::Global {
        Cache::L2
    } else {
        Cache::All
    };
    let (op, writes) = match instruction.name() {
        "st" => (Op::Store, false),
        "atom" => (Op::Atomic, true),
        "red" => (Op::Atomic, false),
        _ => (Op::Load, true),
    };
    if op == Op::Store && space == MemorySpace::Constant {
        return refuse("but the importer does not support parameters of function calls");
    }
    if op == Op::Atomic && !matches!(space, MemorySpace::Global | MemorySpace::Shared) {
        return refuse("but the importer supports atomic operations only on global and shared memory");
    }
    let cache = if op == Op::Load { cache } else { Cache::All };
    Ok(Class {
        op,
        writes,
        access: Some((space, bytes, cache)),
    })
}
