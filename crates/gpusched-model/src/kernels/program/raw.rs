//! The shape of programs in JSON, before it is checked.

use serde::{Deserialize, Serialize};

use super::names::Ordered;
use super::statement::{Access, Branch, Instruction, Loop, Repeat, Statement};
use super::{Buffer, Cache, Dimensions, Expression, MemorySpace, Op, Program};
use crate::Refusal;
use crate::reader::{Document, Fault, from_json};

/// A kernel and its launch.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a program: an object with \"name\", \"grid\", \"block\" and \"body\""
)]
#[schemars(rename = "Program")]
pub(super) struct RawProgram {
    /// The kernel's name.
    name: String,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Thread blocks: a number, or up to three along x, y, z.
    grid: Dimensions,
    /// Threads of a block, at most 1024: a number, or up to three along x, y, z.
    block: Dimensions,
    /// Registers of a thread.
    #[serde(default = "registers", skip_serializing_if = "is_usual")]
    registers: u32,
    /// Shared memory of a block [bytes].
    #[serde(default, skip_serializing_if = "is_default")]
    shared_memory: u32,
    /// Address of the first instruction [bytes], a multiple of 8.
    #[serde(default, skip_serializing_if = "is_default")]
    pc: u32,
    /// Numbers that expressions may name.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    parameters: Ordered<i64>,
    /// Memory that expressions may name, laid out in this order.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    buffers: Ordered<Buffer>,
    /// What a thread does.
    body: Vec<Statement>,
}

fn registers() -> u32 {
    Program::REGISTERS
}

fn is_usual(registers: &u32) -> bool {
    *registers == Program::REGISTERS
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TryFrom<RawProgram> for Program {
    type Error = Refusal;

    fn try_from(raw: RawProgram) -> Result<Program, Refusal> {
        let program = Program {
            name: raw.name,
            source: raw.source,
            grid: raw.grid,
            block: raw.block,
            registers: raw.registers,
            shared_memory: raw.shared_memory,
            pc: raw.pc,
            parameters: raw.parameters.into(),
            buffers: raw.buffers.into(),
            body: raw.body,
        };
        program.check()?;
        Ok(program)
    }
}

impl Document for Program {
    const EXPECTED: &str = "a program: an object such as {\"name\":…,\"grid\":…,\"block\":…,\"body\":[…]}";

    fn from_json(text: &str) -> Result<Program, Fault> {
        from_json::<RawProgram, _>(text)
    }
}

impl From<Program> for RawProgram {
    fn from(program: Program) -> RawProgram {
        RawProgram {
            name: program.name,
            source: program.source,
            grid: program.grid,
            block: program.block,
            registers: program.registers,
            shared_memory: program.shared_memory,
            pc: program.pc,
            parameters: Ordered(program.parameters),
            buffers: Ordered(program.buffers),
            body: program.body,
        }
    }
}

/// One name or several.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "the name of a register, or a list of names")]
enum Registers {
    One(Box<str>),
    Several(Vec<Box<str>>),
}

impl Registers {
    fn from_names(mut names: Vec<Box<str>>) -> Option<Registers> {
        match names.len() {
            0 => None,
            1 => names.pop().map(Registers::One),
            _ => Some(Registers::Several(names)),
        }
    }
}

impl From<Registers> for Vec<Box<str>> {
    fn from(registers: Registers) -> Vec<Box<str>> {
        match registers {
            Registers::One(name) => vec![name],
            Registers::Several(names) => names,
        }
    }
}

/// An instruction (`op`), a loop (`loop`), a branch (`if`) or repetition (`repeat`).
#[derive(Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "a statement: an object with one of \"op\", \"loop\", \"if\", \"repeat\""
)]
#[schemars(rename = "Statement")]
pub(super) struct RawStatement {
    /// What an instruction does.
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<Op>,
    /// The rounds of a loop.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    rounds: Option<Expression>,
    /// The condition of a branch.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    condition: Option<Expression>,
    /// How often statements stand there.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<Expression>,
    /// The name of the number of rounds done before.
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<Box<str>>,
    /// What issue traces call the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
    /// Registers written.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Registers>,
    /// Registers read.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Registers>,
    /// The predicate register waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<Box<str>>,
    /// The lanes that execute the instruction: where this is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<Expression>,
    /// The share of the 32 lanes that execute the instruction, from lane 0 up.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<f64>,
    /// The address of each lane [bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Expression>,
    /// Registers that the address is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Registers>,
    /// Bytes of each lane: 1, 2, 4, 8 or 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u8>,
    /// Which memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<MemorySpace>,
    /// Through which caches.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<Cache>,
    /// What is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Vec<Statement>>,
    /// What lanes do where the condition holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<Vec<Statement>>,
    /// What the other lanes do.
    #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
    otherwise: Option<Vec<Statement>>,
}

impl schemars::JsonSchema for Statement {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Statement".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RawStatement::json_schema(generator)
    }
}

