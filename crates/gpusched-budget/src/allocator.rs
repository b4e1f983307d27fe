//! The step for a kernel: Algorithm 4 of [Aghilinasab20], and a budget policy.

use crate::{Chooser, Fault, LONGEST, MAX_ACTIVE, MAX_CLUSTERS, Policy};

/// Thread blocks of a kernel with equal WCETs.
#[repr(C)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// N: number of blocks of the cluster in a complete run of the kernel; at least 1.
    pub blocks: u64,
    /// e⁰: WCET of a block in isolation [ns]; at least 1.
    pub e0: u64,
    /// e¹: WCET of a block while best-effort cores access memory all the time [ns]; at least e⁰.
    pub e1: u64,
    /// Position of the cluster in the kernel. [`Allocator::new`] sets it.
    pub position: u64,
}

impl Cluster {
    /// Whether the e¹/(e¹ − e⁰) of this cluster exceeds this quotient of `other`. The quotient increases with e⁰/e¹.
    fn is_after(&self, other: &Cluster) -> bool {
        product(self.e0, other.e1) > product(other.e0, self.e1)
    }
}

/// Constants of a kernel and of its regulation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Budget policy.
    pub policy: Policy,
    /// M: number of blocks that run at the same time, from 1 to [`MAX_ACTIVE`].
    pub active: u32,
    /// T: regulation period [ns], from 1 to [`LONGEST`].
    pub period: u64,
    /// b: nominal memory time of best-effort cores per regulation period, ⌈Q̄·T⌉ [ns]; at most `period`.
    pub nominal: u64,
    /// G(Q̄, 0): WCET of the kernel under the nominal budget, for every start [ns]; at most [`LONGEST`]. A smaller value is not
    /// safe.
    pub deadline: u64,
    /// Whether both ends of a memory time may extend a block to e¹ (`--straddling both`).
    pub both_ends: bool,
}

/// Chooses the memory time of best-effort cores in each regulation period during one kernel run. `S` holds the clusters, such as a
/// slice or a vector. With these memory times, the execution time of the kernel is at most [`Setting::deadline`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Allocator<S> {
    /// Clusters in ascending order of e¹/(e¹ − e⁰).
    clusters: S,
    active: u32,
    ends: u8,
    chooser: Chooser,
    deadline: u64,
}

impl<S: AsRef<[Cluster]>> Allocator<S> {
    /// Creates the allocator, and sorts `clusters`, which are in the order of the kernel. Sorting takes at most N² steps for N
    /// clusters.
    ///
    /// # Errors
    /// Returns a [`Fault`] if a value is out of range.
    pub fn new(setting: Setting, mut clusters: S) -> Result<Allocator<S>, Fault>
    where
        S: AsMut<[Cluster]>,
    {
        prepare(&setting, clusters.as_mut())?;
        Ok(Allocator::of(setting, clusters))
    }

    fn of(setting: Setting, clusters: S) -> Allocator<S> {
        Allocator {
            clusters,
            active: setting.active,
            ends: if setting.both_ends { 2 } else { 1 },
            chooser: Chooser::new(setting.policy, setting.nominal, setting.period),
            deadline: setting.deadline,
        }
    }

    /// Returns G(Q̄, 0), an upper bound on the execution time of the kernel under every policy [ns].
    pub fn deadline(&self) -> u64 {
        self.deadline
    }

    /// Returns the nominal memory time Q̄·T [ns]. The period before the first decision has exactly this memory time.
    pub fn nominal(&self) -> u64 {
        self.chooser.nominal()
    }

    /// Returns the regulation period T [ns].
    pub fn period(&self) -> u64 {
        self.chooser.period()
    }

    /// Resets the allocator before a new run of the kernel.
    pub fn restart(&mut self) {
        self.chooser.restart();
    }

    /// Checks a list for [`Allocator::decide`]: one number for each cluster, of at most its blocks.
    ///
    /// # Errors
    /// Returns [`Fault::Length`] or [`Fault::Blocks`].
    pub fn check(&self, remaining: &[u64]) -> Result<(), Fault> {
        let clusters = self.clusters.as_ref();
        if remaining.len() != clusters.len() {
            return Err(Fault::Length);
        }
        match clusters
            .iter()
            .all(|cluster| unfinished(cluster, remaining) <= cluster.blocks)
        {
            true => Ok(()),
            false => Err(Fault::Blocks),
        }
    }

    /// Returns the memory time Q·T of best-effort cores in the regulation period that begins `elapsed` ns after the start of the
    /// kernel [ns]: at least Q̄·T, and at most T.
    ///
    /// `remaining` has the number of unfinished blocks of each cluster, in the order of the kernel. If `remaining` has no entry for a
    /// cluster, all blocks of the cluster count as unfinished.
    pub fn decide(&mut self, elapsed: u64, remaining: &[u64]) -> u64 {
        let Some(window) = self.deadline.checked_sub(elapsed) else {
            self.restart();
            return self.nominal();
        };
        let memory = self.memory(window, remaining);
        self.chooser.choose(memory, window, self.period())
    }

