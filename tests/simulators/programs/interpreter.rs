//! Reference implementation of the PTX importer and of instruction streams. The interpreter
//! executes PTX lane by lane with real registers, and warps on a SIMT stack. It finds
//! reconvergence points by trial.

use std::collections::HashMap;

use gpusched::gpu::import::ptx::{Instruction, Kernel, Operand};
use gpusched::gpu::program::Dimensions;

/// An issue: the index of the instruction, the executing lanes, and their addresses for a memory access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub index: usize,
    pub lanes: u32,
    pub addresses: Vec<(u32, u64)>,
}

pub struct Launch<'k> {
    pub kernel: &'k Kernel,
    pub grid: Dimensions,
    pub block: Dimensions,
    /// The values of the parameters.
    pub arguments: Vec<u64>,
    /// Contents of memory: address, size of a value [bytes], and values.
    pub contents: Vec<(u64, u8, Vec<i64>)>,
}

/// A thread with its registers.
struct Thread {
    position: [u32; 3],
    block: [u32; 3],
    lane: u32,
    registers: Vec<u64>,
}

/// The effect of an instruction on a lane.
struct Done {
    next: usize,
    executed: bool,
    address: Option<u64>,
    ended: bool,
}

fn bits_of(kind: &str) -> u32 {
    match kind {
        "pred" => 1,
        _ => kind
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .parse()
            .unwrap(),
    }
}

fn unsigned(value: u64, bits: u32) -> u64 {
    if bits == 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}

