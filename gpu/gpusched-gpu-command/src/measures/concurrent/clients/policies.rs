//! Runs where a budget policy chooses the requests of each regulation period ([Aghilinasab20] §V).

use gpusched_analysis::bandwidth::{Allocator, nominal};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{BudgetPolicy, Factor, Kernel, Straddling};
use gpusched_study::measures::statistics::ratio;
use rayon::prelude::*;

use super::runs::{Runs, simulate};
use super::{Labels, Row};

/// The runs under all budget policies, with the nominal budget of a slowdown.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PolicyRuns {
    q: Factor,
    /// G(Q̄): bound on the time of the kernel under each policy [core cycles].
    bound: u64,
    /// Longest time of the kernel [core cycles], and number of requests of all clients in all runs, for each policy.
    policies: Vec<(u64, u64)>,
}

impl PolicyRuns {
    /// Runs with arbitrary numbers, for outlines.
    pub const fn synthetic() -> PolicyRuns {
        PolicyRuns {
            q: Factor::ZERO,
            bound: 1,
            policies: Vec::new(),
        }
    }

    /// Simulates all runs of `kernel`. `most` has the number of requests of each client in a period with the budget 1.
    pub fn of(beside: &Runs, kernel: &Kernel, most: &[u64], slowdown: Factor) -> Result<PolicyRuns> {
        let found = nominal(kernel, slowdown, false, Straddling::End)?;
        let q = found.nominal_q;
        let starts: Vec<u64> = (0..beside.starts).collect();
        let runs: Vec<(BudgetPolicy, u64)> = BudgetPolicy::ALL
            .iter()
            .flat_map(|&policy| starts.iter().map(move |&start| (policy, start)))
            .collect();
        let runs = runs.par_iter().map(|&(policy, start)| {
            let allocator = Allocator::new(kernel, q, policy, Straddling::End)?;
            run(beside, kernel, most, allocator, start)
        });
        let runs: Vec<Result<(u64, u64)>> = runs.collect();
        let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
        let together = |runs: &[(u64, u64)]| {
            let longest = runs.iter().map(|&(time, _)| time).max();
            (
                longest.unwrap_or(0),
                runs.iter().map(|&(_, requests)| requests).sum(),
            )
        };
        Ok(PolicyRuns {
            q,
            bound: found.wcet_nominal_ns.ns(),
            policies: runs.chunks(starts.len()).map(together).collect(),
        })
    }

    /// Returns the rows of all policies.
    pub fn rows(&self, of: &Labels) -> Vec<Row> {
        let mut rows = vec![of.decimal("nominal budget", self.q.as_f64(), "")];
        let under_nominal = self.policies.first().map_or(1, |&(_, requests)| requests);
        for (index, policy) in BudgetPolicy::ALL.iter().enumerate() {
            let (time, requests) = self.policies.get(index).copied().unwrap_or((1, 1));
            let of = of.clone().with("policy", policy);
            rows.push(of.row("time", time, "cycles"));
            rows.push(of.row("bound", self.bound, "cycles"));
            rows.push(of.decimal("bound by time", ratio(self.bound, time), ""));
            rows.push(of.row("requests", requests, "requests"));
            if *policy != BudgetPolicy::Nominal && under_nominal > 0 {
                rows.push(of.decimal("gain", ratio(requests, under_nominal) - 1.0, "share"));
            }
        }
        rows
    }
}

/// Simulates the kernel with the start `start` until it ends. Returns its time [core cycles], and the number of requests of all
/// clients. One core cycle counts as one nanosecond.
///
/// The budget of a period depends only on the blocks that ended before it. So each simulation repeats the one before it up to
/// the first period whose budget is not chosen.
fn run(
    beside: &Runs,
    kernel: &Kernel,
    most: &[u64],
    mut allocator: Allocator,
    start: u64,
) -> Result<(u64, u64)> {
    let (launch, period) = (beside.launch(start), beside.period);
    let blocks: u64 = kernel.clusters().iter().map(|cluster| cluster.blocks()).sum();
    let before = launch / period;
    // Before the start of the kernel, no client sends requests.
    let mut budgets = vec![Time::ZERO; usize::try_from(before).unwrap_or(0)];
    budgets.push(match launch % period {
        0 => allocator.decide(Time::ZERO, &[blocks]),
        _ => allocator.nominal(),
    });
    loop {
        let (results, time) = simulate(beside.budgeted(most, allocator.nominal(), &budgets, start))?;
        let boundary = budgets.len() as u64 * period;
        if launch + time <= boundary {
            let sent = results.clients.iter().map(|client| client.reads + client.writes);
            return Ok((time, sent.sum()));
        }
        let ended = results.blocks.iter().filter(|block| block.end < boundary);
        let left = blocks - ended.count() as u64;
        budgets.push(allocator.decide(Time::from_ns(boundary - launch), &[left]));
    }
}
