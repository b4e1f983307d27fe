//! Writer of the files of the probe `block_sched` of Neutrino.

/// Records of the warps of one execution of a kernel.
pub struct Launch {
    /// Number of threads of a block.
    pub threads: u32,
    /// Start [cycles], duration [cycles] and SM of each warp, block after block. A record of zeros is missing.
    pub warps: Vec<(u64, u32, u32)>,
}

/// Layout of a file.
#[derive(Clone, Copy, PartialEq)]
pub enum Layout {
    /// Sections of early versions: bytes per warp (64 bits), and the place of the data.
    Early,
    /// Sections with the number of threads that share the bytes.
    Current,
}

impl Launch {
    /// Returns the file. `before` and `after` are the bytes per thread of other probes.
    pub fn file(&self, layout: Layout, before: Option<u32>, after: Option<u32>) -> Vec<u8> {
        let blocks = self.warps.len() as u32 / self.threads.div_ceil(32);
        let probes: Vec<(u32, u32)> = { before.map(|bytes| (bytes, 1)).into_iter() }
            .chain([(16, 32)])
            .chain(after.map(|bytes| (bytes, 1)))
            .collect();
        let mut file = Vec::new();
        let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
        for value in [1, blocks, 1, self.threads, 1, 1, 48, probes.len() as u32] {
            put(&value.to_le_bytes());
        }
        let mut offset = 32 + 16 * probes.len() as u64;
        for (bytes, group) in probes {
            put(&bytes.to_le_bytes());
            put(&if layout == Layout::Current { group } else { 0 }.to_le_bytes());
            put(&offset.to_le_bytes());
            offset += u64::from(blocks * self.threads.div_ceil(group) * bytes);
        }
        let other = |bytes: Option<u32>| vec![7; (blocks * self.threads * bytes.unwrap_or(0)) as usize];
        put(&other(before));
        for (start, elapsed, sm) in &self.warps {
            put(&start.to_le_bytes());
            put(&elapsed.to_le_bytes());
            put(&sm.to_le_bytes());
        }
        put(&other(after));
        file
    }
}
