//! Checks of a program after gpusched has read its file.

use gpusched_model::Refusal;

use super::expression::{Expression, Function};
use super::statement::{Instruction, Statement};
use super::{Builtin, INSTRUCTION_BYTES, MemorySpace, Op, Program};

/// Maximum number of threads of a block.
const MOST_THREADS: u64 = 1024;

/// Maximum number of blocks of a grid.
const MOST_BLOCKS: u64 = 1 << 31;

/// Maximum depth of nested loops.
pub(super) const MOST_LOOPS: usize = 16;

/// Maximum number of instructions of a program.
pub(super) const MOST_INSTRUCTIONS: u64 = 1 << 20;

/// Maximum end address of a buffer.
const LAST_ADDRESS: u64 = 1 << 48;

impl Program {
    /// Checks the program: all names must be known, all sizes must be possible, and all constants must be computable.
    ///
    /// # Errors
    /// Fails at the first fault in the program.
    pub fn check(&self) -> Result<(), Refusal> {
        self.check_launch()?;
        for (index, (name, _)) in self.parameters.iter().enumerate() {
            let before = self.parameters.iter().take(index).any(|(other, _)| other == name);
            free(name, before).map_err(|refusal| refusal.of_field(format!("parameters.{name}")))?;
        }
        for (index, ((name, buffer), address)) in self.buffers.iter().zip(self.addresses()).enumerate() {
            let field = format!("buffers.{name}");
            let before = self.buffers.iter().take(index).any(|(other, _)| other == name)
                || self.parameters.iter().any(|(other, _)| other == name);
            free(name, before).map_err(|refusal| refusal.of_field(&field))?;
            if address
                .checked_add(buffer.bytes)
                .is_none_or(|end| end > LAST_ADDRESS)
            {
                return Err(Refusal::new(
                    field,
                    format!("{} bytes", buffer.bytes),
                    "a buffer that ends below address 2^48",
                ));
            }
        }
        for (name, buffer) in &self.buffers {
            if let Some(contents) = &buffer.contents {
                contents
                    .check(buffer.bytes)
                    .map_err(|refusal| refusal.within(&format!("buffers.{name}")))?;
            }
        }
        let mut checker = Checker {
            program: self,
            counters: Vec::new(),
            constants: Vec::new(),
            instructions: 0,
        };
        checker.body(&self.body, "body", 1)
    }

    fn check_launch(&self) -> Result<(), Refusal> {
        if self.block.count() > MOST_THREADS {
            return Err(Refusal::new(
                "block",
                format!("{} threads", self.block.count()),
                format!("at most {MOST_THREADS} threads"),
            ));
        }
        if self.grid.count() > MOST_BLOCKS {
            return Err(Refusal::new(
                "grid",
                format!("{} blocks", self.grid.count()),
                "at most 2^31 blocks",
            ));
        }
        if !self.pc.is_multiple_of(INSTRUCTION_BYTES) || self.pc > i32::MAX as u32 {
            return Err(Refusal::new(
                "pc",
                self.pc,
                format!("a multiple of {INSTRUCTION_BYTES} below 2^31"),
            ));
        }
        if self.registers > 1024 {
            return Err(Refusal::new(
                "registers",
                self.registers,
                "at most 1024 registers per thread",
            ));
        }
        Ok(())
    }
}

/// Checks that `name` is valid. `taken` states whether another item already has this name. The refusal states no field.
fn free(name: &str, taken: bool) -> Result<(), Refusal> {
    let refuse = |found: String, expected: &str| Refusal::refuse("", found, expected);
    let mut characters = name.chars();
    let starts = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return refuse(
            format!("the name {name:?}"),
            "a name of letters, digits and _ that does not start with a digit",
        );
    }
    if Builtin::named(name).is_some() || Function::ALL.iter().any(|(known, _)| *known == name) {
        let found = format!("the name {name:?}, which is a builtin name of expressions");
        return refuse(found, "another name");
    }
    if taken {
        return refuse(
            format!("the name {name:?} a second time"),
            "a name that no other parameter, buffer or counter has",
        );
    }
    Ok(())
}

/// Returns whether `name` is a valid name of a register.
fn register(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.$%".contains(c))
}

struct Checker<'p> {
    program: &'p Program,
    /// Names of the counters of the loops that enclose the current statement.
    counters: Vec<&'p str>,
    /// Names of the counters of the repetitions that enclose the current statement.
    constants: Vec<&'p str>,
    /// Number of instructions of the program after the expansion of all repetitions.
    instructions: u64,
}

