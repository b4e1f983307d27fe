//! Memory clients: CPU cores and copy engines whose requests enter the DRAM channels without passing L2.
//!
//! On an SoC such as TX2 or Xavier, the CPU complex and the GPU share only the memory controller. A copy engine passes
//! L2 of the GPU on the hardware, but its buffers are much larger than L2, so its requests reach DRAM as well. The
//! simulation omits the lines of other kernels that a copy would evict from L2.

use crate::memory::request::{CLIENT_BYTES, Kind, Request};
use crate::memory::ring::Ring;

use crate::gpu::pace::wakes::NEVER;

/// Accesses of a memory client to its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAccess {
    /// Each request reads a line.
    Read,
    /// Each request writes a line.
    Write,
    /// One request reads a line. When the line has arrived, a second request writes it to a second buffer.
    Copy {
        /// Address of the second buffer.
        to: u64,
    },
}

/// Regulation of a memory client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientBudget {
    /// Maximum number of requests in a period.
    pub requests: u64,
    /// Length of a period [core cycles], at least 1.
    pub period: u64,
    /// First core cycle when a period starts, below `period`. A shorter period with the whole budget precedes it.
    pub phase: u64,
    /// Maximum number of requests in each of the first periods, in place of `requests`. The first number is for the period
    /// that contains cycle 0.
    pub first: Vec<u64>,
}

impl ClientBudget {
    /// Returns the number of requests in period `number`. Period 0 contains cycle 0.
    fn of(&self, number: u64) -> u64 {
        let first = usize::try_from(number)
            .ok()
            .and_then(|number| self.first.get(number));
        first.copied().unwrap_or(self.requests)
    }

    /// Returns how many periods after period `number` the next one with requests is.
    fn wait(&self, number: u64) -> Option<u64> {
        let first = self.first.len() as u64;
        let later = (number + 1..first).find(|&later| self.of(later) > 0);
        let after = (self.requests > 0).then(|| first.max(number + 1));
        later.or(after).map(|later| later - number)
    }
}

/// A source of memory requests beside the SMs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Name of the client in results.
    pub name: String,
    /// First core cycle when the client may send a request.
    pub start: u64,
    /// Address of the buffer.
    pub address: u64,
    /// Size of each buffer [lines], at least 1.
    pub lines: u64,
    /// Accesses to the buffer.
    pub access: ClientAccess,
    /// Whether the client accesses lines in pseudo-random order. Otherwise, it accesses them in ascending order, again
    /// and again.
    pub random: bool,
    /// Number of lines after which the client stops. `None` means that it never stops.
    pub total: Option<u64>,
    /// Maximum number of lines that the client transfers at the same time, at least 1.
    pub outstanding: u32,
    /// Time between the end of a request and the next request for which it makes room [core cycles].
    pub think: u64,
    /// Minimum time between two requests [core cycles], at least 1.
    pub interval: u64,
    /// Regulation. `None` means that the client is not regulated.
    pub budget: Option<ClientBudget>,
    /// DRAM channels that hold the buffers, in ascending order. `None` means all channels.
    pub channels: Option<Vec<u32>>,
}

/// Results of one memory client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientResult {
    /// Name of the client.
    pub name: String,
    /// Number of sent requests that read a line.
    pub reads: u64,
    /// Number of sent requests that write a line.
    pub writes: u64,
    /// Number of requests that have ended.
    pub ended: u64,
    /// Largest number of requests in one regulation period; 0 without regulation.
    pub most_in_period: u64,
    /// Core cycle when the last request ended, if the client has transferred all its lines.
    pub finish: Option<u64>,
}

/// All memory clients of a run.
#[derive(Debug, Default)]
pub struct Clients {
    clients: Vec<Sender>,
    /// Number of kernels. Client i has the kernel number `kernels` + i in requests.
    kernels: usize,
    /// First cycle when a client sends a request if no further request ends.
    next: u64,
}

