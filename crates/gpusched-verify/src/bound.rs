//! Check of a WCET bound of a kernel by [Aghilinasab20] Eqs 3 and 5–12. The check uses the multipliers of the
//! certificate in the bound.

use num_bigint::BigUint;

use super::fault::Fault;
use super::premises;
use gpusched_model::assumptions::{Assumption, BudgetBasis};
use gpusched_model::{Bound, Cluster, Factor, Kernel, Straddling};

/// Checks that the certificate of `bound` proves that the execution time of `kernel` is at most
/// `wcet_ns`. Returns the assumptions of the bound. If the bound lists its assumptions, the list must be complete. If it
/// states its identity, it must have been computed for `kernel`.
///
/// # Errors
/// Returns the first [`Fault`] of the bound.
pub fn verify_bound(bound: &Bound, kernel: &Kernel) -> Result<Vec<Assumption>, Fault> {
    premises::check_input(bound.identity.as_ref(), kernel)?;
    proven(bound, kernel)?;
    let needed = BudgetBasis::of_bound(bound, kernel).assumptions();
    // Bounds of older versions list no assumptions.
    if let Some(listed) = &bound.assumptions {
        premises::compare(listed, &needed)?;
    }
    Ok(needed)
}

/// Checks the certificate of `bound`.
fn proven(bound: &Bound, kernel: &Kernel) -> Result<(), Fault> {
    if bound.kernel.as_deref() != kernel.name() {
        let name = |name: Option<&str>| name.map_or("none".to_owned(), |name| format!("{name:?}"));
        let (found, expected) = (name(bound.kernel.as_deref()), name(kernel.name()));
        return Err(Fault::new(
            "kernel",
            format!("found {found}, expected {expected}"),
        ));
    }
    if bound.q > Factor::ONE {
        return Err(Fault::new("q", format!("found {}, expected 0 to 1", bound.q)));
    }
    let Some(certificate) = bound.certificate else {
        return Err(Fault::new(
            "certificate",
            "found none, expected the multipliers λ and µ",
        ));
    };
    let memory = memory_time(bound, kernel);
    if bound.memory_time_ns.ns() != memory {
        let message = format!("found {}, expected {memory}", bound.memory_time_ns.ns());
        return Err(Fault::new("memory_time_ns", message));
    }
    // `proven` is M times the bound of Eq. 3 or Eq. 8. This value is also multiplied by the denominators of λ and µ, so
    // that `proven` is an integer.
    let ((a, b), (c, d)) = (certificate.lambda.parts(), certificate.mu.parts());
    let (lambda, mu, unit) = (BigUint::from(a) * d, BigUint::from(c) * b, BigUint::from(b) * d);
    let active = kernel.active_blocks();
    let longest = |time: fn(&Cluster) -> u64| kernel.clusters().iter().map(time).max().unwrap_or(0);
    let mut proven = BigUint::ZERO;
    for cluster in kernel.clusters() {
        proven += BigUint::from(cluster.blocks()) * cluster.isolated().ns();
    }
    if bound.q == Factor::ZERO {
        proven += BigUint::from(active - 1) * longest(|cluster| cluster.isolated().ns());
        proven *= &unit;
    } else {
        proven += BigUint::from(active - 1) * longest(|cluster| cluster.contended().ns());
        proven *= &unit;
        proven += &lambda * memory * active + &mu * partial_blocks(bound, kernel);
        for cluster in kernel.clusters() {
            let (alone, contended) = (cluster.isolated().ns(), cluster.contended().ns());
            let delay = &unit * (contended - alone);
            let price = (&lambda * contended).min(mu.clone());
            if delay > price {
                proven += (delay - price) * cluster.blocks();
            }
        }
    }
    let proven = div_ceil(proven, unit * active);
    match proven <= BigUint::from(bound.wcet_ns.ns()) {
        true => Ok(()),
        false => {
            let found = bound.wcet_ns.ns();
            let message = format!(
                "found {found}, expected at least {proven}, the bound that the certificate proves for a window of {found} ns"
            );
            Err(Fault::new("wcet_ns", message))
        }
    }
}

/// Returns `numerator`/`denominator`, rounded up. `denominator` must be positive.
fn div_ceil(numerator: BigUint, denominator: BigUint) -> BigUint {
    (numerator + &denominator - 1u8) / denominator
}

/// Returns Q·T, the memory time of best-effort cores in one regulation period, rounded up to whole nanoseconds.
fn burst(bound: &Bound, kernel: &Kernel) -> u128 {
    let (numerator, denominator) = bound.q.ratio();
    let period = u128::from(kernel.regulation_period().ns());
    (period * u128::from(numerator)).div_ceil(u128::from(denominator))
}

/// Returns t_mem, the memory time of best-effort cores in a window as long as the WCET bound (Eqs 5–7).
fn memory_time(bound: &Bound, kernel: &Kernel) -> u64 {
    let (window, period) = (
        u128::from(bound.wcet_ns.ns()),
        u128::from(kernel.regulation_period().ns()),
    );
    let burst = burst(bound, kernel);
    // Without synchronization, the window begins with the memory time that best-effort cores have at the end of a
    // regulation period.
    let early = if bound.sync { 0 } else { burst.min(window) };
    let rest = window - early;
    let memory = early + rest / period * burst + (rest % period).min(burst);
    u64::try_from(memory).unwrap_or(u64::MAX) // at most the window
}

/// Returns K, the number of blocks that overlap the memory time of best-effort cores only in part. Each regulation
/// period that the window can overlap has one or two counted ends of a memory time. At each counted end, K counts all M
/// active blocks.
fn partial_blocks(bound: &Bound, kernel: &Kernel) -> BigUint {
    let (window, period) = (bound.wcet_ns.ns(), kernel.regulation_period().ns());
    let periods = BigUint::from(window / period + u64::from(window % period > 0)) + 1u8;
    let ends = match bound.straddling {
        Straddling::End => 1u8,
        Straddling::Both => 2,
    };
    periods * ends * kernel.active_blocks()
}
