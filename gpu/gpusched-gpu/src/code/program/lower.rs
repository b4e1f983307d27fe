//! Lowering of statements to flat code.

use super::flow::meeting_points;
use super::registers::Registers;
use super::{Bounds, Code, Flow, Jump, Step, threads};
use crate::code::expression::{Compiled, FixedParts, Tables};
use crate::code::{Caching, Instruction, Number, Operation, Register, Space};
use crate::program::expression::Unary;
use crate::program::{
    Access, Cache, Expression, INSTRUCTION_BYTES, Instruction as Source, MemorySpace, Op, Program, Statement,
};
use gpusched_model::Refusal;

/// Maximum number of instructions of a program. The parser of program texts has an equal limit.
const MOST: usize = 1 << 20;

/// Lowers a program to flat code. The caller must have checked the program.
pub(super) fn lower(program: &Program) -> Result<Code, Refusal> {
    let mut lowering = Lowering {
        program,
        registers: Registers::default(),
        counters: Vec::new(),
        constants: Vec::new(),
        depth: 0,
        fixed: FixedParts::default(),
        tables: Tables::of(program),
        instructions: Vec::new(),
        texts: Vec::new(),
        steps: Vec::new(),
    };
    lowering.body(&program.body, "body")?;
    if lowering.falls_off() {
        lowering.push("exit", Operation::Exit, Flow::Exit);
    }
    if lowering.registers.count() >= usize::from(u16::MAX) {
        return Err(Refusal::new(
            "body",
            "more than 65534 registers",
            "at most 65534 registers",
        ));
    }
    let end = lowering.steps.len();
    let ways = |(index, step)| successors(index, step, end);
    let successors: Vec<Vec<usize>> = lowering.steps.iter().enumerate().map(ways).collect();
    let meets = meeting_points(&successors);
    for (step, meets) in lowering.steps.iter_mut().zip(meets) {
        if let Flow::Branch(jump) | Flow::Close { jump, .. } = &mut step.flow {
            jump.meets = meets.and_then(|index| u32::try_from(index).ok());
        }
    }
    Ok(Code {
        instructions: lowering.instructions.into_iter().map(complete).collect(),
        texts: lowering.texts.into(),
        steps: lowering.steps.into(),
        grid: program.grid,
        block: program.block,
        threads: threads::of_warps(program.block),
        depth: lowering.depth,
        fixed: lowering.fixed,
        parts_of_block: std::sync::OnceLock::new(),
        tables: lowering.tables,
        missing: std::sync::OnceLock::new(),
    })
}

/// Computes the register sets of the instruction from its other fields.
fn complete(instruction: Instruction) -> Instruction {
    let Instruction {
        pc,
        operation,
        writes,
        reads,
        guard,
        ..
    } = instruction;
    Instruction::new(pc, operation, writes, reads, guard)
}

/// Returns the possible successors of the step at `index`. The index `end` represents the end of
/// the program.
fn successors(index: usize, step: &Step, end: usize) -> Vec<usize> {
    let guarded = step.when.is_some() || step.lanes != u32::MAX;
    match &step.flow {
        Flow::Next => vec![index + 1],
        Flow::Branch(jump) if !guarded => vec![jump.target as usize],
        Flow::Branch(jump) | Flow::Close { jump, .. } => vec![index + 1, jump.target as usize],
        Flow::Exit if guarded => vec![index + 1, end],
        Flow::Exit => vec![end],
    }
}

struct Lowering<'p> {
    program: &'p Program,
    registers: Registers<'p>,
    /// Names of the counters of the enclosing loops.
    counters: Vec<&'p str>,
    /// Names and values of the counters of the enclosing `repeat` statements.
    constants: Vec<(&'p str, i64)>,
    depth: usize,
    fixed: FixedParts,
    tables: Tables,
    instructions: Vec<Instruction>,
    texts: Vec<Box<str>>,
    steps: Vec<Step>,
}

