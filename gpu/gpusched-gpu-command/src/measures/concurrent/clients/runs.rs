//! Runs of a kernel beside memory clients whose requests in a regulation period are limited.

use gpusched_gpu::gpu::Results;
use gpusched_gpu::warp_run::{RequestBudget, WarpRunShape};
use gpusched_model::error::Result;
use gpusched_model::time::Time;

use super::bench::Bench;
use super::simulation::{prepared, response, simulated};

/// A kernel, memory clients, and their regulation.
#[derive(Debug)]
pub struct Runs {
    /// The kernel and the clients without regulation.
    pub bench: Bench,
    /// Length of a regulation period [core cycles].
    pub period: u64,
    /// Number of different start times of the kernel in a period.
    pub starts: u64,
}

impl Runs {
    /// Returns the launch of the kernel [core cycles] for one of its start times, after three periods.
    pub fn launch(&self, start: u64) -> u64 {
        3 * self.period + self.period * start / self.starts
    }

    /// Returns the run with the start time `start`, and with clients that may send any number of requests in a period.
    pub fn unregulated(&self, start: u64) -> WarpRunShape {
        let mut shape = self.bench.shape().clone();
        for kernel in &mut shape.kernels {
            kernel.launch = self.launch(start);
        }
        for client in &mut shape.clients {
            client.budget = Some(RequestBudget {
                requests: u64::MAX,
                period: self.period,
                phase: 0,
                first: Vec::new(),
            });
        }
        shape
    }

    /// Returns the run with a memory time for each of the first periods, and `later` for all later periods. Clients with equal
    /// starts of their periods spend their budgets as fast as possible.
    pub fn budgeted(&self, most: &[u64], later: Time, first: &[Time], start: u64) -> WarpRunShape {
        let mut shape = self.unregulated(start);
        for (client, &most) in shape.clients.iter_mut().zip(most) {
            let requests = |memory: &Time| share((memory.ns(), self.period), most);
            client.budget = Some(RequestBudget {
                requests: requests(&later),
                period: self.period,
                phase: 0,
                first: first.iter().map(requests).collect(),
            });
        }
        shape
    }
}

/// Simulates `shape` and returns the results, and the response time of the kernel [core cycles].
pub fn simulate(shape: WarpRunShape) -> Result<(Results, u64)> {
    let setup = prepared(shape)?;
    let results = simulated(&setup)?;
    let time = response(&setup, &results, 0);
    Ok((results, time))
}

/// Returns the share `numerator` / `denominator` of `most`, rounded down.
pub fn share((numerator, denominator): (u64, u64), most: u64) -> u64 {
    let share = u128::from(most) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(share).unwrap_or(u64::MAX)
}