/// State of a client.
#[derive(Debug)]
struct Sender {
    client: Client,
    /// Free places for lines in transfer, in the order of time: the first core cycle of the next request, and the line to
    /// write if the place holds a line that has been read.
    places: Ring<(u64, Option<u64>)>,
    /// Number of lines whose transfer has started.
    lines: u64,
    /// First cycle when the interval to the last request has passed.
    after_last: u64,
    /// Number of requests that the client may still send in the present period.
    left: u64,
    /// Number of the present period.
    number: u64,
    /// Start of the next period.
    renewal: u64,
    result: ClientResult,
}

impl Sender {
    fn new(client: Client) -> Self {
        let mut places = Ring::new();
        (0..client.outstanding).for_each(|_| places.push_back((client.start, None)));
        let budget = client.budget.as_ref();
        Self {
            places,
            lines: 0,
            after_last: 0,
            left: budget.map_or(u64::MAX, |budget| budget.of(0)),
            number: 0,
            renewal: budget.map_or(NEVER, |budget| match budget.phase {
                0 => budget.period,
                phase => phase,
            }),
            result: ClientResult {
                name: client.name.clone(),
                reads: 0,
                writes: 0,
                ended: 0,
                most_in_period: 0,
                finish: None,
            },
            client,
        }
    }

    /// Returns the cycle of the next request if no further request ends.
    fn next(&self) -> u64 {
        let Some(&(at, _)) = self.places.front() else {
            return NEVER;
        };
        let at = at.max(self.after_last);
        let Some(budget) = &self.client.budget else {
            return at;
        };
        let passed = passed(budget, self.renewal, at);
        let left = match passed {
            0 => self.left,
            passed => budget.of(self.number + passed),
        };
        if left > 0 {
            return at;
        }
        let Some(wait) = budget.wait(self.number + passed) else {
            return NEVER;
        };
        let periods = (passed + wait - 1).saturating_mul(budget.period);
        self.renewal.saturating_add(periods)
    }

    /// Starts the period of cycle `now` if it has not started.
    fn renew(&mut self, now: u64) {
        let Some(budget) = &self.client.budget else {
            return;
        };
        let periods = passed(budget, self.renewal, now);
        if periods > 0 {
            self.renewal = self.renewal.saturating_add(periods.saturating_mul(budget.period));
            self.number += periods;
            self.left = budget.of(self.number);
        }
    }

    /// Removes free places at the front that the client no longer needs, because all lines have started.
    fn retire(&mut self) {
        let all = self.client.total.is_some_and(|total| self.lines >= total);
        while all && matches!(self.places.front(), Some((_, None))) {
            self.places.pop_front();
        }
    }

    /// Sends a request in cycle `now` if the client has one. Returns its address, and whether it writes.
    fn send(&mut self, now: u64) -> Option<(u64, bool)> {
        if self.next() > now {
            return None;
        }
        self.renew(now);
        let (_, held) = self.places.pop_front()?;
        let (address, writes) = match (held, self.client.access) {
            (Some(line), ClientAccess::Copy { to }) => (to + line * CLIENT_BYTES, true),
            (_, access) => {
                let line = self.line(self.lines);
                self.lines += 1;
                let address = self.client.address + line * CLIENT_BYTES;
                (address, access == ClientAccess::Write)
            }
        };
        if let Some(budget) = &self.client.budget {
            self.left -= 1;
            self.result.most_in_period = self.result.most_in_period.max(budget.of(self.number) - self.left);
        }
        match writes {
            true => self.result.writes += 1,
            false => self.result.reads += 1,
        }
        self.after_last = now + self.client.interval;
        self.retire();
        Some((address, writes))
    }

    /// Returns the line of transfer `number`.
    fn line(&self, number: u64) -> u64 {
        let number = match self.client.random {
            false => number,
            true => {
                // SplitMix64.
                let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                mixed ^ (mixed >> 31)
            }
        };
        number % self.client.lines
    }