impl Launch<'_> {
    fn value(&self, thread: &Thread, operand: &Operand) -> u64 {
        let axis = |name: &str| {
            ["x", "y", "z"]
                .iter()
                .position(|axis| name.ends_with(axis))
                .unwrap()
        };
        match operand {
            Operand::Register(register) => thread.registers[*register],
            Operand::Integer(value) => *value as u64,
            Operand::Float => 0,
            Operand::Special(name) => match name.split('.').next().unwrap() {
                "%tid" => thread.position[axis(name)].into(),
                "%ntid" => self.block.0[axis(name)].into(),
                "%ctaid" => thread.block[axis(name)].into(),
                "%nctaid" => self.grid.0[axis(name)].into(),
                "%laneid" => thread.lane.into(),
                // Any value: no address and no condition may depend on these registers.
                "%globaltimer" | "%smid" => 12_345,
                _ => panic!("{name}"),
            },
            Operand::Symbol(name) => {
                self.kernel
                    .shared
                    .iter()
                    .find(|(known, _)| known == name)
                    .unwrap()
                    .1
            }
            _ => panic!("{operand:?}"),
        }
    }

    /// Returns the value of `bits` bits at `address`, byte by byte. Memory with unknown contents contains zeros.
    fn load(&self, address: u64, bits: u32) -> u64 {
        let byte = |at: u64| {
            let found = self.contents.iter().find_map(|(start, element, values)| {
                let offset = at.checked_sub(*start)?;
                let value = values.get((offset / u64::from(*element)) as usize)?;
                Some(value.to_le_bytes()[(offset % u64::from(*element)) as usize])
            });
            u64::from(found.unwrap_or(0))
        };
        let bytes = u64::from(bits / 8);
        (0..bytes).fold(0, |value, index| value | byte(address + index) << (8 * index))
    }

    fn step(&self, thread: &mut Thread, index: usize) -> Done {
        let instruction = &self.kernel.instructions[index];
        let mut done = Done {
            next: index + 1,
            executed: true,
            address: None,
            ended: false,
        };
        if let Some((register, negated)) = instruction.guard
            && (thread.registers[register] != 0) == negated
        {
            done.executed = false;
            return done;
        }
        match instruction.name() {
            "bra" => {
                done.next = self.kernel.labels[instruction.target().unwrap()];
                return done;
            }
            "ret" | "exit" => {
                done.ended = true;
                return done;
            }
            "bar" | "membar" => return done,
            _ => {}
        }
        let memory = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        if let Some(memory) = memory {
            let base = match (&memory.symbol, memory.register) {
                (Some(symbol), _) if instruction.is("param") => {
                    let parameters = &self.kernel.parameters;
                    let index = parameters
                        .iter()
                        .position(|parameter| parameter.name == *symbol)
                        .unwrap();
                    if let Operand::Register(register) = instruction.operands[0] {
                        thread.registers[register] = self.arguments[index];
                    }
                    parameters[index].offset
                }
                (Some(symbol), _) => {
                    self.kernel
                        .shared
                        .iter()
                        .find(|(known, _)| known == symbol)
                        .unwrap()
                        .1
                }
                (None, Some(register)) => {
                    let kind = &self.kernel.registers[register].kind;
                    let sum = thread.registers[register].wrapping_add(memory.offset as u64);
                    done.address = Some(unsigned(sum, bits_of(kind)));
                    0
                }
                (None, None) => 0,
            };
            done.address = done.address.or(Some(base.wrapping_add(memory.offset as u64)));
            if let (Some(address), true) = (done.address, instruction.is("global"))
                && instruction.name() == "ld"
                && let Operand::Register(register) = instruction.operands[0]
            {
                let kind = instruction.opcode.last().unwrap();
                let bits = bits_of(kind);
                let read = self.load(address, bits);
                let extended = match kind.starts_with('s') {
                    true => signed(read, bits) as u64,
                    false => read,
                };
                let own = bits_of(&self.kernel.registers[register].kind);
                thread.registers[register] = unsigned(extended, own);
            }
            return done;
        }
        let result = self.arithmetic(thread, instruction);
        if let Some(Operand::Register(register)) = instruction.operands.first() {
            thread.registers[*register] = unsigned(result, bits_of(&self.kernel.registers[*register].kind));
        }
        done
    }

    fn arithmetic(&self, thread: &Thread, instruction: &Instruction) -> u64 {
        let kind = instruction.opcode.last().unwrap().as_str();
        let raw = |index: usize| self.value(thread, &instruction.operands[index]);
        let floating = kind.starts_with('f');
        if floating {
            return 0;
        }
        let bits = bits_of(kind);
        let s = |index: usize| signed(raw(index), bits);
        let u = |index: usize| unsigned(raw(index), bits);
        let is_signed = kind.starts_with('s');
        match instruction.name() {
            "mov" | "cvta" => raw(1),
            "add" => raw(1).wrapping_add(raw(2)),
            "sub" => raw(1).wrapping_sub(raw(2)),
            "neg" => raw(1).wrapping_neg(),
            "abs" => s(1).wrapping_abs() as u64,
            "mul" | "mad" => {
                let wide: i128 = match is_signed {
                    true => i128::from(s(1)) * i128::from(s(2)),
                    false => (u128::from(u(1)) * u128::from(u(2))) as i128,
                };
                let product = if instruction.is("hi") {
                    (wide >> bits) as u64
                } else {
                    wide as u64
                };
                let product = if instruction.is("lo") {
                    unsigned(product, bits)
                } else {
                    product
                };
                if instruction.name() == "mad" {
                    product.wrapping_add(raw(3))
                } else {
                    product
                }
            }
            "div" if is_signed => s(1).wrapping_div(s(2)) as u64,
            "div" => u(1) / u(2),
            "rem" if is_signed => s(1).wrapping_rem(s(2)) as u64,
            "rem" => u(1) % u(2),
            "min" if is_signed => s(1).min(s(2)) as u64,
            "min" => u(1).min(u(2)),
            "max" if is_signed => s(1).max(s(2)) as u64,
            "max" => u(1).max(u(2)),
            "and" => raw(1) & raw(2),
            "or" => raw(1) | raw(2),
            "xor" => raw(1) ^ raw(2),
            "not" => !raw(1),
            "shl" => u(1).checked_shl(raw(2) as u32).unwrap_or(0),
            "shr" if is_signed => (s(1) >> (raw(2) as u32).min(63)) as u64,
            "shr" => u(1).checked_shr(raw(2) as u32).unwrap_or(0),
            "bfe" => u(1) >> raw(2) & ((1 << raw(3)) - 1),
            "bfi" => {
                let mask = ((1_u64 << raw(4)) - 1) << raw(3);
                raw(2) & !mask | raw(1) << raw(3) & mask
            }
            "selp" => {
                if raw(3) != 0 {
                    raw(1)
                } else {
                    raw(2)
                }
            }
            "setp" => {
                let compared = instruction.opcode[1].as_str();
                let ordering = match is_signed {
                    true => s(1).cmp(&s(2)),
                    false => u(1).cmp(&u(2)),
                };
                let holds = match compared {
                    "eq" => ordering.is_eq(),
                    "ne" => ordering.is_ne(),
                    "lt" | "lo" => ordering.is_lt(),
                    "le" | "ls" => ordering.is_le(),
                    "gt" | "hi" => ordering.is_gt(),
                    "ge" | "hs" => ordering.is_ge(),
                    _ => panic!("{compared}"),
                };
                match instruction.opcode[2].as_str() {
                    "and" => u64::from(holds) & raw(3),
                    "or" => u64::from(holds) | raw(3),
                    _ => u64::from(holds),
                }
            }
            "cvt" => match instruction.opcode[2].starts_with('s') {
                true => signed(raw(1), bits) as u64,
                false => unsigned(raw(1), bits),
            },
            name => panic!("{name}"),
        }
    }

    /// Returns the possible successors of an instruction; the end is after the last instruction.
    fn successors(&self, index: usize) -> Vec<usize> {
        let end = self.kernel.instructions.len();
        let instruction = &self.kernel.instructions[index];
        let mut ways = Vec::new();
        match instruction.name() {
            "bra" => ways.push(self.kernel.labels[instruction.target().unwrap()]),
            "ret" | "exit" => ways.push(end),
            _ => {}
        }
        if ways.is_empty() || instruction.guard.is_some() {
            ways.push(index + 1);
        }
        ways
    }

    /// Returns whether the end can be reached from `from` without passing `without`.
    fn reaches_end(&self, from: usize, without: usize) -> bool {
        let end = self.kernel.instructions.len();
        let (mut seen, mut open) = (vec![false; end + 1], vec![from]);
        while let Some(node) = open.pop() {
            if node == without || std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if node == end {
                return true;
            }
            open.extend(self.successors(node));
        }
        false
    }

    /// Returns the reconvergence point of lanes that diverge at `index`: the first of the instructions on all paths to
    /// the end.
    fn meeting_point(&self, index: usize) -> Option<usize> {
        let count = self.kernel.instructions.len();
        let passed: Vec<usize> = (0..count)
            .filter(|&node| node != index && !self.reaches_end(index, node))
            .collect();
        passed.iter().copied().find(|&node| {
            passed
                .iter()
                .all(|&other| other == node || !self.reaches_end(node, other))
        })
    }

    /// Returns the issues of a warp.
    pub fn warp(&self, block: u64, warp: u32) -> Vec<Issue> {
        let first = u64::from(warp) * 32;
        let count = (self.block.count() - first).min(32) as u32;
        let mut threads: Vec<Thread> = (0..count)
            .map(|lane| Thread {
                position: self.block.position(first + u64::from(lane)),
                block: self.grid.position(block),
                lane,
                registers: vec![0; self.kernel.registers.len()],
            })
            .collect();
        let mut meetings: HashMap<usize, Option<usize>> = HashMap::new();
        // Instruction, lanes, and reconvergence point.
        let all = if count == 32 { u32::MAX } else { (1 << count) - 1 };
        let mut stack: Vec<(usize, u32, Option<usize>)> = vec![(0, all, None)];
        let mut issues = Vec::new();
        while let Some(&(index, active, meets)) = stack.last() {
            if active == 0 || meets == Some(index) {
                stack.pop();
                continue;
            }
            assert!(issues.len() < 200_000, "an endless kernel");
            let mut issue = Issue {
                index,
                lanes: 0,
                addresses: Vec::new(),
            };
            let (mut jumped, mut stayed, mut ended, mut target) = (0, 0, 0, index + 1);
            for lane in (0..count).filter(|lane| active >> lane & 1 == 1) {
                let done = self.step(&mut threads[lane as usize], index);
                issue.lanes |= u32::from(done.executed) << lane;
                if done.executed {
                    issue
                        .addresses
                        .extend(done.address.map(|address| (lane, address)));
                }
                if done.ended {
                    ended |= 1 << lane;
                } else if done.next == index + 1 {
                    stayed |= 1 << lane;
                } else {
                    jumped |= 1 << lane;
                    target = done.next;
                }
            }
            issues.push(issue);
            for entry in &mut stack {
                entry.1 &= !ended;
            }
            let top = stack.len() - 1;
            if jumped == 0 {
                stack[top].0 = index + 1;
            } else if stayed == 0 {
                stack[top].0 = target;
            } else {
                let meeting = *meetings.entry(index).or_insert_with(|| self.meeting_point(index));
                stack[top].0 = meeting.unwrap_or(usize::MAX);
                if meeting.is_none() {
                    stack.pop();
                }
                stack.push((index + 1, stayed, meeting));
                stack.push((target, jumped, meeting));
            }
        }
        issues
    }
}
