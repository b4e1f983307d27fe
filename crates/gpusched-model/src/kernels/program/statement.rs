//! The statements of a body.

use serde::{Deserialize, Serialize};

use super::{Cache, Expression, MemorySpace, Op, raw};

/// A statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "raw::RawStatement", into = "raw::RawStatement")]
pub enum Statement {
    /// One instruction.
    Instruction(Instruction),
    /// Statements that run again and again.
    Loop(Loop),
    /// Statements that run in some lanes.
    If(Branch),
    /// Statements that stand there several times.
    Repeat(Repeat),
}

/// One instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// What issue traces call it; without, the name of `op`.
    pub text: Option<Box<str>>,
    /// Registers written.
    pub to: Vec<Box<str>>,
    /// Registers read.
    pub from: Vec<Box<str>>,
    /// The predicate register that it waits for.
    pub on: Option<Box<str>>,
    /// The lanes that execute it: where this is not 0.
    pub when: Option<Expression>,
    /// The share of the 32 lanes that execute it, from lane 0 up; with `when`, those that are in both.
    pub lanes: Option<f64>,
    /// The memory it accesses, if it does.
    pub access: Option<Access>,
}

/// What an instruction accesses.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// The address of each lane [bytes].
    pub address: Expression,
    /// Registers that the address is in.
    pub by: Vec<Box<str>>,
    /// Bytes of each lane: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Which memory.
    pub space: MemorySpace,
    /// Through which caches.
    pub cache: Cache,
}

/// A loop, tested at its end: it runs at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// How many rounds; less than 1 counts as 1. Lanes that are done wait for the others.
    pub rounds: Expression,
    /// The name under which the body knows the rounds done before.
    pub counter: Option<Box<str>>,
    /// The predicate register that the closing branch waits for.
    pub on: Option<Box<str>>,
    /// What a round does.
    pub body: Vec<Statement>,
}

/// A branch over statements.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Lanes where this is not 0 do `then`, the other jump.
    pub condition: Expression,
    /// The predicate register that the branch waits for.
    pub on: Option<Box<str>>,
    /// What lanes do that do not jump.
    pub then: Vec<Statement>,
    /// What lanes do that jump.
    pub otherwise: Vec<Statement>,
}

/// Statements that stand several times in the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// How many times; of parameters and sizes of the launch only.
    pub times: Expression,
    /// The name under which the body knows how many stand before.
    pub counter: Option<Box<str>>,
    /// What is repeated.
    pub body: Vec<Statement>,
}

impl Instruction {
    /// An instruction without registers.
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