impl RawStatement {
    /// Refuses fields that statements with `head` do not have.
    fn only(&self, head: &str, allowed: &[&str]) -> Result<(), String> {
        let fields = [
            ("op", self.op.is_some()),
            ("loop", self.rounds.is_some()),
            ("if", self.condition.is_some()),
            ("repeat", self.repeat.is_some()),
            ("counter", self.counter.is_some()),
            ("text", self.text.is_some()),
            ("to", self.to.is_some()),
            ("from", self.from.is_some()),
            ("on", self.on.is_some()),
            ("when", self.when.is_some()),
            ("lanes", self.lanes.is_some()),
            ("address", self.address.is_some()),
            ("by", self.by.is_some()),
            ("bytes", self.bytes.is_some()),
            ("space", self.space.is_some()),
            ("cache", self.cache.is_some()),
            ("body", self.body.is_some()),
            ("then", self.then.is_some()),
            ("else", self.otherwise.is_some()),
        ];
        let stranger = fields
            .iter()
            .find(|(name, given)| *given && *name != head && !allowed.contains(name));
        match stranger {
            None => Ok(()),
            Some((name, _)) => Err(format!(
                "found the field `{name}` in a statement with `{head}`, expected only {}",
                allowed.join(", ")
            )),
        }
    }
}

fn required<T>(field: Option<T>, name: &str) -> Result<T, String> {
    field.ok_or_else(|| format!("missing field `{name}`"))
}

fn names(registers: Option<Registers>) -> Vec<Box<str>> {
    registers.map_or_else(Vec::new, Vec::from)
}

impl TryFrom<RawStatement> for Statement {
    type Error = String;

    fn try_from(raw: RawStatement) -> Result<Statement, String> {
        if let Some(op) = raw.op {
            let plain = ["text", "to", "from", "on", "when", "lanes"];
            let memory = [
                "text", "to", "from", "on", "when", "lanes", "address", "by", "bytes", "space",
            ];
            let load = [&memory[..], &["cache"]].concat();
            raw.only(
                "op",
                match op {
                    Op::Load => &load,
                    Op::Store => &memory,
                    Op::Atomic => memory.get(..9).unwrap_or(&memory),
                    _ => &plain,
                },
            )?;
            let access = if op.accesses_memory() {
                Some(Access {
                    address: required(raw.address, "address")?,
                    by: names(raw.by),
                    bytes: required(raw.bytes, "bytes")?,
                    space: raw.space.unwrap_or_default(),
                    cache: raw.cache.unwrap_or_default(),
                })
            } else {
                None
            };
            let (to, from) = (names(raw.to), names(raw.from));
            let (text, on, when, lanes) = (raw.text, raw.on, raw.when, raw.lanes);
            return Ok(Statement::Instruction(Instruction {
                op,
                text,
                to,
                from,
                on,
                when,
                lanes,
                access,
            }));
        }
        if raw.rounds.is_some() {
            raw.only("loop", &["counter", "on", "body"])?;
            let body = required(raw.body, "body")?;
            let rounds = required(raw.rounds, "loop")?;
            return Ok(Statement::Loop(Loop {
                rounds,
                counter: raw.counter,
                on: raw.on,
                body,
            }));
        }
        if let Some(condition) = &raw.condition {
            raw.only("if", &["on", "then", "else"])?;
            let condition = condition.clone();
            let then = required(raw.then, "then")?;
            let otherwise = raw.otherwise.unwrap_or_default();
            return Ok(Statement::If(Branch {
                condition,
                on: raw.on,
                then,
                otherwise,
            }));
        }
        if raw.repeat.is_some() {
            raw.only("repeat", &["counter", "body"])?;
            let body = required(raw.body, "body")?;
            let times = required(raw.repeat, "repeat")?;
            return Ok(Statement::Repeat(Repeat {
                times,
                counter: raw.counter,
                body,
            }));
        }
        Err("found none of the fields `op`, `loop`, `if`, `repeat`, expected one".to_owned())
    }
}

impl From<Statement> for RawStatement {
    fn from(statement: Statement) -> RawStatement {
        let none = RawStatement::default();
        match statement {
            Statement::Instruction(instruction) => {
                let raw = RawStatement {
                    op: Some(instruction.op),
                    text: instruction.text,
                    to: Registers::from_names(instruction.to),
                    from: Registers::from_names(instruction.from),
                    on: instruction.on,
                    when: instruction.when,
                    lanes: instruction.lanes,
                    ..none
                };
                match instruction.access {
                    None => raw,
                    Some(access) => RawStatement {
                        address: Some(access.address),
                        by: Registers::from_names(access.by),
                        bytes: Some(access.bytes),
                        space: Some(access.space).filter(|space| *space != MemorySpace::Global),
                        cache: Some(access.cache).filter(|cache| *cache != Cache::All),
                        ..raw
                    },
                }
            }
            Statement::Loop(Loop {
                rounds,
                counter,
                on,
                body,
            }) => RawStatement {
                rounds: Some(rounds),
                counter,
                on,
                body: Some(body),
                ..none
            },
            Statement::If(Branch {
                condition,
                on,
                then,
                otherwise,
            }) => RawStatement {
                condition: Some(condition),
                on,
                then: Some(then),
                otherwise: Some(otherwise).filter(|otherwise| !otherwise.is_empty()),
                ..none
            },
            Statement::Repeat(Repeat { times, counter, body }) => RawStatement {
                repeat: Some(times),
                counter,
                body: Some(body),
                ..none
            },
        }
    }
}
