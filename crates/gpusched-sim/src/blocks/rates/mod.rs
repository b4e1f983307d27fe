//! Rates at which concurrent blocks and copies execute.

mod groups;

pub(super) use groups::Groups;

use std::collections::BTreeMap;

use super::progress::FULL;
use gpusched_model::Factor;
use gpusched_model::scenario::{CopyKind, Factors};

/// Returns the rate of each client of a shared `capacity`, rounded down. The division is max-min fair: a client
/// receives its demand or an equal share of the capacity that smaller demands leave, whichever is smaller. A client
/// without demand has the full rate.
pub fn max_min(capacity: u64, demands: &[u64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    let demand = |client: usize| demands.get(client).copied().unwrap_or(0);
    order.sort_by_key(|&client| demand(client));
    let mut rates = vec![FULL; demands.len()];
    let mut left = u128::from(capacity);
    for (place, &client) in order.iter().enumerate() {
        let others = (demands.len() - place) as u128;
        let wanted = u128::from(demand(client));
        if wanted * others <= left {
            left -= wanted;
            continue;
        }
        // All remaining clients receive `left` / `others`.
        for &client in order.iter().skip(place) {
            let rate = left * u128::from(FULL) / (others * u128::from(demand(client)));
            if let Some(found) = rates.get_mut(client) {
                *found = u64::try_from(rate).unwrap_or(FULL).clamp(1, FULL);
            }
        }
        break;
    }
    rates
}

/// Returns the rate of a block, rounded down: 1/(1 + (factor − 1)·share). `share` is the part of
/// the block's execution that depends on memory. Contention multiplies the time of this part by
/// `factor`.
pub fn slowed(factor: Factor, share: Factor) -> u64 {
    let ((f, f_unit), (s, s_unit)) = (factor.ratio(), share.ratio());
    let unit = u128::from(f_unit) * u128::from(s_unit);
    let more = u128::from(f.saturating_sub(f_unit)) * u128::from(s);
    let rate = u128::from(FULL).saturating_mul(unit) / (unit + more).max(1);
    u64::try_from(rate).unwrap_or(FULL).clamp(1, FULL)
}

/// Number of running blocks, for each kernel and each SM.
#[derive(Clone, Debug, Default)]
pub(super) struct OnSms {
    by_sm: BTreeMap<u32, u64>,
    by_kernel_and_sm: BTreeMap<(usize, u32), u64>,
}

impl OnSms {
    /// Adds a block of `kernel` on `sm`.
    pub fn add(&mut self, kernel: usize, sm: u32) {
        *self.by_sm.entry(sm).or_default() += 1;
        *self.by_kernel_and_sm.entry((kernel, sm)).or_default() += 1;
    }

    /// Returns the number of blocks of other kernels on `sm`.
    pub fn others(&self, kernel: usize, sm: u32) -> u64 {
        let all = self.by_sm.get(&sm).copied().unwrap_or(0);
        let own = self.by_kernel_and_sm.get(&(kernel, sm)).copied().unwrap_or(0);
        all - own
    }
}

/// Number of running memory-bound blocks, for each kernel and each SM.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    all: u64,
    by_kernel: BTreeMap<usize, u64>,
    by_gpc: BTreeMap<u32, u64>,
    by_kernel_and_gpc: BTreeMap<(usize, u32), u64>,
    on_sms: OnSms,
}

impl Crowd {
    /// Adds a memory-bound block of `kernel` on `sm`, which belongs to `gpc`.
    pub fn add(&mut self, kernel: usize, sm: u32, gpc: u32) {
        self.all += 1;
        *self.by_kernel.entry(kernel).or_default() += 1;
        *self.by_gpc.entry(gpc).or_default() += 1;
        *self.by_kernel_and_gpc.entry((kernel, gpc)).or_default() += 1;
        self.on_sms.add(kernel, sm);
    }

    /// Returns two flags for a block of `kernel` on `sm`. The first flag is true if memory-bound
    /// blocks of other kernels run on other SMs of `gpc`. The second flag is true if memory-bound
    /// blocks of other kernels run on other GPCs.
    pub fn others(&self, kernel: usize, sm: u32, gpc: u32) -> (bool, bool) {
        let count = |found: Option<&u64>| found.copied().unwrap_or(0);
        let in_gpc = count(self.by_gpc.get(&gpc)) - count(self.by_kernel_and_gpc.get(&(kernel, gpc)));
        let on_sm = self.on_sms.others(kernel, sm);
        let everywhere = self.all - count(self.by_kernel.get(&kernel));
        (in_gpc > on_sm, everywhere > in_gpc)
    }
}

/// The sources of contention that slow a block down.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CoLocated {
    pub same_gpc: bool,
    pub other_gpc: bool,
    pub memcpy: bool,
    pub memset: bool,
    pub cpu: bool,
}

impl CoLocated {
    /// Adds a running copy of kind `kind`.
    pub fn add(&mut self, kind: CopyKind) {
        match kind {
            CopyKind::Memcpy => self.memcpy = true,
            CopyKind::Memset => self.memset = true,
        }
    }

    /// Returns the largest contention factor that applies to the block.
    pub fn factor(&self, factors: &Factors) -> Factor {
        [
            (self.same_gpc, factors.intra_gpc),
            (self.other_gpc, factors.inter_gpc),
            (self.memcpy, factors.memcpy),
            (self.memset, factors.memset),
            (self.cpu, factors.cpu),
        ]
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, factor)| factor)
        .max()
        .unwrap_or(Factor::ONE)
    }
}
