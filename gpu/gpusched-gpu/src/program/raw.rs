//! Format of programs in JSON files, before gpusched checks them.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::Ordered;
use super::statement::{Access, Branch, Instruction, Loop, Repeat, Statement};
use super::{Buffer, Cache, Dimensions, Expression, MemorySpace, Op, Program};
use gpusched_model::Refusal;
use gpusched_model::reader::{Document, Fault, from_json};

/// A kernel program with its launch.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a program: an object with \"name\", \"grid\", \"block\" and \"body\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Program"))]
pub(super) struct RawProgram {
    /// Name of the kernel.
    name: String,
    /// Origin of the program, as text for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Number of thread blocks: one number, or a list of up to three numbers along x, y and z.
    grid: Dimensions,
    /// Number of threads of a block: one number, or a list of up to three numbers along x, y and
    /// z. A block has at most 1024 threads.
    block: Dimensions,
    /// Number of registers of one thread; 16 by default.
    #[serde(default = "registers", skip_serializing_if = "is_usual")]
    registers: u32,
    /// Shared memory of one block [bytes]; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    shared_memory: u32,
    /// Address of the first instruction [bytes]; a multiple of 8; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pc: u32,
    /// Named numbers that expressions can use.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    parameters: Ordered<i64>,
    /// Named memory areas that expressions can use. Buffers without an address are in memory one after another, in this
    /// order.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    buffers: Ordered<Buffer>,
    /// Statements that each thread executes.
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

/// The name of one register, or a list of names of registers.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// A statement: an instruction (`op`), a loop (`loop`), a branch (`if`) or a repetition (`repeat`).
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "a statement: an object with one of \"op\", \"loop\", \"if\", \"repeat\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Statement"))]
pub(super) struct RawStatement {
    /// Operation of an instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<Op>,
    /// Number of rounds of a loop. A value below 1 counts as 1.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    rounds: Option<Expression>,
    /// Condition of a branch, evaluated for each lane. A lane executes `then` if the value is not
    /// 0, and `else` if the value is 0.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    condition: Option<Expression>,
    /// Number of copies of `body` that a repetition adds to the program. The value may depend
    /// only on parameters and launch sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<Expression>,
    /// Name of the counter of a loop or repetition. In `body`, the value of the counter is the number of earlier rounds
    /// or copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<Box<str>>,
    /// Name of the instruction in issue traces. The default is the name of `op`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
    /// Registers that the instruction writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Registers>,
    /// Registers that the instruction reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Registers>,
    /// Predicate register. The instruction or branch waits until this register is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<Box<str>>,
    /// Condition of the instruction, evaluated for each lane. A lane executes the instruction if the value is not 0. By
    /// default, all lanes execute the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<Expression>,
    /// Share of the 32 lanes of a warp that execute the instruction: a multiple of 1/32. The lanes with the lowest
    /// numbers execute the instruction. By default, all lanes execute the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<f64>,
    /// Address that each lane accesses [bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Expression>,
    /// Names of the registers that contain the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Registers>,
    /// Number of bytes that each lane accesses: 1, 2, 4, 8 or 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u8>,
    /// Memory space that the instruction accesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<MemorySpace>,
    /// Caches that a load may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<Cache>,
    /// Statements of one loop round, or of one copy in a repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Vec<Statement>>,
    /// Statements that a lane executes if the condition of the branch is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<Vec<Statement>>,
    /// Statements that a lane executes if the condition of the branch is 0.
    #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
    otherwise: Option<Vec<Statement>>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Statement {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Statement".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RawStatement::json_schema(generator)
    }
}

impl RawStatement {
    /// Refuses the fields that are not allowed in a statement with the field `head`.
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

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Statement, D::Error> {
        let raw = RawStatement::deserialize(deserializer)?;
        Statement::try_from(raw).map_err(D::Error::custom)
    }
}

impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawStatement::from(self.clone()).serialize(serializer)
    }
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
                    Op::Store | Op::Atomic => &memory,
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
        Err("found no `op`, `loop`, `if` or `repeat`, expected one of these fields".to_owned())
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
