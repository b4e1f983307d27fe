//! Pending operand reads of an instruction.

/// Number of pending reads of each register bank.
#[derive(Debug, Clone, Default)]
pub struct Operands {
    /// Two bit masks of banks. The first mask contains the banks with at least one pending read.
    /// The second mask contains the banks with at least two pending reads.
    banks: [u64; 2],
    /// Bit masks of the banks with at least three pending reads, with at least four pending
    /// reads, and so on.
    more: Vec<u64>,
}

impl Operands {
    /// Removes all pending reads.
    pub fn clear(&mut self) {
        self.banks = [0; 2];
        self.more.clear();
    }

    /// Adds a pending read of `bank`.
    pub fn add(&mut self, bank: u32) {
        let bit = 1 << bank;
        let twice = self.banks[0] & bit;
        let more = self.banks[1] & twice;
        self.banks[0] |= bit;
        self.banks[1] |= twice;
        if more != 0 {
            self.add_more(more);
        }
    }

    fn add_more(&mut self, bit: u64) {
        match self.more.iter_mut().find(|level| **level & bit == 0) {
            Some(level) => *level |= bit,
            None => self.more.push(bit),
        }
    }

    /// Returns whether no reads are pending.
    pub fn is_empty(&self) -> bool {
        self.banks[0] == 0
    }

    /// Reads once from each bank that is in `free` and has pending reads. Returns the bit mask of
    /// these banks.
    pub fn read(&mut self, free: u64) -> u64 {
        let [once, twice] = self.banks;
        let read = once & free;
        let third = self.more.first().copied().unwrap_or(0);
        self.banks = [once & !read | twice & read, twice & !read | third & read];
        for level in 0..self.more.len() {
            let next = self.more.get(level + 1).copied().unwrap_or(0);
            let this = &mut self.more[level];
            *this = *this & !read | next & read;
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_count_per_bank() {
        let mut state = 17_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut operands = Operands::default();
        for _ in 0..300 {
            let mut counts = [0; 64];
            operands.clear();
            let banks = 1 + random(64);
            for _ in 0..random(12) {
                let bank = random(banks);
                operands.add(bank as u32);
                counts[bank as usize] += 1;
            }
            while !operands.is_empty() {
                let free = random(1 << 31) << 33 | random(1 << 31) << 16 | random(1 << 16);
                let read = operands.read(free);
                for (bank, count) in counts.iter_mut().enumerate() {
                    let reads = *count > 0 && free >> bank & 1 == 1;
                    assert_eq!(read >> bank & 1 == 1, reads);
                    *count -= i32::from(reads);
                }
                assert_eq!(operands.is_empty(), counts == [0; 64]);
            }
            assert_eq!(counts, [0; 64]);
        }
    }
}
