//! Rules that divide the memory bandwidth among clients.

/// Rule that divides the memory bandwidth among clients that together demand more. Every rule is work-conserving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Division {
    /// Clients receive max-min fair shares.
    MaxMin,
    /// Clients receive bandwidth in this priority order. Each client receives its demand or the
    /// remaining bandwidth, whichever is smaller.
    Order(Vec<usize>),
    /// Clients receive bandwidth in the order of decreasing absolute deadlines. The client whose
    /// job has the latest deadline is first.
    Spite,
}

impl Division {
    /// Divides the bandwidth `capacity` and writes the share of each client to `shares`. `wants`
    /// contains the demand of each client, and `due` contains the absolute deadline of its
    /// running job.
    ///
    /// For n clients, the result of [`Division::MaxMin`] is exact if every number from 1 to n divides `capacity` and
    /// all `wants`.
    pub fn shares(&self, capacity: u128, wants: &[u128], due: &[u64], shares: &mut [u128]) {
        match self {
            Division::MaxMin => fair(capacity, wants, shares),
            Division::Order(order) => greedy(capacity, wants, order.iter().copied(), shares),
            Division::Spite => {
                let mut order: Vec<usize> = (0..wants.len()).collect();
                order.sort_by_key(|&client| std::cmp::Reverse(due[client]));
                greedy(capacity, wants, order.into_iter(), shares);
            }
        }
    }
}

fn greedy(capacity: u128, wants: &[u128], order: impl Iterator<Item = usize>, shares: &mut [u128]) {
    let mut left = capacity;
    for client in order {
        shares[client] = wants[client].min(left);
        left -= shares[client];
    }
}

fn fair(capacity: u128, wants: &[u128], shares: &mut [u128]) {
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|&client| wants[client]);
    let (mut left, mut claimants) = (capacity, order.len() as u128);
    for client in order {
        shares[client] = wants[client].min(left / claimants);
        left -= shares[client];
        claimants -= 1;
    }
}