    /// Ends a request in cycle `now`.
    fn end(&mut self, address: u64, writes: bool, now: u64) {
        self.result.ended += 1;
        let copies = matches!(self.client.access, ClientAccess::Copy { .. });
        let held = (copies && !writes).then(|| (address - self.client.address) / CLIENT_BYTES);
        self.places.push_back((now + 1 + self.client.think, held));
        self.retire();
        let sent = self.result.reads + self.result.writes;
        if self.places.is_empty() && self.result.ended == sent {
            self.result.finish = Some(now);
        }
    }
}

/// Returns the number of periods that start from `renewal`, the start of the next one, to cycle `at`.
fn passed(budget: &ClientBudget, renewal: u64, at: u64) -> u64 {
    at.checked_sub(renewal)
        .map_or(0, |since| 1 + since / budget.period)
}

impl Clients {
    /// Creates the clients of a run with `kernels` kernels.
    pub fn new(clients: &[Client], kernels: usize) -> Self {
        let clients: Vec<Sender> = clients.iter().cloned().map(Sender::new).collect();
        let next = clients.iter().map(Sender::next).min().unwrap_or(NEVER);
        Self {
            clients,
            kernels,
            next,
        }
    }

    /// Returns whether there is no client.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// Returns the first cycle when a client sends a request if no further request ends.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Calls `accept` for each request in cycle `now`. A client sends at most one request per cycle.
    pub fn send(&mut self, now: u64, mut accept: impl FnMut(Request)) {
        if self.next > now {
            return;
        }
        for (index, client) in self.clients.iter_mut().enumerate() {
            if let Some((address, writes)) = client.send(now) {
                accept(Request {
                    address,
                    bytes: u32::MAX,
                    kind: Kind::Client { writes },
                    kernel: (self.kernels + index) as u8,
                    sm: 0,
                    slot: 0,
                    flight: 0,
                    slice: 0,
                    lanes: 0,
                });
            }
        }
        self.next = self.clients.iter().map(Sender::next).min().unwrap_or(NEVER);
    }

    /// Ends `request` in cycle `now`.
    pub fn end(&mut self, request: &Request, now: u64) {
        let client = usize::from(request.kernel).checked_sub(self.kernels);
        if let Some(client) = client.and_then(|index| self.clients.get_mut(index)) {
            client.end(request.address, request.writes(), now);
            self.next = self.next.min(client.next());
        }
    }

