//! Statements of a program body.

use serde::{Deserialize, Serialize};

use super::{Cache, Expression, MemorySpace, Op, raw};

/// A statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "raw::RawStatement", into = "raw::RawStatement")]
pub enum Statement {
    /// One instruction.
    Instruction(Instruction),
    /// A loop over statements.
    Loop(Loop),
    /// A branch: some lanes execute its statements.
    If(Branch),
    /// Statements that are repeated in the program text.
    Repeat(Repeat),
}

/// One instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Operation.
    pub op: Op,
    /// Name in issue traces; `None` stands for the name of `op`.
    pub text: Option<Box<str>>,
    /// Registers that the instruction writes.
    pub to: Vec<Box<str>>,
    /// Registers that the instruction reads.
    pub from: Vec<Box<str>>,
    /// Predicate register that the instruction waits for.
    pub on: Option<Box<str>>,
    /// Condition per lane: only lanes where it is not 0 execute the instruction.
    pub when: Option<Expression>,
    /// Share of the 32 lanes that execute the instruction, from lane 0 up. With `when`, a lane must satisfy both.
    pub lanes: Option<f64>,
    /// Memory access of the instruction, if any.
    pub access: Option<Access>,
}

/// Memory access of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// Address that each lane accesses [bytes].
    pub address: Expression,
    /// Registers that contain the address.
    pub by: Vec<Box<str>>,
    /// Bytes that each lane accesses: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Memory space.
    pub space: MemorySpace,
    /// Caches that a load may use.
    pub cache: Cache,
}

/// A loop with its test at the end. It runs at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Number of rounds; a value below 1 counts as 1. Lanes that have finished wait for the other lanes.
    pub rounds: Expression,
    /// Name of the counter in the body: the number of earlier rounds.
    pub counter: Option<Box<str>>,
    /// Predicate register that the closing branch waits for.
    pub on: Option<Box<str>>,
    /// Statements of one round.
    pub body: Vec<Statement>,
}

/// A branch over statements.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Condition per lane: lanes where it is not 0 execute `then`; the other lanes jump.
    pub condition: Expression,
    /// Predicate register that the branch waits for.
    pub on: Option<Box<str>>,
    /// Statements for lanes that do not jump.
    pub then: Vec<Statement>,
    /// Statements for lanes that jump.
    pub otherwise: Vec<Statement>,
}

/// Statements that occur several times in the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// Number of copies. Only parameters and launch sizes determine it.
    pub times: Expression,
    /// Name of the counter in the body: the number of earlier copies.
    pub counter: Option<Box<str>>,
    /// Statements to repeat.
    pub body: Vec<Statement>,
}

impl Instruction {
    /// Creates an instruction without registers.
    pub fn new(op: Op) -> Instruction {
        let none = Vec::new;
        Instruction {
            op,
            text: None,
            to: none(),
            from: none(),
            on: None,
            when: None,
            lanes: None,
            access: None,
        }
    }
}