impl<'p> Lowering<'p> {
    fn body(&mut self, body: &'p [Statement], path: &str) -> Result<(), Refusal> {
        for (index, statement) in body.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if self.steps.len() >= MOST {
                return Err(Refusal::new(
                    path,
                    "more than 2^20 instructions in the program",
                    "at most 2^20 instructions",
                ));
            }
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction, &path)?,
                Statement::Loop(inner) => {
                    let start = self.here();
                    let rounds = self.compile(&inner.rounds, &path)?;
                    self.counters.push(inner.counter.as_deref().unwrap_or(""));
                    self.depth = self.depth.max(self.counters.len());
                    self.body(&inner.body, &format!("{path}.body"))?;
                    self.counters.pop();
                    let counter = self.counters.len();
                    let flow = Flow::Close {
                        jump: Jump {
                            target: start,
                            meets: None,
                        },
                        rounds,
                        counter,
                    };
                    self.push("bra", Operation::Branch, flow);
                    self.guard(inner.on.as_deref());
                }
                Statement::If(branch) => {
                    let jumps = Expression::Unary(Unary::Not, Box::new(branch.condition.clone()));
                    let jumps = self.compile(&jumps, &path)?;
                    let over = self.branch();
                    self.guard(branch.on.as_deref());
                    if let Some(step) = self.steps.get_mut(over) {
                        step.when = Some(jumps);
                    }
                    self.body(&branch.then, &format!("{path}.then"))?;
                    if branch.otherwise.is_empty() {
                        self.land(over);
                        continue;
                    }
                    let out = self.falls_off().then(|| self.branch());
                    self.land(over);
                    self.body(&branch.otherwise, &format!("{path}.else"))?;
                    if let Some(out) = out {
                        self.land(out);
                    }
                }
                Statement::Repeat(repeat) => {
                    let times = repeat.times.fold(&|name| self.constant(name));
                    let times = times.map_err(|error| Refusal::told(&path, error))?;
                    let Expression::Number(times) = times else {
                        return Err(Refusal::new(path, format!("`{times}`"), "a constant number"));
                    };
                    for round in 0..times {
                        self.constants
                            .push((repeat.counter.as_deref().unwrap_or(""), round));
                        self.body(&repeat.body, &format!("{path}.body"))?;
                        self.constants.pop();
                    }
                }
            }
        }
        Ok(())
    }

    fn here(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Returns whether control can reach the position after the last instruction.
    fn falls_off(&self) -> bool {
        let jumps_here = |step: &Step| match &step.flow {
            Flow::Branch(jump) => jump.target == self.here(),
            _ => false,
        };
        let ends = self.steps.last().is_some_and(|step| {
            matches!(step.flow, Flow::Exit) && step.when.is_none() && step.lanes == u32::MAX
        });
        !ends || self.steps.iter().any(jumps_here)
    }

    /// Adds a branch whose target is not yet set, and returns its index.
    fn branch(&mut self) -> usize {
        let index = self.steps.len();
        self.push(
            "bra",
            Operation::Branch,
            Flow::Branch(Jump {
                target: u32::MAX,
                meets: None,
            }),
        );
        index
    }

    /// Sets the target of the branch at `index` to the next instruction.
    fn land(&mut self, index: usize) {
        let here = self.here();
        if let Some(Step {
            flow: Flow::Branch(jump),
            ..
        }) = self.steps.get_mut(index)
        {
            jump.target = here;
        }
    }

    fn push(&mut self, text: &str, operation: Operation, flow: Flow) {
        let pc = self
            .here()
            .saturating_mul(INSTRUCTION_BYTES)
            .saturating_add(self.program.pc);
        let none: Box<[Register]> = Box::new([]);
        self.instructions
            .push(Instruction::new(pc, operation, none.clone(), none, None));
        self.texts.push(text.into());
        self.steps.push(Step {
            when: None,
            lanes: u32::MAX,
            address: None,
            bounds: None,
            flow,
        });
    }

    fn guard(&mut self, name: Option<&'p str>) {
        let register = name.map(|name| self.registers.get(name));
        let guarded = register.map(|register| (register, name));
        if let (Some((register, Some(name))), Some(last), Some(text)) =
            (guarded, self.instructions.last_mut(), self.texts.last_mut())
        {
            last.guard = Some(register);
            if !text.starts_with('@') && last.operation == Operation::Branch {
                *text = format!("@{name} {text}").into();
            }
        }
    }

    fn instruction(&mut self, source: &'p Source, path: &str) -> Result<(), Refusal> {
        let flow = match source.op {
            Op::Exit => Flow::Exit,
            Op::Branch => Flow::Branch(Jump {
                target: self.here().saturating_add(1),
                meets: None,
            }),
            _ => Flow::Next,
        };
        self.push(
            source.text.as_deref().unwrap_or(source.op.name()),
            operation(source.op, source.access.as_ref()),
            flow,
        );
        let guard = source.on.as_deref().map(|name| self.registers.get(name));
        let names = |names: &'p [Box<str>]| names.iter().map(|name| &**name);
        let by = source.access.as_ref().map_or(&[][..], |access| &access.by);
        let writes = self.registers.set(names(&source.to));
        let reads = self.registers.set(names(&source.from).chain(names(by)));
        if let Some(last) = self.instructions.last_mut() {
            last.guard = guard;
            last.writes = writes;
            last.reads = reads;
        }
        let when = source
            .when
            .as_ref()
            .map(|when| self.compile(when, path))
            .transpose()?;
        let address = source
            .access
            .as_ref()
            .map(|access| self.compile(&access.address, path))
            .transpose()?;
        let program = self.program;
        if let Some(step) = self.steps.last_mut() {
            step.when = when;
            step.address = address;
            step.bounds = source
                .access
                .as_ref()
                .and_then(|access| Bounds::of(program, access));
            step.lanes = source.lanes.map_or(u32::MAX, lowest);
        }
        Ok(())
    }

    fn constant(&self, name: &str) -> Option<i64> {
        constant(&self.constants, self.program, name)
    }

    fn compile(&mut self, expression: &Expression, path: &str) -> Result<Compiled, Refusal> {
        let (constants, program, counters) = (&self.constants, self.program, &self.counters);
        let counter = |name: &str| counters.iter().position(|known| *known == name);
        let parts = (!counters.is_empty()).then_some(&mut self.fixed);
        let compiled = Compiled::new(
            expression,
            &|name| constant(constants, program, name),
            &counter,
            parts,
            &self.tables,
        );
        compiled.map_err(|error| Refusal::told(path, error))
    }
}

