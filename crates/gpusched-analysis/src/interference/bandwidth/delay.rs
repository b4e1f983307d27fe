//! The interference delay that the memory traffic of other partitions and sources causes to a partition.

use super::Load;
use gpusched_model::Bandwidth;

/// Interference delay of a partition, caused by the memory traffic of other partitions and
/// sources.
///
/// Let B be the bandwidth of the memory. If a kernel could use the rate d but gets only the rate s < d, the memory is
/// busy. So the other partitions and sources get a rate o ≥ B − s. Per unit of time, the kernel loses the time 1 − s/d
/// ≤ 1 − s/B ≤ o/B. So in any window, a partition loses at most (bytes of the other partitions and sources)/B.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delay {
    /// B: memory bandwidth [nano-bytes per nanosecond]; > 0.
    capacity: u128,
    others: Vec<Load>,
    /// Times for which other partitions occupy the ports that they share with this partition [ns].
    at_ports: Vec<Load>,
}

impl Delay {
    /// Creates the delay that the traffic of `others` causes at a memory of bandwidth `capacity`. The bandwidth must
    /// not be 0.
    pub fn new(capacity: Bandwidth, others: impl IntoIterator<Item = Load>) -> Delay {
        Delay {
            capacity: u128::from(capacity.bytes_per_second()).max(1),
            others: others.into_iter().filter(|load| load.peak() > 0).collect(),
            at_ports: Vec::new(),
        }
    }

    /// Returns the delay with the delay at shared ports. `loads` are the times for which each other partition occupies
    /// these ports [ns].
    ///
    /// While a kernel waits at a port, packets of the other partitions pass the port. So in any window, the partition loses
    /// at most the time of these packets, in addition to the time that it loses at the memory.
    #[must_use]
    pub fn with_ports(self, loads: impl IntoIterator<Item = Load>) -> Delay {
        Delay {
            at_ports: loads.into_iter().filter(|load| load.peak() > 0).collect(),
            ..self
        }
    }

    /// Returns whether the delay includes a delay at shared ports.
    pub fn counts_ports(&self) -> bool {
        !self.at_ports.is_empty()
    }

    /// Returns whether the delay is 0 in every window.
    pub fn is_none(&self) -> bool {
        self.others.is_empty() && self.at_ports.is_empty()
    }

    /// Returns the largest delay in any window of length `window` [ns]. The delay is rounded up,
    /// and at most `window`.
    pub fn within(&self, window: u64) -> u64 {
        let ports = { self.at_ports.iter() }.map(|load| load.within(window));
        let ports = ports.fold(0u128, u128::saturating_add);
        let Some(rest) = u128::from(window).checked_sub(ports) else {
            return window;
        };
        let most = self.capacity.saturating_mul(rest);
        let mut bytes = 0u128;
        for load in &self.others {
            bytes = bytes.saturating_add(load.within(window));
            if bytes >= most {
                return window;
            }
        }
        u64::try_from(bytes.div_ceil(self.capacity) + ports).unwrap_or(window)
    }

    /// Returns a share s [2⁻⁴⁸], at most 1, such that the delay in every window of length t is at least s·t.
    pub fn least_share(&self) -> u64 {
        let rates = self.others.iter().map(Load::least_rate);
        let rate = rates.fold(0u128, u128::saturating_add).min(self.capacity);
        // The capacity is below 2⁶⁴, so the product is below 2¹¹².
        u64::try_from((rate << 48) / self.capacity).unwrap_or(1 << 48)
    }
}