impl<'p> Checker<'p> {
    fn body(&mut self, body: &'p [Statement], path: &str, times: u64) -> Result<(), Refusal> {
        for (index, statement) in body.iter().enumerate() {
            let path = format!("{path}[{index}]");
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction, &path)?,
                Statement::Loop(inner) => {
                    self.registers(inner.on.as_slice(), &format!("{path}.on"))?;
                    self.expression(&inner.rounds, &format!("{path}.loop"))?;
                    if self.counters.len() == MOST_LOOPS {
                        return Err(Refusal::new(
                            path,
                            format!("more than {MOST_LOOPS} nested loops"),
                            format!("at most {MOST_LOOPS} nested loops"),
                        ));
                    }
                    self.counter(inner.counter.as_deref(), &path)?;
                    self.counters.push(inner.counter.as_deref().unwrap_or(""));
                    self.body(&inner.body, &format!("{path}.body"), times)?;
                    self.counters.pop();
                }
                Statement::If(branch) => {
                    self.registers(branch.on.as_slice(), &format!("{path}.on"))?;
                    self.expression(&branch.condition, &format!("{path}.if"))?;
                    self.body(&branch.then, &format!("{path}.then"), times)?;
                    self.body(&branch.otherwise, &format!("{path}.else"), times)?;
                    // This addition counts the branch at the end of `then`.
                    self.instructions = self.instructions.saturating_add(times);
                }
                Statement::Repeat(repeat) => {
                    let field = format!("{path}.repeat");
                    // This check only tests whether the number of copies is constant. So it
                    // replaces the counters of enclosing repetitions by 0.
                    let known = |name: &str| match self.constants.contains(&name) {
                        true => Some(0),
                        false => self.program.value(name),
                    };
                    let folded = repeat.times.fold(&known);
                    let folded = folded.map_err(|error| Refusal::told(&field, error))?;
                    let Expression::Number(count) = folded else {
                        return Err(Refusal::new(
                            field,
                            format!("`{}`", repeat.times),
                            "a number that depends only on parameters, grid size and block size",
                        ));
                    };
                    self.counter(repeat.counter.as_deref(), &path)?;
                    self.constants.push(repeat.counter.as_deref().unwrap_or(""));
                    let times = times.saturating_mul(u64::try_from(count).unwrap_or(0).max(1));
                    self.body(&repeat.body, &format!("{path}.body"), times)?;
                    self.constants.pop();
                }
            }
            // This addition counts the instruction, the branch, or the work for an empty repetition.
            self.instructions = self.instructions.saturating_add(times);
            if self.instructions > MOST_INSTRUCTIONS {
                return Err(Refusal::new(
                    path,
                    "more than 2^20 instructions in the program",
                    "at most 2^20 instructions",
                ));
            }
        }
        Ok(())
    }

    fn instruction(&self, instruction: &'p Instruction, path: &str) -> Result<(), Refusal> {
        self.registers(&instruction.to, &format!("{path}.to"))?;
        self.registers(&instruction.from, &format!("{path}.from"))?;
        self.registers(instruction.on.as_slice(), &format!("{path}.on"))?;
        if let Some(when) = &instruction.when {
            self.expression(when, &format!("{path}.when"))?;
        }
        if let Some(share) = instruction.lanes {
            let lanes = share * 32.0;
            if !(0.0..=32.0).contains(&lanes) || lanes.fract() != 0.0 {
                return Err(Refusal::new(
                    format!("{path}.lanes"),
                    share,
                    "a multiple of 1/32 from 0 to 1 (share of the 32 lanes)",
                ));
            }
        }
        let Some(access) = &instruction.access else {
            return Ok(());
        };
        self.registers(&access.by, &format!("{path}.by"))?;
        self.expression(&access.address, &format!("{path}.address"))?;
        if !matches!(access.bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(Refusal::new(
                format!("{path}.bytes"),
                access.bytes,
                "1, 2, 4, 8 or 16",
            ));
        }
        if instruction.op == Op::Store && access.space == MemorySpace::Constant {
            return Err(Refusal::new(
                format!("{path}.space"),
                "a store to constant memory",
                "another memory space, because constant memory can only be read",
            ));
        }
        if instruction.op == Op::Atomic && !matches!(access.space, MemorySpace::Global | MemorySpace::Shared)
        {
            return Err(Refusal::new(
                format!("{path}.space"),
                "an atomic operation on local or constant memory",
                "global or shared, the memory spaces with atomic operations",
            ));
        }
        Ok(())
    }

    fn registers(&self, names: &[Box<str>], path: &str) -> Result<(), Refusal> {
        match names.iter().find(|name| !register(name)) {
            None => Ok(()),
            Some(name) => Err(Refusal::new(
                path,
                format!("the register {name:?}"),
                "a name of letters, digits and _.$%",
            )),
        }
    }

    fn counter(&self, name: Option<&'p str>, path: &str) -> Result<(), Refusal> {
        let Some(name) = name else { return Ok(()) };
        let taken = self.known(name);
        free(name, taken).map_err(|refusal| refusal.of_field(format!("{path}.counter")))
    }

    fn known(&self, name: &str) -> bool {
        self.counters.contains(&name)
            || self.constants.contains(&name)
            || self.program.parameters.iter().any(|(known, _)| known == name)
            || self.program.buffers.iter().any(|(known, _)| known == name)
            || Builtin::named(name).is_some()
    }

    fn expression(&self, expression: &Expression, path: &str) -> Result<(), Refusal> {
        let mut stranger = None;
        expression.names(&mut |name| {
            if stranger.is_none() && !self.known(name) {
                stranger = Some(name.to_owned());
            }
        });
        if let Some(name) = stranger {
            return Err(Refusal::new(
                path,
                format!("the name {name:?}"),
                format!(
                    "a parameter, a buffer, a counter of an enclosing loop, or one of {}",
                    Builtin::ALL.map(|(name, _)| name).join(", ")
                ),
            ));
        }
        let mut without = None;
        expression.buffers(&mut |buffer| {
            let known = self.program.buffers.iter().find(|(name, _)| name == buffer);
            if without.is_none() && known.is_none_or(|(_, buffer)| buffer.contents.is_none()) {
                without = Some(buffer.to_owned());
            }
        });
        if let Some(buffer) = without {
            let expected = "a buffer that has the field `values`";
            return Err(Refusal::new(path, format!("`value({buffer}, …)`"), expected));
        }
        let folded = expression.fold(&|name| self.program.value(name));
        folded.map(drop).map_err(|error| Refusal::told(path, error))
    }
}
