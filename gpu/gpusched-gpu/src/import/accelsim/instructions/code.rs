//! Distinct instructions of a kernel.

use std::collections::HashMap;

use crate::import::accelsim::token::{Fault, Tokens};
use crate::import::accelsim::{Header, Record, SassInstruction, Space};

/// Maximum number of distinct instructions. Typical kernels have thousands of distinct
/// instructions.
const MOST: usize = 1 << 20;

/// Maximum number of distinct instructions at one address. The addresses of each function start at 0, so several
/// functions use the same addresses.
const MOST_AT_ONE_ADDRESS: u32 = 1 << 10;

/// Size of the generic address range of local memory [bytes]. A thread has at most 512 KiB of local memory (CUDA
/// Programming Guide).
const LOCAL_WINDOW: u64 = 512 << 10;

/// Lower limit of the addresses of global memory. If the trace does not state the base of shared
/// memory, addresses below this limit belong to shared memory.
const SHARED_WINDOW: u64 = 1 << 24;

/// Distinct instructions of a kernel. The instructions are numbered in the order of their first
/// occurrence.
#[derive(Debug, Clone, Default)]
pub struct Code {
    instructions: Vec<SassInstruction>,
    entries: Vec<Entry>,
    by_pc: HashMap<u32, u32>,
    /// Entry for the instruction in the previous line.
    last: u32,
}

/// Entry for a distinct instruction. gpusched uses the entry to recognize the instruction in later lines.
#[derive(Debug, Clone)]
struct Entry {
    pc: u32,
    /// Entry for the line that followed the last occurrence of this instruction. This entry probably follows the next
    /// occurrence too.
    following: u32,
    /// Text of the columns from `dest_num` to `mem_width`.
    columns: Box<[u8]>,
    /// Whether the line ends with columns that contain addresses.
    accesses: bool,
    /// Indices of the instruction, one for each memory space that the instruction has accessed.
    spaces: [Option<u32>; 3],
    /// Previous entry for an instruction at this address.
    other: Option<u32>,
    /// Number of entries for instructions at this address, including this entry.
    depth: u32,
}

/// Instruction of a line, recognized by the columns that are equal in each execution.
pub(in crate::import::accelsim) struct Known {
    /// Entry of the instruction.
    entry: u32,
    /// Whether the line ends with columns that contain addresses.
    pub accesses: bool,
}

impl Code {
    /// Returns all instructions that have been read so far.
    pub fn instructions(&self) -> &[SassInstruction] {
        &self.instructions
    }

    /// Returns the instruction that `record` refers to.
    pub fn get(&self, record: &Record) -> Option<&SassInstruction> {
        self.instructions.get(record.instruction as usize)
    }

    /// Recognizes the instruction at `pc`. The columns of the instruction, from `dest_num` on,
    /// are the next words in `words`. Advances `words` to the columns with addresses.
    pub(in crate::import::accelsim) fn recognize(
        &mut self,
        pc: u32,
        words: &mut Tokens<'_>,
        header: &Header,
    ) -> Result<Known, Fault> {
        let entry = match self.find(pc, words) {
            Some(entry) => entry,
            None => self.learn(pc, words, header)?,
        };
        if let Some(last) = self.entries.get_mut(self.last as usize) {
            last.following = entry;
        }
        self.last = entry;
        let accesses = self
            .entries
            .get(entry as usize)
            .is_some_and(|entry| entry.accesses);
        Ok(Known { entry, accesses })
    }

    /// Returns the entry that matches the line; `None` if no entry matches. First tries the entry
    /// that is likely to follow the previous line (`following`). Then tries each entry for
    /// address `pc`.
    fn find(&self, pc: u32, words: &mut Tokens<'_>) -> Option<u32> {
        let rest = words.rest();
        let fits = |index: u32| {
            let entry = self.entries.get(index as usize).filter(|entry| entry.pc == pc)?;
            let after = rest.strip_prefix(&*entry.columns)?;
            after.first().is_none_or(u8::is_ascii_whitespace).then_some(after)
        };
        let other = |index: &u32| self.entries.get(*index as usize)?.other;
        let likely = self.entries.get(self.last as usize).map(|last| last.following);
        let likely = likely.into_iter();
        let (entry, after) = likely
            .chain(std::iter::successors(self.by_pc.get(&pc).copied(), other))
            .find_map(|index| Some((index, fits(index)?)))?;
        *words = Tokens::new(after);
        Some(entry)
    }

