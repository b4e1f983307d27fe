//! Detection of accesses outside the buffers of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Code;
use crate::code::Effect;
use crate::program::{Access, MemorySpace, Program};

/// Buffer that the address of an instruction refers to, and the largest distances by which
/// accesses exceed this buffer.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Index of the buffer in the program.
    buffer: usize,
    start: u64,
    /// First address after the end of the buffer.
    end: u64,
    /// Size of an access [bytes].
    bytes: u64,
    /// Largest distance by which an access starts before the buffer [bytes].
    before: AtomicU64,
    /// Largest distance by which an access ends after the buffer [bytes].
    beyond: AtomicU64,
}

/// Instruction that accessed memory outside the buffer that its address refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// Address of the instruction [bytes].
    pub pc: u32,
    /// Text of the instruction, as in issue traces.
    pub text: String,
    /// Index of the buffer in the program.
    pub buffer: usize,
    /// Largest distance by which an access starts before the buffer [bytes]; 0 if no access
    /// starts before the buffer.
    pub before: u64,
    /// Largest distance by which an access ends after the buffer [bytes]; 0 if no access ends
    /// after the buffer.
    pub beyond: u64,
}

impl Bounds {
    /// Returns the bounds if the address of `access` refers to exactly one buffer, and `None`
    /// otherwise.
    pub(super) fn of(program: &Program, access: &Access) -> Option<Arc<Bounds>> {
        if access.space != MemorySpace::Global {
            return None;
        }
        let mut named = Vec::new();
        access.address.names(&mut |name| {
            named.extend(program.buffers.iter().position(|(known, _)| known == name));
        });
        named.dedup();
        let [buffer] = *named.as_slice() else {
            return None;
        };
        let start = *program.addresses().get(buffer)?;
        let end = start.saturating_add(program.buffers.get(buffer)?.1.bytes);
        Some(Arc::new(Bounds {
            buffer,
            start,
            end,
            bytes: access.bytes.into(),
            before: AtomicU64::new(0),
            beyond: AtomicU64::new(0),
        }))
    }

    /// Checks the addresses of `lanes` in `effect`, and records by how much the accesses exceed
    /// the buffer. If the stride is constant, the function checks only the first and the last
    /// lane.
    #[inline]
    pub(super) fn note(&self, effect: &Effect, lanes: u32) {
        if lanes == 0 {
            return;
        }
        let at = |lane: u32| effect.addresses[lane as usize];
        let (first, last) = (at(lanes.trailing_zeros()), at(31 - lanes.leading_zeros()));
        let (mut least, mut most) = (first.min(last), first.max(last));
        if effect.stride.is_none() {
            for (lane, &address) in effect.addresses.iter().enumerate() {
                let there = lanes >> lane & 1 == 1;
                least = if there { least.min(address) } else { least };
                most = if there { most.max(address) } else { most };
            }
        }
        let end = most.saturating_add(self.bytes);
        if least < self.start || end > self.end {
            let (before, beyond) = (self.start.saturating_sub(least), end.saturating_sub(self.end));
            self.before.fetch_max(before, Ordering::Relaxed);
            self.beyond.fetch_max(beyond, Ordering::Relaxed);
        }
    }
}

impl Code {
    /// Returns the instructions that have accessed memory outside the buffer that their address refers to. The result
    /// covers all accesses so far, by all streams of this code.
    pub fn outside(&self) -> Vec<Outside> {
        let steps = self.instructions.iter().zip(&self.texts).zip(&self.steps);
        let found = steps.filter_map(|((instruction, text), step)| {
            let bounds = step.bounds.as_ref()?;
            let [before, beyond] = [&bounds.before, &bounds.beyond].map(|most| most.load(Ordering::Relaxed));
            (before > 0 || beyond > 0).then(|| Outside {
                pc: instruction.pc,
                text: text.to_string(),
                buffer: bounds.buffer,
                before,
                beyond,
            })
        });
        found.collect()
    }
}
