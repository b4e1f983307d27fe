//! Accesses of a program outside of its buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Code;
use crate::code::Effect;
use gpusched_model::program::{Access, MemorySpace, Program};

/// The buffer that the address of an instruction names, and how far accesses went outside of it.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Its position among the buffers of the program.
    buffer: usize,
    start: u64,
    /// The first address behind it.
    end: u64,
    /// Bytes of an access.
    bytes: u64,
    /// The most bytes that an access started before it.
    before: AtomicU64,
    /// The most bytes that an access ended behind it.
    beyond: AtomicU64,
}

/// An instruction that accessed memory outside of the buffer that its address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The address of the instruction [bytes].
    pub pc: u32,
    /// What issue traces call it.
    pub text: String,
    /// The position of the buffer among those of the program.
    pub buffer: usize,
    /// The most bytes that an access started before the buffer.
    pub before: u64,
    /// The most bytes that an access ended behind the buffer.
    pub beyond: u64,
}

impl Bounds {
    /// Those of `access`; none if its address names no buffer, or several.
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

    /// Notes the accesses of `lanes` in `effect`. The ends are enough where addresses rise or fall.
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
    /// The instructions that accessed memory outside of the buffer that their address names, in all streams so far.
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
