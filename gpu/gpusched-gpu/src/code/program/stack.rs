//! The SIMT stack of a warp. The stack records which lanes execute together, and which instruction these lanes execute
//! next.
//!
//! The stack works as in GPGPU-Sim. Each entry contains lanes that execute together. When these
//! lanes diverge, their entry waits at the reconvergence point. Each side of the branch gets a
//! new entry on top, except a side that starts at the reconvergence point. The entry of the
//! jumping lanes is on top, so these lanes execute first.

use super::Jump;

/// Entry of the stack: lanes that execute together.
#[derive(Debug, Clone)]
struct Entry {
    /// Index of the next instruction.
    next: u32,
    lanes: u32,
    /// Reconvergence point of the lanes, where the entry ends.
    meets: Option<u32>,
    /// Number of completed rounds of each enclosing loop.
    counters: Box<[i64]>,
}

/// The SIMT stack of a warp.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

impl Stack {
    /// Creates a stack with one entry: `lanes` at the first instruction. `depth` is the maximum
    /// nesting depth of loops.
    pub fn new(lanes: u32, depth: usize) -> Stack {
        let counters = vec![0; depth].into();
        let entries = match lanes {
            0 => Vec::new(),
            _ => vec![Entry {
                next: 0,
                lanes,
                meets: None,
                counters,
            }],
        };
        Stack { entries }
    }

    /// Returns the index of the next instruction, the lanes that execute this instruction, and the loop counters.
    /// Returns `None` after all lanes have ended.
    pub fn top(&self) -> Option<(u32, u32, &[i64])> {
        self.entries
            .last()
            .map(|entry| (entry.next, entry.lanes, &*entry.counters))
    }

    /// Advances all lanes of the top entry to the next instruction.
    pub fn advance(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.next = entry.next.wrapping_add(1);
        }
        self.settle();
    }

    /// Ends the lanes `lanes`, and advances the remaining lanes of the top entry.
    pub fn exit(&mut self, lanes: u32) {
        for entry in &mut self.entries {
            entry.lanes &= !lanes;
        }
        self.advance();
    }

    /// Lets the lanes in `jumping` jump, and advances the other lanes of the top entry. If the
    /// branch closes a loop, `counter` is the index of the loop counter.
    pub fn branch(&mut self, jumping: u32, jump: Jump, counter: Option<usize>) {
        let Some(top) = self.entries.last_mut() else {
            return;
        };
        let staying = top.lanes & !jumping;
        let slot = |entry: &mut Entry, again: bool| {
            if let Some(rounds) = counter.and_then(|slot| entry.counters.get_mut(slot)) {
                *rounds = if again { rounds.wrapping_add(1) } else { 0 };
            }
        };
        let next = top.next.wrapping_add(1);
        if staying == 0 {
            top.next = jump.target;
            slot(top, true);
        } else if jumping & top.lanes == 0 {
            top.next = next;
            slot(top, false);
        } else {
            let (jumping, meets, outer) = (jumping & top.lanes, jump.meets, top.meets);
            let mut stayed = Entry {
                next,
                lanes: staying,
                meets,
                counters: top.counters.clone(),
            };
            let mut jumped = Entry {
                next: jump.target,
                lanes: jumping,
                meets,
                counters: top.counters.clone(),
            };
            slot(&mut stayed, false);
            slot(&mut jumped, true);
            // If both sides reconverge where the common entry ends, the common entry is no longer
            // necessary.
            match meets {
                Some(meeting) if meets != outer => {
                    top.next = meeting;
                    slot(top, false);
                }
                _ => drop(self.entries.pop()),
            }
            let at_end = |entry: &Entry| Some(entry.next) == entry.meets && entry.meets.is_some();
            self.entries
                .extend([stayed, jumped].into_iter().filter(|entry| !at_end(entry)));
        }
        self.settle();
    }

    /// Removes the top entries that have reached their reconvergence point or have no lanes.
    fn settle(&mut self) {
        while let Some(top) = self.entries.last() {
            if top.lanes != 0 && (top.meets.is_none() || top.meets != Some(top.next)) {
                break;
            }
            self.entries.pop();
        }
    }
}
