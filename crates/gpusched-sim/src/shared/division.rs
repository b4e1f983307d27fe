//! Division of the memory bandwidth among clients.

/// Division of the capacity when clients demand more than the capacity. The division is work-conserving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Division {
    /// Max-min fair shares.
    MaxMin,
    /// Priority order: the first client takes its demand, the next takes its demand from the rest, and so on.
    Order(Vec<usize>),
    /// The client with the latest deadline takes its demand first.
    Spite,
}

impl Division {
    /// Computes the `shares` of the `capacity` from the demand (`wants`) and the absolute deadline (`due`) of each client.
    ///
    /// [`Division::MaxMin`] is exact if `capacity` and `wants` are multiples of every number up to the number of clients.
    pub(super) fn shares(&self, capacity: u128, wants: &[u128], due: &[u64], shares: &mut [u128]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(division: &Division, capacity: u128, wants: &[u128]) -> Vec<u128> {
        let mut shares = vec![0; wants.len()];
        let due: Vec<u64> = (0..wants.len() as u64).collect();
        division.shares(capacity, wants, &due, &mut shares);
        shares
    }

    #[test]
    fn nothing_is_wasted() {
        let wants = [10, 70, 40];
        assert_eq!(shares(&Division::MaxMin, 100, &wants), [10, 50, 40]);
        assert_eq!(shares(&Division::MaxMin, 60, &wants), [10, 25, 25]);
        assert_eq!(shares(&Division::Order(vec![1, 0, 2]), 100, &wants), [10, 70, 20]);
        assert_eq!(shares(&Division::Spite, 100, &wants), [0, 60, 40]);
        assert_eq!(shares(&Division::MaxMin, 200, &wants), wants);
    }
}