/// Returns the value of a name at the current position in the program.
fn constant(constants: &[(&str, i64)], program: &Program, name: &str) -> Option<i64> {
    let constant = constants.iter().find(|(known, _)| *known == name);
    constant.map(|(_, value)| *value).or_else(|| program.value(name))
}

/// Returns a mask of the lowest lanes. Their number is the fraction `share` of 32. The caller must have checked
/// `share`.
fn lowest(share: f64) -> u32 {
    let count = (share * 32.0) as u32;
    1_u64.checked_shl(count).map_or(u32::MAX, |bit| (bit - 1) as u32)
}

fn operation(op: Op, access: Option<&Access>) -> Operation {
    let space = access.map_or(Space::Global, |access| match access.space {
        MemorySpace::Global => Space::Global,
        MemorySpace::Local => Space::Local,
        MemorySpace::Shared => Space::Shared,
        MemorySpace::Constant => Space::Constant,
    });
    let bytes = access.map_or(4, |access| access.bytes);
    let caching = match access.map(|access| access.cache) {
        Some(Cache::L2) => Caching::L2,
        _ => Caching::All,
    };
    match op {
        Op::AddInt => Operation::Add(Number::Int),
        Op::AddSingle => Operation::Add(Number::Single),
        Op::AddDouble => Operation::Add(Number::Double),
        Op::MaxInt => Operation::Max(Number::Int),
        Op::MaxSingle => Operation::Max(Number::Single),
        Op::MaxDouble => Operation::Max(Number::Double),
        Op::MulInt => Operation::Mul(Number::Int),
        Op::MulSingle => Operation::Mul(Number::Single),
        Op::MulDouble => Operation::Mul(Number::Double),
        Op::MadInt => Operation::Mad(Number::Int),
        Op::MadSingle => Operation::Mad(Number::Single),
        Op::MadDouble => Operation::Mad(Number::Double),
        Op::DivInt => Operation::Div(Number::Int),
        Op::DivSingle => Operation::Div(Number::Single),
        Op::DivDouble => Operation::Div(Number::Double),
        Op::Special => Operation::Special,
        Op::Tensor => Operation::Tensor,
        Op::Shuffle => Operation::Shuffle,
        Op::Other => Operation::Other,
        Op::Branch => Operation::Branch,
        Op::Barrier => Operation::Barrier,
        Op::Fence => Operation::Fence,
        Op::Load => Operation::Load {
            space,
            bytes,
            caching,
        },
        Op::Store => Operation::Store { space, bytes },
        Op::Atomic => Operation::Atomic { space, bytes },
        Op::Exit => Operation::Exit,
    }
}