    fn learn(&mut self, pc: u32, words: &mut Tokens<'_>, header: &Header) -> Result<u32, Fault> {
        let text = words.rest();
        let number = u32::try_from(self.entries.len()).ok();
        let Some(entry) = number.filter(|_| self.entries.len() < MOST) else {
            let message = format!("found more than {MOST} different instructions, expected at most {MOST}");
            return Err(Fault::new("", message));
        };
        let (instruction, accesses) = SassInstruction::read(pc, words, header)?;
        let columns = text.get(..text.len() - words.rest().len()).unwrap_or(text);
        let other = self.by_pc.get(&pc).copied();
        let below = other.and_then(|other| self.entries.get(other as usize));
        let depth = below.map_or(1, |entry| entry.depth + 1);
        if depth > MOST_AT_ONE_ADDRESS {
            let message =
                format!("found more than {MOST_AT_ONE_ADDRESS} different instructions at address {pc:04x}");
            return Err(Fault::new("PC", message));
        }
        let mut spaces = [None; 3];
        let index = self.push(instruction)?;
        if let Some(slot) = spaces.first_mut() {
            *slot = Some(index);
        }
        self.entries.push(Entry {
            pc,
            following: entry,
            columns: columns.trim_ascii_end().into(),
            accesses,
            spaces,
            other,
            depth,
        });
        self.by_pc.insert(pc, entry);
        Ok(entry)
    }

    fn push(&mut self, instruction: SassInstruction) -> Result<u32, Fault> {
        let index = u32::try_from(self.instructions.len());
        let index = index.map_err(|_| Fault::new("", "found more than 2^32 different instructions"))?;
        self.instructions.push(instruction);
        Ok(index)
    }

    /// Returns the index of the instruction for one memory space. This space contains `first`, the address of the first
    /// lane.
    pub(in crate::import::accelsim) fn resolve(
        &mut self,
        known: &Known,
        first: Option<u64>,
        header: &Header,
    ) -> Result<u32, Fault> {
        let unresolved = |entry: &Entry| entry.spaces.first().copied().flatten();
        let Some(entry) = self.entries.get(known.entry as usize) else {
            return Ok(0);
        };
        let index = unresolved(entry).unwrap_or(0);
        let generic = known.accesses
            && self
                .instructions
                .get(index as usize)
                .is_some_and(|code| code.generic);
        let (true, Some(address)) = (generic, first) else {
            return Ok(index);
        };
        let (place, space) = match space(address, header) {
            Space::Global | Space::Constant => return Ok(index),
            Space::Local => (1, Space::Local),
            Space::Shared => (2, Space::Shared),
        };
        if let Some(index) = entry.spaces.get(place).copied().flatten() {
            return Ok(index);
        }
        let Some(mut instruction) = self.instructions.get(index as usize).cloned() else {
            return Ok(index);
        };
        instruction.kind = instruction.kind.within(space);
        let index = self.push(instruction)?;
        let entry = self.entries.get_mut(known.entry as usize);
        if let Some(slot) = entry.and_then(|entry| entry.spaces.get_mut(place)) {
            *slot = Some(index);
        }
        Ok(index)
    }

    /// Returns the opcode of the instruction `known`, for messages.
    pub(in crate::import::accelsim) fn opcode(&self, known: &Known) -> &str {
        let entry = self.entries.get(known.entry as usize);
        let index = entry.and_then(|entry| entry.spaces.first().copied().flatten());
        let instruction = index.and_then(|index| self.instructions.get(index as usize));
        instruction.map_or("", |instruction| &instruction.opcode)
    }
}

/// Returns the memory space of a generic address.
fn space(address: u64, header: &Header) -> Space {
    let within = |base: u64, bytes: u64| base != 0 && address >= base && address - base < bytes;
    let shared = match header.shared_base {
        0 => address < SHARED_WINDOW,
        base => within(
            base,
            header
                .local_base
                .checked_sub(base)
                .filter(|&gap| gap > 0)
                .unwrap_or(SHARED_WINDOW),
        ),
    };
    if shared {
        Space::Shared
    } else if within(header.local_base, LOCAL_WINDOW) {
        Space::Local
    } else {
        Space::Global
    }
}
