//! The SIMT stack: the lanes that execute together and their next instruction.
//!
//! The stack works as in GPGPU-Sim. Where lanes diverge, their common entry waits at the reconvergence point. Each side
//! gets its own entry above, unless the side is already at the reconvergence point. The entry of the jumping lanes is
//! on top, so the jumping lanes run first.

use super::Jump;

/// Lanes that execute together.
#[derive(Debug, Clone)]
struct Entry {
    /// Index of the next instruction.
    next: u32,
    lanes: u32,
    /// Instruction where the entry ends (its reconvergence point).
    meets: Option<u32>,
    /// Completed rounds of each enclosing loop.
    counters: Box<[i64]>,
}

/// The SIMT stack of a warp.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

impl Stack {
    /// Creates a stack with `lanes` at the first instruction.
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

    /// Returns the next instruction, its lanes and the loop counters; `None` after all lanes have ended.
    pub fn top(&self) -> Option<(u32, u32, &[i64])> {
        self.entries
            .last()
            .map(|entry| (entry.next, entry.lanes, &*entry.counters))
    }

    /// Advances all lanes to the next instruction.
    pub fn advance(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.next = entry.next.wrapping_add(1);
        }
        self.settle();
    }

    /// Ends `lanes` and advances all other lanes.
    pub fn exit(&mut self, lanes: u32) {
        for entry in &mut self.entries {
            entry.lanes &= !lanes;
        }
        self.advance();
    }

    /// Lets the lanes of `jumping` jump and advances all other lanes. For the branch of a loop, `counter` is the index
    /// of its counter.
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
            // If both sides reconverge where the entry itself ends, the entry need not wait for them.
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

    /// Removes entries at their end and entries without lanes.
    fn settle(&mut self) {
        while let Some(top) = self.entries.last() {
            if top.lanes != 0 && (top.meets.is_none() || top.meets != Some(top.next)) {
                break;
            }
            self.entries.pop();
        }
    }
}