    /// Computes the largest memory time of best-effort cores [ns] with which the remaining blocks end within `window`.
    /// The result is rounded down. Returns `None` if the blocks end within `window` even under full interference.
    ///
    /// The computation is Algorithm 4 of [Aghilinasab20], with ⌈t/T⌉ instead of the printed
    /// ⌈t/P⌉. Each of two loops visits each cluster at most once.
    pub fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        let left = || {
            let clusters = self.clusters.as_ref().iter();
            let left = clusters.map(|cluster| (unfinished(cluster, remaining), cluster));
            left.filter(|&(blocks, _)| blocks > 0)
        };
        // Saturated sums are above all values that are permitted, so they give smaller memory times.
        let (mut longest, mut largest, mut alone, mut delays) = (0, 0, 0_u128, 0_u128);
        for (blocks, cluster) in left() {
            let delay = cluster.e1.saturating_sub(cluster.e0);
            longest = longest.max(cluster.e1);
            largest = largest.max(delay);
            alone = alone.saturating_add(product(blocks, cluster.e0));
            delays = delays.saturating_add(product(blocks, delay));
        }
        // Eq. 31, multiplied by M: the largest permitted sum of the delays of all blocks.
        let active = u64::from(self.active);
        let tail = product(active.saturating_sub(1), longest);
        let Some(allowed) = product(active, window).checked_sub(tail.saturating_add(alone)) else {
            return Some(0);
        };
        if delays <= allowed {
            return None;
        }
        let periods = window.div_ceil(self.period().max(1)).saturating_add(1);
        let partial =
            product(active.saturating_mul(self.ends.into()), periods).saturating_mul(largest.into());
        let mut allowed = allowed.saturating_sub(partial);
        let mut memory = 0_u128;
        for (blocks, cluster) in left() {
            let delay = cluster.e1.saturating_sub(cluster.e0);
            if allowed == 0 || delay == 0 {
                break; // all later clusters have a delay of 0, too
            }
            let whole = product(blocks, delay);
            if whole > allowed {
                let part = allowed.saturating_mul(cluster.e1.into());
                memory = memory.saturating_add(part.checked_div(delay.into()).unwrap_or(0));
                break; // the last permitted delay
            }
            allowed = allowed.saturating_sub(whole);
            memory = memory.saturating_add(product(blocks, cluster.e1));
        }
        let memory = memory.checked_div(active.into()).unwrap_or(0);
        Some(u64::try_from(memory).unwrap_or(u64::MAX))
    }
}

impl<'a> Allocator<&'a [Cluster]> {
    /// Creates the allocator, and sorts `clusters`, as [`Allocator::new`] does. The caller keeps the memory of the clusters.
    ///
    /// # Errors
    /// Returns a [`Fault`] if a value is out of range.
    pub fn borrowing(
        setting: Setting,
        clusters: &'a mut [Cluster],
    ) -> Result<Allocator<&'a [Cluster]>, Fault> {
        prepare(&setting, clusters)?;
        Ok(Allocator::of(setting, clusters))
    }
}

/// Returns the number of unfinished blocks of `cluster`.
fn unfinished(cluster: &Cluster, remaining: &[u64]) -> u64 {
    let position = usize::try_from(cluster.position).ok();
    let found = position.and_then(|position| remaining.get(position));
    found.copied().unwrap_or(cluster.blocks)
}

/// Returns a·b, which never exceeds 128 bits.
fn product(a: u64, b: u64) -> u128 {
    u128::from(a).wrapping_mul(b.into())
}

/// Checks the values, and sorts the clusters.
fn prepare(setting: &Setting, clusters: &mut [Cluster]) -> Result<(), Fault> {
    if !(1..=MAX_CLUSTERS).contains(&clusters.len()) {
        return Err(Fault::Clusters);
    }
    if !(1..=MAX_ACTIVE).contains(&setting.active) {
        return Err(Fault::Active);
    }
    if !(1..=LONGEST).contains(&setting.period) || setting.nominal > setting.period {
        return Err(Fault::Period);
    }
    if setting.deadline > LONGEST {
        return Err(Fault::Deadline);
    }
    let mut work = 0_u64;
    for (cluster, position) in clusters.iter_mut().zip(0_u64..) {
        cluster.position = position;
        let Some(sum) = cluster
            .blocks
            .checked_mul(cluster.e1)
            .and_then(|one| work.checked_add(one))
        else {
            return Err(Fault::Work);
        };
        work = sum;
        if cluster.blocks == 0 || cluster.e0 == 0 || cluster.e0 > cluster.e1 {
            return Err(Fault::Work);
        }
    }
    if work > LONGEST {
        return Err(Fault::Work);
    }
    sort(clusters);
    Ok(())
}

/// Insertion sort, because it is stable and has no call that could panic.
fn sort(clusters: &mut [Cluster]) {
    for end in 1..clusters.len() {
        for at in (1..=end).rev() {
            let Some([before, last]) = clusters
                .get_mut(at.saturating_sub(1)..)
                .and_then(|from| from.first_chunk_mut::<2>())
            else {
                break;
            };
            if !before.is_after(last) {
                break;
            }
            core::mem::swap(before, last);
        }
    }
}
