//! Largest share of the traffic that a single slice of L2, DRAM channel or bank receives (*camping*).

/// Numbers of servers of the memory side. A server is a slice, a channel or a bank.
#[derive(Debug, Clone, Copy)]
pub struct Servers {
    /// Number of slices of L2.
    pub slices: usize,
    /// Number of DRAM channels.
    pub channels: usize,
    /// Number of banks of each channel.
    pub banks: usize,
}

/// For each kind of server: the largest share of the traffic that one server receives in a window of 1024 successive
/// sectors. The value 1 means that all sectors of a window use one server. A run with fewer sectors has one window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Share of the busiest slice, among the sectors at L2; `None` without traffic at L2.
    pub slice: Option<f64>,
    /// Share of the busiest channel, among the sectors at DRAM; `None` without traffic at DRAM.
    pub channel: Option<f64>,
    /// Share of the busiest bank of the whole GPU, among the sectors at DRAM; `None` without traffic at DRAM.
    pub bank: Option<f64>,
}

/// Number of successive sectors of a window.
pub const WINDOW: u32 = 1024;

/// Computes the largest shares from the traffic.
#[derive(Debug)]
pub struct Camping {
    slices: Windows,
    channels: Windows,
    banks: Windows,
    banks_per_channel: usize,
}

impl Camping {
    pub fn new(servers: Servers) -> Self {
        Self {
            slices: Windows::new(servers.slices),
            channels: Windows::new(servers.channels),
            banks: Windows::new(servers.channels * servers.banks),
            banks_per_channel: servers.banks,
        }
    }

    pub fn at_slice(&mut self, slice: usize) {
        self.slices.add(slice);
    }

    pub fn at_bank(&mut self, channel: usize, bank: usize) {
        self.channels.add(channel);
        self.banks.add(channel * self.banks_per_channel + bank);
    }

    pub fn shares(&self) -> Shares {
        Shares {
            slice: self.slices.share(),
            channel: self.channels.share(),
            bank: self.banks.share(),
        }
    }
}

/// Sectors of one window, counted per server.
#[derive(Debug)]
struct Windows {
    counts: Vec<u32>,
    /// Number of sectors in the current window.
    total: u32,
    /// Largest count of a server in the current window.
    largest: u32,
    /// Largest count of a server in a complete window; `None` before the first complete window.
    most: Option<u32>,
}

impl Windows {
    fn new(servers: usize) -> Self {
        Self {
            counts: vec![0; servers],
            total: 0,
            largest: 0,
            most: None,
        }
    }

    fn add(&mut self, server: usize) {
        let Some(count) = self.counts.get_mut(server) else {
            return;
        };
        *count += 1;
        self.largest = self.largest.max(*count);
        self.total += 1;
        if self.total == WINDOW {
            self.most = self.most.max(Some(self.largest));
            self.counts.fill(0);
            (self.total, self.largest) = (0, 0);
        }
    }

    fn share(&self) -> Option<f64> {
        let (most, of) = match self.most {
            Some(most) => (most, WINDOW),
            None => (self.largest, self.total),
        };
        (of > 0).then(|| f64::from(most) / f64::from(of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_server_of_any_complete_window_counts() {
        let mut windows = Windows::new(4);
        assert_eq!(windows.share(), None);
        for _ in 0..3 {
            windows.add(1);
        }
        windows.add(2);
        assert_eq!(windows.share(), Some(0.75));
        for sector in 4..WINDOW as usize {
            windows.add(sector % 4);
        }
        // The first window is nearly balanced, the second uses only one server, and the third is not complete.
        let balanced = windows.share().unwrap();
        assert!(balanced < 0.26, "{balanced}");
        for _ in 0..WINDOW {
            windows.add(3);
        }
        windows.add(0);
        assert_eq!(windows.share(), Some(1.0));
    }
}
