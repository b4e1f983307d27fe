//! Statements of a program body.

use super::{Cache, Expression, MemorySpace, Op};

/// A statement of a program body.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// One instruction.
    Instruction(Instruction),
    /// A loop over statements.
    Loop(Loop),
    /// A branch. Each lane executes one of two lists of statements.
    If(Branch),
    /// Statements that the program contains several times.
    Repeat(Repeat),
}

/// One instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Operation of the instruction.
    pub op: Op,
    /// Name of the instruction in issue traces. `None` means the name of `op`.
    pub text: Option<Box<str>>,
    /// Registers that the instruction writes.
    pub to: Vec<Box<str>>,
    /// Registers that the instruction reads.
    pub from: Vec<Box<str>>,
    /// Predicate register. The instruction waits until this register is ready.
    pub on: Option<Box<str>>,
    /// Condition of the instruction, evaluated for each lane. A lane executes the instruction if
    /// the value is not 0.
    pub when: Option<Expression>,
    /// Share of the 32 lanes of a warp that execute the instruction. The lanes with the lowest numbers execute the
    /// instruction. If `when` is present, a lane must also satisfy `when`.
    pub lanes: Option<f64>,
    /// Memory access of the instruction, or `None` if the instruction does not access memory.
    pub access: Option<Access>,
}

/// Memory access of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// Address that each lane accesses [bytes].
    pub address: Expression,
    /// Names of the registers that contain the address.
    pub by: Vec<Box<str>>,
    /// Number of bytes that each lane accesses: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Memory space that the instruction accesses.
    pub space: MemorySpace,
    /// Caches that a load may use.
    pub cache: Cache,
}

/// A loop. The test is at the end of the body, so each lane executes the body at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Number of rounds. A value below 1 counts as 1. Lanes that have finished their rounds wait for the other lanes.
    pub rounds: Expression,
    /// Name of the counter. In the body, the counter is the number of earlier rounds.
    pub counter: Option<Box<str>>,
    /// Predicate register. The branch at the end of each round waits until this register is ready.
    pub on: Option<Box<str>>,
    /// Statements of one round.
    pub body: Vec<Statement>,
}

/// A branch, which selects statements for each lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Condition, evaluated for each lane. A lane executes `then` if the value is not 0. If the value is 0, the lane
    /// jumps and executes `otherwise`.
    pub condition: Expression,
    /// Predicate register. The branch waits until this register is ready.
    pub on: Option<Box<str>>,
    /// Statements that a lane executes if its condition is not 0.
    pub then: Vec<Statement>,
    /// Statements that a lane executes if its condition is 0.
    pub otherwise: Vec<Statement>,
}

/// Statements that the program contains several times.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// Number of copies. The value depends only on parameters and launch sizes.
    pub times: Expression,
    /// Name of the counter. In the body, the counter is the number of earlier copies.
    pub counter: Option<Box<str>>,
    /// Statements of each copy.
    pub body: Vec<Statement>,
}

impl Statement {
    /// Returns whether the statement contains a load past L1, or an atomic in global memory. An SM may refuse their
    /// replies while it writes other registers.
    pub fn goes_past_l1(&self) -> bool {
        let any = |body: &[Statement]| body.iter().any(Statement::goes_past_l1);
        match self {
            Statement::Instruction(Instruction {
                op,
                access: Some(access),
                ..
            }) => {
                let global = matches!(access.space, MemorySpace::Global | MemorySpace::Local);
                global && (*op == Op::Atomic || *op == Op::Load && access.cache == Cache::L2)
            }
            Statement::Instruction(_) => false,
            Statement::Loop(inner) => any(&inner.body),
            Statement::If(branch) => any(&branch.then) || any(&branch.otherwise),
            Statement::Repeat(repeat) => any(&repeat.body),
        }
    }
}

impl Instruction {
    /// Creates an instruction that uses no registers.
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