    /// Returns the results of the clients so far.
    pub fn results(&self) -> Vec<ClientResult> {
        self.clients.iter().map(|client| client.result.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::streams::{Purpose, below, stream};

    /// A client that looks at all its places and counts the requests of each period, cycle by cycle.
    struct Twin {
        client: Client,
        /// Places in the order of the end of their last request. `None` while a request is on its way.
        places: Vec<(u64, Option<u64>)>,
        sent: Vec<(u64, u64, bool)>,
        lines: u64,
    }

    impl Twin {
        fn period(&self, budget: &ClientBudget, cycle: u64) -> u64 {
            let first = if budget.phase == 0 {
                budget.period
            } else {
                budget.phase
            };
            (cycle + budget.period - first) / budget.period
        }

        fn cycle(&mut self, now: u64) -> Option<(u64, bool)> {
            let client = &self.client;
            if let Some(budget) = &client.budget {
                let mine = |sent: &&(u64, u64, bool)| self.period(budget, sent.0) == self.period(budget, now);
                let period = self.period(budget, now) as usize;
                let most = budget.first.get(period).unwrap_or(&budget.requests);
                if self.sent.iter().filter(mine).count() as u64 >= *most {
                    return None;
                }
            }
            let last = self.sent.last().map(|sent| sent.0);
            if last.is_some_and(|last| now < last + client.interval) {
                return None;
            }
            let over = client.total.is_some_and(|total| self.lines >= total);
            let first = self.places.iter().position(|(_, held)| held.is_some() || !over)?;
            if self.places[first].0 > now {
                return None;
            }
            let (_, held) = self.places.remove(first);
            let (address, writes) = match (held, client.access) {
                (Some(line), ClientAccess::Copy { to }) => (to + 64 * line, true),
                (_, access) => {
                    self.lines += 1;
                    let line = (self.lines - 1) % client.lines;
                    (client.address + 64 * line, access == ClientAccess::Write)
                }
            };
            self.sent.push((now, address, writes));
            Some((address, writes))
        }

        fn end(&mut self, address: u64, writes: bool, now: u64) {
            let copies = matches!(self.client.access, ClientAccess::Copy { .. });
            let held = (copies && !writes).then(|| (address - self.client.address) / 64);
            self.places.push((now + 1 + self.client.think, held));
        }
    }

    #[test]
    fn a_client_equals_a_client_that_counts_in_each_cycle() {
        let (mut limited, mut finished) = (0, 0);
        for index in 0..300 {
            let random = &mut stream(3, Purpose::RunVariants, 0, index);
            let period = [1, 7, 50, 400][below(random, 4)];
            let client = Client {
                name: String::new(),
                start: [0, 1, 30][below(random, 3)],
                address: 1 << 20,
                lines: [1, 3, 100][below(random, 3)],
                access: [
                    ClientAccess::Read,
                    ClientAccess::Write,
                    ClientAccess::Copy { to: 1 << 30 },
                ][below(random, 3)],
                random: false,
                total: [None, Some(1), Some(40)][below(random, 3)],
                outstanding: [1, 2, 9][below(random, 3)],
                think: [0, 1, 20][below(random, 3)],
                interval: [1, 2, 11][below(random, 3)],
                budget: (below(random, 3) > 0).then(|| ClientBudget {
                    requests: [0, 1, 5, 1000][below(random, 4)],
                    period,
                    phase: below(random, period as usize) as u64,
                    first: (0..[0, 0, 3, 12][below(random, 4)])
                        .map(|_| [0, 0, 1, 8][below(random, 4)])
                        .collect(),
                }),
                channels: None,
            };
            let mut twin = Twin {
                places: vec![(client.start, None); client.outstanding as usize],
                sent: Vec::new(),
                lines: 0,
                client: client.clone(),
            };
            let mut fast = Sender::new(client.clone());
            let mut way: Vec<(u64, u64, bool)> = Vec::new();
            for now in 0..1500 {
                let expected = twin.cycle(now);
                assert_eq!(fast.send(now), expected, "{index} {now} {client:?}");
                if let Some((address, writes)) = expected {
                    way.push((now + [0, 3, 40][below(random, 3)], address, writes));
                }
                while let Some(done) = way.iter().position(|sent| sent.0 <= now) {
                    let (_, address, writes) = way.remove(done);
                    fast.end(address, writes, now);
                    twin.end(address, writes, now);
                }
            }
            let sent = fast.result.reads + fast.result.writes;
            assert_eq!(
                (sent, sent - fast.result.ended),
                (twin.sent.len() as u64, way.len() as u64)
            );
            assert!(way.len() <= client.outstanding as usize);
            if let Some(budget) = &client.budget {
                let most = budget
                    .first
                    .iter()
                    .copied()
                    .max()
                    .unwrap_or(0)
                    .max(budget.requests);
                assert!(fast.result.most_in_period <= most);
                limited += u64::from(budget.requests > 0 && fast.result.most_in_period == budget.requests);
            }
            if fast.result.finish.is_some() {
                finished += 1;
                let copies = matches!(client.access, ClientAccess::Copy { .. });
                assert_eq!(
                    Some(sent),
                    client.total.map(|total| total * (1 + u64::from(copies)))
                );
            }
        }
        assert!(limited > 20 && finished > 20, "{limited} {finished}");
    }
}
